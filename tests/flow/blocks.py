#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Haplotype blocks by their definition (Gabriel et al. 2002).

    blocks.py X.tsv X.sites MAF KB > X.blocks.det

X.tsv has genotypes and X.sites ids, chromosomes and positions, of vsim-view. The likelihood of D' is taken from
logarithms, at all of 0, 0.01 ... 1, and all ranges of variants are looked at. Shares
nothing with the tools but the files.
"""
import math
import sys

import numpy as np


def table(a, b):
    n = [[int(np.sum((a == x) & (b == y))) for y in range(3)] for x in range(3)]
    known = [2 * n[x][y] + n[x][1] + n[1][y] for x in (2, 0) for y in (2, 0)]
    return known, n[1][1]


def log_likelihood(known, both, g):
    more = both * math.log(g[0] * g[3] + g[1] * g[2]) if both else 0
    return more + sum(k * math.log(f) for k, f in zip(known, g) if k)


def most_likely_d(known, both):
    """By a grid, refined around its best point."""
    n = sum(known) + 2 * both
    low, high, best = 0.0, float(both), 0.0
    for _ in range(12):
        tried = []
        for x in np.linspace(low, high, 101) if both else [0.0]:
            g = [(known[0] + x) / n, (known[1] + both - x) / n,
                 (known[2] + both - x) / n, (known[3] + x) / n]
            g = [max(f, 1e-300) for f in g]
            tried.append((log_likelihood(known, both, g), x))
        best = max(tried)[1]
        step = (high - low) / 100
        low, high = max(0.0, best - step), min(float(both), best + step)
    first = (known[0] + known[1] + both) / n
    second = (known[0] + known[2] + both) / n
    return (known[0] + best) / n - first * second, first, second


def interval(a, b):
    """The ends in hundredths, or None."""
    known, both = table(a, b)
    if not both and not known[0] * known[3] and not known[1] * known[2]:
        return None
    d, first, second = most_likely_d(known, both)
    if d < 1e-9:
        known = [known[k ^ 1] for k in range(4)]
        second = 1 - second
    most = min(first * (1 - second), (1 - first) * second)
    logs = []
    for q in range(101):
        d = most * q / 100
        g = [first * second + d, first * (1 - second) - d,
             (1 - first) * second - d, (1 - first) * (1 - second) + d]
        logs.append(log_likelihood(known, both, [max(f, 1e-10) for f in g]))
    share = np.exp(np.array(logs) - max(logs))
    share /= share.sum()
    low = next(q for q in range(101) if share[:q + 1].sum() > 0.05)
    high = next(q for q in range(100, -1, -1) if share[q:].sum() > 0.05)
    return max(low - 1, 0), min(high + 1, 100)


def is_block(pairs, pos, first, last):
    inside = [pairs[x, y] for x in range(first, last + 1) for y in range(x + 1, last + 1)]
    ends, n, span = pairs[first, last], last - first + 1, pos[last] - pos[first]
    if not ends or ends[0] < 70 or ends[1] < 98:
        return False
    if n == 2:
        return ends[0] >= 81 and span <= 20000
    if n < 5:
        near = sum(p is not None and p[0] >= 51 and p[1] >= 98 for p in inside)
        return near >= (3 if n == 3 else 6) and (n > 3 or span <= 30000)
    strong = sum(p is not None and p[0] > 70 and p[1] >= 98 for p in inside)
    apart = sum(p is not None and p[1] < 90 for p in inside)
    return strong + apart >= 6 and strong > 0.95 * (strong + apart)


def main(genotypes, names, maf, kb):
    rows, sites = [], [line.split() for line in open(names)][1:]
    for line in list(open(genotypes))[1:]:
        cells = line.split()[1:]
        rows.append(np.array([int(c) if c in "012" else -1 for c in cells]))
    keep = []
    for v, g in enumerate(rows):
        f = g[g >= 0].sum() / (2 * (g >= 0).sum())
        if min(f, 1 - f) >= float(maf) - 1e-12:
            keep.append(v)
    rows, sites = [rows[v] for v in keep], [sites[v] for v in keep]
    pos, found, pairs = [int(s[2]) for s in sites], [], {}
    for last in range(len(rows)):
        for first in range(last - 1, -1, -1):
            if pos[last] - pos[first] > float(kb) * 1000:
                break
            pairs[first, last] = interval(rows[first], rows[last])
            if is_block(pairs, pos, first, last):
                found.append((pos[last] - pos[first], first, last))
    used, blocks = set(), []
    for _, first, last in sorted(found, reverse=True):
        if first not in used and last not in used:
            used.update(range(first, last + 1))
            blocks.append((first, last))
    print(" CHR          BP1          BP2           KB  NSNPS SNPS")
    for first, last in sorted(blocks):
        print("%4s   %10d   %10d %12g %6d %s" % (
            sites[first][1], pos[first], pos[last], (pos[last] - pos[first] + 1) / 1000,
            last - first + 1, "|".join(s[0] for s in sites[first:last + 1])))


if __name__ == "__main__":
    main(*sys.argv[1:])
