#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A PLINK set of independent variants in Hardy-Weinberg proportions.

usage: gen_bed.py VARIANTS SAMPLES MISSING_SHARE PREFIX
Minor allele frequencies are uniform from 5 to 50 %.
"""
import sys

import numpy as np

n_var, n_sample, missing = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
prefix = sys.argv[4]
rng = np.random.default_rng(1)
width = (n_sample + 3) // 4
codes = np.array([0, 2, 3], "u1")
with open(prefix + ".bed", "wb") as f:
    f.write(b"\x6c\x1b\x01")
    for first in range(0, n_var, 1000):
        n = min(1000, n_var - first)
        freq = rng.uniform(0.05, 0.5, (n, 1)).astype("f4")
        draw = lambda: rng.random((n, 4 * width), "f4") < freq
        c = codes[draw().astype("u1") + draw()]
        if missing:
            c[rng.random(c.shape, "f4") < missing] = 1
        c = c.reshape(n, width, 4)
        f.write((c[..., 0] | c[..., 1] << 2 | c[..., 2] << 4 | c[..., 3] << 6).tobytes())
with open(prefix + ".bim", "w") as f:
    f.writelines(f"1\tv{i}\t0\t{i + 1}\tA\tG\n" for i in range(n_var))
with open(prefix + ".fam", "w") as f:
    f.writelines(f"s{i} s{i} 0 0 0 -9\n" for i in range(n_sample))
