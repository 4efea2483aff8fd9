# SPDX-License-Identifier: BSD-3-Clause
"""planted.py FILE MODEL SET CASES MISSING LOW HIGH LEAST MOST

Check a file of vsim-pack --synthetic epistasis against its options: the number of
cases, the share of missing calls, the frequency of each vector and, for the planted
set, the cases and controls of each combination, all within 5 standard deviations.
"""
import itertools
import sys

import h5py
import numpy as np

path, model, names = sys.argv[1:4]
n_case = int(sys.argv[4])
missing, low, high, least, most = map(float, sys.argv[5:])
f = h5py.File(path)
case = f["samples/case"][...]
n = len(case)
bits = np.unpackbits(f["vectors/planes"][...], axis=2, bitorder="little")
g = np.array([[0, 1], [3, 2]])[bits[:, 0, :n], bits[:, 1, :n]]
chosen = [] if names == "none" else [int(x[1:]) - 1 for x in names.split(",")]


def near(got, n, p, words):
    d = 5 * (n * p * (1 - p)) ** 0.5 + 1e-9
    assert abs(got - n * p) <= d, (words, got, n * p, d)


def risk(x):
    if model == "xor":
        return high if sum(k == 1 for k in x) % 2 else low
    if model == "threshold":
        return high if min(x) else low
    return low * (high / low) ** float(np.prod([k / 2 for k in x]))


assert case.sum() == n_case and set(case) == {0, 1}
# cases stand anywhere
near(case[: n // 2].sum(), n // 2, n_case / n, "cases of the first half")
for v, x in enumerate(g):
    near((x == 3).sum(), n, missing, f"missing of {v}")
    if v in chosen:
        continue
    known = x[x < 3]
    p = known.mean() / 2
    slack = 5 * (p * (1 - p) / 2 / len(known)) ** 0.5
    assert least - slack <= p <= most + slack, (v, p)
    # Hardy-Weinberg, and nothing of the class
    near((known == 2).sum(), len(known), p * p, f"two copies of {v}")
    share = (x[case == 1] == 1).sum() / n_case * n
    near(share * n_case / n, n_case, (x == 1).mean(), f"cases of {v}")
if chosen:
    p = 0.5 if model == "xor" else most
    of = [(1 - p) ** 2, 2 * p * (1 - p), p * p]
    cells = list(itertools.product(range(3), repeat=len(chosen)))
    weight = np.array([np.prod([of[k] for k in c]) for c in cells])
    f = np.array([risk(c) for c in cells])
    whole = (g[chosen] < 3).all(axis=0)
    for status, w in ((1, weight * f), (0, weight * (1 - f))):
        w = w / w.sum()
        here = whole & (case == status)
        for c, x in zip(cells, w):
            got = here & (g[chosen] == np.array(c)[:, None]).all(axis=0)
            near(got.sum(), here.sum(), x, f"class {status} of {c}")
