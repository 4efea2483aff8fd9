#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Values by their definition in fractions, as integers are: exactly.

    recipe.py all X.tsv FOUND WAY PLOIDY MULTIPLIER GAMMA
        is FOUND, lines "i j [k] cell num n value", all there is, with counts
        that are right and values within three roundings of the exact ones?

Shares nothing with the tools but the files.
"""
import itertools
import sys
from fractions import Fraction

ROUNDINGS = Fraction(3, 2**53) * Fraction(101, 100)


def read(path, ploidy):
    """Calls; of ploidy 1 two like alleles are one, and unlike ones none."""
    calls = {"0": 0, "1": 1, "2": 2, "NA": None} if ploidy == 2 else \
        {"0": 0, "1": None, "2": 1, "NA": None}
    rows = [line.rstrip("\n").split("\t")[1:] for line in open(path)][1:]
    return [[calls[x] for x in row] for row in rows]


def frequency(vector, label, ploidy):
    there = [g for g in vector if g is not None]
    ones = sum(there)
    if not there:
        return Fraction(0)
    return Fraction(ones if label else ploidy * len(there) - ones,
                    ploidy * len(there))


def expected(vectors, way, ploidy, multiplier, gamma):
    u = [[1 - gamma * frequency(v, label, ploidy) for label in (0, 1)]
         for v in vectors]
    for names in itertools.combinations(range(len(vectors)), way):
        fields = [f for f in zip(*(vectors[x] for x in names))
                  if None not in f]
        for cell, labels in enumerate(itertools.product((0, 1), repeat=way)):
            r = 0
            for field in fields:
                product = 1
                for g, label in zip(field, labels):
                    product *= g if label else ploidy - g
                r += product
            value = Fraction(0)
            if fields:
                value = multiplier * Fraction(r, ploidy**way * len(fields))
            for x, label in zip(names, labels):
                value *= u[x][label]
            yield names, cell, r, len(fields), value


def main(path, found, way, ploidy, multiplier, gamma):
    lines = [line.split() for line in open(found)]
    number = 0
    for names, cell, r, n, exact in expected(
            read(path, int(ploidy)), int(way), int(ploidy),
            Fraction(multiplier), Fraction(gamma)):
        *who, value = lines[number]
        if who != [str(x) for x in (*names, cell, r, n)]:
            sys.exit(f"line {number}: {who}, not {names} {cell} {r} {n}")
        if abs(Fraction(float(value)) - exact) > ROUNDINGS * exact:
            sys.exit(f"line {number}: {value}, not {float(exact)!r}")
        number += 1
    if number != len(lines):
        sys.exit(f"{len(lines)} lines where {number} are expected")


if __name__ == "__main__":
    main(*sys.argv[2:])
