# SPDX-License-Identifier: BSD-3-Clause
"""Proportional Similarity of all pairs of rows of a table, by its definition.

    czek.py TABLE TYPE THRESHOLD     lines "i j value", values above THRESHOLD

TABLE: text, gzip or not, a header and an id in each row. TYPE: f32, f64, or the
word exact, for integers, by fractions. Reals are added in runs of 128 fields.
"""
import gzip
import struct
import sys
from fractions import Fraction


def single(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def total(numbers, kind):
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


def main(path, kind, threshold):
    with open(path, "rb") as f:
        text = f.read()
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    rounded = single if kind == "f32" else float
    rows = [[rounded(float(x)) for x in line.split("\t")[1:]]
            for line in text.decode().splitlines()[1:]]
    sums = [total(r, kind) for r in rows]
    for i, u in enumerate(rows):
        for j in range(i + 1, len(rows)):
            least = total([min(p) for p in zip(u, rows[j])], kind)
            both = sums[i] + sums[j]
            if not both:
                value = 0.0
            elif kind == "exact":
                value = float(Fraction(2 * least, both))
            else:
                value = 2 * least / both
            if value > threshold:
                print(i, j, repr(value), sep="\t")


main(sys.argv[1], sys.argv[2], float(sys.argv[3]))
