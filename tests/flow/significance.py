#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""P-values of correlations by closed forms, and false discovery rates by definition.

make DIR            x.tsv, numbers with gaps; x.tped and x.tfam, genotypes with gaps
p METRIC N          records n, value, p on stdin, N of them: wrong ones; exit 1 if any
chi2 METRIC N       records n, value, chi2, chi2_p on stdin, likewise
rates COMPARED      rates just too low for the k-th of the records with p last on stdin
q COMPARED          records with p and q last on stdin: wrong q; exit 1 if any
kept COMPARED RATE  records with p last on stdin: those that Benjamini and Hochberg keep
"""
import random
import sys
from decimal import Decimal, getcontext

getcontext().prec = 80


def atan(z):
    """Euler's series."""
    q, term, total, k = z * z / (1 + z * z), z / (1 + z * z), Decimal(0), 0
    while abs(term) > Decimal(10) ** -78:
        total += term
        k += 1
        term *= q * 2 * k / (2 * k + 1)
    return total


PI = 4 * atan(Decimal(1))


def p_value(r, n):
    """Two-sided, of Student's t with n - 2 degrees of freedom: Abramowitz and Stegun
    26.7.3 and 26.7.4 with sin(theta) = r."""
    if n < 3:
        return Decimal(1)
    x = 1 - r * r
    term, total, odd = Decimal(1), Decimal(0), n % 2
    for k in range((n - 2) // 2):
        total += term
        term *= x * (2 * k + 1 + odd) / (2 * k + 2 + odd)
    if not odd:
        return 1 - r * total
    return 1 - 2 / PI * (2 * atan(r / (1 + x.sqrt())) + r * x.sqrt() * total)


def make(folder):
    rng = random.Random(12)
    with open(folder + "/x.tsv", "w") as f:
        before = None
        for v in range(30):
            row = [rng.gauss(0, 1) for _ in range(33)]
            if v % 3 == 1:
                row = [a + b * rng.random() for a, b in zip(row, before)]
            before = row
            text = ["NA" if rng.random() < 0.1 else repr(x) for x in row]
            print("v%d" % v, *text, sep="\t", file=f)
    with open(folder + "/x.tfam", "w") as f:
        for s in range(61):
            print("f%d" % s, "s%d" % s, 0, 0, 1 + s % 2, 1 + (s * 7 % 5 < 2), file=f)
    with open(folder + "/x.tped", "w") as f:
        g = [rng.randrange(3) for _ in range(61)]
        for v in range(40):
            g = [x if rng.random() < 0.7 else rng.randrange(3) for x in g]
            calls = ["0 0" if rng.random() < 0.06 else ("A A", "A C", "C C")[x] for x in g]
            print(1, "v%d" % v, 0, 1000 + v, *calls, file=f)


def chi2_p(x):
    """Upper tail of chi-square with one degree of freedom: erfc(sqrt(x / 2)), by the
    series of erf, A. and S. 7.1.6, in as many digits as the tail needs."""
    getcontext().prec = 80 + int(x)
    z = (x / 2).sqrt()
    term = total = z
    k = 1
    while abs(term) > Decimal(10) ** -(75 + int(x)):
        term *= 2 * z * z / (2 * k + 1)
        total += term
        k += 1
    tail = 1 - 2 / root_of_pi(x) * (-z * z).exp() * total
    getcontext().prec = 80
    return +tail


def root_of_pi(x):
    """By Machin's formula, in the present precision."""
    def arctan(n):
        term, total, k = 1 / Decimal(n), Decimal(0), 0
        while abs(term) > Decimal(10) ** -(78 + int(x)):
            total += term / (2 * k + 1)
            term /= -n * n
            k += 1
        return total
    return (16 * arctan(5) - 4 * arctan(239)).sqrt()


def judge_chi2(metric, expected):
    n_seen = n_wrong = 0
    for line in sys.stdin:
        n, value, chi2, p = (Decimal(x) for x in line.split())
        x = n * (value if metric == "r2" else value * value)
        right = chi2_p(x)
        n_seen += 1
        if (abs(chi2 - x) > x * Decimal("1e-15") or
                abs(p - right) > right * Decimal("1e-12")):
            n_wrong += 1
            print(line.strip(), "not", float(x), float(right))
    print("%d records, %d wrong" % (n_seen, n_wrong))
    return n_wrong or n_seen != expected


def judge(metric, expected):
    n_seen = n_wrong = 0
    for line in sys.stdin:
        n, value, p = line.split()
        r = Decimal(value).sqrt() if metric == "r2" else abs(Decimal(value))
        right = p_value(r, int(n))
        n_seen += 1
        if abs(Decimal(p) - right) > right * Decimal("1e-12"):
            n_wrong += 1
            print(line.strip(), "not", float(right))
    print("%d records, %d wrong" % (n_seen, n_wrong))
    return n_wrong or n_seen != expected


def rates(compared):
    p = sorted(float(line.split()[-1]) for line in sys.stdin)
    print(*(p[k - 1] * compared / (k + 0.5) for k in (1, 4, 9, 16) if p[k - 1] > 0))


def judge_q(compared):
    rows = [[float(x) for x in line.split()[-2:]] for line in sys.stdin]
    p = sorted(x for x, _ in rows)
    of = {}
    for k, x in enumerate(p):
        of[x] = min([1] + [y * compared / m for m, y in enumerate(p, 1) if m > k])
    wrong = [r for r in rows if abs(r[1] - of[r[0]]) > 1e-14 * of[r[0]]]
    print("%d records, %d wrong" % (len(rows), len(wrong)))
    return wrong or not rows


def kept(compared, rate):
    lines = sys.stdin.read().splitlines()
    p = sorted(float(line.split()[-1]) for line in lines)
    most = max((x for k, x in enumerate(p, 1) if x <= k * rate / compared), default=-1)
    for line in lines:
        if float(line.split()[-1]) <= most:
            print(line)


def main():
    if sys.argv[1] == "make":
        make(sys.argv[2])
    elif sys.argv[1] == "p":
        sys.exit(judge(sys.argv[2], int(sys.argv[3])))
    elif sys.argv[1] == "chi2":
        sys.exit(judge_chi2(sys.argv[2], int(sys.argv[3])))
    elif sys.argv[1] == "q":
        sys.exit(1 if judge_q(int(sys.argv[2])) else 0)
    elif sys.argv[1] == "rates":
        rates(int(sys.argv[2]))
    else:
        kept(int(sys.argv[2]), float(sys.argv[3]))


main()
