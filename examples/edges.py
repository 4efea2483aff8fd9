#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Partners of one variant, read from a merged result by h5py alone.

usage: edges.py EDGES.res.h5 ID
"""
import sys

import h5py
import numpy as np

with h5py.File(sys.argv[1]) as f:
    nodes = f["nodes/vector"][:]
    ids = f["nodes/id"][:].astype(str)
    name = dict(zip(nodes, ids))
    me = nodes[np.flatnonzero(ids == sys.argv[2])[0]]
    # records with the variant first stand together; as second they do not
    first, last = f["index/i_offset"][me : me + 2]
    second = np.flatnonzero(f["records/j"][:] == me)
    for row in [*range(first, last), *second]:
        i, j = f["records/i"][row], f["records/j"][row]
        other, cell = (j if i == me else i), f["records/cell"][row]
        print(name[other], f"{cell:02b}", repr(float(f["records/value"][row])))
