#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Linkage disequilibrium of haplotypes of all pairs, by the likelihood.

    phase.py METRIC X.tsv RECORDS T [PLOIDY]
        RECORDS: i j nvalid value, of METRIC above T. Says what is wrong, and how
        many pairs were right.

If a call of two variants is 1 and 1, either phase may be: the likelihood of all
haplotypes is looked at on a grid, and each of its maxima is found by halving.
PLOIDY 1 reads a genotype of 2 as one allele, and one of 1 as missing. Shares
nothing with the tools but the files.
"""
import math
import sys

import numpy as np

from oracle import read

CLOSE = 1e-9


def likelihood(known, both, x):
    g = known + np.array([x, both - x, both - x, x])
    more = both * math.log(g[0] * g[3] + g[1] * g[2])
    return more + sum(k * math.log(f) for k, f in zip(known, g) if k > 0)


def slope(known, both, x):
    """Of the likelihood, times something positive."""
    a, b, c, d = known
    y = both - x
    one, two = (a + x) * (d + x), (b + y) * (c + y)
    return y * one - x * two


def most_likely(known, both):
    grid = np.linspace(0, both, 2001)
    up = slope(known, both, grid)
    best = (-math.inf, 0)
    for k in range(2000):
        if up[k] < 0 or up[k + 1] > 0:
            continue
        lo, hi = grid[k], grid[k + 1]
        for _ in range(100):
            x = (lo + hi) / 2
            lo, hi = (x, hi) if slope(known, both, x) > 0 else (lo, x)
        x = lo if lo == 0 else hi
        value = likelihood(known, both, x)
        if value > best[0] + 1e-10:
            best = value, x
    return best[1]


def values(table, ploidy):
    """D, |D'| and r2 of a 3 x 3 table."""
    known, both = np.zeros(4), table[1, 1] if ploidy == 2 else 0
    for x in range(3):
        for y in range(3):
            if x == y == 1 and both:
                continue
            for a in range(ploidy):
                one = a < x if ploidy == 2 else x > 0
                two = a < y if ploidy == 2 else y > 0
                known[2 * (not one) + (not two)] += table[x, y]
    if (table.sum(0) > 0).sum() < 2 or (table.sum(1) > 0).sum() < 2:
        return dict(d=0, dprime=0, r2em=0)
    x = most_likely(known, both) if both else 0
    f = (known + np.array([x, both - x, both - x, x])) / (known.sum() + 2 * both)
    p, q = f[0] + f[1], f[0] + f[2]
    d = f[0] - p * q
    most = min(p * (1 - q), q * (1 - p)) if d > 0 else min(
        p * q, (1 - p) * (1 - q))
    return dict(d=d, dprime=abs(d) / most, r2em=d * d / (p * (1 - p) * q * (1 - q)))


def main(metric, path, records, threshold, ploidy="2"):
    g, ploidy, threshold = read(path), int(ploidy), float(threshold)
    if ploidy == 1:
        g = np.where(g == 1, -1, g // 2)
    found = {}
    for line in open(records):
        i, j, n, v = line.split()
        found[int(i), int(j)] = int(n), float(v)
    right = 0
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            m = (g[i] >= 0) & (g[j] >= 0)
            table = np.zeros((3, 3))
            np.add.at(table, (g[i][m], g[j][m]), 1)
            want = values(table, ploidy)[metric]
            is_there = found.pop((i, j), None)
            if is_there is None:
                if want > threshold + CLOSE:
                    print("lost", i, j, want)
            elif is_there[0] != m.sum() or abs(is_there[1] - want) > CLOSE:
                print("differs", i, j, is_there, m.sum(), want)
            else:
                right += 1
    for pair in found:
        print("more", *pair)
    print("right", right)


if __name__ == "__main__":
    main(*sys.argv[1:])
