#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Forge vsim files, correct their checksums and seal, and let each program read the
result.

usage: forged.py BUILD SCRATCH FILE... [--values] [--time S] [--count N]
           [--first N]

Each FILE is a vectors file, a shard or a merged result, which is one of vectors
that the first vectors file holds, too. The metadata of HDF5 are forged, or, with
--values, what a file says: attributes, elements, lengths, types and counts, by
h5py, with the sums and digests that go with them; FILE may be the directory of a
killed run then, whose log is forged. Case number n is the same file
whatever else is asked for.

A program has to end with 0, 1 (of vsim-verify), 3 or 4, within 60 s; with
--values not with 4, without a word of a sanitizer, and where it ends with 0
vsim-verify has to accept what it made, of forged vectors by --against, too.
Prints what did not, and figures; exit 1 where anything did not.
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
        "vsim-run -f -j 1 -t 0.3 -o run {vectors} --against"),
}

# commands of which each next one has to end with 0 where the one before did; @ is
# the forged file
RUNS = ("-t 0.3", "-t 0.3 --no-prune", "-m r2 -t 0.1", "-m r -t -1", "--top 9 -t 0",
        "-m jaccard -t 0.2", "--way 3 -t 0.4", "-m ps -t 0.5", "-m cosine -t 0.2",
        "-m euclid -t 9", "-m k2 --top 9", "-m r2 -t 0.1 --max-sites 9")
VALUES = {
    1: ("vsim-view @", "vsim-view -H @", "vsim-run -n -t 0.1 @", "vsim-verify @",
        "vsim-permute -f --order random -o o @ && vsim-verify o",
        "vsim-permute -f --order frequency -o o @ && vsim-verify o") + tuple(
            "vsim-run -f -j 1 --allow-empty %s -o r @ && vsim-verify --against @ r "
            "&& vsim-merge -f -o o r && vsim-verify o" % x for x in RUNS),
    2: ("vsim-view @", "vsim-view -H @", "vsim-verify @",
        "vsim-merge -f --no-nodes -o o @ && vsim-verify o",
        "vsim-threshold -f --min 0.4 -o o @ && vsim-verify o"),
    3: tuple(x + " @" for x in TOOLS[3]) + (
        "vsim-view -H @", "vsim-threshold -f --top 5 -o o @ && vsim-verify o"),
    "run": ("vsim-merge -f --partial -o o @ && vsim-verify o",
            "vsim-run --resume --config @/run.yaml -o @ && vsim-merge -f -o o @ "
            "&& vsim-verify o"),
}

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("files", nargs="+")
args.add_argument("--values", action="store_true")
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


def start(command, build, path, vectors):
    """Exit code, or a word, and what is said."""
    words = [path + x[1:] if x[0] == "@" else x.format(vectors=vectors)
             for x in command.split()]
    try:
        p = subprocess.run([os.path.join(build, words[0])] + words[1:],
                           stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                           preexec_fn=limits, timeout=60)
        return p.returncode, p.stderr[-2000:].decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "none in 60 s", ""


def is_bad(command, code, said):
    if args.values and ("Sanitizer" in said or "runtime error" in said):
        return True
    verify = command.startswith("vsim-verify")
    # of counters that do not add up in the end
    if args.values and code == 4 and "counted" in said:
        return False
    if args.values:
        return code not in ((0, 1) if verify and "--against" not in command else
                            (0, 1, 3) if verify else (0, 3))
    return code not in ((0, 1, 4) if verify else (0, 3, 4))


class Metadata:
    """Files whose HDF5 metadata are forged."""

    def __init__(self, names):
        self.sources = []
        for name in names:
            with open(name, "rb") as f:
                data = f.read()
            again = bytearray(data)
            seal(again)
            assert again == data, "the seal is computed in another way"
            self.sources.append((data, blocks(data), data[10]))

    def case(self, rng, path):
        data, places, kind = rng.choice(self.sources)
        with open(path, "wb") as f:
            f.write(forge(rng, data, places))
        return rng.choice(TOOLS[kind]) + " @", ""


class Values:
    """Files and directories of which what they say is forged."""

    def __init__(self, names, build, vectors):
        os.environ["HDF5_PLUGIN_PATH"] = os.path.join(build, "plugin")
        import values
        self.values, self.start = values, lambda *x: start(*x, vectors)
        self.build, self.right, self.sources = build, {}, []
        for name in names:
            kind = "run"
            if not os.path.isdir(name):
                with open(name, "rb") as f:
                    kind = f.read(11)[10]
            self.sources.append((os.path.abspath(name), kind))

    def is_for(self, command, source):
        """Whether all of it ends with 0 of the file as it was."""
        if (command, source) not in self.right:
            self.values.copy(source, "right")
            self.right[command, source] = all(
                self.start(x, self.build, "right")[0] == 0
                for x in command.split(" && "))
        return self.right[command, source]

    def case(self, rng, path):
        source, kind = rng.choice(self.sources)
        commands = list(VALUES[kind])
        rng.shuffle(commands)
        command = next(x for x in commands if self.is_for(x, source))
        self.values.copy(source, path)
        change = (self.values.change_log if kind == "run" else
                  self.values.change_file)
        return command, "%s: %s" % (os.path.basename(source), change(rng, path))


def keep(path, n):
    if os.path.isdir(path):
        shutil.copytree(path, "bad-%d" % n, dirs_exist_ok=True)
    else:
        shutil.copy(path, "bad-%d.h5" % n)


def main():
    vectors = ""
    for name in args.files:
        if not vectors and os.path.isfile(name):
            with open(name, "rb") as f:
                vectors = os.path.abspath(name) if f.read(11)[10] == 1 else ""
    build = os.path.abspath(args.build)
    files = Values(args.files, build, vectors) if args.values else \
        Metadata(args.files)
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    for name in ("ASAN", "UBSAN", "LSAN", "TSAN"):
        os.environ[name + "_OPTIONS"] = "exitcode=99:" + os.environ.get(
            name + "_OPTIONS", "")
    figures = collections.Counter()
    started, bad, n = time.time(), 0, args.first
    while n < args.first + args.count and time.time() - started < args.time:
        commands, what = files.case(random.Random(n), "forged.h5")
        for k, command in enumerate(commands.split(" && ")):
            code, said = start(command, build, "forged.h5", vectors)
            if k == 0:
                figures["exit %s" % code] += 1
            if is_bad(command, code, said) or (k and code == 1):
                bad += 1
                keep("forged.h5", n)
                print("%d: %s: exit %s: %s%s" % (n, command, code, said[-400:],
                                                 "\n   of " + what if what else ""),
                      flush=True)
            if code != 0:
                break
        n += 1
    print("%d forged files, %s: %d bad" % (n - args.first, ", ".join(
        "%s %d" % x for x in sorted(figures.items())), bad))
    return bad > 0


sys.exit(main())
