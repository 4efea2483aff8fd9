#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Fail or kill the n-th call, for every n, of a small job of each program.

usage: campaign.py BUILD SCRATCH FAULT.so [--time S] [--seed N] [--calls LIST]
           [--how LIST] [--jobs LIST] [--each N] [--list]

A program whose call fails (fault.c beside this file) ends in one of two ways:
0, and the output is that of the undisturbed program, bit by bit of its content;
or 4, one sentence on stderr, and nothing under the output's name but what was
there or what is whole. No temporary file is left, unless it is unlink that
fails, or a directory was to be replaced, and then the next run removes it. A
program that whose input another one changes meanwhile (--how alter)
ends with 0 or 3. A program
that is killed leaves old or new, and the next run of the same command, --resume
or -f, ends with 0, the same content and no temporary file.

--each N takes at most N places of each call of each job, --time stops after S
seconds; places are taken in an order that --seed gives. Prints what went wrong,
and figures; exit 1 where anything did.
"""
import argparse
import collections
import glob
import os
import random
import re
import struct
import subprocess
import sys
import time
import zlib

from small import content, sh

CALLS = ("open read write trunc fsync close rename unlink mkdir stat mmap alloc "
         "strdup thread fork").split()
HOW = "once on kill".split()
LIMIT = 60  # seconds of a job

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("shim")
args.add_argument("--time", type=float, default=1e9)
args.add_argument("--seed", type=int, default=1)
args.add_argument("--calls", default=",".join(CALLS))
args.add_argument("--how", default=",".join(HOW))
args.add_argument("--jobs", default="")
args.add_argument("--each", type=int, default=1 << 30)
args.add_argument("--list", action="store_true")
args = args.parse_args()
BUILD, SHIM = os.path.abspath(args.build), os.path.abspath(args.shim)
os.environ["PATH"] = BUILD + ":" + os.environ["PATH"]
os.environ["OMP_NUM_THREADS"] = "2"

listed = {}  # files in the directory that a job makes

# name: command, what it makes ("" for stdout), what goes before each run
JOBS = {
    "pack-tsv": ("vsim-pack --tsv x.tsv -o y", "y", ""),
    "pack-bed": ("vsim-pack --bfile b -o y", "y", ""),
    "pack-vcf": ("vsim-pack --vcf x.vcf -o y", "y", ""),
    "pack-gz": ("vsim-pack -j 2 --vcf x.vcf.gz -o y", "y", ""),
    "pack-bcf": ("vsim-pack -j 2 --vcf x.bcf -o y", "y", ""),
    "pack-second": ("vsim-pack -j 1 --vcf second.vcf -o y", "y", ""),
    "pack-matrix": ("vsim-pack --matrix m.tsv -o y", "y", ""),
    "permute": ("vsim-permute --order random -o y x.vec.h5", "y", ""),
    "run-pairs": ("vsim-run -j 2 -t 0.3 --tile 20 --commit-every 0 -o y "
                  "x.vec.h5", "y", ""),
    "run-config": ("vsim-run -j 1 --config c.yaml -o y", "y", ""),
    "run-triples": ("vsim-run -j 2 --way 3 -t 0.5 -o y x.vec.h5", "y", ""),
    "run-ps": ("vsim-run -j 2 -m ps -t 0.5 -o y m.vec.h5", "y", ""),
    "run-top": ("vsim-run -j 2 --top 20 -t 0 -o y x.vec.h5", "y", ""),
    "merge": ("vsim-merge -j 2 --memory 70K -o y run", "y", ""),
    "threshold": ("vsim-threshold --min 0.4 -o y e.res.h5", "y", ""),
    "threshold-dir": ("vsim-threshold -f --min 0.4 -o y run", "y",
                      "cp -r old y"),
    "threshold-aside": ("FAULT_NO_EXCHANGE=1 vsim-threshold -f --min 0.4 "
                        "-o y run", "y", "cp -r old y"),
    "view": ("vsim-view e.res.h5", "", ""),
    "view-out": ("vsim-view -o y e.res.h5", "y", ""),
    "merge-none": ("vsim-merge -j 2 -o y none", "y", ""),
    "threshold-none": ("vsim-threshold --min 0.4 -o y none.res.h5", "y", ""),
    "view-none": ("vsim-view none.res.h5", "", ""),
    "view-picked": ("vsim-view --both --id rs3,rs4,rs9 none.res.h5", "", ""),
    "permute-none": ("vsim-permute --order random --seed 1 -o y none.vec.h5",
                     "y", ""),
    "run-none": ("vsim-run -j 1 -t 0.3 --tile 20 -o y none.vec.h5", "y", ""),
    "verify": ("vsim-verify -j 2 e.res.h5", "", ""),
    "verify-against": ("vsim-verify -j 2 --against x.vec.h5 e.res.h5", "", ""),
}


def bgzip(data, block):
    """What bgzip would make of data, in blocks of so few bytes."""
    out = b""
    for at in range(0, len(data) + block, block):
        part = data[at:at + block]
        z = zlib.compressobj(6, zlib.DEFLATED, -15)
        packed = z.compress(part) + z.flush()
        out += struct.pack("<4BIBBHBBHH", 31, 139, 8, 4, 0, 0, 255, 6, 66, 67, 2,
                           len(packed) + 25) + packed + \
            struct.pack("<II", zlib.crc32(part), len(part))
    return out


def bcf(vcf):
    """The same in BCF, for sites of one allele of one letter each."""
    lines = vcf.splitlines()
    head = [x for x in lines if x.startswith("#")]
    text = "\n".join(head).encode() + b"\n\0"
    out = b"BCF\2\2" + struct.pack("<I", len(text)) + text
    for line in lines[len(head):]:
        word = line.split("\t")
        site = struct.pack("<iiiIHHI", 0, int(word[1]) - 1, 1, 0x7f800001, 0, 2,
                           1 << 24 | len(word) - 9)
        site += bytes([len(word[2]) << 4 | 7]) + word[2].encode()
        site += b"\x17" + word[3].encode() + b"\x17" + word[4].encode() + b"\0"
        calls = b"\x11\1\x21" + bytes(2 * int(a) + 2 for x in word[9:]
                                    for a in x.split("/"))
        out += struct.pack("<II", len(site), len(calls)) + site + calls
    return out


def make_inputs():
    rng = random.Random(5)
    n, m = 60, 30
    with open("x.tsv", "w") as f, open("x.vcf", "w") as v, \
            open("m.tsv", "w") as t:
        v.write("##fileformat=VCFv4.2\n##contig=<ID=1>\n##FORMAT=<ID=GT,"
                "Number=1,Type=String,Description=\"\">\n#CHROM\tPOS\tID\tREF\t"
                "ALT\tQUAL\tFILTER\tINFO\tFORMAT\t" +
                "\t".join("s%d" % q for q in range(m)) + "\n")
        t.write("id\t" + "\t".join("f%d" % q for q in range(m)) + "\n")
        row = [0] * m
        for k in range(n):
            if k % 5 == 0:
                row = [rng.randrange(3) for _ in range(m)]
            g = [x if rng.random() < 0.8 else rng.randrange(3) for x in row]
            f.write("rs%d\t%s\n" % (k, "\t".join(
                "NA" if rng.random() < 0.02 else str(x) for x in g)))
            v.write("1\t%d\trs%d\tA\tC\t.\t.\t.\tGT\t%s\n" % (k + 1, k, "\t".join(
                ("0/0", "0/1", "1/1")[x] for x in g)))
            t.write("r%d\t%s\n" % (k, "\t".join(str(x) for x in g)))
    with open("x.vcf") as f:
        text = f.read()
    with open("x.vcf.gz", "wb") as f:
        f.write(bgzip(text.encode(), 500))
    with open("x.bcf", "wb") as f:
        f.write(bgzip(bcf(text), 500))
    with open("second.vcf", "w") as f:  # which htslib parses
        f.write(re.sub(r"(\d/\d)", r"7:\1", text.replace("\tGT\t", "\tX:GT\t")))
    with open("b.bed", "wb") as f:
        f.write(b"\x6c\x1b\x01" + bytes(rng.choice((0, 2, 3)) |
                rng.choice((0, 2, 3)) << 2 | rng.choice((0, 2, 3)) << 4 |
                rng.choice((0, 2, 3)) << 6 for _ in range(10 * 5)))
    with open("b.bim", "w") as f:
        f.writelines("1 v%d 0 %d A C\n" % (k, k + 1) for k in range(10))
    with open("b.fam", "w") as f:
        f.writelines("f%d i%d 0 0 0 -9\n" % (k, k) for k in range(20))
    sh("vsim-pack --tsv x.tsv -o x.vec.h5")
    sh("vsim-pack --matrix m.tsv -o m.vec.h5")
    with open("c.yaml", "w") as f:
        f.write("input: x.vec.h5\nthreshold: 0.3\npairs-between: [0-19, '7-40']\n")
    sh("vsim-pack --tsv x.tsv --codec none -o none.vec.h5")
    sh("vsim-run -j 1 -t 0.3 --tile 20 --commit-every 0 -o run x.vec.h5")
    sh("vsim-merge -o e.res.h5 run")
    sh("vsim-run -j 1 -t 0.3 --codec none -o none x.vec.h5")
    sh("vsim-merge --codec none -o none.res.h5 none")
    sh("vsim-threshold --above 0.35 -o old run")
    with open("old/notes", "w") as f:
        f.write("mine\n")
    sh("mkdir kept; cp -a *.h5 run none kept")


def names(path):
    return sorted(x for x in os.listdir(path) if x != ".lock") \
        if os.path.isdir(path) else []


def run(job, call="", at=0, how="once"):
    words = JOBS[job][0].split()
    env = dict(os.environ, LD_PRELOAD=SHIM, FAULT_CALL=call, FAULT_AT=str(at),
               FAULT_HOW=how, FAULT_COUNT=os.path.abspath("n"))
    if "=" in words[0]:
        env.update([words.pop(0).split("=")])
    try:
        p = subprocess.run(words, env=env, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "none in %d s" % LIMIT, b"", ""
    return p.returncode, p.stdout, p.stderr.decode(errors="replace")


def prepare(job):
    sh("rm -rf y y.* n c.res.h5; cp -a kept/. .; " + (JOBS[job][2] or ":"))


def left(job):
    """Temporary files beside the output and in it."""
    return [x for p in ("*.tmp-*", "*.old-*", "y/*.tmp-*") for x in glob.glob(p)]


def lines(err):
    """How many there are, without those of other libraries, which end the
    program by themselves where they get no thread, or where HDF5 breaks the heap
    for want of memory."""
    return len([x for x in err.splitlines() if x and not
                re.match("libgomp: |libgcc_s.so.1 must be installed|corrupted "
                         "|(malloc|free|realloc|munmap_chunk)[(]", x)])


def judge(job, call, how, code, out, err, before, want):
    """What is wrong, or None."""
    made = JOBS[job][1]
    if how == "alter":
        sh("cp -a kept/. .")
    killed = how == "kill" and code in (-9, 137)
    if killed:
        return after_kill(job, before, want)
    if how == "alter" and lines(err) == 1 and \
            (code == 3 or code == 1 and job.startswith("verify")):
        there = content(made) if made and os.path.exists(made) else None
        return "left a file" if there != before or left(job) else None
    # libraries crash where they get no memory: no answer, and no file
    if code in (-11, -6) and call in ("alloc", "strdup", "any"):
        return "left " + " ".join(left(job)) if left(job) and not before \
            else None
    if code not in (0, 4):
        return "exit %s" % code
    if code == 4 and lines(err) != 1:
        return "exit 4 with %d lines" % lines(err)
    if code == 4 and before and left(job):
        return after_kill(job, before, want)
    if call not in ("unlink", "any") and left(job):
        return "left " + " ".join(left(job))
    if code == 0 and (content(made) if made else out) != want:
        return "exit 0, other output"
    if code == 0 and names(made) != listed[job]:
        return "exit 0, other files: " + " ".join(names(made))
    if code == 4 and made and os.path.isdir(made):
        if before and content(made) not in (before, want):
            return "neither old nor new"
        if before and not os.path.exists("y/notes") and \
                not glob.glob("y.*/notes"):
            return "lost y/notes"
    elif code == 4 and made and os.path.exists(made) and content(made) != want:
        return "half a file"
    elif code == 4 and before and not os.path.exists(made):
        return "lost the old"
    return None


def after_kill(job, before, want):
    command, made, _ = JOBS[job]
    places = [made] + glob.glob("y.old-*") + glob.glob("y.tmp-*")
    if before:
        found = [content(p) for p in places]
        if before not in found and want not in found:
            return "killed: neither old nor new"
        if not any(os.path.exists(p + "/notes") for p in places):
            return "killed: lost y/notes"
    elif made and os.path.isfile(made) and content(made) != want:
        return "killed: half a file"
    if not made:
        return None
    again = command
    if job.startswith("run"):
        again += " --resume" if glob.glob("y/*.shard.h5") else " -f"
    elif os.path.exists(made) and " -f" not in again:
        again += " -f"
    try:
        sh(again)
        if content(made) != want:
            return "killed: the next run makes something else"
    except subprocess.CalledProcessError as e:
        return "killed: the next run fails: " + e.stderr
    if before and not os.path.exists("y/notes"):
        return "killed: the next run loses y/notes"
    if os.path.isdir(made) and left(job):
        return "killed, run again: left " + " ".join(left(job))
    return None


def main():
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    sh("rm -rf ./*")
    make_inputs()
    rng = random.Random(args.seed)
    jobs = args.jobs.split(",") if args.jobs else list(JOBS)
    todo, before, want = [], {}, {}
    for job in jobs:
        for call in args.calls.split(","):
            prepare(job)
            before[job] = content("y") if JOBS[job][2] else None
            code, out, err = run(job, call)
            if code:
                sys.exit("%s: exit %d undisturbed: %s" % (job, code, err))
            if job not in want:
                listed[job] = names(JOBS[job][1])
                want[job] = content(JOBS[job][1]) if JOBS[job][1] else out
            with open("n") as f:
                n = int(f.read())
            for how in args.how.split(","):
                places = list(range(1, n + 1))
                rng.shuffle(places)
                todo += [(job, call, at, how) for at in places[:args.each]]
    if args.list:
        print("%d places" % len(todo))
        return 0
    rng.shuffle(todo)
    started, figures = time.time(), collections.Counter()
    bad = 0
    for job, call, at, how in todo:
        if time.time() - started > args.time:
            break
        prepare(job)
        code, out, err = run(job, call, at, how)
        why = judge(job, call, how, code, out, err, before[job], want[job])
        figures["kills" if how == "kill" else "faults"] += 1
        figures["exit %s" % code] += 1
        if why:
            bad += 1
            print("%s: %s %d %s: %s: %s" % (job, call, at, how, why,
                  err.strip()[-300:]), flush=True)
    prepare(jobs[0])
    print("%d of %d places, %s: %d bad" % (figures["kills"] + figures["faults"],
          len(todo), ", ".join("%s %d" % x for x in sorted(figures.items())),
          bad))
    return bad > 0


sys.exit(main())
