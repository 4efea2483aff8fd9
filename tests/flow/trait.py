# SPDX-License-Identifier: BSD-3-Clause
"""F tests of interaction for a quantitative trait, by least squares in fractions.

usage: trait.py make SEED VECTORS SAMPLES MISSING PREFIX
           random PREFIX.tped, PREFIX.tfam and PREFIX.pheno, column y; some
           genotypes do not occur, and one sample has no trait
       trait.py judge PREFIX METRIC WAY TSV
           all combinations against columns id1, id2, [id3,] value, df, df2, p
       trait.py family PREFIX METRIC WAY N
           lines of ids, value and p_family
"""
import itertools
import math
import random
import sys
from fractions import Fraction

from permutations import numbers


def make(seed, n, samples, missing, prefix):
    dice = random.Random(seed)
    vectors = []
    for _ in range(n):
        share, none = dice.random(), dice.choice((None, None, None, 0, 1, 2))
        row = [(dice.random() < share) + (dice.random() < share)
               for _ in range(samples)]
        vectors.append([(g + 1) % 3 if g == none else g for g in row])
    scale = dice.choice(("1e-9", "0.01", "1", "1e6"))
    trait = []
    for q in range(samples):
        y = dice.gauss(0, 2) + vectors[0][q] + vectors[-1][q] * vectors[1][q]
        digits = (0, 2, 6)[seed % 3]
        trait.append(str(Fraction(scale) * Fraction(f"{y:.{digits}f}") + 170))
    with open(prefix + ".tped", "w") as out:
        for v, row in enumerate(vectors):
            calls = " ".join("0 0" if dice.random() < missing
                             else ("A A", "A C", "C C")[g] for g in row)
            out.write(f"1 v{v} 0 {v + 1} {calls}\n")
    with open(prefix + ".tfam", "w") as out:
        for q in range(samples):
            out.write(f"f{q} i{q} 0 0 1 -9\n")
    with open(prefix + ".pheno", "w") as out:
        out.write("FID IID other y\n")
        for q, y in enumerate(trait):
            y = "NA" if q == seed % samples else repr(float(Fraction(y)))
            out.write(f"f{q} i{q} {q % 7} {y}\n")


def read(prefix):
    """The trait of each sample, or None, and the genotypes of the vectors."""
    copies = {("A", "A"): 0, ("A", "C"): 1, ("C", "C"): 2}
    with open(prefix + ".tped") as f:
        rows = [line.split()[4:] for line in f]
    with open(prefix + ".pheno") as f:
        trait = [line.split()[3] for line in f][1:]
    return ([None if y == "NA" else Fraction(float(y)) for y in trait],
            [[copies.get(x) for x in zip(r[::2], r[1::2])] for r in rows])


def residual(columns, y):
    """Sum of squares that least squares leaves, and the rank, exactly."""
    basis, left = [], y
    for c in columns:
        for b, size in basis:
            f = sum(p * q for p, q in zip(c, b)) / size
            c = [p - f * q for p, q in zip(c, b)]
        size = sum(p * p for p in c)
        if size:
            basis.append((c, size))
            f = sum(p * q for p, q in zip(left, c)) / size
            left = [p - f * q for p, q in zip(left, c)]
    return sum(p * p for p in left), len(basis)


def test(metric, trait, vectors):
    """F, n and both degrees of freedom."""
    rows = [x for x in zip(trait, *vectors) if None not in x]
    y = [x[0] for x in rows]
    calls = list(zip(*(x[1:] for x in rows)))
    one = Fraction(1)
    null = [[one] * len(y)]
    for g in calls:
        null += ([[Fraction(x) for x in g]] if metric == "fadd" else
                 [[one * (x == k) for x in g] for k in range(3)])
    cells = sorted(set(zip(*calls)))
    of = {c: [v for v, *x in rows if tuple(x) == c] for c in cells}
    full = sum(sum((v - sum(s) / len(s)) ** 2 for v in s) for s in of.values())
    rest, rank = residual(null, y) if y else (0, 0)
    df, df2 = len(cells) - rank, len(y) - len(cells)
    mean = sum(y) / len(y) if y else 0
    # 2^-36 of the squares about the mean of all that have the trait
    least = sum((v - mean) ** 2 for v in y) / 2 ** 36
    if df < 1 or df2 < 1 or not max(full, least):
        return 0.0, len(y), df, df2, full <= 1000 * least
    f = (rest - full) / df / (max(full, least) / df2)
    return float(f), len(y), df, df2, full <= 1000 * least


def tail(f, df, df2):
    """Upper tail of F by its finite sums, or else by Simpson's rule."""
    if df < 1 or df2 < 1 or f <= 0:
        return 1.0
    a, b = df2 / 2, df / 2
    x = df2 / (df2 + df * f)
    if df % 2 == 0:
        return x ** a * sum((1 - x) ** j * math.exp(
            math.lgamma(a + j) - math.lgamma(a) - math.lgamma(j + 1))
            for j in range(df // 2))
    # of (sin t)^(2 a - 1) (cos t)^(2 b - 1)
    end, n = math.asin(math.sqrt(x)), 20000
    values = [math.sin(end * k / n) ** (2 * a - 1) *
              math.cos(end * k / n) ** (2 * b - 1) for k in range(n + 1)]
    whole = values[0] + values[-1] + 4 * sum(values[1::2]) + 2 * sum(
        values[2:-1:2])
    return whole * end / n / 3 * 2 / math.exp(
        math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b))


def near(a, b, room):
    return abs(a - b) <= room * (1e-3 + abs(b))


def judge(prefix, metric, way, path):
    trait, vectors = read(prefix)
    with open(path) as f:
        got = {tuple(w[:way]): w[way:] for w in map(str.split, f)}
    wanted = 0
    for s in itertools.combinations(range(len(vectors)), way):
        f, n, df, df2, noise = test(metric, trait, [vectors[v] for v in s])
        name = tuple(f"v{v}" for v in s)
        if not n:
            assert name not in got, (name, "has no samples")
            continue
        wanted += 1
        assert name in got, (name, f)
        value, *numbers_of, p = map(float, got[name])
        want = [df, df2]
        assert numbers_of == want, (name, got[name], want)
        assert near(value, f, 1e-9) or noise, (name, value, f)
        assert near(p, tail(value, df, df2), 1e-8), (
            name, p, tail(value, df, df2))
    assert wanted == len(got) and wanted, (wanted, len(got))


def dealt(trait, seed):
    """The values of the samples that have one, dealt out to these samples."""
    left = [y for y in trait if y is not None]
    draw = numbers(seed)
    out = []
    for y in trait:
        if y is not None:
            x = next(draw)
            while x < 2 ** 64 % len(left):
                x = next(draw)
            at = x % len(left)
            y, left[at] = left[at], left[-1]
            left.pop()
        out.append(y)
    return out


def family(prefix, metric, way, n):
    trait, vectors = read(prefix)
    sets = list(itertools.combinations(range(len(vectors)), way))

    def all_of(of):
        return [test(metric, of, [vectors[v] for v in s])[0] for s in sets]

    best = [max(all_of(dealt(trait, k + 1))) for k in range(n)]
    for s, value in zip(sets, all_of(trait)):
        reached = 1 + sum(b >= value * (1 - 1e-9) for b in best)
        print(*(f"v{v}" for v in s), value, reached / (n + 1))


if __name__ == "__main__":
    what, *given = sys.argv[1:]
    if what == "make":
        make(int(given[0]), int(given[1]), int(given[2]), float(given[3]),
             given[4])
    elif what == "judge":
        judge(given[0], given[1], int(given[2]), given[3])
    else:
        family(given[0], given[1], int(given[2]), int(given[3]))
