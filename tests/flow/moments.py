#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of moments of all pairs by their definition, in numpy.

    moments.py METRIC X.tsv T [PLOIDY]
        expected records as text: i j nvalid value
    moments.py each X.tsv PLOIDY METRIC=T...
        the same of each metric and threshold, in files want.METRIC=T

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


def tables(path, ploidy):
    """The sums over fields that both have, of all pairs."""
    g = read(path)
    if ploidy == "1":
        g = np.where(g == 1, -1, g // 2)
    m = (g >= 0).astype(np.int64)
    g = np.where(m, g, 0).astype(np.int64)
    n, p, s, q = m @ m.T, g @ g.T, g @ m.T, (g * g) @ m.T
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            yield i, j, dict(c=int(n[i, j]), p=int(p[i, j]),
                             si=int(s[i, j]), sj=int(s[j, i]),
                             qi=int(q[i, j]), qj=int(q[j, i]))


def passes(metric, value, threshold):
    return value < threshold if metric in LOWER else value > threshold


def main(metric, path, threshold, ploidy="2"):
    for i, j, sums in tables(path, ploidy):
        v = METRICS[metric](**sums)
        if passes(metric, v, threshold):
            print(i, j, sums["c"], number(v), sep="\t")


def each(path, ploidy, *asked):
    asked = [(*x.split("="), open("want." + x, "w")) for x in asked]
    for i, j, sums in tables(path, ploidy):
        value = {m: METRICS[m](**sums) for m in {x[0] for x in asked}}
        for metric, threshold, file in asked:
            v = value[metric]
            if passes(metric, v, float(threshold)):
                print(i, j, sums["c"], number(v), sep="\t", file=file)


if __name__ == "__main__":
    if sys.argv[1] == "each":
        each(*sys.argv[2:])
    else:
        main(sys.argv[1], sys.argv[2], float(sys.argv[3]), *sys.argv[4:])
