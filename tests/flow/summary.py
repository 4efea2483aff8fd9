#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Summaries of all pairs in numpy, compared with the tables of vsim-merge.

    summary.py ldscore X.bed|X.vec.h5 KB PREFIX [ANNOT]
        LD scores, M and M_5_50; KB - : all pairs; X@MAP : X cM by lines of
        "position centimorgans" in the file MAP, of one chromosome; KB:A-B:C-D :
        pairs of a row A to B and a row C to D; ANNOT :
        by the annotations of this table, CHR BP SNP CM first
    summary.py degree X.bed|X.vec.h5 KB PREFIX T...
        partners above each T
    summary.py decay X.bed|X.vec.h5 KB PREFIX [WIDTH]
        number, mean and quantiles of r2 by distance, in bins of WIDTH kb
    summary.py grid X.bed|X.vec.h5 KB PREFIX [kb|sites SIZE]
        number and mean of r2 between chromosomes, or blocks of them
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


sets = []


def limit(text):
    """kb, None: all; also notes the sets, if there are any"""
    text, *between = text.split(":")
    sets[:] = [tuple(map(int, b.split("-"))) for b in between]
    return None if text == "-" else float(text)


def near(contig, pos, kb, rows):
    """of each of these rows, the other rows of its window"""
    is_near = np.ones((len(rows), len(pos)), bool)
    if kb is not None:
        known = pos > 0
        is_near = contig[rows][:, None] == contig
        is_near &= abs(pos[rows][:, None] - pos) <= kb * 1000
        is_near &= known[rows][:, None] & known
    if sets:
        v = np.arange(len(pos))
        a, b = ((lo <= v) & (v <= hi) for lo, hi in sets)
        is_near &= a[rows][:, None] & b | b[rows][:, None] & a
    is_near[np.arange(len(rows)), rows] = False
    return is_near


def window(text, pos):
    """places of the variants, and the kb apart that they may be"""
    if "@" not in text:
        return pos, limit(text)
    most, name = text.split("@")
    points = np.loadtxt(name)
    cm = np.interp(pos, points[:, 0], points[:, 1])
    return np.rint(1e9 * cm).astype(np.int64) + 1, float(most) * 1e6


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


def annotations(path, ids):
    """names, and values by variant"""
    with open(path) as lines:
        table = [line.split() for line in lines]
    of = {row[2]: [float(x) for x in row[4:]] for row in table[1:]}
    return table[0][4:], np.array([of[i] for i in ids])


def main(kind, path, kb, prefix, *thresholds):
    g, contig, ids, pos = (read_bed if path.endswith(".bed") else read_vec)(path)
    places, kb = window(kb, pos)
    contig = np.array(contig)
    names, annot = [""], np.ones((len(g), 1))
    if kind == "ldscore" and thresholds:
        names, annot = annotations(thresholds[0], ids)
        thresholds = ()
    score, degree = annot.copy(), np.zeros((len(thresholds), len(g)))
    for lo in range(0, len(g), 256):
        rows = np.arange(lo, min(lo + 256, len(g)))
        keep = near(contig, places, kb, rows)
        cols = np.flatnonzero(keep.any(0))
        r2, c = r2_of(g, rows, cols)
        keep = keep[:, cols]
        with np.errstate(divide="ignore", invalid="ignore"):
            each = r2 - (1 - r2) / (c - 2)
        score[rows] += np.where(
            keep & ~np.isnan(r2) & (c > 2), each, 0) @ annot[cols]
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
    assert rows[0] == ["CHR", "SNP", "BP"] + [n + "L2" for n in names], rows[0]
    want = np.flatnonzero(varies)
    assert [r[:3] for r in rows[1:]] == [[contig[v], ids[v], str(pos[v])] for v in want]
    f = np.nanmean(g, 1) / 2
    for k, name in enumerate(names):
        compare("ldscore" + name, np.array([float(r[3 + k]) for r in rows[1:]]),
                score[varies, k])
    for tail, keep in (("", varies),
                       ("_5_50", varies & (np.minimum(f, 1 - f) > 0.05))):
        got = [float(x) for x in open(prefix + ".l2.M" + tail).read().split("\t")]
        compare("M" + tail, np.array(got), annot[keep].sum(0))


def pairs(g, contig, pos, kb):
    """columns i, j and r2 of all pairs whose r2 is defined"""
    for lo in range(0, len(g), 256):
        rows = np.arange(lo, min(lo + 256, len(g)))
        r2, _ = r2_of(g, rows, np.arange(len(g)))
        keep = near(contig, pos, kb, rows) & ~np.isnan(r2)
        i, j = np.nonzero(keep & (np.arange(len(g)) > rows[:, None]))
        yield rows[i], j, r2[i, j]


def bins(width):
    if width:
        return np.append(np.arange(101) * float(width) * 1000, np.inf)
    tenths = [100, 125, 160, 200, 250, 315, 400, 500, 630, 800]
    return np.array([0] + [t * 10**d for d in range(7) for t in tenths] +
                    [10**9, np.inf])


def decay(path, kb, prefix, width=None):
    g, contig, _, pos = (read_bed if path.endswith(".bed") else read_vec)(path)
    contig, edges = np.array(contig), bins(width)
    known = (pos > 0) & (contig != "0") & (contig != "")
    chroms = list(dict.fromkeys(contig[known]))
    values = {}
    for i, j, r2 in pairs(g, contig, pos, limit(kb)):
        i, j, r2 = (x[known[i] & known[j]] for x in (i, j, r2))
        same = contig[i] == contig[j]
        values.setdefault(("between", -1), []).append(r2[~same])
        i, j, r2 = i[same], j[same], r2[same]
        which = np.searchsorted(edges, abs(pos[i] - pos[j]), "right") - 1
        for b in np.unique(which):
            values.setdefault(("all", b), []).append(r2[which == b])
            for c in chroms:
                at = (which == b) & (contig[i] == c)
                values.setdefault((c, b), []).append(r2[at])
    got = [line.rstrip("\n").split("\t") for line in open(prefix + ".decay.tsv")]
    assert got[0] == "chr from to n mean q05 q25 q50 q75 q95".split(), got[0]
    got = {(row[0], row[1]): row for row in got[1:]}
    n_rows, worst = 0, 0
    for (name, b), parts in values.items():
        v = np.sort(np.concatenate(parts))
        if not len(v):
            continue
        ends = ["NA", "NA"] if b < 0 else [
            "NA" if np.isinf(e) else f"{e:.0f}" for e in edges[b:b + 2]]
        row = got.pop((name, ends[0]), None)
        if row is None or row[2] != ends[1] or int(row[3]) != len(v):
            sys.exit(f"decay {name} {ends}: {row}, not {len(v)} pairs")
        worst = max(worst, abs(float(row[4]) - v.mean()))
        for q, text in zip((5, 25, 50, 75, 95), row[5:]):
            at = v[-(-q * len(v) // 100) - 1]
            # rounding may put a value on the other side of an end
            ok = (text == "NA") if name not in ("all", "between") else \
                -1e-12 < at - float(text) < 1e-3 + 1e-12
            if not ok:
                sys.exit(f"decay {name} {ends} q{q}: {text}, not {at}")
        n_rows += 1
    if got or not n_rows or worst > 1e-12:
        sys.exit(f"decay: rows {list(got)} too many, or error {worst}")
    print(f"decay: {n_rows} rows, error {worst:.2g}")


def blocks(contig, pos, how, size):
    """of each variant the number of its block, and the blocks' names"""
    met, key = {}, []
    for k, (c, p) in enumerate(zip(contig, pos)):
        key.append((c, 0 if how is None else k // int(size) if how == "sites"
                    else int(p // (float(size) * 1000))))
    order = list(dict.fromkeys(contig))
    for k in sorted(set(key), key=lambda k: (order.index(k[0]), k[1])):
        at = [v for v, other in enumerate(key) if other == k]
        met[k] = len(met), k[0] if how is None else \
            f"{k[0]}:{min(pos[at])}-{max(pos[at])}"
    return np.array([met[k][0] for k in key]), [name for _, name in met.values()]


def grid(path, kb, prefix, how=None, size=None):
    g, contig, _, pos = (read_bed if path.endswith(".bed") else read_vec)(path)
    contig = np.array(contig)
    block, names = blocks(contig, pos, how, size)
    n = np.zeros((len(names), len(names)))
    total = n.copy()
    for i, j, r2 in pairs(g, contig, pos, limit(kb)):
        for at in (block[i] * len(n) + block[j], block[j] * len(n) + block[i]):
            n += np.bincount(at, minlength=n.size).reshape(n.shape)
            total += np.bincount(at, r2, n.size).reshape(n.shape)
    np.fill_diagonal(n, np.diag(n) / 2)
    np.fill_diagonal(total, np.diag(total) / 2)
    stem = prefix + ".grid" + ("-" + how if how else "")
    for tail, want in ((".n.tsv", n), (".tsv", total / np.where(n, n, np.nan))):
        rows = [line.rstrip("\n").split("\t") for line in open(stem + tail)]
        assert rows[0][1:] == names, (rows[0], names)
        assert [r[0] for r in rows[1:]] == names
        got = np.array([[np.nan if x == "NA" else float(x) for x in r[1:]]
                        for r in rows[1:]])
        assert (np.isnan(got) == np.isnan(want)).all()
        compare("grid" + tail, np.nan_to_num(got).ravel(),
                np.nan_to_num(want).ravel())


if sys.argv[1] == "make":
    make(*sys.argv[2:])
elif sys.argv[1] in ("decay", "grid"):
    {"decay": decay, "grid": grid}[sys.argv[1]](*sys.argv[2:])
elif sys.argv[1] == "rows":
    partners(*sys.argv[2:])
else:
    main(*sys.argv[1:])
