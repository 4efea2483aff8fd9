#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Test this machine before a long run: every kernel of its CPU, and a GPU if there is
# one, on new random vectors in each round. Values of scalar code are compared with the
# definition, and all other values with them. The first difference ends the test with
# status 1, and names the kernel or device and the seed.
# usage: soak.sh [SECONDS [SEED]]
set -eu
seconds=${1:-60} first=${2:-1}
end=$(($(date +%s) + seconds))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
cd "$work"

# choices OPTION: the values that vsim-run accepts
choices() {
	vsim-run -n -t 0 "$1" '?' x 2>&1 | sed -n 's/.*not one of //p' | tr -s '|, ' ' '
}

metrics=$(choices --metric)
kernels=$(vsim-run --version | sed -n 's/^kernels \(.*\);.*/\1/p; s/^of numbers //p')
best=$(vsim-run --version | sed -n 's/.*this CPU .* //p')
steps=$(choices --cpu | sed "s/ $best .*/ $best/")
if [ -z "$metrics" ] || [ -z "$kernels" ] || [ -z "$steps" ]; then
	echo "soak.sh: vsim-run does not list its metrics, kernels and steps of --cpu" >&2
	exit 4
fi
runs=0 tried=0

# true once the time is over and at least one run is done
is_over() {
	[ "$runs" -gt 0 ] && [ "$(date +%s)" -ge $end ]
}

# count OPTION...: answer the question of this round with these options
count() {
	vsim-run -f --allow-empty -m "$metric" -w "$way" -t "$threshold" "$@" \
		x.vec.h5 && runs=$((runs + 1))
}

wrong() {
	echo "soak.sh: $1, $metric of $way vectors, $data, seed $seed:" >&2
	cat said >&2
	exit 1
}

# same OPTION...: check that values and records equal those of scalar code; skip
# kernels that do not apply to these vectors
same() {
	for bounds in '' --no-prune; do
		! is_over || return 0
		code=0
		# shellcheck disable=SC2086
		count "$@" $bounds -o run 2>said || code=$?
		[ $code != 2 ] || return 0
		[ $code = 0 ] || wrong "$* $bounds"
		vsim-verify --compare scalar run 2>said || wrong "$* $bounds"
	done
}

# try_metric: find a threshold that keeps a thousand values, then try every way
try_metric() {
	vsim-run -f -m "$metric" -w "$way" --top 1000 --cpu scalar -o top \
		--merge top.res.h5 x.vec.h5 2>/dev/null || return 0
	vsim-view --no-header -c value top.res.h5 | sort -g >values
	[ -s values ] || return 0
	threshold=$(head -n 1 values)
	case $metric in
	k2 | euclid | hamming) threshold=$(tail -n 1 values) ;;
	esac
	count --cpu scalar --no-prune -o scalar
	vsim-verify --against x.vec.h5 scalar 2>said || wrong '--cpu scalar'
	for step in $steps; do
		same --cpu "$step"
	done
	for kernel in $kernels; do
		same --kernel "$kernel"
	done
	! vsim-run -n -m "$metric" -w "$way" -t "$threshold" --backend cuda \
		x.vec.h5 >said 2>&1 || same --backend cuda
	tried=$((tried + 1))
}

seed=$first
while ! is_over; do
	fields=$((500 + seed * 577 % 3000))
	for data in epistasis 'epistasis --missing 0.04' 'random --element bit' \
		'random --element bit --missing 0.04' 'random --element u8' \
		'random --element u16' 'random --element u32' \
		'random --element f32' 'random --element f64'; do
		for way in 2 3; do
			# shellcheck disable=SC2086
			vsim-pack -f --synthetic $data --seed $seed --fields $fields \
				--vectors $((way == 2 ? 384 : 40)) -o x.vec.h5
			for metric in $metrics; do
				is_over || try_metric
			done
		done
	done
	is_over || seed=$((seed + 1))
done
[ "$seed" != "$first" ] ||
	echo "soak.sh: time for only $tried combinations of vectors and metric" >&2
echo "$runs runs, all equal"
