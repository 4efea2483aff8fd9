#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Change a file of ours from the inside and seal it again, as a forger would.

    forge.py FILE STATEMENT [keep-sum] [keep-content]

STATEMENT is Python; f is the file opened by h5py, np is numpy, put(path,
values) replaces a data set, cut(group, row) drops a row of all its columns,
sum_tiles() makes the sums of a shard's tiles fit their records.
Then the sum over records, the content digest and the seal are made to fit, all
by the words of the format's pages and none of our code. An empty STATEMENT
must leave a file that is as good as before.
"""
import ctypes
import os
import struct
import sys

import h5py
import numpy as np

RUN_SHARD = """run_uuid metric n_way vectors_uuid vectors_content n_vectors
n_fields value_type compute ccc_gamma ccc_multiplier missing threshold_op
threshold class_thresholds cell_mask selection min_joint between tile n_blocks
row_tiles n_phases phase_begin phase_end
n_stages stage_begin stage_end n_proc shard""".split()
RUN_MERGED = """metric n_way n_vectors n_fields value_type missing threshold_op
threshold class_thresholds cell_mask selection min_joint between ccc_gamma ccc_multiplier
coverage index_space""".split()
RECORDS = "i j k cell value num nvalid".split()
TILES = "bi bj phase stage first count evaluated sum0 sum1 seconds".split()
VECTORS = """planes values id contig pos allele0/offset allele0/bytes
allele1/offset allele1/bytes allele1_source genotype_count value_sum
source_row""".split()
CORE = {
    "vsim-vectors": [("vectors", "element n_vectors n_fields ploidy plane_bytes"
                      " allele_rule".split())],
    "vsim-shard": [("run", RUN_SHARD)],
    "vsim-merged": [("run", RUN_MERGED)],
}
DATA = {
    "vsim-vectors": [f"/vectors/{x}" for x in VECTORS]
    + ["/contigs/*", "/samples/*", "/phenotypes/*"],
    "vsim-shard": [f"/records/{x}" for x in RECORDS]
    + [f"/tiles/{x}" for x in TILES],
    "vsim-merged": [f"/records/{x}" for x in RECORDS] + ["/index/*"],
}
TYPES = {"u1": "u8", "i4": "i32", "i8": "i64", "u8": "u64", "f4": "f32",
         "f8": "f64"}

xxh = ctypes.CDLL("libxxhash.so.0")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxh.XXH3_128bits.restype = Hash128
xxh.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxh.XXH3_64bits_withSeed.restype = ctypes.c_uint64
xxh.XXH3_64bits_withSeed.argtypes = [ctypes.c_char_p, ctypes.c_size_t,
                                     ctypes.c_uint64]


def hash128(data):
    h = xxh.XXH3_128bits(data, len(data))
    return struct.pack(">QQ", h.high, h.low)


def attribute(value):
    def one(x):
        if isinstance(x, bytes):
            return x.decode()
        if isinstance(x, np.floating):
            return c_hex(float(x))
        return str(x)
    return ",".join(map(one, np.atleast_1d(value)))


def c_hex(x):
    """%a: no zeros at the end of the fraction, an exponent with its sign."""
    head, exponent = x.hex().split("p")
    if "." in head:
        head = head.rstrip("0").rstrip(".")
    return f"{head}p{exponent}"


def usable(f, path):
    return isinstance(f.get(path, getlink=True), h5py.HardLink) and \
        f[path].dtype.str[1:] in [*TYPES, f"S{f[path].dtype.itemsize}"]


def content(f):
    kind = f.attrs["format"].decode()
    text = f"format={kind}\n".encode()
    for group, names in CORE[kind]:
        for name in names:
            if name in f[group].attrs:
                value = attribute(f[group].attrs[name])
                text += f"{name}={value}\n".encode()
    for path in DATA[kind]:
        group = os.path.dirname(path)
        paths = [path]
        if path.endswith("*"):
            paths = [f"{group}/{x}" for x in sorted(f[group])] \
                if group in f else []
        for p in paths:
            if usable(f, p):
                d = f[p]
                t = d.dtype
                name = f"s{t.itemsize}" if t.kind == "S" else TYPES[t.str[1:]]
                text += p.encode() + b"\0" + name.encode() + b"\0"
                text += struct.pack(f"<{1 + d.ndim}Q", d.ndim, *d.shape)
                text += hash128(np.ascontiguousarray(d[()]).tobytes())
    return hash128(text)


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


def main(path, statement, *how):
    with h5py.File(path, "r+", libver=("v110", "v110")) as f:
        def put(name, values):
            old = f[name]
            values = np.asarray(values, old.dtype)
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
        exec(statement, {"f": f, "np": np, "put": put, "cut": cut,
                         "sum_tiles": lambda: sum_tiles(f)})
        if "records" in f and "keep-sum" not in how:
            sum_up(f)
        if "keep-content" in how:
            digest = bytes.fromhex(f.attrs["content_xxh128"].decode())
        else:
            digest = content(f)
        f.attrs.modify("content_xxh128", np.bytes_(digest.hex()))
        uuid = f.attrs["uuid"]
    seal(path, digest, uuid)


main(*sys.argv[1:])
