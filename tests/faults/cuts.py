#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Cut the power at any moment of a small job of each program, and check what the disk
may then contain.

usage: cuts.py BUILD SCRATCH RECORD.so [--time S] [--count N] [--seed N]
           [--jobs LIST] [--flushes]

record.c beside this file logs what a job does to files. After any number of
these calls the power goes: of what a file got since its last fsync all, some or
nothing is there, of what a directory got since its own any first part, or any
part where the changes of one name keep their order and a file that is renamed to
another directory is in one of both. Then
what stands under the output's name is the old or the new content, bit by bit,
or, of a run, shards that are whole, complete.yaml not beside others than its own,
and files of others are where they were; the same command, --resume or -f, ends with
0 and the same content, and leaves no temporary file in a directory. After a job
that ended with 0 its output is there, whatever was not flushed.

--flushes tries first, for each flush of a directory, what would be there without
it; and for each write into the first sector of a file, where seals are, that it
reaches the disk before all that was written since the last flush.

Case number n of a job is the same for the same seed. Prints what went wrong,
and figures; exit 1 where anything did.
"""
import argparse
import collections
import glob
import hashlib
import itertools
import os
import random
import shutil
import subprocess
import sys
import time

from small import content, sh, tables

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("shim")
args.add_argument("--time", type=float, default=1e9)
args.add_argument("--count", type=int, default=1 << 60)
args.add_argument("--seed", type=int, default=1)
args.add_argument("--jobs", default="")
args.add_argument("--flushes", action="store_true")
args = args.parse_args()
BUILD, SHIM = os.path.abspath(args.build), os.path.abspath(args.shim)
os.environ["PATH"] = BUILD + ":" + os.environ["PATH"]
os.environ["OMP_NUM_THREADS"] = "2"
RANKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "ranks")

MODES = "flushed", "all", "some"

# name: command, what it makes, what goes before
JOBS = {
    "pack-tsv": ("vsim-pack --tsv x.tsv -o y", ""),
    "pack-matrix": ("vsim-pack --matrix m.tsv -o y", ""),
    "pack-over": ("vsim-pack -f --tsv x.tsv -o y", "cp old.vec.h5 y"),
    "permute": ("vsim-permute --order random -o y x.vec.h5", ""),
    "run-pairs": ("vsim-run -j 2 -t 0.3 --tile 20 --commit-every 0 -o y "
                  "x.vec.h5", ""),
    "run-saved": ("vsim-run -j 2 -t 0.3 --tile 15 "
                  "--commit-every 0 -o y x.vec.h5", ""),
    "run-triples": ("vsim-run -j 2 --way 3 -t 0.5 -o y x.vec.h5", ""),
    "run-top": ("vsim-run -j 2 --top 20 -t 0 -o y x.vec.h5", ""),
    "run-ranks": (RANKS + " 2 vsim-run -j 1 -t 0.3 --tile 20 -o y x.vec.h5", ""),
    "run-merge": ("vsim-run -j 2 -t 0.3 --tile 20 --merge z.res.h5 -o y "
                  "x.vec.h5", ""),
    "run-over": ("vsim-run -f -j 2 -t 0.3 -o y x.vec.h5", "cp -r run y"),
    "merge": ("vsim-merge -j 2 --memory 70K -o y run", ""),
    "threshold": ("vsim-threshold --min 0.4 -o y e.res.h5", ""),
    "threshold-dir": ("vsim-threshold -f --min 0.4 -o y run", "cp -r old y"),
    "view-out": ("vsim-view -o y e.res.h5", ""),
}


def make_inputs():
    tables()
    sh("head -n 30 x.tsv >z.tsv; vsim-pack --tsv z.tsv -o old.vec.h5")
    sh("vsim-pack --tsv x.tsv -o x.vec.h5")
    sh("vsim-run -j 1 -t 0.4 --tile 20 --commit-every 0 -o run x.vec.h5")
    sh("vsim-merge -o e.res.h5 run")
    sh("vsim-threshold --above 0.45 -o old run; echo mine >old/notes")


# ---- a disk: what is on it for certain, and what waits ----

class File:
    def __init__(self, data=b""):
        self.now = self.flushed = data
        self.seen = [data]  # since the last fsync
        self.drawn = None

    def write(self, data):
        self.now = data
        self.seen.append(data)

    def fsync(self):
        self.flushed = self.now
        self.seen = [self.now]

    def newest(self):
        """The blocks of the last write alone are on the disk."""
        new, old = self.now, self.seen[-2]
        out = bytearray(self.flushed.ljust(len(new), b"\0"))
        for at in range(0, len(new), 512):
            if new[at:at + 512] != old[at:at + 512]:
                out[at:at + 512] = new[at:at + 512]
        self.drawn = bytes(out)

    def cut(self, rng, mode):
        if self.drawn is not None:
            return self.drawn
        if mode == "flushed" or len(self.seen) == 1:
            return self.flushed
        if mode == "all":
            return self.now
        how = rng.randrange(5)
        if how == 0:
            return self.flushed
        if how == 1:
            return rng.choice(self.seen)
        if how == 2:
            share = 1.0  # its length came first
        else:
            share = 0.3
        old, new = rng.choice(self.seen), self.now
        out = bytearray(new)
        for at in range(0, len(new), 512):
            # what is there since the last fsync stays as it is
            if new[at:at + 512] == self.flushed[at:at + 512]:
                continue
            if rng.random() < share:
                piece = old[at:at + 512] if how == 3 else \
                    self.flushed[at:at + 512]
                n = min(512, len(new) - at)
                out[at:at + n] = piece[:n].ljust(n, b"\0")
        return bytes(out)


class Step:
    """A change of names in one directory: what each leads to, or None."""

    def __init__(self, entries, needs=None):
        self.entries = entries
        self.needs = needs  # directory and step that come first


class Directory:
    def __init__(self):
        self.now, self.flushed, self.waits = {}, {}, []
        self.drawn = None

    def change(self, needs=None, **entries):
        step = Step(entries, needs)
        self.waits.append(step)
        apply(self.now, entries)
        return step

    def fsync(self):
        for step in self.waits:
            if step.needs:
                step.needs[0].arrive(step.needs[1])
        self.flushed, self.waits = dict(self.now), []

    def arrive(self, step):
        """A step is on the disk, because that of another directory is."""
        if step in self.waits:
            apply(self.flushed, step.entries)
            self.waits.remove(step)

    def draw(self, rng, mode):
        """Steps that reached the disk: the first ones, or any."""
        if self.drawn is None:
            n, share = rng.randrange(len(self.waits) + 1), rng.random()
            first = mode == "all" or mode == "some" and rng.random() < 0.5
            if mode == "all":
                n = len(self.waits)
            self.drawn = [s for k, s in enumerate(self.waits)
                          if mode != "flushed" and
                          (k < n if first else rng.random() < share)]
        return self.drawn

    def cut(self, rng, mode):
        drawn, found, late = self.draw(rng, mode), dict(self.flushed), set()
        for step in self.waits:
            on_disk = step in drawn and not late & step.entries.keys()
            if on_disk and step.needs:
                to, first = step.needs
                on_disk = first not in to.waits or first in to.draw(rng, mode)
            if on_disk:
                apply(found, step.entries)
            else:
                late |= step.entries.keys()
        return found


def apply(entries, changes):
    for name, node in changes.items():
        if node is None:
            entries.pop(name, None)
        else:
            entries[name] = node


def load(path):
    """What stands at path, all of it flushed."""
    if not os.path.isdir(path):
        with open(path, "rb") as f:
            return File(f.read())
    d = Directory()
    for name in os.listdir(path):
        d.now[name] = load(os.path.join(path, name))
    d.fsync()
    return d


def find(top, path):
    node = top
    for name in [] if path == "." else path.split("/"):
        node = node.now[name]
    return node


def place(top, path):
    return find(top, os.path.dirname(path) or "."), os.path.basename(path)


def play(top, line, blobs):
    what, a, b = line.rstrip("\n").split("\t")
    if what in ("create", "write", "fsync"):
        d, name = place(top, a) if a != "." else (None, None)
        if b == "-":
            find(top, a).fsync()
            return
        with open(os.path.join(blobs, b), "rb") as f:
            data = f.read()
        if name not in d.now:
            d.change(**{name: File()})
        node = d.now[name]
        if data != node.now:
            node.write(data)
        if what == "fsync":
            node.fsync()
    elif what in ("rename", "exchange"):
        d, name = place(top, a)
        to, other = place(top, b)
        node = d.now[name]
        back = to.now[other] if what == "exchange" else None
        if d is to:
            d.change(**{name: back, other: node})
        else:
            d.change(needs=(to, to.change(**{other: node})),
                     **{name: back})
    elif what == "mkdir":
        d, name = place(top, a)
        d.change(**{name: Directory()})
    else:
        d, name = place(top, a)
        d.change(**{name: None})


def lay_out(node, path, rng, mode):
    found = node.cut(rng, mode)
    if isinstance(node, File):
        with open(path, "wb") as f:
            f.write(found)
        return hashlib.sha1(found).hexdigest()
    os.makedirs(path, exist_ok=True)
    said = hashlib.sha1()
    for name in sorted(found):
        said.update(name.encode() + b"\0" + lay_out(
            found[name], os.path.join(path, name), rng, mode).encode())
    return said.hexdigest()


# ---- what is left ----

def left():
    return [x for p in ("*.tmp-*", "*.old-*", "*.log")
            for x in glob.glob("y/" + p)]


def judge(job, before, want, done):
    """What is wrong in the current directory, or None."""
    again = JOBS[job][0]
    old = [x for x in (before, want) if x is not None]
    if done:
        if content("y") != want:
            return "ended with 0, but the output is not on the disk"
    elif os.path.isdir("y"):
        if os.path.exists("y/complete.yaml") and content("y") not in old:
            return "complete.yaml beside what is not complete"
        for shard in glob.glob("y/*.shard.h5"):
            if content(shard) is None:
                return "half a shard: " + shard
        found = content("y")
        if found is not None and found not in old:
            return "merges to something else"
    elif os.path.exists("y") and content("y") not in old:
        return "half a file"
    if "--merge" in again:
        if (done or os.path.exists("z.res.h5")) and \
                content("z.res.h5") != want:
            return "the merged file is not that of the run"
        sh("rm -f z.res.h5")
    if before is not None and job != "run-over":
        places = ["y"] + glob.glob("y.old-*") + glob.glob("y.tmp-*")
        if not any(content(p) in old for p in places if os.path.exists(p)):
            return "lost the old"
        if job == "threshold-dir" and not any(
                os.path.exists(p + "/notes") for p in places):
            return "lost a file of others"
    if "vsim-run" in again and os.path.exists("y/run.yaml") and \
            " -f" not in again:
        again += " --resume"
    elif os.path.exists("y") and " -f" not in again:
        again += " -f"
    try:
        sh(again)
    except subprocess.CalledProcessError as e:
        return "the next run, %s, fails: %s" % (again, e.stderr.strip())
    if content("y") != want or \
            "--merge" in again and content("z.res.h5") != want:
        return "the next run makes something else"
    if job == "threshold-dir" and not os.path.exists("y/notes"):
        return "the next run loses a file of others"
    if os.path.isdir("y") and left():
        return "run again: left " + " ".join(left())
    return None


def record(job, base):
    """Run a job; its log, and the content before and after."""
    shutil.rmtree("job", ignore_errors=True)
    shutil.rmtree("log", ignore_errors=True)
    shutil.copytree(base, "job")
    os.mkdir("log")
    os.chdir("job")
    try:
        sh(JOBS[job][1] or ":")
        before = content("y") if JOBS[job][1] else None
        sh("rm -f c.res.h5")
        start = load(".")
        words = JOBS[job][0].split()
        env = ["RECORD_ROOT=" + os.getcwd(),
               "RECORD_LOG=" + os.path.abspath("../log/log"),
               "LD_PRELOAD=" + SHIM]
        at = words.index("vsim-run") if "vsim-run" in words else 0
        words[at:at] = ["env"] + env
        p = subprocess.run(words, stdin=subprocess.DEVNULL,
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if p.returncode or not os.path.exists("../log/log"):
            sys.exit("%s: exit %d undisturbed: %s" % (job, p.returncode,
                     p.stderr.decode(errors="replace")))
        want = content("y")
    finally:
        os.chdir("..")
    with open("log/log") as f:
        return start, f.readlines(), before, want


def copy_of(node):
    if isinstance(node, File):
        return File(node.now)
    d = Directory()
    d.now = {name: copy_of(x) for name, x in node.now.items()}
    d.fsync()
    return d


def directories(node, path=".", found=None):
    """Paths of the directories that changes wait in."""
    found = [] if found is None else found
    if isinstance(node, Directory):
        if node.waits:
            found.append(os.path.normpath(path))
        for name in sorted(node.now):
            directories(node.now[name], os.path.join(path, name), found)
    return found


def played(start, log, k):
    top = copy_of(start)
    for line in log[:k]:
        play(top, line, "log")
    return top


def at_flushes(start, log):
    """What a missing flush of a directory would lose: at each, and at the end,
    one directory has nothing yet, its newest change alone, or all but one, and
    the others all or nothing."""
    for k in range(len(log) + 1):
        if k < len(log) and not (log[k].startswith("fsync\t") and
                                 log[k].endswith("\t-\n")):
            continue
        waiting = played(start, log, k)
        for path in directories(waiting):
            n = len(find(waiting, path).waits)
            for part in ["none", "newest"] + list(range(n)):
                for others in ("all", "none") if part in ("none", "newest") \
                        else ("all",):
                    top = played(start, log, k)
                    for other in directories(top):
                        d = find(top, other)
                        d.drawn = list(d.waits) if others == "all" else []
                    d = find(top, path)
                    # what the newest needs comes with it
                    d.drawn = [] if part == "none" else [
                        s for m, s in enumerate(d.waits) if m != part and
                        (part != "newest" or
                         d.waits[-1].entries.keys() & s.entries.keys())]
                    yield k, top, "%s of %s" % (part, path)


def at_seals(start, log):
    """Seals that are on the disk before what they are of."""
    for k, line in enumerate(log):
        what, path, blob = line.rstrip("\n").split("\t")
        if what != "write":
            continue
        top = played(start, log, k + 1)
        node = find(top, path)
        if len(node.seen) > 2 and node.now[:512] != node.seen[-2][:512]:
            node.newest()
            yield k + 1, top, "the last write of " + path


def at_random(start, log, rng, count, ends):
    n = 0
    while n < count and time.time() < ends:
        # at the end, after what was flushed alone; then anywhere
        k = len(log) if n < 2 else rng.randrange(len(log) + 1)
        mode = ("flushed", "all", "some", "some", "some")[
            n if n < 2 else rng.randrange(5)]
        yield k, played(start, log, k), mode
        n += 1


def main():
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    sh("rm -rf ./*; mkdir base")
    os.chdir("base")
    make_inputs()
    os.chdir("..")
    figures, bad, started = collections.Counter(), 0, time.time()
    jobs = args.jobs.split(",") if args.jobs else list(JOBS)
    for nth, job in enumerate(jobs):
        start, log, before, want = record(job, "base")
        rng = random.Random("%s %d" % (job, args.seed))
        share = args.count // len(jobs)
        ends = started + args.time * (nth + 1) / len(jobs)
        tried = set()
        cases = at_random(start, log, rng, share, ends)
        if args.flushes:
            cases = itertools.chain(at_flushes(start, log),
                                    at_seals(start, log), cases)
        for n, (k, top, mode) in enumerate(cases):
            shutil.rmtree("cut", ignore_errors=True)
            said = lay_out(top, "cut", rng, mode if mode in MODES else "all"), \
                k == len(log)
            figures["cuts"] += 1
            if said in tried:
                continue
            tried.add(said)
            figures["states"] += 1
            os.chdir("cut")
            why = judge(job, before, want, k == len(log))
            os.chdir("..")
            if why:
                bad += 1
                print("%s: case %d, %s, behind call %d of %d, %s: %s" % (
                      job, n, mode, k, len(log), log[k - 1].split("\t")[:2]
                      if k else "", why), flush=True)
    print("%s: %d bad" % (", ".join("%d %s" % (v, k) for k, v in
          figures.items()), bad))
    return bad > 0


sys.exit(main())
