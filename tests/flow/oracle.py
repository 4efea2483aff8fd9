#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""CCC of all pairs by its definition, in numpy: what the tools must find.

    oracle.py make VECTORS FIELDS SEED [missing[=0.05]] [vectors] [samples]
        genotypes as TSV: calls missing at random, whole vectors, whole samples
    oracle.py edges X T [f32]
        expected records as text: i j a b num nvalid value
    oracle.py check X T E.res.h5 [f32] [SHARE]
        do the records of a merged result equal these, to the last bit?
        with SHARE only in every SHARE-th block of vectors, against all others
    oracle.py duo X T
        the same of DUO, one allele a call, heterozygous calls missing
    oracle.py triples X T [duo]
        of all triples: i j k cell num nvalid value
    oracle.py attained X
        a value that a pair attains, the median of those above 0
    oracle.py each
        many of these: lines of a file to write and what it is to hold

X is a vectors file or TSV: a header line, an id, genotypes 0 1 2 NA.
Shares nothing with the tools but the files.
"""
import contextlib
import multiprocessing
import sys

import numpy as np

ROWS = 16  # vectors in a block


def read_tsv(path):
    call = {"0": 0, "1": 1, "2": 2, "NA": -1}
    rows = [line.rstrip("\n").split("\t")[1:] for line in open(path)][1:]
    return np.array([[call[x] for x in r] for r in rows], dtype=np.int8)


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
    """Expected records of a block of rows against all that follow."""

    def __init__(self, genotypes, threshold, f32):
        present = genotypes >= 0
        self.dense = bool(present.all())
        g = np.where(present, genotypes, 0)
        self.threshold, self.f32 = threshold, f32
        self.n_vec, self.n_field = g.shape
        # sums of products are integers: exact while below 2^24
        kind = np.float32 if 4 * self.n_field < 2**24 else np.float64
        m = present.astype(kind)
        self.rho = [(2 - g) * m, g.astype(kind)]
        self.m = m
        self.turned = {id(x): np.ascontiguousarray(x.T)
                       for x in [*self.rho, m]}
        self.c = present.sum(axis=1, dtype=np.int64)
        self.s = g.sum(axis=1, dtype=np.int64)
        # 3 c (1 - 2/3 f(label)), and that over c
        self.weight = [self.c + self.s, 3 * self.c - self.s]
        with np.errstate(invalid="ignore"):
            self.u = [(w / self.c).astype(kind) for w in self.weight]

    def product(self, x, y, lo, hi):
        return x[lo:hi] @ self.turned[id(y)][:, lo:]

    def counts(self, lo, hi):
        """r[a][b] and c_ij of rows lo..hi against columns lo and on."""
        if not self.dense:
            r = [[self.product(a, b, lo, hi) for b in self.rho]
                 for a in self.rho]
            return r, self.product(self.m, self.m, lo, hi)
        # without missing calls three of the four products follow from one
        p, n = self.product(self.rho[1], self.rho[1], lo, hi), self.n_field
        s = self.s.astype(p.dtype)
        si, sj = s[lo:hi, None], s[None, lo:]
        r = [[4 * n - 2 * si - 2 * sj + p, 2 * sj - p], [2 * si - p, p]]
        return r, np.full_like(p, n)

    def value(self, a, b, i, j, r, nvalid):
        above = ((r * self.weight[a][i]).astype(np.float64)
                 * self.weight[b][j].astype(np.float64))
        below = ((8 * nvalid * self.c[i]).astype(np.float64)
                 * self.c[j].astype(np.float64))
        return np.divide(above, below, out=np.zeros_like(above),
                         where=below > 0)

    def block(self, lo):
        hi = min(lo + ROWS, self.n_vec)
        r, nvalid = self.counts(lo, hi)
        # far enough below the threshold for a value rounded a few times
        bound = self.threshold - 1e-4 * abs(self.threshold) - 1e-30
        found = []
        for a in 0, 1:
            for b in 0, 1:
                with np.errstate(invalid="ignore", divide="ignore"):
                    rough = r[a][b] * (self.u[a][lo:hi, None] / 8)
                    rough *= self.u[b][None, lo:]
                    rough /= nvalid
                i, j = np.nonzero(~(rough <= bound))
                i, j = i[j > i], j[j > i]
                num = r[a][b][i, j].astype(np.int64)
                n = nvalid[i, j].astype(np.int64)
                v = self.value(a, b, i + lo, j + lo, num, n)
                keep = v > self.threshold
                i, j, v, num, n = (x[keep] for x in (i, j, v, num, n))
                if self.f32:
                    v = v.astype(np.float32).astype(np.float64)
                found.append((i + lo, j + lo, np.full(len(i), 2 * a + b),
                              v, num, n))
        columns = [np.concatenate(c) for c in zip(*found)]
        order = np.lexsort(columns[2::-1])
        return [c[order] for c in columns]


def run_block(lo):
    return ORACLE.block(lo)


def blocks(path, threshold, f32, share=1):
    """Expected columns i j cell value num nvalid, of every share-th block."""
    global ORACLE
    ORACLE = Oracle(read(path), threshold, f32)
    starts = range(0, ORACLE.n_vec, share * ROWS)
    if len(starts) < 16:
        yield from map(run_block, starts)
        return
    with multiprocessing.get_context("fork").Pool(2) as pool:
        yield from pool.imap(run_block, starts)


def number(x):
    text = repr(float(x))
    return text[:-2] if text.endswith(".0") else text


def edges(path, threshold, f32):
    for columns in blocks(path, threshold, f32):
        # numbers of Python's own are printed several times as fast
        for i, j, cell, value, num, n in zip(*(x.tolist() for x in columns)):
            print(f"{i}\t{j}\t{cell >> 1}\t{cell & 1}\t{num}\t{n}\t"
                  + number(value))


def check(path, threshold, result, f32, share):
    import h5py
    checked = 0
    with h5py.File(result, "r") as f:
        start = f["index/i_offset"][:]
        names = ["i", "j", "cell", "value", "num", "nvalid"]
        found = [f["records"][n] if n in f["records"] else None for n in names]
        for k, right in enumerate(blocks(path, threshold, f32, share)):
            first = k * share * ROWS
            lo, hi = start[first], start[min(first + ROWS, len(start) - 1)]
            for name, want, column in zip(names, right, found):
                if column is None:
                    continue
                have = column[lo:hi]
                n = min(len(have), len(want))
                wrong = np.nonzero(have[:n] != want[:n])[0]
                if len(wrong):
                    w = wrong[0]
                    sys.exit(f"{result}: record {lo + w} {name}: "
                             f"{want[w]!r} expected, {have[w]!r} found")
            if len(have) != len(want):
                sys.exit(f"{result}: vectors {first} and on: {len(want)} "
                         f"records expected, {len(have)} found")
            checked += len(want)
        if share == 1 and len(found[0]) != checked:
            sys.exit(f"{result}: {checked} records expected, "
                     f"{len(found[0])} found")
    print(f"{checked} records equal")


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
    for word in how:
        if word.startswith("missing"):
            gone |= rng.random(g.shape) < float(word[8:] or 0.05)
    if "vectors" in how:
        gone[rng.random(n_vec) < 0.1] = True
        gone[0] = True
    if "samples" in how:
        gone[:, rng.random(n_field) < 0.1] = True
        gone[:, -1] = True
    print("id", *(f"s{q}" for q in range(n_field)), sep="\t")
    words = np.array(["0", "1", "2", "NA"])[np.where(gone, 3, g)]
    for v, row in enumerate(words.tolist()):
        print(f"v{v}", *row, sep="\t")


def duo(path, threshold):
    g = read(path)
    has = [(g == 0).astype(np.int64), (g == 2).astype(np.int64)]
    present = has[0] + has[1]
    c = present.sum(axis=1).tolist()
    total = [h.sum(axis=1).tolist() for h in has]
    shared = (present @ present.T).tolist()
    r = [[(x @ y.T).tolist() for y in has] for x in has]
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            for a in 0, 1:
                for b in 0, 1:
                    num, n, ci, cj = r[a][b][i][j], shared[i][j], c[i], c[j]
                    # 4 num / n (1 - 2/3 f_i) (1 - 2/3 f_j)
                    above = (float(4 * num * (3 * ci - 2 * total[a][i]))
                             * float(3 * cj - 2 * total[b][j]))
                    v = above / (float(9 * n * ci) * float(cj)) if n else 0.0
                    if v > threshold:
                        print(i, j, a, b, num, n, number(v), sep="\t")


def triples(path, threshold, is_duo):
    g = read(path)
    present = (g >= 0) & ~(is_duo & (g == 1))
    g = np.where(present, g, 0).astype(np.int64)
    c, s = present.sum(axis=1).tolist(), g.sum(axis=1).tolist()
    if is_duo:
        g //= 2
    copies = 1 if is_duo else 2
    rho = [(copies - g) * present, g]
    # multiplier / (27 copies^3)
    over, under = (4, 27) if is_duo else (1, 48)
    # 3 c (1 - 2/3 f(label))
    weight = [[x + y for x, y in zip(c, s)],
              [3 * x - y for x, y in zip(c, s)]]
    for i in range(len(g)):
        for j in range(i + 1, len(g)):
            both = present[i] & present[j]
            shared = (present[j + 1:] @ both.astype(np.int64)).tolist()
            r = [[[(rho[d][j + 1:] @ (rho[a][i] * rho[b][j])).tolist()
                   for d in (0, 1)] for b in (0, 1)] for a in (0, 1)]
            for k in range(j + 1, len(g)):
                n = shared[k - j - 1]
                for cell in range(8):
                    a, b, d = cell >> 2, cell >> 1 & 1, cell & 1
                    num = r[a][b][d][k - j - 1]
                    # python's integers are exact; two roundings and one
                    above = float(over * num * weight[a][i] * weight[b][j]
                                  * weight[d][k])
                    below = float(under * n * c[i] * c[j] * c[k])
                    v = above / below if n else 0.0
                    if v > threshold:
                        print(f"{i}\t{j}\t{k}\t{cell}\t{num}\t{n}\t"
                              + number(v))


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
        check(words[0], float(words[1]), words[2], f32,
              int(words[3]) if len(words) > 3 else 1)
    elif command == "duo":
        duo(words[0], float(words[1]))
    elif command == "triples":
        triples(words[0], float(words[1]), "duo" in words)
    elif command == "attained":
        attained(words[0])
    elif command == "each":
        for line in sys.stdin:
            out, *words = line.split()
            with open(out, "w") as f, contextlib.redirect_stdout(f):
                main(*words)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(*sys.argv[1:])
