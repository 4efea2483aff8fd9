# SPDX-License-Identifier: BSD-3-Clause
"""Scores of pairs and triples against case and control, by their definition.

usage: association.py make SEED VECTORS SAMPLES MISSING CASES PREFIX
           random PREFIX.tped and PREFIX.tfam; if calls are missing, one
           of the samples that are not cases has neither status
       association.py example PREFIX
           the two vectors of the worked example of vsim-association(7)
       association.py judge PREFIX METRIC WAY TSV
           all combinations of PREFIX against what vsim-view printed of them
"""
import itertools
import math
import random
import sys


def make(seed, n, samples, missing, cases, prefix):
    dice = random.Random(seed)
    status = [2] * cases + [1] * (samples - cases)
    dice.shuffle(status)
    if missing:
        status[dice.choice([q for q in range(samples) if status[q] == 1])] = -9
    with open(prefix + ".tped", "w") as out:
        for v in range(n):
            share = dice.random()
            calls = []
            for _ in range(samples):
                g = (dice.random() < share) + (dice.random() < share)
                calls.append("0 0" if dice.random() < missing
                             else ("A A", "A C", "C C")[g])
            out.write(f"1 v{v} 0 {v + 1} {' '.join(calls)}\n")
    with open(prefix + ".tfam", "w") as out:
        for q in range(samples):
            out.write(f"f{q} i{q} 0 0 1 {status[q]}\n")


# 6 controls and 1 case, 2 and 3, 0 and 4 of three combinations
EXAMPLE = {("A A", "A A"): (6, 1), ("A A", "A C"): (2, 3),
           ("A C", "A C"): (0, 4)}


def example(prefix):
    rows = [(g, k) for g, n in EXAMPLE.items() for k in (0, 1)
            for _ in range(n[k])]
    with open(prefix + ".tped", "w") as out:
        for v in (0, 1):
            calls = " ".join(g[v] for g, _ in rows)
            out.write(f"1 v{v} 0 {v + 1} {calls}\n")
    with open(prefix + ".tfam", "w") as out:
        for q, (_, k) in enumerate(rows):
            out.write(f"f i{q} 0 0 1 {k + 1}\n")


def read(prefix):
    with open(prefix + ".tfam") as lines:
        status = [int(line.split()[5]) for line in lines]
    vectors = []
    with open(prefix + ".tped") as lines:
        for line in lines:
            allele = line.split()[4:]
            vectors.append([None if a == "0" else (a == "C") + (b == "C")
                            for a, b in zip(allele[::2], allele[1::2])])
    return status, vectors


def fitted(status, vectors):
    """Interaction by iterative proportional fitting, slowly."""
    way = len(vectors)
    n = {}
    for q, s in enumerate(status):
        g = tuple(v[q] for v in vectors)
        if s in (1, 2) and None not in g:
            n[g + (s,)] = n.get(g + (s,), 0) + 1
    keys = [g + (s,) for g in itertools.product(range(3), repeat=way)
            for s in (1, 2)]
    fit = dict.fromkeys(keys, 1.0)
    for turn in range(4000):
        moved = 0
        for out in range(way + 1):
            want, have = {}, {}
            for k in keys:
                m = k[:out] + k[out + 1:]
                want[m] = want.get(m, 0) + n.get(k, 0)
                have[m] = have.get(m, 0) + fit[k]
            for k in keys:
                m = k[:out] + k[out + 1:]
                new = fit[k] * want[m] / have[m] if have[m] else 0.0
                moved = max(moved, abs(new - fit[k]))
                fit[k] = new
        if moved < 1e-12:
            break
    return 2 * math.fsum(c * math.log(c / fit[k]) for k, c in n.items()), moved


def table(status, vectors):
    cells = {}
    for q, s in enumerate(status):
        g = tuple(v[q] for v in vectors)
        if s in (1, 2) and None not in g:
            cells.setdefault(g, [0, 0])[s - 1] += 1
    return list(cells.values())


def purity(cells):
    return math.fsum((a * a + b * b) / (a + b) for a, b in cells) / sum(
        map(sum, cells))


def alpha(status, vectors):
    """Purity less that of the best set with one vector less, of the samples
    that no vector misses."""
    known = [q for q in range(len(status))
             if all(v[q] is not None for v in vectors)]
    status = [status[q] for q in known]
    vectors = [[v[q] for q in known] for v in vectors]
    return purity(table(status, vectors)) - max(
        purity(table(status, [v for v in vectors if v is not out]))
        for out in vectors)


def score(metric, cells):
    if metric == "beta":
        return purity(cells)
    k2 = sum(math.lgamma(a + b + 2) - math.lgamma(a + 1) - math.lgamma(b + 1)
             for a, b in cells)
    control, case = (sum(c[k] for c in cells) for k in (0, 1))
    n = control + case
    if metric == "k2":
        return k2
    if metric == "lbf":
        return (math.lgamma(n + 2) - math.lgamma(control + 1)
                - math.lgamma(case + 1) - k2)
    mi = math.fsum(c[k] / n * math.log(c[k] * n / sum(c) / (control, case)[k])
                   for c in cells for k in (0, 1) if c[k])
    return mi if metric == "mi" else 2 * n * mi


def judge(prefix, metric, way, tsv):
    status, vectors = read(prefix)
    with open(tsv) as lines:
        head = next(lines).lstrip("#").split()
        found = {}
        for line in lines:
            row = dict(zip(head, line.split()))
            key = tuple(int(row[f"id{k + 1}"][1:]) for k in range(way))
            found[tuple(sorted(key))] = row
    for key in itertools.combinations(range(len(vectors)), way):
        cells = table(status, [vectors[v] for v in key])
        room = 1e-9
        if not cells:  # no sample has calls in all, so it is too many
            continue
        if metric == "inter":
            want, moved = fitted(status, [vectors[v] for v in key])
            room = 1e-9 if moved < 1e-12 else 5e-2
        elif metric == "alpha":
            want = alpha(status, [vectors[v] for v in key])
        else:
            want = score(metric, cells)
        row = found.pop(key, None)
        if row is None:
            sys.exit(f"{metric} {key}: absent, {want} expected")
        if abs(float(row["value"]) - want) > room * (1 + abs(want)):
            sys.exit(f"{metric} {key}: {row['value']}, {want} expected")
        if "n" in row and int(row["n"]) != sum(map(sum, cells)):
            sys.exit(f"{metric} {key}: {row['n']} samples")
    if found:
        sys.exit(f"{metric}: {len(found)} too many")


def show(prefix, way, tsv):
    """Columns of the tables: counts, scores, degrees of freedom."""
    status, vectors = read(prefix)
    with open(tsv) as lines:
        head = next(lines).lstrip("#").split()
        for line in lines:
            row = dict(zip(head, line.split()))
            of = [vectors[int(row[f"id{k + 1}"][1:])] for k in range(way)]
            # label 1 is the rarer allele; either is right for a tie
            rare = [sum(g for g in v if g is not None) * 2
                    < 2 * sum(g is not None for g in v) for v in of]
            count = {}
            for q, s in enumerate(status):
                g = tuple(v[q] if v[q] is None or r else 2 - v[q]
                          for v, r in zip(of, rare))
                if s in (1, 2) and None not in g:
                    count.setdefault(g, [0, 0])[s - 1] += 1
            for c, name in enumerate(("controls", "cases")):
                want = ",".join(str(count.get(g, (0, 0))[c]) for g in
                                itertools.product(range(3), repeat=way))
                if row[name] != want:
                    sys.exit(f"{name} {row[name]}, {want} expected")
            cells = list(count.values())
            if int(row["df"]) != len(cells) - 1:
                sys.exit(f"df {row['df']}, {len(cells) - 1} expected")
            levels = [{g[k] for g in count} for k in range(way)]
            df = math.prod(len(x) - 1 for x in levels)
            if int(row["inter_df"]) != df:
                sys.exit(f"inter_df {row['inter_df']}, {df} expected")
            for name in ("k2", "lbf", "mi", "g", "beta", "alpha"):
                want = (alpha(status, of) if name == "alpha"
                        else score(name, cells))
                if abs(float(row[name]) - want) > 1e-9 * (1 + abs(want)):
                    sys.exit(f"{name} {row[name]}, {want} expected")
            for name, df in (("g", "df"), ("inter", "inter_df")):
                p = float(row["inter_p" if name == "inter" else "p"])
                want = tail(float(row[name]), int(row[df]))
                if abs(p - want) > 1e-6 * want:
                    sys.exit(f"p of {name} {p}, {want} expected")


def tail(x, df):
    """Chi-square, integrated by Simpson's rule over the square root."""
    def density(r):
        return 0.0 if r == 0 and df > 1 else math.exp(
            (df - 1) * math.log(r or 1) - r * r / 2
            - (df / 2 - 1) * math.log(2) - math.lgamma(df / 2))
    lo, hi, n = math.sqrt(x), math.sqrt(x) + 12, 4000
    h = (hi - lo) / n
    return h / 3 * math.fsum(
        density(lo + k * h) * (1 if k in (0, n) else 4 if k % 2 else 2)
        for k in range(n + 1))


def permuted(prefix, tsv, draws):
    """Shares of permuted tables against those of shuffled samples."""
    status, vectors = read(prefix)
    dice = random.Random(3)
    with open(tsv) as lines:
        next(lines)
        for line in lines:
            one, two, found = line.split()
            pair = [vectors[int(one[1:])], vectors[int(two[1:])]]
            best = score("g", table(status, pair))
            n = 400
            more = 0
            for _ in range(n):
                dice.shuffle(status)
                more += score("g", table(status, pair)) >= best - 1e-9
            status, _ = read(prefix)
            p, q = more / n, float(found)
            spread = math.sqrt((q * (1 - q) + 0.01) * (1 / n + 1 / draws))
            if abs(p - q) > 4.5 * spread:
                sys.exit(f"{one} {two}: {found}, shuffled {p}")


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]),
             float(sys.argv[5]), int(sys.argv[6]), sys.argv[7])
    elif sys.argv[1] == "example":
        example(sys.argv[2])
    elif sys.argv[1] == "show":
        show(sys.argv[2], int(sys.argv[3]), sys.argv[4])
    elif sys.argv[1] == "permuted":
        permuted(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        judge(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5])
