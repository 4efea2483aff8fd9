# SPDX-License-Identifier: BSD-3-Clause
"""sexes.py make SEED PREFIX clean|odd|whole: PREFIX.bed of chromosomes 1, 23 to
26 in linkage disequilibrium, with missing calls; odd: samples of unknown sex,
heterozygous males and calls of females on Y as well; whole: of 1 and 23, with no
call missing. And PREFIX.vcf of the same
calls, which states the ploidy of each.
sexes.py ld X.ld X.tsv: r2 of PLINK and of vsim-view, to PLINK's six digits.
sexes.py freq X.frq.counts X.tsv: frequencies."""
import math
import random
import sys

CHROMOSOMES = {1: 25, 23: 45, 24: 25, 25: 15, 26: 15}
NAMES = {1: "1", 23: "X", 24: "Y", 25: "XY", 26: "MT"}
N = 90


def haplotypes(n, dice):
    """Alleles of n chromosomes, one variant after the other."""
    z = [dice.gauss(0, 1) for _ in range(n)]
    while True:
        z = [0.9 * x + 0.44 * dice.gauss(0, 1) for x in z]
        cut = dice.gauss(0, 0.7)
        yield [int(x < cut) for x in z]


def as_frequent(sex, q):
    """Of a variant whose alleles are equally frequent, not alike by sex."""
    n, before = sex.count(1), sex[:q].count(1)
    return 1 if sex[q] != 1 else 3 if before + n % 2 == n else 2 * (before % 2)


def make(seed, prefix, how):
    odd, whole = how == "odd", how == "whole"
    dice = random.Random(seed)
    sex = [dice.choice([1, 2, 1, 2, 1, 2, 0 if odd else 1]) for _ in range(N)]
    with open(prefix + ".fam", "w") as f:
        for q, s in enumerate(sex):
            print(f"f{q}", f"s{q}", 0, 0, s, 1 + dice.randrange(2), file=f)
    bed, bim = open(prefix + ".bed", "wb"), open(prefix + ".bim", "w")
    vcf = open(prefix + ".vcf", "w")
    bed.write(bytes([0x6c, 0x1b, 1]))
    print("##fileformat=VCFv4.2", *(f"##contig=<ID={c}>" for c in
          NAMES.values()), '##FORMAT=<ID=GT,Number=1,Type=String,'
          'Description="x">', sep="\n", file=vcf)
    print("#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT".replace(" ", "\t"),
          *(f"s{q}" for q in range(N)), sep="\t", file=vcf)
    for chrom, n in ({1: 25, 23: 200} if whole else CHROMOSOMES).items():
        line = haplotypes(2 * N, dice)
        for v in range(n):
            h, codes, calls = next(line), [], []
            for q, s in enumerate(sex):
                one = chrom == 24 or (chrom == 23 and s == 1)
                g = 2 * h[q] if one else h[q] + h[N + q]
                if odd and one and dice.random() < 0.02:
                    g = 1
                if not whole and dice.random() < 0.03 or chrom == 24 and s != 1 and (
                        not odd or dice.random() < 0.7):
                    g = 3
                if chrom == 23 and v == 0 and not whole:
                    g = as_frequent(sex, q)
                codes.append([3, 2, 0, 1][g])
                calls.append((".", "./.")[not one] if g == 3 else
                             str(g // 2) if one else
                             ("0/0", "0/1", "1/1")[g])
            codes += [0] * (-N % 4)
            bed.write(bytes(codes[k] | codes[k + 1] << 2 | codes[k + 2] << 4 |
                            codes[k + 3] << 6 for k in range(0, N, 4)))
            place = [chrom, f"v{chrom}_{v}", 0, 1000 * (v + 1), "A", "G"]
            print(*place, sep="\t", file=bim)
            print(NAMES[chrom], place[3], place[1], "G", "A", ".", ".", ".",
                  "GT", *calls, sep="\t", file=vcf)


def rows(path):
    return [line.split() for line in open(path)][1:]


def ld(plinks, ours):
    r2 = {}
    for a, b, value in rows(ours):
        r2[a, b] = r2[b, a] = float(value)
    found = [(float(w[6]), r2[w[2], w[5]], w) for w in rows(plinks)]
    bad = [x for x in found
           if abs(x[0] - x[1]) > 0.5000001 * 10 **
           (math.floor(math.log10(x[0])) - 5 if x[0] > 0 else -6)]
    print(len(found), "pairs,", len(bad), "differ")
    sys.exit(f"{bad[0]}" if bad or len(found) < 7000 else 0)


def freq(plinks, ours):
    mine = {w[0]: w for w in rows(ours)}
    for w in rows(plinks):
        a, b = int(w[4]), int(w[5])
        one = a if mine[w[1]][2] == w[2] else b
        if abs(one / (a + b) - float(mine[w[1]][1])) > 1e-12:
            sys.exit(f"{w} {mine[w[1]]}")


if sys.argv[1] == "make":
    make(int(sys.argv[2]), *sys.argv[3:5])
else:
    {"ld": ld, "freq": freq}[sys.argv[1]](*sys.argv[2:])
