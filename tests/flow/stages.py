# SPDX-License-Identifier: BSD-3-Clause
"""
The stages of tiles as vsim-results(5) defines them: stages.py SHARD... prints how
many tiles each shard of a stage has, and exits with 1 if these are not the stage's.
"""
import bisect
import math
import sys

import h5py


def spread(a, b, n):
    f = (a * 0x9E3779B97F4A7C15 + b * 0x6A09E667F3BCC909) % 2**64
    return (f >> 32) * n >> 32


def tiles(part, first, second):
    """All tiles: part: where the parts begin, first: below it blocks come first."""
    return [(a, b) for a in range(second) for b in range(max(a, first), part[3])]


def rows(size):
    """Row and column of each block of a part."""
    step = 1
    if size > 1:
        step = math.floor(0.6180339887498949 * size) + 1
        while math.gcd(step, size) > 1:
            step += 1
    return [b * step % size for b in range(size)]


def squares(part, every, n):
    two_sets = part[1] > 0 or part[3] > part[2]
    place = {}
    for k in range(3):
        for b, row in enumerate(rows(part[k + 1] - part[k])):
            place[part[k] + b] = part[k] + row
    height = math.isqrt(len(every) // n)
    order = []
    for k in range(2):
        size = part[k + 1] - part[k]
        if not size:
            continue
        h = min(max(height, 1), size)
        if two_sets:
            m = (size + h // 2) // h
            h = size if m < 2 else -(-size // m)
        mine = [(min(place[a], place[b]), max(place[a], place[b]), (a, b))
                for a, b in every
                if part[k] <= min(place[a], place[b]) < part[k + 1]]
        order += [t for _, _, _, t in
                  sorted(((r - part[k]) // h, c, r, t) for r, c, t in mine)]
    count = len(order)
    return {t: k for k in range(n)
            for t in order[count * k // n:count * (k + 1) // n]}


def chromosomes(f, n_vec, tile, n):
    """Of runs of the file, whose first vectors are stated."""
    first = f["/chromosomes/first"][()].tolist()
    end = first[1:] + [n_vec]
    of = [k for k in range(len(first)) for _ in range(first[k], end[k])]
    size = -(-n_vec // tile)
    block = [set(of[b * tile:(b + 1) * tile]) for b in range(size)]
    last = [of[min(n_vec, (b + 1) * tile) - 1] for b in range(size)]

    def weight(a, b):
        if last[a] not in block[b]:
            return 0
        count = [[of[x * tile:(x + 1) * tile].count(k) for x in (a, b)]
                 for k in block[a] & block[b]]
        return 1 + sum(x * (x - 1) // 2 if a == b else x * y for x, y in count)

    every = {(a, b): weight(a, b) for a in range(size) for b in range(a, size)}
    height = math.isqrt(sum(w > 0 for w in every.values()) // n)
    order = []
    for k in sorted(set(last)):
        begin, stop = last.index(k), (end[k] - 1) // tile + 1
        place = rows(stop - begin)
        h = min(max(height, 1), stop - begin)
        for (a, b), w in every.items():
            if last[a] == k:
                at = [place[x - begin] for x in (a, b) if x < stop]
                order.append((k, min(at) // h, not w, b if not w else max(at),
                              min(at), (a, b), w))
    order.sort()
    return shares([(t, w) for *_, t, w in order], n)


def shares(order, n):
    """Stages of equal weight; a tile that weighs nothing is of the one before."""
    stage, before, k, all_of = {}, 0, 0, sum(w for _, w in order)
    for t, w in order:
        if w:
            k = (2 * before + w) * n // (2 * all_of)
        stage[t] = k
        before += w
    return stage


def columns(f, every, tile, n):
    """Of two sets: within runs of the file, strips of rows column by column."""
    first = f["/chromosomes/first"][()].tolist()
    block = []
    for k in ("first", "both", "second"):
        of = [bisect.bisect_right(first, v) for v in f["/sets/" + k][()].tolist()]
        block += [of[at:at + tile] for at in range(0, len(of), tile)]

    def weight(a, b):
        count = [(block[a].count(k), block[b].count(k))
                 for k in set(block[a]) & set(block[b])]
        pairs = sum(x * (x - 1) // 2 if a == b else x * y for x, y in count)
        return 1 + pairs if count else 0

    every = {t: weight(*t) for t in every}
    h = max(math.isqrt(sum(w > 0 for w in every.values()) // n), 1)
    column = sorted(range(len(block)), key=lambda b: (block[b][-1], b))
    row = [b for b in column if any((b, x) in every for x in column)]
    strip = {}
    for k in sorted({block[b][-1] for b in row}):
        mine = [b for b in row if block[b][-1] == k]
        m = (len(mine) + h // 2) // h
        height = len(mine) if m < 2 else -(-len(mine) // m)
        strip.update((b, (k, x // height)) for x, b in enumerate(mine))
    order = sorted((strip[a], column.index(b), row.index(a), (a, b))
                   for a, b in every)
    return shares([(t, every[t]) for *_, t in order], n)


def parts(f, run):
    """Where blocks of the first set only, of both, of the second only begin; end."""
    ends = [0]
    sizes = [0, int(run["n_vectors"]), 0]
    if "/sets" in f:
        sizes = [f["/sets/" + k].shape[0] for k in ("first", "both", "second")]
    for size in sizes:
        ends.append(ends[-1] - -size // int(run["tile"]))
    return ends


def stages(f):
    """The run's stage of each tile that it has."""
    run = f["/run"].attrs
    n = int(run["n_stages"])
    words = run.get("pair_filter", b"")
    words = words.decode() if isinstance(words, bytes) else str(words)
    part = parts(f, run)
    if int(run["n_way"]) == 3:
        every = tiles(part, 0, part[2])
    else:
        every = tiles(part, part[1], part[2])
    if "/chromosomes" in f and "/sets" in f:
        return columns(f, every, int(run["tile"]), n)
    if "/chromosomes" in f:
        return chromosomes(f, int(run["n_vectors"]), int(run["tile"]), n)
    if int(run["n_way"]) == 3 or (
            "within" in words and "max" not in words):
        return {t: spread(*t, n) for t in every}
    if "max" in words:
        return {(a, b): a * n // part[2] for a, b in every}
    return squares(part, every, n)


bad = 0
for path in sys.argv[1:]:
    with h5py.File(path, "r") as f:
        stage = int(f["/run"].attrs["stage_begin"])
        want = {t for t, k in stages(f).items() if k == stage}
        have = set(zip(f["/tiles/bi"][()].tolist(), f["/tiles/bj"][()].tolist()))
        bad += want != have
        print("%s: stage %d has %d tiles, by its definition %d" % (
            path, stage, len(have), len(want)))
sys.exit(bad > 0)
