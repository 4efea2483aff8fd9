# SPDX-License-Identifier: BSD-3-Clause
"""What the counts r of all pairs or triples sum to, by class, one by one.

    counts.py WAY PLOIDY < TABLE
"""
import itertools
import sys

import numpy as np


def main(way, ploidy):
    one, zero = [], []
    for line in list(sys.stdin)[1:]:
        g = line.split()[1:]
        there = np.array([x != "NA" for x in g])
        copies = np.array([int(x) if x != "NA" else 0 for x in g])
        # of one copy: any is
        there &= (copies != 1) | (ploidy == 2)
        copies = copies * there if ploidy == 2 else copies // 2 * there
        one.append(copies)
        zero.append((ploidy - copies) * there)
    side = np.array([zero, one])
    total = [0] * (way + 1)
    # of each set all last members at once
    for who in itertools.combinations(range(len(one)), way - 1):
        for label in itertools.product((0, 1), repeat=way):
            product = 1
            for v, a in zip(who, label):
                product = product * side[a, v]
            last = side[label[-1], who[-1] + 1:]
            total[sum(label)] += int(np.sum(product * last))
    for high, n in enumerate(total):
        print("L" * (way - high) + "H" * high, n)


main(int(sys.argv[1]), int(sys.argv[2]))
