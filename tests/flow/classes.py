#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Select from all values those that pass thresholds by class of cell.

    classes.py ALL WAY THRESHOLDS

ALL has lines "i j [k] cell num n value", every cell of each pair or triple, and
cells are of labels 0 (L) and 1 (H); those that pass are printed as they stand.
"""
import itertools
import sys


def main(path, way, thresholds):
    way = int(way)
    bar = dict(x.split("=") for x in thresholds.split(","))
    bar = {k: float(v) for k, v in bar.items() if v != "off"}
    lines = [line.split() for line in open(path)]
    for _, group in itertools.groupby(lines, key=lambda x: x[:way]):
        group = list(group)
        assert [int(x[way]) for x in group] == list(range(2**way))
        low, high = float(group[0][-1]), float(group[-1][-1])
        both = low > 0 and high > 0 and low + high > bar.get(
            "L" * way + "+" + "H" * way, float("inf"))
        for line in group:
            ones = bin(int(line[way])).count("1")
            name = "L" * (way - ones) + "H" * ones
            if (float(line[-1]) > bar.get(name, float("inf"))
                    or (both and ones in (0, way))):
                print("\t".join(line))


if __name__ == "__main__":
    main(*sys.argv[1:])
