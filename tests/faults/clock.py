#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
Set the machine's date forwards and backwards while each program runs.

usage: clock.py BUILD SCRATCH CLOCK.so [--rounds N] [--time S] [--by LIST]

clock.c beside this file sets it ten times a second, by each of LIST seconds. A
program ends with 0 and the same content as when undisturbed; no time that it
prints, on a terminal, with -v or with --stats, is negative or longer than the time
that passed. A run that is stopped, or whose make is gone, ends as soon as usual, with
its records sealed as often as --commit-every says. Prints what went wrong, and
figures; exits with 1 if anything did.
"""
import argparse
import os
import re
import signal
import subprocess
import sys
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import logs
from small import content, sh, tables

args = argparse.ArgumentParser()
args.add_argument("build")
args.add_argument("scratch")
args.add_argument("shim")
args.add_argument("--rounds", type=int, default=1 << 30)
args.add_argument("--time", type=float, default=1e9)
args.add_argument("--by", default="3600,86400,2000000000")
args = args.parse_args()
SHIM = os.path.abspath(args.shim)
os.environ["PATH"] = os.path.abspath(args.build) + ":" + os.environ["PATH"]
os.environ.update(OMP_NUM_THREADS="2")
# a program that nohup started does not end with its make, nor would ours
signal.signal(signal.SIGHUP, signal.SIG_DFL)
LIMIT = 60  # seconds of a program
SEALED = 20  # seconds in which the first records are sealed

# what is made by which command
JOBS = {
    "p": "vsim-pack -v -j 2 --tsv x.tsv -o p",
    "o": "vsim-permute -v --order random --seed 1 -o o x.vec.h5",
    "r": "vsim-run -v -j 2 -t 0.3 --tile 20 --commit-every 0 --stats s -o r "
         "x.vec.h5",
    "t": "vsim-run -v -j 2 --way 3 -t 0.5 --stats s -o t x.vec.h5",
    "n": "vsim-run -v -j 2 -m ps -t 0.5 --stats s --merge n.res.h5 -o n m.vec.h5",
    "m": "vsim-merge -v -j 2 -o m run",
    "d": "vsim-threshold -v --min 0.4 -o d run",
    "v": "vsim-view -o v e.res.h5",
}
SLOW = ("vsim-run -j 1 --cpu scalar --no-prune --commit-every 1 -t 0.9 -o slow "
        "slow.vec.h5")


def begin(line, by, by_make=False):
    """A program; or a shell that started it and says its number, as make would."""
    env = dict(os.environ, LD_PRELOAD=SHIM, CLOCK_JUMP=str(by))
    words = line.split()
    if by_make:
        env["MAKELEVEL"] = "1"
        words = ["sh", "-c", line + " & echo $! >pid; wait"]
    return subprocess.Popen(words, env=env, stdin=subprocess.DEVNULL,
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
                            text=True)


def times(text):
    """All seconds in what a program says."""
    return [float(x) for x in
            re.findall(r"(-?[0-9.]+) s\b", text) +
            re.findall(r"^seconds_[a-z_]*: (\S+)$", text, re.M)]


def look(made, by, want):
    """What is wrong with one program, or None."""
    sh("rm -rf %s s n.res.h5" % made)
    began = time.monotonic()
    p = begin(JOBS[made], by)
    try:
        said = p.communicate(timeout=LIMIT)[1]
    except subprocess.TimeoutExpired:
        p.kill()
        p.wait()
        return "none in %d s" % LIMIT
    took = time.monotonic() - began
    if p.returncode:
        return "exit %d: %s" % (p.returncode, said)
    if os.path.exists("s"):
        with open("s") as f:
            said += f.read()
    wrong = [x for x in times(said) if not 0 <= x <= 2 * took + 0.1]
    if wrong:
        return "says %s s after %.3f s: %s" % (wrong[0], took, said)
    if content(made) != want:
        return "other content"
    return None


def ended(pid):
    """Whether a process, a child of ours or not, is gone in 3 s."""
    until = time.monotonic() + 3
    while time.monotonic() < until:
        try:
            with open("/proc/%d/stat" % pid) as f:
                if f.read().rsplit(")", 1)[1].split()[0] == "Z":
                    return True
        except OSError:
            return True
        time.sleep(0.05)
    os.kill(pid, signal.SIGKILL)
    return False


def stop(by, orphan):
    """A slow run is sealed in time, and ends when it is asked to, or its make is
    killed."""
    sh("rm -rf slow pid")
    p = begin(SLOW, by, orphan)
    until = time.monotonic() + SEALED
    while not logs.tiles("slow") and time.monotonic() < until:
        time.sleep(0.1)
    sealed = logs.tiles("slow")
    over = p.poll() is not None
    if orphan:
        with open("pid") as f:
            pid = int(f.read())
        p.kill()
    else:
        pid = p.pid
        p.terminate()
    if not ended(pid):
        p.kill()
        p.wait()
        return "it does not end in 3 s"
    said = p.communicate()[1]
    if over:
        return "was too short to be stopped: exit %d: %s" % (p.returncode, said)
    if p.returncode != (-9 if orphan else -signal.SIGTERM) or "stopped by a signal" not in said:
        return "exit %d: %s" % (p.returncode, said)
    return None if sealed else "nothing was saved in %d s" % SEALED


def main():
    os.makedirs(args.scratch, exist_ok=True)
    os.chdir(args.scratch)
    sh("rm -rf ./*")
    tables()
    sh("vsim-pack --tsv x.tsv -o x.vec.h5; vsim-pack --matrix m.tsv -o m.vec.h5;"
       "vsim-pack --synthetic random --vectors 14000 --fields 20000 -o slow.vec.h5;"
       "vsim-run -t 0.3 --tile 20 -o run x.vec.h5; vsim-merge -o e.res.h5 run")
    want, bad, n, until = {}, 0, 0, time.monotonic() + args.time
    for made, line in JOBS.items():
        sh(line)
        want[made] = content(made)
    for _ in range(args.rounds):
        if time.monotonic() > until:
            break
        for by in args.by.split(","):
            found = [(line, look(made, by, want[made]))
                     for made, line in JOBS.items()]
            found += [(SLOW, stop(by, orphan)) for orphan in (False, True)]
            n += len(found)
            for line, why in found:
                bad += why is not None
                if why:
                    print("%s s, %s: %s" % (by, line, why), flush=True)
    print("%d programs whose date was set: %d bad" % (n, bad))
    return bad > 0


sys.exit(main())
