# SPDX-License-Identifier: BSD-3-Clause
"""The table of --metric-histogram, of all values as an oracle lists them.

    histogram.py WAY CELLS < RECORDS

WAY: 2 or 3. CELLS: the column that labels begin in, from 0 (of triples one
number, 4a + 2b + c), or none. The value is the last column.
"""
import collections
import math
import sys


def main(way, cells):
    n, least = collections.Counter(), 0
    ends = collections.defaultdict(dict)  # of LL+HH, LLL+HHH
    for line in sys.stdin:
        field = line.split("\t")
        high = 0
        if cells != "none":
            at = int(cells)
            high = (bin(int(field[at])).count("1") if way == 3
                    else int(field[at]) + int(field[at + 1]))
        bucket = math.floor(float(field[-1]) * 1000)
        least = -1000 if bucket < 0 else least
        n[bucket, high] += 1
        if cells != "none" and high in (0, way):
            ends[tuple(field[:way])][high] = float(field[-1])
    # records that are not listed are not above the least value
    for end in ends.values():
        low, high = end.get(0, 0), end.get(way, 0)
        if low > 0 and high > 0:
            n[math.floor((low + high) * 1000), "sum"] += 1
    classes = way + 1 if cells != "none" else 1
    names = ["L" * (way - k) + "H" * k for k in range(classes)]
    names.append("L" * way + "+" + "H" * way)
    print("lo", "hi", "ALL", *(names if classes > 1 else []), sep="\t")
    for k in range(least, max([1000] + [b for b, _ in n]) + 1):
        each = [n[k, high] for high in range(classes)]
        print("%.3f\t%.3f" % (k / 1000, (k + 1) / 1000), sum(each),
              *(each + [n[k, "sum"]] if classes > 1 else []), sep="\t")


main(int(sys.argv[1]), sys.argv[2])
