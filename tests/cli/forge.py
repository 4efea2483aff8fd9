#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Change a vsim file from the inside and seal it again, as a forger would.

    forge.py FILE STATEMENT [keep-sum] [keep-content]

STATEMENT is Python; f is the file opened by h5py, np is numpy, put(path,
values) replaces a data set, cut(group, row) drops a row of all its columns,
sum_tiles() makes the sums of a shard's tiles fit their records.
Then the sum over records, the content digest and the seal are made to fit, all
from the format's pages alone, without our code. An empty STATEMENT must leave
a valid file.
"""
import os
import struct
import sys

import h5py
import numpy as np

sys.path.append(f"{os.path.dirname(__file__)}/../flow")
from content import content, hash128, xxh


def records_sum(rows):
    total = [0, 0]
    for row in rows:
        data = struct.pack("<4Qd", *row)
        for seed in 0, 1:
            total[seed] += xxh.XXH3_64bits_withSeed(data, len(data), seed)
    return [t % 2**64 for t in total]


def counts_sum(f, rows):
    total, r = 0, f["records"]
    num, nvalid = (r[c][:].astype(np.uint64) if c in r else [2**64 - 1] *
                   len(rows) for c in ("num", "nvalid"))
    for row, a, b in zip(rows, num, nvalid):
        both = (int(a) + int(b) * 0x9e3779b185ebca87) % 2**64
        data = struct.pack("<5Q", *row[:4], both)
        total += xxh.XXH3_64bits_withSeed(data, len(data), 0)
    return np.uint64(total % 2**64)


def all_records(f):
    r = f["records"]
    n = len(r["i"])
    k, cell = (r[c][:] if c in r else [2**64 - 1] * n for c in ("k", "cell"))
    return list(zip(map(int, r["i"][:]), map(int, r["j"][:]), map(int, k),
                    map(int, cell), map(float, r["value"][:])))


def sum_up(f):
    rows = all_records(f)
    f["records"].attrs.modify("n_records", np.int64(len(rows)))
    f["records"].attrs.modify("records_sum",
                              np.array(records_sum(rows), np.uint64))
    if "source_sum" in f["records"].attrs:
        del f["records"].attrs["source_sum"]
    if "counts_sum" in f["records"].attrs:
        f["records"].attrs.modify("counts_sum", counts_sum(f, rows))


def sum_tiles(f):
    rows, t = all_records(f), f["tiles"]
    for k, (first, count) in enumerate(zip(t["first"][:], t["count"][:])):
        t["sum0"][k], t["sum1"][k] = records_sum(rows[first:first + count])


def seal(path, f_content, uuid):
    size = os.path.getsize(path)
    with open(path, "r+b") as f:
        head = bytearray(f.read(512))
        payload = hash128(f.read())
        head[16:24] = b"SEALED  "
        head[24:32] = struct.pack("<Q", size)
        head[48:64] = f_content
        head[64:80] = payload
        h = xxh.XXH3_64bits_withSeed(bytes(head[:504]), 504, 0)
        head[504:] = struct.pack("<Q", h)
        f.seek(0)
        f.write(head)


def forge(path, change, keep_sum=False, keep_content=False):
    """change(f, put, cut) edits the open file; then all is made to fit."""
    with h5py.File(path, "r+", libver=("v110", "v110")) as f:
        def put(name, values, dtype=None):
            old = f[name]
            values = np.asarray(values, dtype or old.dtype)
            attrs = dict(old.attrs)
            del f[name]
            d = f.create_dataset(name, data=values, track_times=False)
            for key, value in attrs.items():
                d.attrs[key] = value

        def cut(group, row):
            for name in list(f[group]):
                put(f"{group}/{name}", np.delete(f[group][name][:], row, 0))

        # the packing filter is found when reading only
        f.visititems(lambda name, x: hasattr(x, "dtype") and x[()] is None
                     or None)
        change(f, put, cut)
        if "records" in f and not keep_sum:
            sum_up(f)
        if keep_content:
            digest = bytes.fromhex(f.attrs["content_xxh128"].decode())
        else:
            digest = content(f)
        f.attrs.modify("content_xxh128", np.bytes_(digest.hex()))
        uuid = f.attrs["uuid"]
    seal(path, digest, uuid)


def main(path, statement, *how):
    def change(f, put, cut):
        exec(statement, {"f": f, "np": np, "put": put, "cut": cut,
                         "sum_tiles": lambda: sum_tiles(f)})
    forge(path, change, "keep-sum" in how, "keep-content" in how)


if __name__ == "__main__":
    main(*sys.argv[1:])
