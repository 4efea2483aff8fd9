#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Print the partners of one variant, read from a merged result with h5py only.

usage: edges.py EDGES.res.h5 ID
exit: 0 done, 2 wrong usage, 3 wrong input, 4 machine failed
"""
import os
import sys

BLOCK = 1 << 20  # rows at a time


def fail(code, text):
    print(f"edges.py: {text}", file=sys.stderr)
    sys.exit(code)


try:
    import h5py
    import numpy as np
except ModuleNotFoundError as e:
    fail(4, f"no module {e.name}: on Debian and Ubuntu it is in the package "
         f"python3-{e.name}")


def show(*line, **how):
    try:
        print(*line, **how)
    except OSError as e:
        # otherwise Python would try to write again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        # a reader such as head may exit first
        if isinstance(e, BrokenPipeError):
            sys.exit()
        fail(4, f"cannot write: {e.strerror}")


def rows_of(f, me):
    """Yield blocks of the records that contain the variant, first as i."""
    columns = [c for c in "ijk" if c in f["records"]]
    # records are sorted by i, so those with the variant as i are contiguous
    first, last = f["index/i_offset"][me : me + 2]
    n = f["records/i"].shape[0]
    for lo in range(first, last, BLOCK):
        yield columns, np.arange(lo, min(lo + BLOCK, last))
    for lo in range(0, n, BLOCK):
        is_there = [f[f"records/{c}"][lo : lo + BLOCK] == me for c in columns[1:]]
        yield columns, lo + np.flatnonzero(np.any(is_there, axis=0))


def partners(f, wanted):
    if f.attrs["format"] not in (b"vsim-merged", "vsim-merged"):
        raise ValueError("is not a merged result; vsim-merge makes one")
    nodes = f["nodes/vector"][:]
    ids = f["nodes/id"][:].astype(str)
    name = dict(zip(nodes, ids))
    found = nodes[np.flatnonzero(ids == wanted)]
    if not len(found):
        raise ValueError(f"no record contains {wanted}")
    for columns, rows in rows_of(f, found[0]):
        if not len(rows):
            continue
        part = slice(rows[0], rows[-1] + 1)
        keep = rows - rows[0]
        vectors = np.stack([f[f"records/{c}"][part][keep] for c in columns])
        value = f["records/value"][part][keep]
        cell = f["records/cell"][part][keep] if "cell" in f["records"] else None
        for at in range(len(rows)):
            line = [name[v] for v in vectors[:, at] if v != found[0]]
            if cell is not None:
                line.append(f"{cell[at]:0{len(columns)}b}")
            yield " ".join([*line, repr(float(value[at]))])


if len(sys.argv) != 3:
    fail(2, "usage: edges.py EDGES.res.h5 ID")
try:
    with h5py.File(sys.argv[1]) as f:
        for line in partners(f, sys.argv[2]):
            show(line)
    show(end="", flush=True)
except (KeyError, ValueError) as e:
    fail(3, f"{sys.argv[1]}: {e.args[0]}")
except OSError as e:
    plugin = "; set HDF5_PLUGIN_PATH to the zstd plugin" * ("filter" in str(e))
    fail(3, f"{sys.argv[1]}: {e}{plugin}")
