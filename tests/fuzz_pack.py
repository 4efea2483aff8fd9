#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""fuzz_pack.py FOLDER SEED ROUNDS: vsim-pack on mutated good inputs.

Each round takes one of FOLDER/OPTION/good, changes, cuts, doubles or swaps some
bytes of one of its files and packs it. It must end with 0 or 3, with one line
"vsim-pack: ..." when it fails, after the guesses about its shape and samples, and
leave no file when it fails. An input that breaks this is kept as fuzz-ROUND.*.
"""
import glob
import os
import random
import re
import shutil
import subprocess
import sys

GUESS = re.compile(rb"; --[a-z-]+( \S+)? (takes|makes|denies|leaves|confirms|states)\b|"
                   rb": its samples are from the \.sample beside it$")
WORDS = [b"\0", b"\n", b"\t", b" ", b"-9", b"./.", b"NA", b"0/1/1", b"9" * 30,
         b"\xff\xff\xff\xff", b"\x80", b"1", b"3", b"|", b",", b"\r\n", b"#"]


def inputs(folder):
    for kind in sorted(os.listdir(folder)):
        for want in sorted(glob.glob(f"{folder}/{kind}/good/*.want")):
            stem = want[:-len(".want")]
            files = [f for f in sorted(glob.glob(glob.escape(stem) + ".*"))
                     if not f.endswith((".want", ".warns", ".options"))]
            yield kind, stem, files


def mutate(r, data):
    data = bytearray(data)
    for _ in range(r.choice((1, 1, 2, 4, 16))):
        at = r.randrange(len(data) + 1)
        how = r.randrange(6)
        if how == 0 and data:
            data[at % len(data)] ^= 1 << r.randrange(8)
        elif how == 1 and data:
            data[at % len(data)] = r.randrange(256)
        elif how == 2:
            del data[at:]
        elif how == 3:
            data[at:at] = r.choice(WORDS)
        elif how == 4:
            to = min(len(data), at + r.randrange(1, 40))
            data[at:at] = data[at:to] * r.randrange(1, 4)
        else:
            del data[at:at + r.randrange(1, 20)]
    return bytes(data)


def main():
    folder, seed, rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    r = random.Random(seed)
    text = subprocess.run(["vsim-pack", "--help"], capture_output=True,
                          text=True, check=True).stdout
    every, bad, ends = list(inputs(folder)), 0, {}
    for k in range(rounds):
        kind, stem, files = r.choice(every)
        victim = r.choice(files)
        for old in glob.glob("fuzz.*"):
            os.remove(old)
        names = []
        for f in files:
            name = "fuzz" + f[len(stem):]
            data = open(f, "rb").read()
            with open(name, "wb") as out:
                out.write(mutate(r, data) if f == victim else data)
            names.append(name)
        arg = "fuzz" if f"--{kind} PREFIX" in text else names[0]
        if os.path.exists("x.vec.h5"):
            os.remove("x.vec.h5")
        said = stem + ".options"
        said = open(said).read().split() if os.path.exists(said) else []
        p = subprocess.run(["vsim-pack", "--" + kind, arg, "-o", "x.vec.h5",
                            *said], capture_output=True, timeout=60)
        ends[p.returncode] = ends.get(p.returncode, 0) + 1
        lines = p.stderr.splitlines()
        good = p.returncode in (0, 3) and not p.stdout and all(
            x.startswith(b"vsim-pack: ") for x in lines)
        if p.returncode == 3:
            good = good and lines and not glob.glob("x.vec.h5*") and all(
                GUESS.search(x) for x in lines[:-1])
        if not good:
            bad += 1
            for n in names:
                shutil.copy(n, n.replace("fuzz", f"fuzz-{k}", 1))
            print(f"round {k}: {kind} {stem} {victim}: exit {p.returncode}:",
                  p.stderr.decode(errors="replace")[:2000])
    if os.path.exists("x.vec.h5"):
        os.remove("x.vec.h5")
    print("ends:", ends)
    return bad > 0


sys.exit(main())
