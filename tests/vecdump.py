#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""vecdump.py [--source] X.vec.h5...: vectors files as text, X.vec.h5.txt each,
decoded by none of our code.

One line a vector: contig, pos, id, allele 0, allele 1, then for each field how
many copies of allele 1 it has, "." when missing. With --source, alleles and
copies are those of the input: first, second, copies of the second.

Of numbers: a line of the element and the names of the fields, then one line a
vector: its id and its numbers as Python writes them.
"""
import sys

import h5py
import numpy as np


def texts(column):
    return [x.decode() for x in column[...]]


def alleles(group):
    offset, raw = group["offset"][...], group["bytes"][...].tobytes()
    return [raw[a:b].decode() for a, b in zip(offset, offset[1:])]


def total(row):
    """The sum of reals that vsim-vectors(5) states."""
    whole = np.float64(0)
    for run in range(0, len(row), 128):
        part = row.dtype.type(0)
        for x in row[run:run + 128]:
            part = part if np.isnan(x) else row.dtype.type(part + x)
        whole += np.float64(part)
    return whole


def dump_numbers(f, v, out):
    x, element = v["values"][...], v.attrs["element"].decode()
    kind = {"u": "u", "f": "f"}[x.dtype.kind] + str(8 * x.dtype.itemsize)
    assert kind == element, "element"
    assert x.shape == (v.attrs["n_vectors"], v.attrs["n_fields"])
    if x.dtype.kind == "u":
        sums = [sum(map(int, row)) for row in x]
    else:
        sums = [total(row) for row in x]
    assert list(v["value_sum"][...]) == sums, "value_sum"
    assert (v["source_row"][...] == np.arange(len(x))).all(), "source_row"
    print(element, *texts(f["samples/id"]), sep="\t", file=out)
    for name, row in zip(texts(v["id"]), x):
        print(name, *(str(y) for y in row.tolist()), sep="\t", file=out)


def dump(path, source, out):
    f = h5py.File(path, "r")
    v = f["vectors"]
    if "values" in v:
        dump_numbers(f, v, out)
        return
    n = int(v.attrs["n_fields"])
    bits = np.unpackbits(v["planes"][...], axis=2, bitorder="little")
    assert not bits[:, :, n:].any(), "bits past the last field"
    p0, p1 = bits[:, 0, :n].astype("i1"), bits[:, 1, :n].astype("i1")
    g = np.where((p0 == 1) & (p1 == 0), -1, p0 + p1)
    count = np.stack([(g == x).sum(axis=1) for x in (0, 1, 2, -1)], axis=1)
    assert (count == v["genotype_count"][...]).all(), "genotype_count"
    assert (v["source_row"][...] == np.arange(len(g))).all(), "source_row"
    assert len(g) == v.attrs["n_vectors"]
    contigs = texts(f["contigs/name"]) if len(f["contigs/name"]) else []
    contig = [contigs[k] if k >= 0 else "" for k in v["contig"][...]]
    a0, a1 = alleles(v["allele0"]), alleles(v["allele1"])
    second = v["allele1_source"][...]
    if source:
        back = second == 0
        two = np.full(g.shape, 2, "i1")
        if "haploid" in v:
            two -= np.outer(v["haploid"][...] > 0, f["samples/sex"][...] == 1)
        g = np.where(back[:, None] & (g >= 0), two - g, g)
        a0, a1 = ([y if s == 0 else x for x, y, s in zip(a, b, second)]
                  for a, b in ((a0, a1), (a1, a0)))
    pos = v["pos"][...]
    words = np.full((len(g), 2 * n), ord("\t"), dtype="u1")
    words[:, 1::2] = np.frombuffer(b"012.", dtype="u1")[g]
    for k, name in enumerate(texts(v["id"])):
        print(contig[k], pos[k], name, a0[k], a1[k], sep="\t", end="",
              file=out)
        print(words[k].tobytes().decode(), file=out)


paths = [a for a in sys.argv[1:] if a != "--source"]
for path in paths:
    with open(path + ".txt", "w") as out:
        dump(path, "--source" in sys.argv, out)
