#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Forge the metadata of HDF5 in files of ours, make its checksums and our seal
right again, and let each program read the file.

usage: forged.py BUILD SCRATCH FILE... [--time S] [--count N] [--first N]

Each FILE is a vectors file, a shard or a merged result, which is one of vectors
that the first vectors file holds, too. Case number n is the
same file whatever else is asked for. A program has to end with 0, 1 (of
vsim-verify), 3 or 4, within 60 s. Prints what did not, and figures; exit 1 where
anything did not.
"""
import argparse
import collections
import ctypes
import os
import random
import resource
import shutil
import struct
import subprocess
import sys
import time

MASK = 0xffffffff
SIGNATURES = (b"OHDR", b"OCHK", b"FADB", b"FAHD", b"EAHD", b"EAIB", b"BTHD",
              b"BTLF", b"FRHP", b"FHDB")
TOOLS = {
    1: ("vsim-view", "vsim-run -n -t 0.1", "vsim-permute -f --order source -o o",
        "vsim-verify"),
    2: ("vsim-view", "vsim-merge --no-nodes -f -o o", "vsim-verify",
        "vsim-threshold -f --min 0.2 -o o"),
    3: ("vsim-view", "vsim-threshold -f --min 0.2 -o o", "vsim-verify",
        "vsim-view --plot network --to svg -f -o o", "vsim-view --plot histogram "
        "--to html -f -o o", "vsim-view -f --report o",
        "vsim-run -f -j 1 -t 0.3 -o run {vectors} --against"),
}

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("files", nargs="+")
args.add_argument("--time", type=float, default=1e9)
args.add_argument("--count", type=int, default=1 << 60)
args.add_argument("--first", type=int, default=0)
args = args.parse_args()

xxh = ctypes.CDLL("libxxhash.so.0")


class Hash128(ctypes.Structure):
    _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]


xxh.XXH3_128bits.restype = Hash128
xxh.XXH3_128bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]
xxh.XXH3_64bits.restype = ctypes.c_uint64
xxh.XXH3_64bits.argtypes = [ctypes.c_char_p, ctypes.c_size_t]


def lookup3(key):
    """Jenkins' hash, which HDF5 has in each block of its metadata."""
    def rot(x, k):
        return (x << k | x >> 32 - k) & MASK
    n = len(key)
    a = b = c = (0xdeadbeef + n) & MASK
    at = 0
    while n > 12:
        x, y, z = struct.unpack_from("<III", key, at)
        a, b, c = a + x & MASK, b + y & MASK, c + z & MASK
        a = (a - c & MASK) ^ rot(c, 4)
        c = c + b & MASK
        b = (b - a & MASK) ^ rot(a, 6)
        a = a + c & MASK
        c = (c - b & MASK) ^ rot(b, 8)
        b = b + a & MASK
        a = (a - c & MASK) ^ rot(c, 16)
        c = c + b & MASK
        b = (b - a & MASK) ^ rot(a, 19)
        a = a + c & MASK
        c = (c - b & MASK) ^ rot(b, 4)
        b = b + a & MASK
        at += 12
        n -= 12
    if not n:
        return c
    x, y, z = struct.unpack("<III", key[at:] + bytes(12 - n))
    a, b, c = a + x & MASK, b + y & MASK, c + z & MASK
    c = (c ^ b) - rot(b, 14) & MASK
    a = (a ^ c) - rot(c, 11) & MASK
    b = (b ^ a) - rot(a, 25) & MASK
    c = (c ^ b) - rot(b, 16) & MASK
    a = (a ^ c) - rot(c, 4) & MASK
    b = (b ^ a) - rot(a, 14) & MASK
    return (c ^ b) - rot(b, 24) & MASK


def blocks(data):
    """Place and length of each block whose checksum is found behind it."""
    found = []
    for signature in SIGNATURES:
        at = data.find(signature, 512)
        while at >= 0:
            for n in range(8, min(1600, len(data) - at - 4)):
                if struct.unpack_from("<I", data, at + n)[0] == \
                        lookup3(data[at:at + n]):
                    found.append((at, n))
                    break
            at = data.find(signature, at + 4)
    return found


def seal(data):
    data[24:32] = struct.pack("<Q", len(data))
    payload = bytes(data[512:])
    h = xxh.XXH3_128bits(payload, len(payload))
    data[64:80] = struct.pack(">QQ", h.high, h.low)
    data[504:512] = struct.pack("<Q", xxh.XXH3_64bits(bytes(data[:504]), 504))


def forge(rng, source, places):
    data = bytearray(source)
    for _ in range(rng.choice((1, 1, 2, 3))):
        at, n = rng.choice(places)
        o = at + rng.randrange(4, n)
        how = rng.randrange(4)
        if how == 0:
            data[o] ^= 1 << rng.randrange(8)
        elif how == 1:
            data[o] = rng.choice((0, 1, 2, 0x7f, 0x80, 0xff,
                                  rng.randrange(256)))
        elif how == 2:
            m = min(8, at + n - o)
            data[o:o + m] = b"\xff" * m
        else:
            other, m = rng.choice(places)
            q = other + rng.randrange(4, m)
            m = min(rng.choice((2, 8, 16)), at + n - o, len(data) - q)
            data[o:o + m] = data[q:q + m]
        data[at + n:at + n + 4] = struct.pack("<I", lookup3(
            bytes(data[at:at + n])))
    seal(data)
    return data


def limits():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def main():
    sources, vectors = [], ""
    for name in args.files:
        with open(name, "rb") as f:
            data = f.read()
        again = bytearray(data)
        seal(again)
        assert again == data, "the seal is computed in another way"
        sources.append((data, blocks(data), data[10]))
        if data[10] == 1 and not os.path.isabs(vectors):
            vectors = os.path.abspath(name)
    build = os.path.abspath(args.build)
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    figures = collections.Counter()
    started, bad, n = time.time(), 0, args.first
    while n < args.first + args.count and time.time() - started < args.time:
        rng = random.Random(n)
        data, places, kind = rng.choice(sources)
        with open("forged.h5", "wb") as f:
            f.write(forge(rng, data, places))
        command = rng.choice(TOOLS[kind]).format(vectors=vectors).split()
        try:
            p = subprocess.run([os.path.join(build, command[0])] + command[1:] +
                               ["forged.h5"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=limits,
                               timeout=60)
            code, said = p.returncode, p.stderr[-200:].decode(errors="replace")
        except subprocess.TimeoutExpired:
            code, said = "none in 60 s", ""
        figures["exit %s" % code] += 1
        if code not in ((0, 1, 4) if command[0] == "vsim-verify" else (0, 3, 4)):
            bad += 1
            shutil.copy("forged.h5", "bad-%d.h5" % n)
            print("%d: %s: exit %s: %s" % (n, " ".join(command), code, said),
                  flush=True)
        n += 1
    print("%d forged files, %s: %d bad" % (n - args.first, ", ".join(
        "%s %d" % x for x in sorted(figures.items())), bad))
    return bad > 0


sys.exit(main())
