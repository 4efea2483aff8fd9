# SPDX-License-Identifier: BSD-3-Clause
"""Proportional Similarity of all pairs, or triples, of rows of a table, by its
definition.

    ps.py TABLE TYPE THRESHOLD [3]   lines "i j [k] value", above THRESHOLD

TABLE: text, gzip or not, a header and an id in each row. TYPE: f32, f64, or the
word exact, for integers, by fractions. Reals are added in runs of 128 fields.
"""
import gzip
import itertools
import struct
import sys
from fractions import Fraction


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def total(numbers, kind):
    numbers = list(numbers)
    if kind == "exact":
        return sum(map(int, numbers))
    rounded = single if kind == "f32" else float
    whole = 0.0
    for lo in range(0, len(numbers), 128):
        run = 0.0
        for x in numbers[lo:lo + 128]:
            run = rounded(run + x)
        whole += run
    return whole


def quotient(above, below, kind):
    if not below:
        return 0.0
    return float(Fraction(above) / below) if kind == "exact" else above / below


def pair(u, v, sums, kind):
    least = total(map(min, u, v), kind)
    return quotient(2 * least, sum(sums), kind)


def triple(u, v, w, sums, kind):
    p, q, r = sorted(total(map(min, x, y), kind)
                     for x, y in ((u, v), (u, w), (v, w)))
    least = p + q + (r - total(map(min, u, v, w), kind))
    a, b, c = sorted(sums)
    return min(1.0, quotient(3 * least / 2 if kind != "exact" else
                             Fraction(3 * least, 2), a + b + c, kind))


def main(path, kind, threshold, ways=2):
    with open(path, "rb") as f:
        text = f.read()
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    rounded = single if kind == "f32" else float
    rows = [[rounded(float(x)) for x in line.split("\t")[1:]]
            for line in text.decode().splitlines()[1:]]
    sums = [total(r, kind) for r in rows]
    value = pair if ways == 2 else triple
    for chosen in itertools.combinations(range(len(rows)), ways):
        v = value(*(rows[k] for k in chosen), [sums[k] for k in chosen], kind)
        if v > threshold:
            print(*chosen, repr(v), sep="\t")


main(sys.argv[1], sys.argv[2], float(sys.argv[3]), *map(int, sys.argv[4:]))
