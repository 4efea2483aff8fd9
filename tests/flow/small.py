# SPDX-License-Identifier: BSD-3-Clause
"""Every genotype vector of a few samples: all records at every threshold.

usage: small.py make SAMPLES [dense]
           as TSV, each vector of 0, 1, 2 and, unless dense, missing calls
       small.py tped SAMPLES PREFIX
           the same as PREFIX.tped and PREFIX.tfam, every second one a case
       small.py judge METRIC WAY COLUMNS KERNELS WANT X.vec.h5 MOST
           does vsim-run print what WANT has? At MOST of the values that
           occur, where it must exclude equal ones, and next to them

WANT is what the definition finds below all values, the value last in a line.
KERNELS are names with commas between them; -: the program's choice.
"""
import itertools
import math
import subprocess
import sys

import moments

LOWER = {*moments.LOWER, "k2"}
WAYS = [[], ["--no-prune"], ["--tile", "33"]]


def make(samples, *how):
    calls = "012" if how else ["0", "1", "2", "NA"]
    print("id", *(f"s{q}" for q in range(samples)), sep="\t")
    for v, row in enumerate(itertools.product(calls, repeat=samples)):
        print(f"v{v}", *row, sep="\t")


def tped(samples, prefix):
    calls = ["A A", "A C", "C C", "0 0"]
    with open(prefix + ".tped", "w") as out:
        for v, row in enumerate(itertools.product(calls, repeat=samples)):
            print("1", f"v{v}", "0", v + 1, *row, file=out)
    with open(prefix + ".tfam", "w") as out:
        for q in range(samples):
            print("f", f"i{q}", "0", "0", "1", 1 + q % 2, file=out)


def thresholds(values, most):
    found = sorted(set(values))
    step = -(-len(found) // most)
    for value in found[::step] + found[-1:]:
        yield value
    for value in found[::8 * step]:
        yield math.nextafter(value, math.inf)
        yield math.nextafter(value, -math.inf)


def judge(metric, way, columns, kernels, want, vectors, most):
    with open(want) as lines:
        rows = [(float(line.rsplit("\t", 1)[1]), line) for line in lines]
    run = ["vsim-run", "-m", metric, "-w", way, "--to", "tsv", "--no-header",
           "--columns", columns, "--allow-empty", "-o", "-", vectors]
    n = 0
    for t in thresholds([value for value, _ in rows], int(most)):
        right = [line for value, line in rows
                 if (value < t if metric in LOWER else value > t)]
        for k, kernel in enumerate(kernels.split(",")):
            how = ["-t", repr(t), *WAYS[(n + k) % len(WAYS)],
                   *(["--kernel", kernel] if kernel != "-" else [])]
            got = subprocess.run(run + how, stdout=subprocess.PIPE,
                                 check=True).stdout.decode()
            if got != "".join(right):
                compare(" ".join(run + how), got.splitlines(True), right)
        n += 1
    print(f"{metric} -w {way}: {len(rows)} records, {n} thresholds: equal")


def compare(command, got, right):
    less, more = sorted(set(right) - set(got)), sorted(set(got) - set(right))
    sys.exit(f"{command}: {len(less)} records are not found, such as "
             f"{less[:2]}; {len(more)} are not right, such as {more[:2]}")


if __name__ == "__main__":
    {"make": make, "tped": tped, "judge": judge}[sys.argv[1]](*(
        int(x) if x.isdigit() and sys.argv[1] != "judge" else x
        for x in sys.argv[2:]))
