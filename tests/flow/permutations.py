# SPDX-License-Identifier: BSD-3-Clause
"""Family-wise p of all pairs or triples, by vsim-association(7) alone: the
status is permuted each time and all scores are made again.

usage: permutations.py PREFIX METRIC WAY PERMUTATIONS
           lines of ids, value and p
       permutations.py numbers FILE.npy METRIC PERMUTATIONS
           the same for pairs of rows by numpy, each row permuted by itself;
           METRIC is r, |r|, cosine or euclid
"""
import itertools
import sys

from association import read, score, table

MASK = (1 << 64) - 1


def numbers(seed):
    """xoshiro256** (Blackman and Vigna), seeded by splitmix64."""
    state = []
    for _ in range(4):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        state.append(z ^ (z >> 31))

    def turned(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    while True:
        yield turned(state[1] * 5 & MASK, 7) * 9 & MASK
        moved = state[1] << 17 & MASK
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= moved
        state[3] = turned(state[3], 45)


def dealt(status, seed):
    """The statuses 1 and 2 dealt out to the samples that have one."""
    left = [s for s in status if s in (1, 2)]
    draw = numbers(seed)
    out = []
    for s in status:
        if s in (1, 2):
            x = next(draw)
            while x < 2 ** 64 % len(left):
                x = next(draw)
            at = x % len(left)
            s, left[at] = left[at], left[-1]
            left.pop()
        out.append(s)
    return out


def mixed(z):
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
    return z ^ (z >> 31)


def shuffled(row, seed):
    """Fisher and Yates, from the last entry on."""
    draw = numbers(seed)
    row = list(row)
    for n in range(len(row), 1, -1):
        x = next(draw)
        while x < 2 ** 64 % n:
            x = next(draw)
        row[n - 1], row[x % n] = row[x % n], row[n - 1]
    return row


def of_numbers(path, metric, n):
    import numpy as np
    x = np.load(path).astype(float)

    def values(x):
        out = []
        for a, b in itertools.combinations(x, 2):
            both = ~np.isnan(a) & ~np.isnan(b)
            a, b = a[both], b[both]
            if metric == "euclid":
                out.append(-np.sqrt(((a - b) ** 2).sum()))
                continue
            if metric != "cosine":
                a, b = a - a.mean(), b - b.mean()
            v = (a * b).sum() / np.sqrt((a * a).sum() * (b * b).sum())
            out.append(abs(v) if metric == "|r|" else v)
        return np.array(out)

    golden = 0x9E3779B97F4A7C15
    best = []
    for k in range(1, n + 1):
        first = mixed(k ^ golden)
        best.append(max(values(np.array([
            shuffled(row, mixed((first + v * golden) & MASK))
            for v, row in enumerate(x)]))))
    for (i, j), value in zip(itertools.combinations(range(len(x)), 2), values(x)):
        reached = 1 + sum(b >= value - 1e-9 * abs(value) for b in best)
        print(i, j, -value if metric == "euclid" else value, reached / (n + 1))


def main(prefix, metric, way, n):
    status, vectors = read(prefix)
    sets = list(itertools.combinations(range(len(vectors)), way))
    sign = -1 if metric == "k2" else 1

    def strengths(of):
        return [sign * score(metric, table(of, [vectors[v] for v in s]))
                for s in sets]

    best = [max(strengths(dealt(status, k + 1))) for k in range(n)]
    for s, value in zip(sets, strengths(status)):
        # logarithms are rounded: equal values may differ in the last digits
        reached = 1 + sum(b >= value - 1e-9 * abs(value) for b in best)
        print(*(f"v{v}" for v in s), sign * value, reached / (n + 1))


if __name__ == "__main__" and sys.argv[1] == "numbers":
    of_numbers(*sys.argv[2:4], int(sys.argv[4]))
elif __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
