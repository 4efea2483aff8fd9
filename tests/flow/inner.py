# SPDX-License-Identifier: BSD-3-Clause
"""Correlations of numbers by numpy, in long doubles.

make DIR           matrices of each type in DIR/TYPE.npy, with vectors that are
                   constant, alike, opposed, huge, tiny and nearly constant
check X.npy METRIC ERROR [T]
                   whether the pairs "i j value" on stdin are those above T (all
                   unless given) and their values right but for ERROR
spearman X.npy     whether the pairs "i j value" on stdin are all correlations of
                   ranks
distance X.npy near|half
                   a small Euclidean distance, and the median
cdist X.npy T      whether the pairs "i j distance" on stdin are those below T
"""
import importlib.util
import sys
import warnings

import numpy as np


def make(to):
    rng = np.random.default_rng(18)
    n, field = 61, 517
    x = rng.normal(size=(n, 6)) @ rng.normal(size=(6, field))
    x = x + 2 * rng.normal(size=(n, field)) + 20
    x = np.abs(x)
    x[7] = 3.5
    x[9] = x[8]
    x[10] = 3 * x[8]
    x[11] = 45 - x[8] * (45 / 60)
    x[12] = 0
    x[13] = 0
    x[13, 5] = 1
    x[14] = 7 + (rng.random(field) < 0.5)
    np.save(to + "/f32.npy", np.abs(x).astype("f4"))
    wide = np.abs(x)
    wide[20] *= 1e300
    wide[21] = wide[20] * 3e-301
    wide[22] *= 1e-300
    wide[23] *= 1e-309
    wide[24] = wide[25] * 1e-307
    np.save(to + "/f64.npy", wide)
    x = rng.normal(size=(n, 6)) @ rng.normal(size=(6, field))
    x = x + 2 * rng.normal(size=(n, field)) + 3 * rng.normal(size=(n, 1))
    x[30:40] = np.rint(x[30:40])
    x[7] = -3.5
    x[9] = x[8]
    x[10] = -3 * x[8]
    x[12] = 0
    np.save(to + "/signed32.npy", x.astype("f4"))
    x[20] *= 1e290
    x[21] *= -1e-300
    x[22] = -1e-309 * x[23]
    x[24] = x[25] + 1e6
    np.save(to + "/signed64.npy", x)
    np.save(to + "/missing32.npy", gaps(np.load(to + "/signed32.npy"), rng))
    np.save(to + "/missing64.npy", gaps(x, rng))
    np.save(to + "/u8.npy", np.clip(np.rint(4 * x), 0, 255).astype("u1"))
    words = np.clip(np.rint(900 * x), 0, 65535)
    words[30] = 65535 * (rng.random(field) < 0.5)
    np.save(to + "/u16.npy", words.astype("u2"))
    np.save(to + "/u32.npy", np.rint(4e7 * x).astype("u4"))


def gaps(x, rng):
    """A fifth of the entries is missing, and some vectors are awkward."""
    x = x.copy()
    x[rng.random(x.shape) < 0.2] = np.nan
    x[26] = rng.normal(size=x.shape[1])
    x[27] = np.nan
    x[28], x[29] = rng.normal(size=(2, x.shape[1]))
    x[28, 3], x[29, 3] = 1e9, np.nan
    x[31, np.isnan(x[32])] = rng.normal(size=np.isnan(x[32]).sum())
    x[31, ~np.isnan(x[32])] = 0.1
    x[33, 260:] = np.nan
    x[34, :259] = np.nan
    x[33, 259], x[34, 259] = 1, 2
    x[35] = x[36] = 1000 + x[36]
    return x


def pairwise(x, metric):
    x = x.astype(np.longdouble)
    n = len(x)
    r = np.zeros((n, n), np.longdouble)
    for i in range(n):
        for j in range(i + 1, n):
            both = ~np.isnan(x[i]) & ~np.isnan(x[j])
            u, v = x[i, both], x[j, both]
            if not len(u):
                continue
            u, v = u / (np.abs(u).max() or 1), v / (np.abs(v).max() or 1)
            if metric != "cosine":
                u = u - u.mean() if np.ptp(u) else 0 * u
                v = v - v.mean() if np.ptp(v) else 0 * v
            norm = np.sqrt((u * u).sum() * (v * v).sum())
            r[i, j] = (u * v).sum() / norm if norm else 0
    return r * r if metric == "r2" else r


def truth(x, metric):
    if np.isnan(x).any():
        return pairwise(x, metric)
    x = x.astype(np.longdouble)
    x = x / np.maximum(np.abs(x).max(axis=1, keepdims=True), 1e-320)
    if metric != "cosine":
        x = x - x.mean(axis=1, keepdims=True)
        x[np.abs(x).max(axis=1) < 1e-15] = 0
    norm = np.sqrt((x * x).sum(axis=1))
    norm[norm == 0] = np.inf
    x = x / norm[:, None]
    r = np.array([x @ row for row in x])
    return r * r if metric == "r2" else r


def check(file, metric, error, threshold):
    want = truth(np.load(file), metric)
    i, j = np.triu_indices(len(want), 1)
    got = np.full(want.shape, np.nan)
    for line in sys.stdin:
        a, b, value = line.split()
        assert int(a) < int(b) and np.isnan(got[int(a), int(b)])
        got[int(a), int(b)] = float(value)
    there = ~np.isnan(got[i, j])
    assert there.any()
    apart = np.abs(got[i, j] - want[i, j])[there].max()
    assert apart <= error, f"{file} {metric}: {apart} apart"
    assert (want[i, j][there] > threshold - error).all()
    assert (want[i, j][~there] <= threshold + error).all()


def spearman(file):
    """Numpy's correlations of ranks among those present, and scipy's of complete
    vectors where it is there."""
    x = np.load(file)
    error = 1e-12 if np.isnan(x).any() else 1e-13
    rank = np.array([(v[None] < v[:, None]).sum(1) + (v[None] == v[:, None]).sum(1) / 2
                     for v in x])
    rank[np.isnan(x)] = np.nan
    want = truth(rank, "r")
    values = [line.split() for line in sys.stdin]
    assert len(values) == len(x) * (len(x) - 1) // 2
    for i, j, value in values:
        assert abs(float(value) - want[int(i), int(j)]) < error, (i, j, value)
    if error == 1e-13 and importlib.util.find_spec("scipy"):
        from scipy.stats import spearmanr

        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = np.nan_to_num(spearmanr(x, axis=1)[0])
        assert all(abs(float(v) - theirs[int(i), int(j)]) < 1e-13 for i, j, v in values)


def distances(file):
    """In long doubles, which hold all squares."""
    x = np.load(file).astype(np.longdouble)
    return np.array([np.sqrt(((x - row) ** 2).sum(axis=1)) for row in x]).astype(float)


def cdist(file, threshold):
    """Distances on stdin are those below the threshold; scipy's where it is there."""
    want = distances(file)
    i, j = np.triu_indices(len(want), 1)
    got = {}
    for line in sys.stdin:
        a, b, value = line.split()
        got[int(a), int(b)] = float(value)
    near = {(a, b) for a, b in zip(i, j) if want[a, b] < threshold * (1 - 1e-12)}
    not_far = {(a, b) for a, b in zip(i, j) if want[a, b] < threshold * (1 + 1e-12)}
    assert got.keys() >= near and got.keys() <= not_far, (len(got), len(near))
    for pair, value in got.items():
        assert abs(value - want[pair]) <= 1e-13 * want[pair], (pair, value)
    # squares of huge numbers overflow there
    if importlib.util.find_spec("scipy") and want.max() < 1e100 and threshold < 1e100:
        from scipy.spatial import cKDTree
        from scipy.spatial.distance import cdist as theirs

        x = np.load(file).astype(float)
        assert np.allclose(theirs(x, x), want, rtol=1e-13, atol=0)
        tree = cKDTree(x).query_pairs(threshold)
        assert len(tree ^ got.keys()) <= len(not_far - near)


if sys.argv[1] == "make":
    make(sys.argv[2])
elif sys.argv[1] == "distance":
    d = distances(sys.argv[2])
    d = np.sort(d[np.triu_indices(len(d), 1)])
    d = d[d > 0]
    print(repr(float(d[10 if sys.argv[3] == "near" else len(d) // 2])))
elif sys.argv[1] == "spearman":
    spearman(sys.argv[2])
elif sys.argv[1] == "cdist":
    cdist(sys.argv[2], float(sys.argv[3]))
else:
    check(sys.argv[2], sys.argv[3], float(sys.argv[4]),
          float(sys.argv[5]) if len(sys.argv) > 5 else -2)
