#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CCC of all pairs by its definition, in numpy: what the tools must find.

    oracle.py make VECTORS FIELDS SEED [missing] [vectors] [samples]
        genotypes as TSV: calls missing at random, whole vectors, whole samples
    oracle.py edges X T [f32]
        expected records as text: i j a b num nvalid value
    oracle.py check X T E.res.h5 [f32]
        do the records of a merged result equal these? to the last bit
    oracle.py attained X
        a value that a pair attains, the median of those above 0

X is a vectors file or TSV: a header line, an id, genotypes 0 1 2 NA.
Shares nothing with the tools but the files.
"""
import multiprocessing
import sys

import numpy as np

ROWS = 256  # vectors in a block


def read_tsv(path):
    rows = [line.rstrip("\n").split("\t")[1:] for line in open(path)][1:]
    return np.array([[-1 if x == "NA" else int(x) for x in r] for r in rows],
                    dtype=np.int8)


def read_vectors(path):
    import h5py
    with h5py.File(path, "r") as f:
        n = int(f["vectors"].attrs["n_fields"])
        p = np.unpackbits(f["vectors/planes"][:], axis=2, bitorder="little")
    p = p[..., :n].astype(np.int8)
    return np.where((p[:, 0] == 1) & (p[:, 1] == 0), -1, p[:, 0] + p[:, 1])


def read(path):
    return read_vectors(path) if path.endswith(".h5") else read_tsv(path)


class Oracle:
    """Expected records of rows i0..i1 against all that follow."""

    def __init__(self, genotypes, threshold, f32):
        self.present = genotypes >= 0
        self.dense = bool(self.present.all())
        g = np.where(self.present, genotypes, 0)
        self.threshold, self.f32 = threshold, f32
        self.n_vec, self.n_field = g.shape
        # sums of products are integers: exact while below 2^24
        kind = np.float32 if 4 * self.n_field < 2**24 else np.float64
        m = self.present.astype(kind)
        self.rho = [(2 - g) * m, g.astype(kind)]
        self.m = m
        self.c = self.present.sum(axis=1, dtype=np.int64)
        self.s = g.sum(axis=1, dtype=np.int64)

    def weight(self, label):
        """3 c (1 - 2/3 f(label))"""
        return self.c + self.s if label == 0 else 3 * self.c - self.s

    def counts(self, lo, hi):
        """r[a][b] and c_ij of rows lo..hi against columns lo and on."""
        def product(x, y):
            return (x[lo:hi] @ y[lo:].T).astype(np.int64)
        if not self.dense:
            r = [[product(a, b) for b in self.rho] for a in self.rho]
            return r, product(self.m, self.m)
        # without missing calls three of the four products follow from one
        p, n = product(self.rho[1], self.rho[1]), self.n_field
        si, sj = self.s[lo:hi, None], self.s[None, lo:]
        r = [[4 * n - 2 * si - 2 * sj + p, 2 * sj - p], [2 * si - p, p]]
        return r, np.full_like(p, n)

    def block(self, lo):
        hi = min(lo + ROWS, self.n_vec)
        r, nvalid = self.counts(lo, hi)
        after = np.arange(lo, self.n_vec)[None] > np.arange(lo, hi)[:, None]
        below = ((8 * nvalid * self.c[lo:hi, None]).astype(np.float64)
                 * self.c[None, lo:].astype(np.float64))
        found = []
        for a in 0, 1:
            for b in 0, 1:
                above = ((r[a][b] * self.weight(a)[lo:hi, None])
                         .astype(np.float64)
                         * self.weight(b)[None, lo:].astype(np.float64))
                value = np.divide(above, below, out=np.zeros_like(above),
                                  where=below > 0)
                i, j = np.nonzero(after & (value > self.threshold))
                v = value[i, j]
                if self.f32:
                    v = v.astype(np.float32).astype(np.float64)
                found.append((i + lo, j + lo, np.full(len(i), 2 * a + b),
                              v, r[a][b][i, j], nvalid[i, j]))
        columns = [np.concatenate(c) for c in zip(*found)]
        order = np.lexsort(columns[2::-1])
        return [c[order] for c in columns]


def run_block(lo):
    return ORACLE.block(lo)


def blocks(path, threshold, f32):
    """Expected columns i j cell value num nvalid, block after block."""
    global ORACLE
    ORACLE = Oracle(read(path), threshold, f32)
    starts = range(0, ORACLE.n_vec, ROWS)
    if len(starts) < 4:
        yield from map(run_block, starts)
        return
    with multiprocessing.get_context("fork").Pool(2) as pool:
        yield from pool.imap(run_block, starts)


def number(x):
    text = repr(float(x))
    return text[:-2] if text.endswith(".0") else text


def edges(path, threshold, f32):
    for i, j, cell, value, num, nvalid in blocks(path, threshold, f32):
        for k in range(len(i)):
            print(i[k], j[k], cell[k] // 2, cell[k] % 2, num[k], nvalid[k],
                  number(value[k]), sep="\t")


def check(path, threshold, result, f32):
    import h5py
    at = 0
    with h5py.File(result, "r") as f:
        names = ["i", "j", "cell", "value", "num", "nvalid"]
        found = [f["records"][n] if n in f["records"] else None for n in names]
        n = found[0].shape[0]
        for expected in blocks(path, threshold, f32):
            end = at + len(expected[0])
            for name, right, column in zip(names, expected, found):
                if column is None:
                    continue
                part = column[at:end]
                if len(part) < len(right):
                    sys.exit(f"{result}: ends at record {n}, more expected")
                wrong = np.nonzero(part != right)[0]
                if len(wrong):
                    k = wrong[0]
                    sys.exit(f"{result}: record {at + k} {name}: "
                             f"{right[k]!r} expected, {part[k]!r} found")
            at = end
    if at != n:
        sys.exit(f"{result}: {n} records, {at} expected")
    print(f"{n} records equal")


def make(n_vec, n_field, seed, how):
    rng = np.random.default_rng(seed)
    f = rng.uniform(0.02, 0.98, n_vec)
    g = rng.binomial(2, f[:, None], (n_vec, n_field))
    for v in range(1, n_vec):  # some kin, so that large values occur
        if rng.random() < 0.5:
            kin = g[rng.integers(0, v)]
            kin = 2 - kin if rng.random() < 0.3 else kin
            keep = rng.random(n_field) < rng.uniform(0.5, 1)
            g[v] = np.where(keep, kin, g[v])
    gone = np.zeros(g.shape, bool)
    if "missing" in how:
        gone |= rng.random(g.shape) < 0.05
    if "vectors" in how:
        gone[rng.random(n_vec) < 0.1] = True
        gone[0] = True
    if "samples" in how:
        gone[:, rng.random(n_field) < 0.1] = True
        gone[:, -1] = True
    print("id", *(f"s{q}" for q in range(n_field)), sep="\t")
    for v in range(n_vec):
        print(f"v{v}", *("NA" if m else x for x, m in zip(g[v], gone[v])),
              sep="\t")


def attained(path):
    values = np.concatenate([b[3] for b in blocks(path, 0.0, False)])
    print(number(np.sort(values)[len(values) // 2]))


def main(command, *words):
    f32 = "f32" in words
    words = [w for w in words if w != "f32"]
    if command == "make":
        make(*map(int, words[:3]), words[3:])
    elif command == "edges":
        edges(words[0], float(words[1]), f32)
    elif command == "check":
        check(words[0], float(words[1]), words[2], f32)
    elif command == "attained":
        attained(words[0])
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
