#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Whole programs, start to sealed file, best of three: pairs by vsim-run with
# and without missing calls on each kind of CPU, beside plink1.9 where it is
# installed; packing; start-up.
# SIZES="VARIANTSxSAMPLES ..." takes other sizes, e.g. 20000x10000.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${PYTHON:=/usr/bin/python3}" "${SIZES:=10000x2504 10000x882}"
"$PYTHON" -c 'import numpy' 2>/dev/null || {
	echo "whole runs: skipped, $PYTHON has no numpy"
	exit 0
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# fastest SECONDS-FILE-KEY CMD...: least of three of a figure in s.yaml
seconds() {
	for _ in 1 2 3; do
		"$@" >/dev/null 2>&1
		sed -n 's/^seconds_total: //p' s.yaml
	done | sort -g | sed -n 1p
}

# wall CMD...: seconds by the clock
wall() {
	"$PYTHON" -c 'import subprocess, sys, time
def once():
    t = time.time()
    subprocess.run(sys.argv[1:], check=True, stdout=-3, stderr=-3)
    return time.time() - t
print("%.4f" % min(once() for _ in range(3)))' "$@"
}

row() {
	awk -v what="$1" -v size="$2" -v s="$3" 'BEGIN {
		split(size, d, "x")
		printf "%-34s %12s %9.3f s %9.1f G comparisons/s\n", what, size, s,
			d[1] * (d[1] - 1) / 2 * d[2] / s * 1e-9 }'
}

echo "whole runs, all cores allowed, t = 0.7, best of three"
for size in $SIZES; do
	for missing in 0 0.01 0.05; do
		"$PYTHON" "$here/gen_bed.py" "${size%x*}" "${size#*x}" $missing g
		vsim-pack -f --bfile g -o g.vec.h5
		for cpu in avx512 avx2 popcnt; do
			[ $missing = 0 ] || [ $cpu = avx512 ] || continue
			s=$(seconds vsim-run -f --cpu $cpu --no-prune -t 0.7 \
				--stats s.yaml -o run g.vec.h5) || continue
			[ -z "$s" ] || row "vsim-run --cpu $cpu, missing $missing" \
				"$size" "$s"
		done
		row "vsim-run pruned, missing $missing" "$size" \
			"$(seconds vsim-run -f -t 0.7 --stats s.yaml -o run \
				g.vec.h5)"
		[ $missing = 0 ] && command -v plink1.9 >/dev/null || continue
		row "plink1.9 --r2 inter-chr" "$size" "$(wall plink1.9 --bfile g \
			--r2 inter-chr gz --ld-window-r2 0.9 --out p)"
	done
done
"$PYTHON" "$here/gen_bed.py" 40000 10000 0 g
awk -v s="$(wall vsim-pack -f --bfile g -o g.vec.h5)" -v b="$(wc -c <g.bed)" \
	'BEGIN { printf "vsim-pack --bfile %28.3f s %9.0f MB/s of .bed\n", s,
		b / s * 1e-6 }'
printf '0\t1\t2\n2\t1\t0\n' >tiny.tsv
vsim-pack --tsv tiny.tsv -o tiny.vec.h5
printf 'vsim-run, two vectors of three %15s s\n' \
	"$(wall vsim-run -f -t 0.7 -o run tiny.vec.h5)"
