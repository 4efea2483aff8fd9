#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""
End runs of vsim-run by signals at random moments, resume each until it is done, and
compare the content digest of its result with that of an undisturbed run.

usage: kills.py BUILD SCRATCH VCF [KILLS [SEED [JOB...]]]

Prints how many seconds of work a kill has cost at worst, how long it took until
the last process was gone, and whether digests are equal; exits with 1 if one is
not, or if more than the limits below was lost.
"""
import glob, os, random, re, shutil, signal, struct, subprocess, sys, time

sys.path.insert(0, os.path.join(os.path.dirname(__file__), ".."))
import logs

BUILD, SCRATCH, VCF = sys.argv[1:4]
RANKS = os.path.join(os.path.dirname(__file__), "..", "ranks")
KILLS = int(sys.argv[4]) if len(sys.argv) > 4 else 200
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 1
COMMIT = 1      # --commit-every
MOST_LOST = 3.0 # seconds: what is sealed every second, and what comes on top
MOST_END = 2.0  # seconds until all are gone, on a machine that has more to do
MPIRUN = 1.0    # it keeps a signal for itself before it passes it on
RUN = os.path.join(BUILD, "vsim-run")
PACK = os.path.join(BUILD, "vsim-pack")
MERGE = os.path.join(BUILD, "vsim-merge")
VIEW = os.path.join(BUILD, "vsim-view")

def make_data():
    os.makedirs(SCRATCH, exist_ok=True)
    g, f, s = (os.path.join(SCRATCH, n) for n in ("g.h5", "f.h5", "s.h5"))
    call([PACK, "-f", "--vcf", VCF, "-o", g])
    call([PACK, "-f", "--vcf", VCF, "--maf", "0.25", "-o", s])
    rng = random.Random(7)
    with open(os.path.join(SCRATCH, "f.tsv"), "w") as out:
        out.write("v\t" + "\t".join("f%d" % k for k in range(3000)) + "\n")
        for v in range(3000):
            out.write("r%d\t" % v + "\t".join("%.6g" % rng.expovariate(1)
                for k in range(3000)) + "\n")
    call([PACK, "-f", "--matrix", os.path.join(SCRATCH, "f.tsv"), "-o", f])
    return g, f, s

def call(cmd):
    return subprocess.run(cmd, check=True, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True).stdout

def members(run):
    """Processes whose command line names the directory."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                words = f.read().split(b"\0")
            with open("/proc/%s/stat" % pid) as f:
                state = f.read().rsplit(")", 1)[1].split()[0]
        except OSError:
            continue
        if run.encode() in words and state != "Z":
            found.append((int(pid), os.path.basename(words[0].decode())))
    return found

def shards(run):
    try:
        return [os.path.join(run, n) for n in os.listdir(run)
                if n.endswith((".shard.h5", ".shard.h5.log"))]
    except FileNotFoundError:
        return []

def begin(args, ranks, run, resume):
    cmd = [RUN, "--commit-every", str(COMMIT), "-o", run] + args
    if resume and shards(run):
        cmd.insert(1, "--resume")
    elif resume:
        cmd.insert(1, "-f")
    if ranks > 1:
        cmd = [RANKS, str(ranks)] + cmd
    return subprocess.Popen(cmd, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, text=True, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))

def digest(run):
    out = run + ".res.h5"
    call([MERGE, "-f", "-o", out, run])
    tables = [open(t).read() for t in glob.glob(glob.escape(run) + ".*.tsv")]
    return re.search(r"^#content_xxh128: ([0-9a-f]{32})$",
        call([VIEW, "--header", out]), re.M).group(1) + "".join(tables)

class Commits:
    """When the log of each rank got its last one."""
    def __init__(self, run):
        self.run, self.end, self.when = run, {}, {}

    def look(self):
        for path in logs.logs(self.run) if os.path.isdir(self.run) else []:
            try:
                found = logs.commits(path)
            except (OSError, struct.error):
                continue
            if found and self.end.get(path) != found[-1]:
                self.end[path] = found[-1]
                rank = re.search(r"shard-(\d+)", path).group(1)
                self.when[int(rank)] = time.time()

def lost(run, ranks, began, at, commits):
    """Seconds before the kill from which nothing is safe, of the worst rank."""
    newest = dict(commits.when)
    for path in shards(run):
        if path.endswith(".log"):
            continue
        rank = int(re.search(r"shard-(\d+)", path).group(1))
        newest[rank] = max(newest.get(rank, began), os.stat(path).st_mtime)
    return max(at - newest.get(r, began) for r in range(ranks))

def main():
    g, f, s = make_data()
    jobs = {
        "pairs": ["-t", "0.6", "--no-prune", g],
        "dense": ["-m", "r2", "-t", "0.02", g],
        "summary": ["-m", "r2", "-t", "0.02", "--summary", "degree=0.1,0.2", g],
        "ps": ["-m", "ps", "-t", "0.4", "--no-prune", f],
        "triples": ["--way", "3", "-t", "0.55", "--no-prune", s],
        "candidates": ["--way", "3", "-t", "0.42", g],
        "top": ["--top", "1000", "-t", "0", "--no-prune", g],
        "tile": ["-m", "r2", "-t", "0.02", "--tile", "1000000", g],
        "candidates-tile": ["--way", "3", "-t", "0.4", "--tile", "1000000", g],
        "top-triples": ["--way", "3", "--top", "1000", "-t", "0", s],
    }
    rng = random.Random(SEED)
    names = sys.argv[6:] or list(jobs)
    worst_lost = worst_end = 0.0
    kills = bad = done = 0
    expected = {}
    for name in names:
        run = os.path.join(SCRATCH, "whole-" + name)
        shutil.rmtree(run, ignore_errors=True)
        started = time.time()
        out, _ = begin(jobs[name], 1, run, False).communicate()
        expected[name] = digest(run)
        print("%s: %.1f s alone" % (name, time.time() - started), flush=True)
    while kills < KILLS:
        name, ranks = names[done % len(names)], (1, 3)[done // len(names) % 2]
        run = os.path.join(SCRATCH, "run-%s-%d" % (name, ranks))
        shutil.rmtree(run, ignore_errors=True)
        tries = here = 0
        while True:
            p = begin(jobs[name], ranks, run, True)
            began = time.time()
            # let it come to the end once it was ended often enough
            wait = rng.uniform(0.1, 3) if tries < 12 and kills < KILLS else 1e9
            commits = Commits(run)
            while p.poll() is None and time.time() - began < wait:
                time.sleep(0.02)
                commits.look()
            if p.poll() is not None:
                break
            tries += 1
            what = rng.choice([signal.SIGTERM, signal.SIGKILL, signal.SIGINT,
                signal.SIGUSR1])
            who = members(run)
            # a launcher alone may wait for ever for ranks that it was to begin
            while p.poll() is None and not any(x[1] == "vsim-run" for x in who):
                time.sleep(0.02)
                who = members(run)
            if p.poll() is not None:
                break
            if ranks > 1 and what in (signal.SIGUSR1,):
                who = [x for x in who if x[1] == "vsim-run"][:1]
            elif ranks > 1:
                who = rng.choice([[x for x in who if x[1] != "vsim-run"],
                    [x for x in who if x[1] == "vsim-run"][:1]])
            computing = os.path.exists(os.path.join(run, ".lock"))
            at = time.time()
            for pid, _ in who:
                try:
                    os.kill(pid, what)
                except ProcessLookupError:
                    pass
            # the ranks; mpirun takes a second more for itself
            while time.time() - at < 60 and any(x[1] == "vsim-run"
                    for x in members(run)):
                time.sleep(0.01)
            end = time.time() - at
            try:
                out, _ = p.communicate(timeout=60)
            except subprocess.TimeoutExpired:
                # Open MPI's, when a signal meets it between two ranks' beginnings
                os.killpg(p.pid, signal.SIGKILL)
                out, _ = p.communicate()
            gone = lost(run, ranks, began, at, commits)
            gone = max(0.0, min(gone, at - began))
            if ranks > 1 and what != signal.SIGKILL and end > MPIRUN:
                end -= MPIRUN
            kills += 1
            if computing:
                worst_lost = max(worst_lost, gone)
            worst_end = max(worst_end, end)
            if end > MOST_END or (computing and gone > MOST_LOST):
                bad += 1
                print("%s %d ranks, %s to %s after %.2f s: ended in %.2f s, "
                    "%.2f s lost\n%s" % (name, ranks, what.name,
                    who[0][1] if who else "none", wait, end, gone, out),
                    flush=True)
        out, _ = p.communicate()
        if p.returncode:
            print("%s %d ranks: exit %d\n%s" % (name, ranks, p.returncode, out))
            bad += 1
        elif digest(run) != expected[name]:
            print("%s %d ranks: another result after %d kills" % (name, ranks,
                tries))
            bad += 1
        done += 1
    print("%d kills, %d runs: %.2f s of work lost at worst, %.2f s to the end "
        "at worst, %d bad" % (kills, done, worst_lost, worst_end, bad))
    return bad > 0

sys.exit(main())
