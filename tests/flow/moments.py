#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Metrics of moments of all pairs by their definition, in numpy.

    moments.py METRIC X.tsv T
        expected records as text: i j nvalid value

Shares nothing with the tools but the files; integers are exact, and each
value comes of the products and the quotient that vsim-run(1) states.
"""
import math
import sys

import numpy as np

from oracle import number, read


def main(metric, path, threshold):
    g = read(path)
    m = (g >= 0).astype(np.int64)
    g = np.where(m, g, 0).astype(np.int64)
    n, p, s, q = m @ m.T, g @ g.T, g @ m.T, (g * g) @ m.T
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            c, ij = int(n[i, j]), int(p[i, j])
            si, sj, qi, qj = (int(x) for x in (s[i, j], s[j, i], q[i, j],
                                               q[j, i]))
            cov = float(c * ij - si * sj)
            d = float(c * qi - si * si) * float(c * qj - sj * sj)
            if metric == "cosine":
                d = float(qi) * float(qj)
                v = float(ij) / math.sqrt(d) if d > 0 else 0.0
            elif metric == "jaccard":
                v = ij / (qi + qj - ij) if qi + qj > 0 else 0.0
            elif metric == "dice":
                v = 2 * ij / (qi + qj) if qi + qj > 0 else 0.0
            elif metric == "r":
                v = cov / math.sqrt(d) if d > 0 else 0.0
            elif metric == "r2":
                v = cov * cov / d if d > 0 else 0.0
            else:
                sys.exit("moments.py: no definition of " + metric)
            if v > threshold:
                print(i, j, c, number(v), sep="\t")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
