#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Convert case-control genotypes of two simulators to PLINK's .bed, .bim and .fam.

usage: to_bed.py gametes FILE PREFIX
       to_bed.py hiperbio FILE PREFIX

gametes: a table of GAMETES. The first line names the variants and ends in Class; each
other line is a sample. NA, nan, . and -9 mean missing. FILE may be - for standard input.
hiperbio: the descriptor of hiperbio's epistasis programs, with the number of variants,
and file and number of the controls and of the cases. Such a file has two rows of bits
per variant, genotype 0 and genotype 1, in little-endian words of 32 bits with the first
sample in the highest bit, padded to a multiple of 1024 samples.

A genotype is the number of copies of the second allele, "counted".
exit: 0 done, 2 wrong usage, 3 wrong input, 4 machine failed
"""
import os
import sys


def fail(code, text):
    print(f"to_bed.py: {text}", file=sys.stderr)
    sys.exit(code)


try:
    import numpy as np
except ModuleNotFoundError:
    fail(4, "no module numpy: on Debian and Ubuntu it is in the package python3-numpy")

MISSING = 3
VALUE = {"0": 0, "1": 1, "2": 2} | dict.fromkeys(("NA", "nan", ".", "-9"), MISSING)


class Wrong(Exception):
    """Wrong input; its text is printed."""


def gametes(path):
    """Names of the variants, samples x variants, classes."""
    with sys.stdin if path == "-" else open(path, encoding="utf-8") as lines:
        names = lines.readline().split()
        if not names:
            raise Wrong(f"{path}: is empty")
        if names.pop().lower() != "class":
            raise Wrong(f"{path}: line 1: the last column should be Class")
        if not names:
            raise Wrong(f"{path}: line 1: names no variants")
        rows = []
        for at, line in enumerate(lines, 2):
            words = line.split()
            if not words:
                continue
            if len(words) != len(names) + 1:
                raise Wrong(f"{path}: line {at}: {len(words)} columns where the "
                            f"header has {len(names) + 1}")
            try:
                rows.append(np.array([VALUE[w] for w in words], np.uint8))
            except KeyError as wrong:
                raise Wrong(f"{path}: line {at}: {wrong.args[0]} is not a genotype "
                            "(0, 1, 2 or NA)") from None
            if rows[-1][-1] == 2:
                raise Wrong(f"{path}: line {at}: Class: 2 is not 0, for a control, or 1")
    if not rows:
        raise Wrong(f"{path}: has a header and no samples")
    table = np.array(rows)
    return names, table[:, :-1].T, table[:, -1]


def class_file(path, n_variant, n):
    """Genotypes in one file of hiperbio, variants x samples."""
    words = (n + 1023) // 1024 * 32
    size, want = os.path.getsize(path), n_variant * 2 * words * 4
    if size != want:
        raise Wrong(f"{path}: has {size} bytes where {n_variant} variants of {n} "
                    f"samples take {want}")
    bits = np.fromfile(path, "<u4").reshape(n_variant, 2, words).byteswap()
    bits = np.unpackbits(bits.view(np.uint8), axis=2)
    if bits[:, :, n:].any() or (bits[:, 0] & bits[:, 1]).any():
        raise Wrong(f"{path}: a bit is set behind the last sample, or a sample has "
                    "genotypes 0 and 1")
    return np.where(bits[:, 0, :n], 0, 2 - bits[:, 1, :n]).astype(np.uint8)


def hiperbio(path):
    """The same for the two files that a descriptor names."""
    with open(path, encoding="utf-8") as lines:
        words = [line.strip() for line in lines if line.strip()]
    try:
        n_variant, _, n_control, _, n_case = words
        n_variant, n_control, n_case = map(int, (n_variant, n_control, n_case))
    except ValueError:
        raise Wrong(f"{path}: a descriptor has five lines: variants, file and number "
                    "of controls, file and number of cases") from None
    if min(n_variant, n_control, n_case) < 1:
        raise Wrong(f"{path}: numbers have to be 1 or more")
    beside = os.path.dirname(path)
    calls = np.hstack([
        class_file(os.path.join(beside, words[1]), n_variant, n_control),
        class_file(os.path.join(beside, words[3]), n_variant, n_case)])
    names = [f"v{k + 1}" for k in range(n_variant)]
    return names, calls, np.repeat([0, 1], (n_control, n_case))


def write(prefix, names, calls, status):
    """.bed, .bim and .fam."""
    code = np.array([0, 2, 3, 1], np.uint8)[calls]  # copies of the second allele
    code = np.pad(code, ((0, 0), (0, -code.shape[1] % 4))).reshape(len(names), -1, 4)
    with open(prefix + ".bed", "wb") as bed:
        bed.write(b"\x6c\x1b\x01")
        bed.write((code << np.array([0, 2, 4, 6], np.uint8)).sum(axis=2)
                  .astype(np.uint8).tobytes())
    with open(prefix + ".bim", "w", encoding="utf-8") as bim:
        for name in names:
            print(0, name, 0, 0, "other", "counted", sep="\t", file=bim)
    with open(prefix + ".fam", "w", encoding="utf-8") as fam:
        for k, x in enumerate(status):
            print(0, f"s{k + 1}", 0, 0, 0, 0 if x == MISSING else x + 1, file=fam)


def main():
    kinds = {"gametes": gametes, "hiperbio": hiperbio}
    if len(sys.argv) != 4 or sys.argv[1] not in kinds:
        fail(2, "usage: to_bed.py gametes|hiperbio FILE PREFIX")
    try:
        data = kinds[sys.argv[1]](sys.argv[2])
    except (OSError, UnicodeError, Wrong) as why:
        fail(3, why)
    try:
        write(sys.argv[3], *data)
    except OSError as why:
        fail(4, why)


main()
