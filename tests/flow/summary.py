#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Summaries of all pairs in numpy, compared with the tables of vsim-merge.

    summary.py ldscore X.bed|X.vec.h5 KB PREFIX
        LD scores, M and M_5_50; KB - : all pairs
    summary.py degree X.bed|X.vec.h5 KB PREFIX T...
        partners above each T
    summary.py rows X.tsv PREFIX T...
        partners of the rows of a table, by r over the entries that both have
    summary.py make VARIANTS SAMPLES SEED [missing] > X.vcf
        variants of two chromosomes, in LD; a few are constant

Shares no code with the tools: genotypes from PLINK's files, or by h5py as
vsim-vectors(5) says; r2 in floating point, over the samples that both variants
have; LD scores as LDSC has them, that of a variant with itself 1.
"""
import gzip
import sys

import h5py
import numpy as np


def make(n_vec, n_field, seed, missing=""):
    rng = np.random.default_rng(int(seed))
    n_vec, n_field = int(n_vec), int(n_field)
    print("##fileformat=VCFv4.2")
    print("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".replace(" ", "\t"),
          *(f"s{k}" for k in range(n_field)), sep="\t")
    allele = rng.random((2, n_field)) < 0.4
    for v in range(n_vec):
        fresh = rng.random((2, n_field)) < 0.15
        allele = np.where(fresh, rng.random((2, n_field)) < 0.4, allele)
        calls = allele if v % 17 else allele & False
        text = [f"{int(a)}/{int(b)}" for a, b in calls.T]
        if missing:
            text = [x if rng.random() > (v % 5) / 10 else "./." for x in text]
        chrom = 1 + (2 * v >= n_vec)
        print(chrom, 1000 + 700 * (v // 2) + 90 * (v % 2), f"v{v}", "A", "C",
              ".", ".", ".", "GT", *text, sep="\t")


def read_bed(path):
    stem = path[:-4]
    bim = [line.split() for line in open(stem + ".bim")]
    n = sum(1 for _ in open(stem + ".fam"))
    raw = np.fromfile(path, np.uint8)[3:].reshape(len(bim), -1)
    two = np.stack([raw >> s & 3 for s in (0, 2, 4, 6)], -1)
    g = np.array([2, np.nan, 1, 0])[two.reshape(len(bim), -1)[:, :n]]
    return (g, [b[0] for b in bim], [b[1] for b in bim],
            np.array([max(0, int(b[3])) for b in bim]))


def read_vec(path):
    with h5py.File(path) as f:
        planes, n = f["vectors/planes"][:], int(f["vectors"].attrs["n_fields"])
        bits = np.unpackbits(planes.view(np.uint8).reshape(
            len(planes), 2, -1), axis=-1, bitorder="little")[:, :, :n]
        at, low = bits[:, 0].astype(float), bits[:, 1].astype(float)
        g = at + low
        g[(at == 1) & (low == 0)] = np.nan
        v = f["vectors"]
        names = [x.decode() for x in f["contigs/name"][:]]
        return (g, [names[c] for c in v["contig"][:]],
                [x.decode() for x in v["id"][:]], v["pos"][:])


def near(contig, pos, kb, rows):
    """of each of these rows, the other rows of its window"""
    is_near = np.ones((len(rows), len(pos)), bool)
    if kb is not None:
        known = pos > 0
        is_near = contig[rows][:, None] == contig
        is_near &= abs(pos[rows][:, None] - pos) <= kb * 1000
        is_near &= known[rows][:, None] & known
    is_near[np.arange(len(rows)), rows] = False
    return is_near


def r2_of(g, rows, cols):
    """r2 of rows with columns, and the samples that both have; NaN: 0/0"""
    x, m = np.nan_to_num(g), (~np.isnan(g)).astype(float)
    xi, mi, xj, mj = x[rows], m[rows], x[cols].T, m[cols].T
    c, si, sj, p = mi @ mj, xi @ mj, mi @ xj, xi @ xj
    qi, qj = xi**2 @ mj, mi @ xj**2
    a, b = c * qi - si * si, c * qj - sj * sj
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(a * b > 0, (c * p - si * sj) ** 2 / (a * b), np.nan), c


def compare(name, got, want, tolerance=1e-12):
    error = abs(got - want) / np.maximum(1, abs(want))
    if not len(got) or not (error <= tolerance).all():
        at = int(np.argmax(error))
        sys.exit(f"{name}: row {at}: {got[at]!r}, not {want[at]!r}")
    print(f"{name}: {len(got)} rows, error {error.max():.2g}, sum {want.sum():.10g}")


def partners(path, prefix, *thresholds):
    with open(path) as lines:
        table = [line.split() for line in lines][1:]
    x = np.array([[np.nan if e == "NA" else float(e) for e in row[1:]]
                  for row in table])
    got = [line.split() for line in open(prefix + ".degree.tsv")]
    degree = np.zeros((len(x), len(thresholds)), int)
    for i in range(len(x)):
        for j in set(range(len(x))) - {i}:
            both = ~np.isnan(x[i] + x[j])
            a, b = x[i, both], x[j, both]
            # without a spread there is no correlation
            if both.any() and np.ptp(a) > 0 and np.ptp(b) > 0:
                degree[i] += np.corrcoef(a, b)[0, 1] > np.array(
                    thresholds, float)
    for k, t in enumerate(thresholds):
        compare("rows " + t, np.array([int(r[2 + k]) for r in got[1:]]),
                degree[:, k], 0)


def main(kind, path, kb, prefix, *thresholds):
    g, contig, ids, pos = (read_bed if path.endswith(".bed") else read_vec)(path)
    kb = None if kb == "-" else float(kb)
    contig = np.array(contig)
    score, degree = np.ones(len(g)), np.zeros((len(thresholds), len(g)))
    for lo in range(0, len(g), 256):
        rows = np.arange(lo, min(lo + 256, len(g)))
        keep = near(contig, pos, kb, rows)
        cols = np.flatnonzero(keep.any(0))
        r2, c = r2_of(g, rows, cols)
        keep = keep[:, cols]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = r2 - (1 - r2) / (c - 2)
        score[rows] += np.where(keep & ~np.isnan(r2) & (c > 2), each, 0).sum(1)
        for k, t in enumerate(thresholds):
            degree[k, rows] = (keep & (r2 > float(t))).sum(1)
    if kind == "degree":
        rows = [line.rstrip("\n").split("\t") for line in open(prefix + ".degree.tsv")]
        assert rows[0] == ["i", "id"] + [">" + t for t in thresholds], rows[0]
        assert [r[1] for r in rows[1:]] == ids
        for k in range(len(thresholds)):
            compare("degree " + thresholds[k],
                    np.array([int(r[2 + k]) for r in rows[1:]]), degree[k], 0)
        return
    rows = [line.rstrip("\n").split("\t") for line in gzip.open(
        prefix + ".l2.ldscore.gz", "rt")]
    varies = np.nanmax(g, 1, initial=-1) > np.nanmin(g, 1, initial=3)
    assert rows[0] == ["CHR", "SNP", "BP", "L2"], rows[0]
    want = np.flatnonzero(varies)
    assert [r[:3] for r in rows[1:]] == [[contig[v], ids[v], str(pos[v])] for v in want]
    compare("ldscore", np.array([float(r[3]) for r in rows[1:]]), score[varies])
    f = np.nanmean(g[varies], 1) / 2
    common = (np.minimum(f, 1 - f) > 0.05).sum()
    assert int(open(prefix + ".l2.M").read()) == varies.sum()
    assert int(open(prefix + ".l2.M_5_50").read()) == common, common


if sys.argv[1] == "make":
    make(*sys.argv[2:])
elif sys.argv[1] == "rows":
    partners(*sys.argv[2:])
else:
    main(*sys.argv[1:])
