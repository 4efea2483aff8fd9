#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Fail or kill the n-th call, for every n, of a small job of each program.

usage: campaign.py BUILD SCRATCH FAULT.so [--time S] [--seed N] [--calls LIST]
           [--how LIST] [--jobs LIST] [--each N] [--last N] [--stacks]
           [--first] [--in-order] [--small] [--list] [--inputs DIR]

A program whose call fails (fault.c beside this file) ends in one of two ways:
0, and the output is that of the undisturbed program, bit by bit of its content;
or 4, one sentence on stderr, and nothing under the output's name but what was
there or what is whole. No temporary file is left, unless it is unlink that
fails, or a directory was to be replaced, and then the next run removes it. A
program whose input another one changes meanwhile (--how alter) ends with 0 or 3.
A program that is killed leaves old or new, and the next run of the same command,
--resume or -f, ends with 0, the same content and no temporary file. No input is
changed.

Each program is started once for all its places: fault.c lets its main() run in a
child for each. A call is number n of those of the process and of the ones that it
forks. Where a child does not end in 60 seconds, what its processes did is printed.

--inputs DIR has the inputs of the jobs, or gets them for the next campaign. --each
N takes at most N places of each call of each job, --last N only the last N,
--time stops after S seconds or at SIGTERM; places are taken in an order that --seed
gives. With --in-order those of a job are taken one after another, and a child begins
as a copy of a process that has come to the last call before its own up to which
nothing is done that a copy could not do again; then figures are printed for each
job. With --stacks each place whose call stack no job of the same program has had
comes before any second one of a stack, these before any third; with --first, too,
there is no second one. --small takes thirteen jobs that have one thread and no more
tiles than they need, for memory at every n: 0.3 million places, twice as many in a
second where SCRATCH is in memory, as /dev/shm is. Prints what went wrong, crashes
for want of memory that leave nothing, and figures, also after each 10,000 places;
exit 1 where anything did.
"""
import argparse
import bisect
import collections
import ctypes
import filecmp
import glob
import os
import random
import re
import select
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

from small import content, digest, sh

CALLS = ("open read write trunc fsync close rename unlink mkdir stat mmap alloc "
         "strdup thread fork").split()
HOW = "once on kill".split()
LIMIT = 60  # seconds of a job, and once more where others leave it no time

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
args.add_argument("--last", type=int, default=1 << 30)
args.add_argument("--stacks", action="store_true")
args.add_argument("--first", action="store_true")
args.add_argument("--in-order", action="store_true")
args.add_argument("--small", action="store_true")
args.add_argument("--list", action="store_true")
args.add_argument("--inputs", default="")
args = args.parse_args()
BUILD, SHIM = os.path.abspath(args.build), os.path.abspath(args.shim)
os.environ["PATH"] = BUILD + ":" + os.environ["PATH"]
os.environ.update(OMP_NUM_THREADS="1" if args.small else "2", OMP_WAIT_POLICY="passive",
                  SOURCE_DATE_EPOCH="1")

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../data/in")
listed = {}  # files in the directory that a job makes
beside_of = {}  # files beside what it makes

# name: command, what it makes ("" for stdout), what it replaces
JOBS = {
    "pack-tsv": ("vsim-pack --tsv x.tsv -o y", "y", ""),
    "pack-bed": ("vsim-pack --bfile b -o y", "y", ""),
    "pack-vcf": ("vsim-pack --vcf x.vcf -o y", "y", ""),
    "pack-gz": ("vsim-pack -j 2 --vcf x.vcf.gz -o y", "y", ""),
    "pack-bcf": ("vsim-pack -j 2 --vcf x.bcf -o y", "y", ""),
    "pack-pfile": ("vsim-pack --pfile q -o y", "y", ""),
    "pack-ped": ("vsim-pack --file q -o y", "y", ""),
    "pack-second": ("vsim-pack -j 1 --vcf second.vcf -o y", "y", ""),
    "pack-matrix": ("vsim-pack --matrix m.tsv -o y", "y", ""),
    "permute": ("vsim-permute --order random -o y x.vec.h5", "y", ""),
    "run-pairs": ("vsim-run -j 2 -t 0.3 --tile 20 --commit-every 0 -o y "
                  "x.vec.h5", "y", ""),
    "run-config": ("vsim-run -j 1 --config c.yaml -o y", "y", ""),
    "run-triples": ("vsim-run -j 2 --way 3 -t 0.5 -o y x.vec.h5", "y", ""),
    "run-ps": ("vsim-run -j 2 -m ps -t 0.5 -o y m.vec.h5", "y", ""),
    "run-k2": ("vsim-run -j 2 -m k2 --top 20 -o y g.vec.h5", "y", ""),
    "run-near": ("vsim-run -j 1 -m r2 -t 0.3 --max-sites 9 --merge y.res.h5 "
                 "-o y g.vec.h5", "y", ""),
    "run-histogram": ("vsim-run -j 2 -t 0.3 --metric-histogram y.tsv -o y "
                      "x.vec.h5", "y", ""),
    "run-top": ("vsim-run -j 2 --top 20 -t 0 -o y x.vec.h5", "y", ""),
    "run-against": ("vsim-run -j 2 -t 0.3 --against old.res.h5 -o y x.vec.h5",
                    "y", ""),
    "run-permutations": ("vsim-run -j 2 -m k2 --top 5 --permutations 3 -o y "
                         "g.vec.h5", "y", ""),
    "run-cosine": ("vsim-run -j 2 -m cosine -t 0.5 -o y m.vec.h5", "y", ""),
    "merge-against": ("vsim-merge -j 2 --reproducible -o y more old.res.h5", "y",
                      ""),
    "merge": ("vsim-merge -j 2 --memory 70K -o y run", "y", ""),
    "threshold": ("vsim-threshold --min 0.4 -o y e.res.h5", "y", ""),
    "threshold-dir": ("vsim-threshold -f --min 0.4 -o y run", "y",
                      "old"),
    "threshold-aside": ("FAULT_NO_EXCHANGE=1 vsim-threshold -f --min 0.4 "
                        "-o y run", "y", "old"),
    "prune": ("vsim-threshold -f --prune y r.res.h5", "y.prune.in", ""),
    "clump": ("vsim-threshold --clump p.txt -o y r.res.h5", "y", ""),
    "view-npy": ("vsim-view --to npy --id rs3,rs4,rs9 -o y r.res.h5", "y", ""),
    "view-graphml": ("vsim-view --to graphml r.res.h5", "", ""),
    "view-bedpe": ("vsim-view --to bedpe -o y r.res.h5", "y", ""),
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
SMALL = ("pack-tsv pack-bed pack-vcf pack-matrix permute run-pairs run-triples run-ps "
         "run-top merge threshold view verify").split()
if args.small:
    for job in SMALL:
        command = JOBS[job][0].replace(" --tile 20 --commit-every 0", "")
        JOBS[job] = (command.replace("-j 2", "-j 1"),) + JOBS[job][1:]


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
    for x in "pfile/good/every-track", "file/good/three-samples":
        for path in glob.glob(os.path.join(DATA, x + ".*")):
            shutil.copy(path, "q" + os.path.splitext(path)[1])
    with open("b.bim", "w") as f:
        f.writelines("1 v%d 0 %d A C\n" % (k, k + 1) for k in range(10))
    with open("b.fam", "w") as f:
        f.writelines("f%d i%d 0 0 0 -9\n" % (k, k) for k in range(20))
    sh("vsim-pack --tsv x.tsv -o x.vec.h5")
    sh("vsim-pack --matrix m.tsv -o m.vec.h5")
    with open("c.yaml", "w") as f:
        f.write("input: x.vec.h5\nthreshold: 0.3\npairs-between: [0-19, '7-40']\n")
    with open("s.txt", "w") as f:
        f.write("IID\tstatus\n")
        f.writelines("s%d\t%d\n" % (k, 1 + k % 2) for k in range(30))
    with open("p.txt", "w") as f:
        f.write("SNP P\n")
        f.writelines("rs%d %g\n" % (k, (k * 7919 % 97 + 1) / 2e6)
                     for k in range(n))
    sh("vsim-pack --vcf x.vcf --pheno s.txt -o g.vec.h5")
    sh("vsim-run -j 1 -m r2 -t 0.3 --merge r.res.h5 -o run-r2 g.vec.h5")
    sh("vsim-pack --tsv x.tsv --codec none -o none.vec.h5")
    sh("vsim-run -j 1 -t 0.3 --tile 20 --commit-every 0 -o run x.vec.h5")
    sh("vsim-merge -o e.res.h5 run")
    sh("vsim-run -j 1 -t 0.3 --codec none -o none x.vec.h5")
    sh("vsim-merge --codec none -o none.res.h5 none")
    sh("vsim-threshold --above 0.35 -o old run")
    sh("head -n 40 x.tsv >40.tsv; vsim-pack --tsv 40.tsv -o 40.vec.h5")
    sh("vsim-run -j 1 -t 0.3 --merge old.res.h5 -o run-old 40.vec.h5")
    sh("vsim-run -j 1 -t 0.3 --against old.res.h5 -o more x.vec.h5")
    sh("vsim-run -j 1 -m k2 --top 20 --permutations 3 --merge p.res.h5 "
       "-o run-p g.vec.h5")
    with open("old/notes", "w") as f:
        f.write("mine\n")
    sh("mkdir kept; cp -a *.h5 run none more kept")


def names(path):
    return sorted(x for x in os.listdir(path) if x != ".lock") \
        if os.path.isdir(path) else []


class Server:
    """A program that stands before its main(), which fault.c runs when asked."""

    def __init__(self, command):
        words = command.split()
        env = dict(os.environ, LD_PRELOAD=SHIM, FAULT_SERVE="1")
        if "=" in words[0]:
            env.update([words.pop(0).split("=")])
        # equal addresses, of which a hash of a stack is made
        fixed = lambda: ctypes.CDLL(None).personality(0x0040000)
        self.at, self.safe = 0, []
        self.p = subprocess.Popen(words, env=env, stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, bufsize=0,
                                  preexec_fn=fixed)

    def line(self, seconds):
        if not select.select([self.p.stdout], [], [], seconds)[0]:
            return None
        return [int(x) for x in self.p.stdout.readline().split()]

    def end(self):
        self.p.stdin.close()
        self.p.wait()

    def near(self, call, at):
        """Go on to the last safe one of the calls up to that number."""
        place = bisect.bisect(self.safe, at)
        if place and self.safe[place - 1] > self.at:
            self.at = self.safe[place - 1]
            self.p.stdin.write(b"%s %d go\n" % (call.encode(), self.at))
            self.line(LIMIT)

    def run(self, call, at, how):
        """Exit status or -signal, stdout, stderr, how many such calls."""
        self.p.stdin.write(b"%s %d %s\n" % (call.encode(), at, how.encode()))
        child, = self.line(LIMIT)
        ended = self.line(LIMIT)
        late = ""
        if not ended:
            late = backtraces(child)
            ended = self.line(LIMIT)
        if not ended:
            os.killpg(child, signal.SIGKILL)
            self.line(LIMIT)
            print(late)
            return "none in %d s" % (2 * LIMIT), b"", "", 0
        if late:
            print("late, exit %d:\n%s" % (ended[0], late), flush=True)
        with open("o", "rb") as o, open("e", errors="replace") as e:
            return (os.waitstatus_to_exitcode(ended[0]), o.read(), e.read(),
                    ended[1])


def backtraces(group):
    """What each process of a group does, and what it has used."""
    said = ""
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getpgid(int(pid)) != group:
                continue
            with open("/proc/%s/stat" % pid) as f:
                said += f.read()
            said += subprocess.run(
                ["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt"],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, text=True, timeout=LIMIT).stdout
        except (OSError, subprocess.TimeoutExpired) as e:
            said += "%s\n" % e
    return said


servers, helpers = {}, {}


def run(job, call, at=0, how="once"):
    if job not in servers:
        servers[job] = Server(JOBS[job][0])
    return servers[job].run(call, at, how)


def stamps():
    """Inputs, and when they were changed."""
    found = {}
    for d in ".", "run", "none", "more", "old":
        for x in os.scandir(d):
            if x.name[0] not in "y." and x.name not in ("o", "e", "s", "c.res.h5"):
                st = x.stat()
                found[x.path] = x.is_file() and (st.st_size, st.st_mtime_ns)
    return found


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    else:
        os.unlink(path)


def prepare(job):
    for x in ["y"] + glob.glob("y.*") + ["c.res.h5"]:
        if os.path.lexists(x):
            remove(x)
    if JOBS[job][2]:
        shutil.copytree(JOBS[job][2], "y", symlinks=True)


def left(job):
    """Temporary files beside the output and in it."""
    return [x for p in ("*.tmp-*", "*.old-*", "y/*.tmp-*") for x in glob.glob(p)]


def noted(job, call, how):
    """By a call's number, its stack; how safe: those of safe ones alone."""
    prepare(job)
    open("s", "w").close()
    run(job, call, 0, how)
    with open("s", "rb") as f:
        return dict(struct.iter_unpack("<QQ", f.read()))


def fresh_job(job, call):
    """A server for the calls of this name, which goes on from one to the next."""
    servers.pop(job).end()
    safe = sorted(noted(job, call, "safe"))
    servers[job].safe = safe


def same_files(a, b):
    if os.path.isfile(a) and os.path.isfile(b):
        return filecmp.cmp(a, b, False)
    return names(a) == names(b) and all(
        filecmp.cmp(os.path.join(a, x), os.path.join(b, x), False)
        for x in names(a))


def lines(err):
    """How many there are, without those of other libraries, which end the
    program by themselves where they get no thread, or where HDF5 breaks the heap
    for want of memory."""
    return len([x for x in err.splitlines() if x and not
                re.match("libgomp: |libgcc_s.so.1 must be installed|corrupted "
                         "|(malloc(_consolidate)?|free|realloc|munmap_chunk)[(]",
                         x)])


HELPERS = {"merge": "vsim-merge -j 1 -f -o c.res.h5 y",
           "verify": "vsim-verify -j 1 c.res.h5",
           "header": "vsim-view --header c.res.h5"}


def merged():
    """content() of the shards in y."""
    for name, command in HELPERS.items():
        if name not in helpers:
            helpers[name] = Server(command)
        code, out, _, _ = helpers[name].run("none", 0, "once")
        if code:
            return None
    return digest(out.decode())


def made_well(job, out, want):
    made = JOBS[job][1]
    if not made:
        return out == want
    if os.path.isdir(made):
        return merged() == want
    return same_files(made, "good/" + job) or content(made) == want


def beside(job, code):
    """What is wrong with the other files that a job makes."""
    for x in beside_of[job]:
        good = "good/%s-%s" % (job, x)
        if not os.path.exists(x):
            if code == 0:
                return "exit 0 without " + x
        elif not same_files(x, good) and \
                (x[-3:] != ".h5" or content(x) != content(good)):
            return "half a file: " + x
    return None


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
    if beside(job, code):
        return beside(job, code)
    if code == 4 and lines(err) != 1:
        return "exit 4 with %d lines" % lines(err)
    if code == 4 and before and left(job):
        return after_kill(job, before, want)
    if call not in ("unlink", "any") and left(job):
        return "left " + " ".join(left(job))
    if code == 0 and not made_well(job, out, want):
        return "exit 0, other output"
    if code == 0 and names(made) != listed[job]:
        return "exit 0, other files: " + " ".join(names(made))
    if code == 4 and made and os.path.isdir(made):
        if before and not same_files(made, JOBS[job][2]) and \
                content(made) not in (before, want):
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
    for x in beside_of[job]:
        if os.path.exists(x) and beside(job, 4):
            return "killed: " + beside(job, 4)
    places = [made] + glob.glob("y.old-*") + glob.glob("y.tmp-*")
    if before:
        if not any(content(p) in (before, want) for p in places):
            return "killed: neither old nor new"
        if not any(os.path.exists(p + "/notes") for p in places):
            return "killed: lost y/notes"
    elif made and os.path.isfile(made) and content(made) != want:
        return "killed: half a file"
    if not made:
        return None
    again = command
    for x in glob.glob("y.*.tmp-*"):  # of a file, which a kill leaves
        os.unlink(x)
    if job.startswith("run"):
        again += " --resume" if glob.glob("y/*.shard.h5") else " -f"
    elif os.path.exists(made) and " -f" not in again:
        again += " -f"
    try:
        sh(again)
        if (merged() if os.path.isdir(made) else content(made)) != want:
            return "killed: the next run makes something else"
    except subprocess.CalledProcessError as e:
        return "killed: the next run fails: " + e.stderr
    if before and not os.path.exists("y/notes"):
        return "killed: the next run loses y/notes"
    if os.path.isdir(made) and left(job):
        return "killed, run again: left " + " ".join(left(job))
    return None


def report(figures, n, bad, where=""):
    print(where + "%d of %d places, %s: %d bad" % (figures["kills"] + figures["faults"],
          n, ", ".join("%s %d" % x for x in sorted(figures.items())), bad),
          flush=True)


def main():
    inputs = args.inputs and os.path.abspath(args.inputs)
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    sh("rm -rf ./*")
    if os.path.isdir(inputs):
        sh("cp -a '%s/.' ." % inputs)
    else:
        make_inputs()
        if inputs:
            sh("cp -a . '%s'" % inputs)
    rng = random.Random(args.seed)
    jobs = args.jobs.split(",") if args.jobs else \
        SMALL if args.small else list(JOBS)
    todo, of, before, want = [], {}, {}, {}
    for job in jobs:
        for call in args.calls.split(","):
            prepare(job)
            before[job] = content("y") if JOBS[job][2] else None
            code, out, err, n = run(job, call)
            if code:
                sys.exit("%s: exit %d undisturbed: %s" % (job, code, err))
            if job not in want:
                listed[job] = names(JOBS[job][1])
                beside_of[job] = [x for x in glob.glob("y.*")
                                  if x != JOBS[job][1]]
                want[job] = content(JOBS[job][1]) if JOBS[job][1] else out
                if JOBS[job][1]:
                    sh("mkdir -p good; cp -r %s good/%s" % (JOBS[job][1], job))
                for x in beside_of[job]:
                    shutil.copy(x, "good/%s-%s" % (job, x))
            stack = noted(job, call, "stacks") if args.stacks else {}
            for how in args.how.split(","):
                places = list(range(max(1, n + 1 - args.last), n + 1))
                rng.shuffle(places)
                if args.in_order:
                    places = sorted(places[:args.each])
                todo += [(job, call, at, how) for at in places[:args.each]]
                of.update(((job, call, at, how), (JOBS[job][0].split(" -")[0],
                          call, how, stack.get(at))) for at in places)
    if args.list:
        print("%d places" % len(todo))
        return 0
    if not args.in_order:
        rng.shuffle(todo)
    if args.stacks:
        nth = collections.Counter()
        first = {}
        for place in todo:
            nth[of[place]] += 1
            first[place] = nth[of[place]]
        todo.sort(key=first.get)
        if args.first:
            todo = todo[:len(nth)]
        print("%d places of %d stacks" % (len(todo), len(nth)), flush=True)
    started, figures = time.time(), collections.Counter()
    bad, inputs, ended, last = 0, stamps(), [], None
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    for job, call, at, how in todo:
        if time.time() - started > args.time or ended:
            break
        if args.in_order and last != (job, call, how):
            if last:
                report(figures, len(todo), bad, "%s %s %s: " % last)
            last = job, call, how
            fresh_job(job, call)
        prepare(job)
        if args.in_order:
            servers[job].near(call, at)
        code, out, err, _ = run(job, call, at, how)
        why = judge(job, call, how, code, out, err, before[job], want[job])
        if stamps() != inputs:
            why = why or "an input is changed"
            sh("cp -a kept/. .")
            inputs = stamps()
        figures["kills" if how == "kill" else "faults"] += 1
        figures["exit %s" % code] += 1
        if not why and code in (-11, -6):
            print("%s: %s %d %s: crash %d, nothing left: %s" % (job, call, at,
                  how, -code, err.strip()[-300:]), flush=True)
        if why:
            bad += 1
            print("%s: %s %d %s: %s: %s" % (job, call, at, how, why,
                  err.strip()[-300:]), flush=True)
        done = figures["kills"] + figures["faults"]
        if done % 10000 == 0:
            report(figures, len(todo), bad)
    prepare(jobs[0])
    report(figures, len(todo), bad)
    return bad > 0


sys.exit(main())
