# SPDX-License-Identifier: BSD-3-Clause
"""Effects of products of genotypes with covariates, by regression in decimals.

usage: refit.py make SEED VECTORS SAMPLES MISSING trait|cases PREFIX
           random PREFIX.tped, PREFIX.tfam, PREFIX.pheno with trait y, and
           PREFIX.cov, whose lines are in another order and in part of other
           samples; PREFIX.frame has all of these by sample, for R
       refit.py label PREFIX
           count in PREFIX.frame the alleles of PREFIX.labels: id, A or C
       refit.py judge WAY PREFIX...
           all combinations in PREFIX.tsv: ids, effect, se, p, or, n and note
"""
import itertools
import math
import random
import sys
from decimal import Decimal, getcontext

from trait import tail

getcontext().prec = 40


def covariates_of(dice, seed, samples):
    """None to four columns; the last may follow from others."""
    columns = [[dice.gauss(50, 9) for _ in range(samples)],
               [dice.randrange(2) for _ in range(samples)],
               [dice.gauss(0, 1) * 1e-4 for _ in range(samples)]][:seed % 4]
    columns = [[float(f"{x:.8g}") for x in c] for c in columns]
    if columns and seed % 3 == 0:
        columns.append([7 + (2 * x if seed % 2 else 0) for x in columns[0]])
    return columns


def make(seed, n, samples, missing, kind, prefix):
    dice = random.Random(seed)
    shares = [0.2 + 0.5 * dice.random() for _ in range(n)]
    vectors = [[sum(dice.random() < s for _ in range(2))
                for _ in range(samples)] for s in shares]
    if seed % 10 == 9:
        vectors[1] = [2 - g for g in vectors[0]]
    columns = covariates_of(dice, seed, samples)
    y = []
    for q in range(samples):
        mean = 0.6 * vectors[0][q] * vectors[-1][q] - 0.3 * vectors[-2][q]
        mean += sum(c[q] - c[0] for c in columns[:1]) / 20
        if kind == "trait":
            y.append(f"{1000 * (seed % 2) + mean + dice.gauss(0, 1):.6g}")
        else:
            chance = 1 / (1 + math.exp(0.5 - mean))
            y.append(str(1 + (dice.random() < chance)))
    calls = [[g if dice.random() >= missing else None for g in v]
             for v in vectors]
    known = [[x if dice.random() >= missing / 2 else None for x in c]
             for c in columns]
    y = [v if dice.random() >= missing / 2 else None for v in y]
    lines = [q for q in range(samples) if not columns or dice.random() < 0.97]
    with open(prefix + ".tped", "w") as out:
        for v, row in enumerate(calls):
            row = " ".join("0 0" if g is None else ("A A", "A C", "C C")[g]
                           for g in row)
            out.write(f"1 v{v} 0 {v + 1} {row}\n")
    with open(prefix + ".tfam", "w") as out:
        for q in range(samples):
            status = y[q] if kind == "cases" and y[q] else "-9"
            out.write(f"f{q % 3} i{q // 3} 0 0 1 {status}\n")
    with open(prefix + ".pheno", "w") as out:
        out.write("FID IID y\n")
        for q in range(samples):
            out.write(f"f{q % 3} i{q // 3} {y[q] or 'NA'}\n")
    write_covariates(dice, seed, lines, known, prefix)
    with open(prefix + ".frame", "w") as out:
        names = [f"c{k}" for k in range(len(known))]
        names += [f"v{v}" for v in range(n)]
        out.write(" ".join(["y"] + names) + "\n")
        for q in range(samples):
            here = [c[q] if q in lines else None for c in known]
            row = [y[q]] + here + [v[q] for v in calls]
            out.write(" ".join("NA" if x is None else str(x)
                               for x in row) + "\n")


def write_covariates(dice, seed, lines, columns, prefix):
    """With a header or not, shuffled, and with other samples."""
    rows = [(f"f{q % 3} i{q // 3}", [c[q] for c in columns]) for q in lines]
    rows += [(f"f9 i{k}", [k] * len(columns)) for k in range(seed % 3)]
    dice.shuffle(rows)
    with open(prefix + ".cov", "w") as out:
        if seed % 5 < 3:
            out.write("#FID IID " + " ".join(
                f"c{k}" for k in range(len(columns))) + "\n")
        for name, row in rows:
            row = [str(x) if x is not None else dice.choice(("NA", "-9"))
                   for x in row]
            out.write(" ".join([name] + row) + "\n")


def label(prefix):
    with open(prefix + ".frame") as f:
        names, *rows = [line.split() for line in f]
    with open(prefix + ".labels") as f:
        other = [names.index(v) for v, allele in map(str.split, f)
                 if allele == "A"]
    for r in rows:
        for k in other:
            r[k] = {"0": "2", "2": "0"}.get(r[k], r[k])
    with open(prefix + ".frame", "w") as out:
        out.writelines(" ".join(r) + "\n" for r in [names] + rows)


def frame(prefix):
    with open(prefix + ".frame") as f:
        names, *rows = [line.split() for line in f]
    return names, [[None if x == "NA" else Decimal(x) for x in r]
                   for r in rows]


def solve(matrix, right):
    """x of matrix x = right, and the last element of the inverse."""
    n = len(right)
    rows = [r + [b, Decimal(k == n - 1)]
            for k, (r, b) in enumerate(zip(matrix, right))]
    for k in range(n):
        top = max(range(k, n), key=lambda r: abs(rows[r][k]))
        rows[k], rows[top] = rows[top], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(n):
            if r != k:
                f = rows[r][k]
                rows[r] = [x - f * p for x, p in zip(rows[r], rows[k])]
    return [r[n] for r in rows], rows[-1][n + 1]


def dot(a, b):
    return sum((x * y for x, y in zip(a, b)), Decimal(0))


def independent(columns):
    """Which columns do not follow from the ones before."""
    basis, kept = [], []
    for k, c in enumerate(columns):
        left = c
        for b in basis:
            f = dot(left, b) / dot(b, b)
            left = [x - f * y for x, y in zip(left, b)]
        if dot(left, left) > Decimal("1e-20") * dot(c, c):
            basis.append(left)
            kept.append(k)
    return kept


def normal(columns, weights):
    weighted = [[x * w for x, w in zip(c, weights)] for c in columns]
    return [[dot(a, b) for b in columns] for a in weighted]


def linear(columns, y):
    ones = [Decimal(1)] * len(y)
    x, last = solve(normal(columns, ones), [dot(c, y) for c in columns])
    left = [b - dot(x, r) for b, r in zip(y, zip(*columns))]
    rest = dot(left, left)
    if rest <= Decimal("1e-20") * dot(y, y):
        return None
    df = len(y) - len(columns)
    se = (rest / df * last).sqrt()
    return x[-1], se, tail(float((x[-1] / se) ** 2), 1, df), None


def logistic(columns, y):
    effects = [Decimal(0)] * len(columns)
    for _ in range(100):
        odds = [dot(effects, r) for r in zip(*columns)]
        if max(map(abs, odds)) > 30:
            return None
        mean = [1 / (1 + (-x).exp()) for x in odds]
        x, last = solve(normal(columns, [m * (1 - m) for m in mean]),
                        [dot(c, [b - m for b, m in zip(y, mean)])
                         for c in columns])
        most = max(abs(dot(x, r)) for r in zip(*columns))
        part = min(1, 2 / most) if most else 1
        effects = [a + part * b for a, b in zip(effects, x)]
        if most < Decimal("1e-15"):
            se, e = last.sqrt(), effects[-1]
            return e, se, math.erfc(abs(float(e / se)) / math.sqrt(2)), e.exp()
    return None


def want(names, rows, vectors):
    """Effect, se, p, odds ratio; or a note; and n."""
    at = [names.index(v) for v in vectors]
    free = [k for k, x in enumerate(names) if x[0] == "c"]
    used = [r for r in rows if None not in [r[k] for k in [0] + free + at]]
    y = [r[0] for r in used]
    columns = [[Decimal(1)] * len(used)]
    columns += [[r[k] for r in used] for k in free]
    for size in range(1, len(at) + 1):
        for s in itertools.combinations(at, size):
            columns.append([math.prod(r[k] for k in s) for r in used])
    kept = independent(columns)
    needed = range(1 + len(free), len(columns))
    if any(k not in kept for k in needed):
        return ("collinear" if len(y) > len(columns) else "few"), len(y)
    if len(y) <= len(kept):
        return "few", len(y)
    columns = [columns[k] for k in kept]
    if set(b for b in (r[0] for r in rows) if b is not None) <= {1, 2}:
        return logistic(columns, [b - 1 for b in y]) or "separation", len(y)
    mean = sum(y) / len(y)
    return linear(columns, [b - mean for b in y]) or "exact", len(y)


def judge(way, prefix):
    """Check all combinations; the notes that occur."""
    names, rows = frame(prefix)
    with open(prefix + ".tsv") as f:
        got = {tuple(w[:way]): w[way:] for w in map(str.split, f)}
    notes = []
    vectors = [x for x in names if x[0] == "v"]
    for s in itertools.combinations(vectors, way):
        should, n = want(names, rows, s)
        if not n:
            continue
        here = got.pop(s)
        assert here[4] == str(n), (prefix, s, here, n)
        notes.append(here[5])
        if isinstance(should, str):
            assert here[:4] == ["NA"] * 4 and here[5] == should, (
                prefix, s, here, should)
            continue
        assert here[5] == ".", (prefix, s, here, should)
        effect, se, p, ratio = should
        room = 1e-10 * (abs(float(effect)) + 1e-3 * float(se))
        assert abs(float(here[0]) - float(effect)) <= room, (
            prefix, s, here, should)
        assert abs(float(here[1]) / float(se) - 1) < 1e-9, (s, here, should)
        assert abs(float(here[2]) / p - 1) < 1e-7, (prefix, s, here, should)
        assert (here[3] == "NA") if ratio is None else (
            abs(float(here[3]) / float(ratio) - 1) < 1e-9), (s, here, should)
    assert not got, (prefix, got)
    return notes


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "make":
        make(*map(int, given[:3]), float(given[3]), *given[4:])
    elif what == "label":
        label(*given)
    else:
        for note in sorted(sum((judge(int(given[0]), x) for x in given[1:]),
                               [])):
            print(note)
