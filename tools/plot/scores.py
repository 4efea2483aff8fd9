# SPDX-License-Identifier: BSD-3-Clause
"""Columns of records that vsim-view works out: p-values, counts, alleles."""
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from plot.options import INPUT, MACHINE, Failure

P_OF = {"inter": "inter_p"}  # of other metrics it is p, of g


def program(name: str) -> str:
    """The program beside this one, or on PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    path = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if not path:
        raise Failure(MACHINE, f"{name} is neither beside vsim-plot nor on PATH")
    return path


def view(path: str, columns: Sequence[str], options: Dict[str, Any],
         names: Optional[Sequence[str]] = None) -> List[List[str]]:
    """Lines of vsim-view, split; of records that have all ends among names."""
    words = [program("vsim-view"), "--no-header", "--file-order", "--fast", "-c",
             ",".join(columns)]
    if options.get("vectors"):
        words += ["--vectors", options["vectors"]]
    with tempfile.NamedTemporaryFile("wb", suffix=".ids") as ids:
        if names is not None:
            ids.write(b"".join(os.fsencode(x) + b"\n" for x in dict.fromkeys(names)))
            ids.flush()
            words += ["--both", "--id", f"@{ids.name}"]
        done = subprocess.run([*words, "--", path], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
    if done.returncode:
        said = done.stderr.decode(errors="replace").strip().splitlines()
        raise Failure(INPUT, said[-1] if said else "vsim-view failed")
    text = done.stdout.decode(errors="surrogateescape")
    return [line.split("\t") for line in text.split("\n")[:-1]]


def p_values(source: Any) -> np.ndarray:
    """p of each record, in the order of the file."""
    column = P_OF.get(source.metric, "p")
    lines = view(source.path, [column], source.options)
    return np.array([float(x[0]) if x[0] not in ("NA", ".") else np.nan for x in lines])
