# SPDX-License-Identifier: BSD-3-Clause
"""try_conda.py OUT: build the recipe by rattler-build, with its tests, where no
channel is reached: what the recipe requires are empty packages of a channel made
in OUT, and the compiler and the libraries are those of this machine. In the top
folder, with `pip install py-rattler py-rattler-build`."""
import asyncio
import pathlib
import sys

import rattler.index
import rattler_build as rb

out = pathlib.Path(sys.argv[1]).resolve()
channel = out / "channel"
recipe = rb.Stage0Recipe.from_file(".packaging/conda/recipe.yaml")
(variant,) = recipe.render()
needs = variant.recipe.to_dict()["requirements"]
print("rendered:", needs)
(channel / "linux-64").mkdir(parents=True, exist_ok=True)
for spec in sorted({s for part in needs.values() for s in part}):
    name, _, build = (spec.split() + ["", ""])[:3]
    rb.assemble_package(
        name=name, version="1", target_platform="linux-64",
        build_string=build.rstrip("*") + "_0", output_dir=channel / "linux-64")
asyncio.run(rattler.index.index_fs(channel))
result = variant.run_build(
    tool_config=rb.ToolConfiguration(test_strategy="native"),
    output_dir=out, channels=[channel.as_uri()], package_format="conda")
print("\n".join(result.log))
print("built:", *result.packages)
