#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of moments of all pairs by their definition, in numpy.

    moments.py METRIC X.tsv T [PLOIDY]
        expected records as text: i j nvalid value

PLOIDY 1 reads a genotype of 2 as one allele, and one of 1 as missing. Shares
nothing with the tools but the files; integers are exact, and each value comes of
the products and the quotient that vsim-run(1) states.
"""
import math
import sys

import numpy as np

from oracle import number, read


def share(x, y):
    return x / y if y > 0 else 0.0


def cov(c, p, si, sj, **_):
    return float(c * p - si * sj)


def var(c, si, sj, qi, qj, **_):
    return float(c * qi - si * si) * float(c * qj - sj * sj)


def yule(c, p, si, sj, **_):
    a, b, d = p * (c - si - sj + p), si - p, sj - p
    return share(float(a - b * d), float(a + b * d))


# by the fields that both have, and over them the sums of products, of copies
# and of copies squared; lower is stronger of those in LOWER
METRICS = {
    "r2": lambda **m: share(cov(**m) * cov(**m), var(**m)),
    "r": lambda **m: share(cov(**m), math.sqrt(var(**m))),
    "cosine": lambda p, qi, qj, **_: share(
        float(p), math.sqrt(float(qi) * float(qj))),
    "jaccard": lambda p, qi, qj, **_: share(p, qi + qj - p),
    "dice": lambda p, qi, qj, **_: share(2 * p, qi + qj),
    "hamming": lambda p, qi, qj, **_: float(qi + qj - 2 * p),
    "yule": yule,
}
LOWER = {"hamming"}


def main(metric, path, threshold, ploidy="2"):
    g = read(path)
    if ploidy == "1":
        g = np.where(g == 1, -1, g // 2)
    m = (g >= 0).astype(np.int64)
    g = np.where(m, g, 0).astype(np.int64)
    n, p, s, q = m @ m.T, g @ g.T, g @ m.T, (g * g) @ m.T
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            v = METRICS[metric](c=int(n[i, j]), p=int(p[i, j]),
                                si=int(s[i, j]), sj=int(s[j, i]),
                                qi=int(q[i, j]), qj=int(q[j, i]))
            if v < threshold if metric in LOWER else v > threshold:
                print(i, j, n[i, j], number(v), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]), *sys.argv[4:])
