# SPDX-License-Identifier: BSD-3-Clause
"""Calls to vsim-view, which checks files and computes columns."""
from __future__ import annotations

import functools
import itertools
import os
import shutil
import subprocess
import sys
from typing import Any, Dict, Iterator, List, Optional, Sequence

import numpy as np

from plot.options import INPUT, MACHINE, Failure

P_OF = {"inter": "inter_p"}  # of other metrics it is p, of g


def program(name: str) -> str:
    """The program next to this one, or on PATH."""
    beside = os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), name)
    path = beside if os.access(beside, os.X_OK) else shutil.which(name)
    if not path:
        raise Failure(MACHINE, f"{name} is neither next to vsim-plot nor on PATH")
    return path


def failure(code: int, said: bytes) -> Failure:
    """The message of a failed program, as a Failure."""
    lines = said.decode(errors="replace").strip().splitlines()
    text = lines[-1] if lines else f"vsim-view ended with {code}"
    return Failure(INPUT if code == INPUT else MACHINE, text.partition("vsim-view: ")[2]
                   or text)


@functools.lru_cache(maxsize=None)
def check(path: str) -> None:
    """Refuse a file with a wrong seal, size, structure or digest."""
    done = subprocess.run([program("vsim-view"), "-H", "--", path],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if done.returncode:
        raise failure(done.returncode, done.stderr)


def view_words(path: str, columns: Sequence[str], options: Dict[str, Any]) -> List[str]:
    words = [program("vsim-view"), "--no-header", "--file-order", "--fast", "-c",
             ",".join(columns)]
    if options.get("vectors"):
        words += ["--vectors", options["vectors"]]
    return [*words, "--", path]


def view(path: str, columns: Sequence[str], options: Dict[str, Any],
         names: Optional[Sequence[str]] = None) -> List[List[str]]:
    """Split lines of vsim-view for the records whose variants are all among names."""
    words, ids = view_words(path, columns, options), b""
    if names is not None:
        ids = b"".join(os.fsencode(x) + b"\n" for x in dict.fromkeys(names))
        words[1:1] = ["--both", "--id", "@-"]
    done = subprocess.run(words, input=ids, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    if done.returncode:
        raise failure(done.returncode, done.stderr)
    text = done.stdout.decode(errors="surrogateescape")
    return [line.split("\t") for line in text.split("\n")[:-1]]


def p_values(source: Any, n: int) -> Iterator[np.ndarray]:
    """p of each record, in the order of the file, n at a time."""
    words = view_words(source.path, [P_OF.get(source.metric, "p")], source.options)
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        while True:
            lines = itertools.islice(run.stdout, n)
            p = np.fromiter((np.nan if x in (b"NA\n", b".\n") else float(x)
                             for x in lines), float)
            if not len(p):
                break
            yield p
        said = run.stderr.read()
    if run.returncode:
        raise failure(run.returncode, said)
