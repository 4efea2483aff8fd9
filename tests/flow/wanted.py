# SPDX-License-Identifier: BSD-3-Clause
"""Compare the pairs and triples of a run with what each of its options selects alone:
every selection by place, by sets and by an earlier result, in every way to run.

usage: wanted.py SHARE [SEED [HOW]]
           in an empty directory: one in SHARE of the combinations, of one way
           to run or any; a line of each that has other records, or another
           number of them, than it should, or is refused, or not, where it
           should not; exit 1 if any
"""
import collections
import itertools
import math
import os
import random
import subprocess
import sys

N, SAMPLES, NEW = 24, 60, (3, 4, 9, 15, 23)
A, B = range(6, 13), range(10, 19)
PLACES = {
    "": [],
    "max-kb": ["--max-kb", "9"],
    "min-kb": ["--min-kb", "6.5"],
    "range": ["--min-kb", "2", "--max-kb", "14"],
    "max-sites": ["--max-sites", "4"],
    "sites-kb": ["--max-sites", "5", "--max-kb", "9"],
    "within": ["--within-chromosome"],
    "inter": ["--inter-chromosome"],
}
SETS = {
    "": [],
    "between": ["--pairs-between", "6-12", "10-18"],
    "with": ["--triples-with", "6-12"],
    "triples-between": ["--triples-between", "6-12", "10-18"],
    "against": ["--against", "old.res.h5"],
}
WAYS = {"ccc": (2, 3), "g": (2, 3), "k2": (2, 3), "r2": (2,),
        # of vectors of ploidy 1
        "duo": (2, 3), "ps": (2, 3), "jaccard": (2,), "hamming": (2,)}
HAPLOID = ("duo", "ps", "jaccard", "hamming")
LOWER = ("k2", "hamming")
OPEN = ("g", "k2", "hamming")
HOW = ["plain", "histogram", "top", "permutations", "permute-test", "stages",
       "ranks", "fetch-ranks", "stages-ranks", "tile", "no-prune", "dry-run",
       "resume", "table", "below", "joint", "summary"]
JOINT = 57


def refused_by(metric, way, place, sets, how):
    """The option that a run is refused for, or None: it is taken."""
    option = {"histogram": "--metric-histogram", "top": "--top",
              "permutations": "--permutations", "table": "--to",
              "permute-test": "--permute-test",
              "summary": "--metric-histogram" * (metric not in OPEN)}.get(how)
    # of all values, which only the merged result has; new vectors move others
    # apart
    if sets == "against" and (option or "sites" in place):
        return "--against"
    # sums of one value for each pair; the earlier result has none
    if how == "summary" and (way == 3 or sets not in ("", "between") or
                             metric in ("ccc", "duo")):
        return "--summary"
    if metric in OPEN and how == "histogram":
        return option  # there is no greatest value
    if metric == "ps" and how == "joint":
        return "--min-joint"
    return None


def sh(*args, ranks=0):
    start = [os.environ["TOP"] + "/tests/ranks", str(ranks)] if ranks else []
    got = subprocess.run(start + list(args), capture_output=True, text=True,
                         check=False)
    return got.returncode, got.stdout, got.stderr


def must(*args, **more):
    code, out, err = sh(*args, **more)
    if code:
        sys.exit(f"{' '.join(args)}: {code}: {err}")
    return out


# ---- the data ----

def make(seed):
    """x.vec.h5 and old.vec.h5, which lacks NEW, and the same of ploidy 1,
    hx.vec.h5 and hold.vec.h5; places by row, and the samples with a call."""
    rng = random.Random(seed)
    places, lines, called, pos = [], [], [], 0
    for v in range(N):
        if v in (0, 11, 18):
            pos = 500
        pos += rng.randrange(1, 4000)
        chrom = 1 + (v >= 11) + (v >= 18)
        places.append((0 if v in (2, 19) else chrom, 0 if v in (5,) else pos))
    if seed % 2:  # not in the order of the chromosomes
        rng.shuffle(places)
    entry = [rng.randrange(3) for _ in range(SAMPLES)]
    for v, (chrom, pos) in enumerate(places):
        entry = [g if rng.random() < 0.6 else rng.randrange(3) for g in entry]
        calls = ["0 0" if rng.random() < 0.02 * (seed % 3) else
                 ("A A", "A C", "C C")[g] for g in entry]
        lines.append((f"{chrom} v{v} 0 {pos} ", calls))
        called.append({q for q, x in enumerate(calls) if x != "0 0"})
    for name in "x", "old", "hx", "hold":
        haploid = name[0] == "h"
        with open(name + ".tped", "w", encoding="ascii") as f:
            for v, (head, calls) in enumerate(lines):
                if name[-1] != "x" and v in NEW:
                    continue
                f.write(head + " ".join("C C" if haploid and x == "A C" else x
                                        for x in calls) + "\n")
        with open(name + ".tfam", "w", encoding="ascii") as f:
            f.writelines(f"f{q} s{q} 0 0 1 {1 + q % 2}\n"
                         for q in range(SAMPLES))
        must("vsim-pack", "-f", "--tped", name + ".tped", "-o",
             name + ".vec.h5", *(["--ploidy", "1"] if haploid else []))
    return places, called


def vectors(metric, name="x"):
    return ("h" if metric in HAPLOID else "") + name + ".vec.h5"


# ---- the plain reading of the options ----

def check_histogram(want):
    with open("got.tsv", encoding="ascii") as f:
        rows = [x.split("\t") for x in f.read().splitlines()[1:]]
    table = {round(float(x[0]) * 1000): int(x[2]) for x in rows if int(x[2])}
    return None if table == buckets(r[1] for r, n in want.items()
                                    for _ in range(n)) else "another histogram"


def by_place(places, how):
    """True of two vectors that a choice by place wants."""
    if not how:
        return lambda i, j: True
    by_pos = "kb" in how or how == "range"
    known = [c > 0 and (not by_pos or p > 0) for c, p in places]

    def site(v):
        """Place in the chromosome; without a position behind the last."""
        last = [0] * N
        at = {}
        for u, (c, p) in enumerate(places):
            if p > 0:
                at[c] = p
            last[u] = at.get(c, 0)
        own = sorted((u for u in range(N) if places[u][0] == places[v][0]),
                     key=lambda u: (last[u] if by_pos else 0, u))
        return own.index(v)

    sites = [site(v) for v in range(N)]

    def wants(i, j):
        if not known[i] or not known[j]:
            return False
        same = places[i][0] == places[j][0]
        apart = abs(places[i][1] - places[j][1])
        return {"max-kb": same and apart <= 9000,
                "min-kb": not same or apart >= 6500,
                "range": same and 2000 <= apart <= 14000,
                "max-sites": same and abs(sites[i] - sites[j]) <= 4,
                "sites-kb": same and abs(sites[i] - sites[j]) <= 5
                and apart <= 9000,
                "within": same, "inter": not same}[how]
    return wants


def by_sets(how):
    """True of vectors that a choice by sets wants."""
    def cross(v, a, b):
        return any(x in a and y in b for x, y in itertools.permutations(v, 2))
    return {"": lambda v: True,
            "between": lambda v: cross(v, A, B),
            "triples-between": lambda v: cross(v, A, B),
            "with": lambda v: any(x in A for x in v),
            "against": lambda v: any(x in NEW for x in v)}[how]


# ---- what a run has ----

def records(path, way):
    columns = "ijk"[:way]
    out = must("vsim-view", "--no-header", "--file-order", "-c",
               ",".join(columns) + ",value", path)
    got = collections.Counter()
    for line in out.splitlines():
        field = line.split("\t")
        got[tuple(map(int, field[:way])), field[way]] += 1
    return got


def attribute(path, name):
    for line in must("vsim-view", "-H", path).splitlines():
        if line.startswith(f"#{name}: "):
            return line.split(": ", 1)[1]
    return None


def buckets(values):
    n = collections.Counter(math.floor(float(x) * 1000) for x in values)
    return {k: m for k, m in n.items() if m}


class Walk:
    def __init__(self, seed):
        self.places, self.called = make(seed)
        self.known = {}
        self.maxima = {}

    def all(self, metric, way, *more):
        """Records of all pairs or triples, whatever their value."""
        key = metric, way, more
        if key not in self.known:
            must("vsim-run", "-f", "-m", metric, "-w", str(way), "-t",
                 "1e300" if metric in LOWER else "-1", *more, "-o", "all",
                 "--merge", "all.res.h5", vectors(metric))
            self.known[key] = records("all.res.h5", way)
        return self.known[key]

    def want(self, metric, way, place, sets, *more):
        near, some = by_place(self.places, place), by_sets(sets)
        return collections.Counter({
            r: n for r, n in self.all(metric, way, *more).items()
            if some(r[0]) and
            all(near(i, j) for i, j in itertools.combinations(r[0], 2))})

    def number(self, way, place, sets):
        near, some = by_place(self.places, place), by_sets(sets)
        return sum(some(v) and
                   all(near(i, j) for i, j in itertools.combinations(v, 2))
                   for v in itertools.combinations(range(N), way))

    def run(self, metric, way, place, sets, how):
        """None: it has what it should; or why not; a text in (): refused."""
        ask = ["-m", metric, "-w", str(way), *PLACES[place], *SETS[sets]]
        lower = metric in LOWER
        every = whole = ["-t", "1e300" if lower else "-1"]
        into = ["-f", "-o", "run"]
        want = self.want(metric, way, place, sets)
        number = self.number(way, place, sets)
        ranks = 2 if "ranks" in how else 0
        more, stages = [], 2 if "stages" in how else 1
        if how == "histogram":
            more = ["--metric-histogram", "got.tsv"]
        if how == "top":
            every, more = [], ["--top", "7"]
        if how == "permutations":
            more = ["--permutations", "3"]
        if how == "permute-test":
            every, into, more = [], [], ["--permute-test", "19"]
        if how == "dry-run":
            into, more = [], ["--dry-run"]
        if how == "tile":
            more = ["--tile", "5"]
        if how == "fetch-ranks" and way == 2:
            more = ["--exchange", "fetch"]
        if how == "no-prune":
            more = ["--no-prune"]
        if how == "table":
            into = ["-f", "-o", "run.tsv"]
            more = ["--to", "tsv", "--no-header", "-c",
                    ",".join("ijk"[:way]) + ",value"]
        if how in ("below", "summary"):
            values = sorted({float(r[1]) for r in want})
            limit = values[2 * len(values) // 3] if values else 1
        if how == "below":
            more = ["--below", repr(limit)]
        if how == "joint":
            more = ["--min-joint", str(JOINT)]

        def left(records):
            return collections.Counter({
                r: n for r, n in records.items()
                if (how != "below" or float(r[1]) < limit) and
                (how != "joint" or JOINT <= len(set.intersection(
                    *(self.called[v] for v in r[0]))))})

        want = left(want)
        if sets == "against" and not refused_by(metric, way, place, sets, how):
            old = ["-m", metric, "-w", str(way), *PLACES[place], *whole,
                   *(more if how in ("below", "joint") else [])]
            if sh("vsim-run", "-f", *old, "-o", "old", "--merge",
                  "old.res.h5", vectors(metric, "old"))[0]:
                return "(no earlier result)"
        if how == "summary":
            every, more = ["-t", repr(limit)], ["--summary", "degree"]
            if metric not in OPEN:
                more += ["--metric-histogram", "got.tsv"]
        if how == "resume":
            more = ["--tile", "4", "--max-records", "60"]
        shards = []
        for k in range(stages):
            if stages > 1:
                into = ["-f", "-o", f"run-{k}"]
                more = ["--stage", f"{k + 1}/{stages}"]
            shards.append(into[-1] if into else "")
            code, out, err = sh("vsim-run", *ask, *every, *more, *into,
                                vectors(metric), ranks=ranks)
            if code and (how != "resume" or code != 4):
                return f"({code}: {err.strip()})"
        if how == "resume":
            code, out, err = sh("vsim-run", *ask, *every, *more[:2],
                                "--resume", "-o", "run", vectors(metric))
            if code:
                return f"({code}: {err.strip()})"
        if how == "permute-test":
            return self.check_test(metric, way, place, sets, out)
        if how == "dry-run":
            said = dict(x.split(": ", 1) for x in out.splitlines()
                        if ": " in x)
            key = "filtered_" + ("pairs", "triples")[way == 3]
            if place and said.get(key) != str(number):
                return f"{key} {said.get(key)}, not {number}"
            return None
        if how == "table":
            with open("run.tsv", encoding="ascii") as f:
                rows = [x.split("\t") for x in f.read().splitlines()]
            got = collections.Counter(
                (tuple(map(int, x[:way])), x[way]) for x in rows)
            return None if got == want else \
                f"{sum(got.values())} lines, not {sum(want.values())}"
        if how == "summary":
            return self.check_degrees(want, limit, lower) or (
                None if metric in OPEN else check_histogram(want))
        code, _, err = sh("vsim-merge", "-f", "-o", "run.res.h5", *shards,
                          *(["old.res.h5"] if sets == "against" else []))
        if code:
            return "merge: " + err.strip()
        got = records("run.res.h5", way)
        if sets == "against":  # the earlier result has the others
            want = left(self.want(metric, way, place, ""))
            number = self.number(way, place, "")
        if how == "top":
            best = sorted(want, key=lambda r: (1 if lower else -1) *
                          float(r[1]))[:7]
            lists = [sorted(float(r[1]) for r in x for _ in range(x[r]))
                     for x in (got, collections.Counter(best))]
            if lists[0][:7] != lists[1][:7] and not set(got) <= set(want):
                return f"top {lists}"
            return None if lists[0] == lists[1] or metric == "ccc" \
                else f"top {lists}"
        if got != want:
            return (f"{sum(got.values())} records, not {sum(want.values())}: "
                    f"{sorted(set(got) ^ set(want))[:3]}")
        stated = attribute("run.res.h5", "filtered_pairs")
        if place and stated is not None and stated != str(number):
            return f"states {stated} pairs, not {number}"
        code, _, err = sh("vsim-verify", "--against", vectors(metric),
                          "run.res.h5")
        if code:
            return "verify: " + err.strip()
        if how == "histogram":
            return check_histogram(want)
        if how == "permutations":
            return self.check_maxima(metric, way, place, sets)
        return None

    def check_degrees(self, want, limit, lower):
        code, _, err = sh("vsim-merge", "-f", "-o", "sums", "run")
        if code:
            return "merge: " + err.strip()
        degree = collections.Counter(
            v for r in want for v in r[0]
            if (float(r[1]) < limit if lower else float(r[1]) > limit))
        with open("sums.degree.tsv", encoding="ascii") as f:
            rows = [x.split("\t") for x in f.read().splitlines()[1:]]
        got = {int(x[0]): int(x[2]) for x in rows if int(x[2])}
        return None if got == degree else f"degrees {got}, not {degree}"

    def strongest(self, metric, way, place, sets, seed):
        if metric not in ("g", "k2"):
            return None
        values = [float(r[1]) for r in self.want(metric, way, place, sets,
                                                 "--shuffle-cases", str(seed))]
        return (min if metric == "k2" else max)(values) if values else None

    def check_maxima(self, metric, way, place, sets):
        import h5py
        with h5py.File("run.res.h5", "r") as f:
            got = sorted(x for name in f["permutations"]
                         for x in f["permutations"][name][:])
        want = [self.strongest(metric, way, place, sets, k)
                for k in (1, 2, 3)]
        if None in want:
            return None
        return None if got == sorted(want) else f"maxima {got}, not {want}"

    def check_test(self, metric, way, place, sets, out):
        want = self.strongest(metric, way, place, sets, 1)
        if want is None:
            return None
        said = dict(x.split(": ", 1) for x in out.splitlines())
        best = [self.strongest(metric, way, place, sets, k + 1)
                for k in range(19)]
        most = (min if metric == "k2" else max)(best)
        return None if abs(float(said["null_strongest"]) - most) < 1e-12 \
            else f"strongest {said['null_strongest']}, not {most}"


def main(share, seed, how):
    walk, bad = Walk(seed), 0
    rng = random.Random(seed)
    kinds = [c for c in itertools.product(WAYS, (2, 3), PLACES, SETS, how)
             if c[1] in WAYS[c[0]] and
             (c[3] in ("with", "triples-between")) <= (c[1] == 3) and
             (c[3] == "between") <= (c[1] == 2)]
    for c in kinds:
        if rng.random() * share >= 1:
            continue
        said, why = walk.run(*c), refused_by(*c)
        refused = str(said).startswith("(2: ")
        if refused and why and why in said or not said and not why:
            continue
        bad += 1
        print(*c, said, sep="\t", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1]), int((sys.argv + ["1"])[2]),
                  sys.argv[3:] or HOW))
