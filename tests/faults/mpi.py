#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Let the n-th MPI call fail, on one rank, for every n, in small runs on ranks.

usage: mpi.py BUILD SCRATCH FAULT_MPI.so [--time S] [--seed N] [--each N]
           [--jobs LIST] [--how LIST]

The call fails as fault_mpi.c beside this file lets it: once, on (the later ones of
the rank, too), all (those of the other ranks, too). The run ends with 4, and that
rank, or some, say why in one line each; others, which the launcher ends, say so at
most.
Shards that are there are whole, and no temporary file is left, but by a rank
that the launcher killed, and then the next run removes it. Then --resume,
or a new run where nothing was begun, ends with 0 and the content of a run
that was left alone. How often ranks look whether others have come varies: a run
that ended before its n-th call ends with 0 and that content.

--each N takes at most N calls of each rank of each job; those of a call stack that
another call of the job has had come last. --time stops after S seconds or at
SIGTERM. Prints what went wrong, and figures; exit 1 where anything did.
"""
import argparse
import collections
import glob
import os
import random
import signal
import subprocess
import sys
import time

from small import content, sh, tables

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("shim")
args.add_argument("--time", type=float, default=1e9)
args.add_argument("--seed", type=int, default=1)
args.add_argument("--each", type=int, default=1 << 30)
args.add_argument("--jobs", default="")
args.add_argument("--how", default="once,on,all")
args = args.parse_args()
SHIM = os.path.abspath(args.shim)
os.environ["PATH"] = os.path.abspath(args.build) + ":" + os.environ["PATH"]
os.environ["OMP_NUM_THREADS"] = "1"
RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ranks")
LIMIT = 60  # seconds of a run

# name: ranks, command
JOBS = {
    "pairs": (2, "vsim-run -j 1 -t 0.3 --tile 20 --commit-every 0 -o y x.vec.h5"),
    "fetch": (3, "vsim-run -j 1 -t 0.3 --tile 20 --exchange fetch -o y x.vec.h5"),
    "triples": (2, "vsim-run -j 1 --way 3 -t 0.5 -o y x.vec.h5"),
    "ps": (3, "vsim-run -j 1 -m ps -t 0.5 --tile 20 -o y m.vec.h5"),
    "top": (2, "vsim-run -j 1 --top 20 -t 0 --tile 20 -o y x.vec.h5"),
    "histogram": (2, "vsim-run -j 1 -t 0.3 --metric-histogram h.tsv -o y "
                  "x.vec.h5"),
    "merge": (2, "vsim-run -j 1 -t 0.3 --tile 20 --merge z.res.h5 -o y x.vec.h5"),
    "resume": (2, "vsim-run -j 1 -t 0.3 --tile 20 -o y --resume x.vec.h5"),
}


def make_inputs():
    tables()
    sh("vsim-pack --tsv x.tsv -o x.vec.h5; vsim-pack --matrix m.tsv -o m.vec.h5")
    sh("vsim-run -j 1 -t 0.3 --tile 20 --commit-every 0 -o begun x.vec.h5")


def prepare(job):
    sh("rm -rf y z.res.h5* h.tsv n.*")
    if job == "resume":
        sh("cp -r begun y; rm y/complete.yaml; "
           "rm -f $(ls y/*.shard.h5 | tail -n 1)")


def run(job, call="", at=0, rank=0, how="once"):
    ranks, command = JOBS[job]
    # equal addresses, of which a hash of a stack is made
    words = [RANKS, str(ranks), "setarch", "-R", "env",
             "LD_PRELOAD=" + SHIM,
             "MPI_FAULT_CALL=" + call, "MPI_FAULT_HOW=" + how, "MPI_FAULT_AT=%d" % at,
             "MPI_FAULT_RANK=%d" % rank,
             "MPI_FAULT_COUNT=" + os.path.abspath("n")] + command.split()
    try:
        p = subprocess.run(words, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return "none in %d s" % LIMIT, ""
    return p.returncode, p.stderr.decode(errors="replace")


def calls_of(rank):
    """How many calls of MPI a rank has made; none: it did not come to the end."""
    try:
        with open("n.%d" % rank) as f:
            return int(dict(x.split() for x in f)["any"])
    except (OSError, KeyError):
        return None


def stacks_of(rank):
    with open("n.%d" % rank) as f:
        return [x for x in f if x.startswith("stack ")]


def ended_before(at, rank):
    n = calls_of(rank)
    return n is not None and n < at


def judge(job, how, code, err, want):
    said = [x for x in err.splitlines() if x.startswith("vsim-")]
    again = JOBS[job][1]
    if code != 4:
        return "exit %s" % code
    failed = sum(": MPI failed: " in x for x in said)
    if not 1 <= failed <= (JOBS[job][0] if how == "all" else 1):
        return "%d lines on MPI" % failed
    if any(": MPI failed: " not in x and ": stopped by a signal" not in x
           for x in said):
        return "other lines"
    for shard in glob.glob("y/*.shard.h5"):
        try:
            sh("vsim-verify " + shard)
        except subprocess.CalledProcessError as e:
            return "half a shard: " + e.stderr
    # the launcher kills a rank that takes a second to seal: it says nothing then
    if glob.glob("y/*.tmp-*") and len(said) == JOBS[job][0]:
        return "left " + " ".join(glob.glob("y/*.tmp-*"))
    if glob.glob("z.res.h5.tmp-*"):
        return "left a merged file unfinished"
    if os.path.exists("z.res.h5"):
        try:
            sh("vsim-verify z.res.h5 && rm z.res.h5")
        except subprocess.CalledProcessError as e:
            return "half a merged file: " + e.stderr
    if "--resume" not in again:
        again += " --resume" if os.path.exists("y/run.yaml") else " -f"
    try:
        sh(again)
    except subprocess.CalledProcessError as e:
        return "the next run fails: " + e.stderr
    if content("y") != want:
        return "the next run makes something else"
    if glob.glob("y/*.tmp-*"):
        return "the next run leaves " + " ".join(glob.glob("y/*.tmp-*"))
    return None


def main():
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    sh("rm -rf ./*")
    make_inputs()
    rng = random.Random(args.seed)
    nth, n_had, want = {}, collections.Counter(), {}
    for job in args.jobs.split(",") if args.jobs else list(JOBS):
        prepare(job)
        code, err = run(job)
        if code:
            sys.exit("%s: exit %s undisturbed: %s" % (job, code, err))
        want[job] = content("y")
        for rank in range(JOBS[job][0]):
            stacks = stacks_of(rank)
            at = list(range(1, calls_of(rank) + 1))
            rng.shuffle(at)
            for k in at[:args.each]:
                n_had[job, rank, stacks[k - 1]] += 1
                nth.update(((job, k, rank, how),
                            n_had[job, rank, stacks[k - 1]])
                           for how in args.how.split(","))
    todo = list(nth)
    rng.shuffle(todo)
    todo.sort(key=nth.get)
    print("%d calls of %d stacks, each %s" % (len(todo), len(n_had), args.how),
          flush=True)
    figures, bad, started, ended = collections.Counter(), 0, time.time(), []
    signal.signal(signal.SIGTERM, lambda *_: ended.append(1))
    for job, at, rank, how in todo:
        if ended or time.time() - started > args.time:
            break
        prepare(job)
        code, err = run(job, "any", at, rank, how)
        if code == 0 and ended_before(at, rank):
            why = None if content("y") == want[job] else "exit 0, another content"
            figures["ended before"] += 1
        else:
            why = judge(job, how, code, err, want[job])
            figures[how] += 1
        figures["exit %s" % code] += 1
        if why:
            bad += 1
            print("%s: call %d of rank %d, %s: %s: %s" % (job, at, rank, how, why,
                  err.strip()[-400:]), flush=True)
    print("%d of %d calls, %s: %d bad" % (
          sum(figures[x] for x in args.how.split(",")), len(todo),
          ", ".join("%s %d" % x for x in sorted(figures.items())), bad))
    return bad > 0


sys.exit(main())
