# SPDX-License-Identifier: BSD-3-Clause
# What the README and examples/ show is what happens.
load ../helpers

# a place that looks like a clone, where files may be made
scratch() {
	local f
	for f in "$TOP"/*; do
		ln -s "$f" .
	done
	# the README speaks of the release build; the tests may try another
	rm -f build
	mkdir build
	ln -s "$VSIM_BUILD" build/release
}

# the commands of README.md, one block after another
commands() {
	awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$TOP/README.md"
}

@test "README: every command runs as printed" {
	requires cmd mcl mpirun
	requires python h5py
	scratch
	# the targets that would build and test once more are read, not run
	commands | sed 's/^make /make -n /' >readme.sh
	[ "$(grep -c '^vsim-' readme.sh)" -ge 10 ]
	run --separate-stderr bash -euo pipefail -c '
		head() { sed -n "1,${2:-10}p"; }
		# MPI itself leaks
		mpirun() { ASAN_OPTIONS=detect_leaks=0 command mpirun "$@"; }
		. ./readme.sh' bash
	[ "$status" = 0 ] || complain "$stderr" "$output"
	[ -s clusters.tsv ]
	# what the README prints is what it says
	while read -r line; do
		grep -qxF "$line" <<<"$output" || complain "not printed: $line"
	done < <(grep -P '^rs.*\t' "$TOP/README.md")
	# the same edges by another way
	diff <(vsim-view edges.res.h5 | sort) <(vsim-view same.res.h5 | sort)
}

@test "README: names every program and no other" {
	diff <(grep -oE '^\| `vsim-[a-z]+`' "$TOP/README.md" |
		grep -o 'vsim-[a-z]*' | sort) \
		<(cd "$TOP/tools" && printf '%s\n' vsim-*.c | sed 's/\.c$//' | sort)
}

@test "demo: strongest edges by name, in less than 30 seconds" {
	SECONDS=0
	run --separate-stderr sh "$TOP/examples/demo.sh"
	[ "$status" = 0 ]
	[ "${lines[0]}" = "$(printf '#id1\tallele1\tid2\tallele2\tvalue')" ]
	[ "${#lines[@]}" = 11 ]
	[[ ${lines[1]} =~ ^rs[0-9]+.[ACGT].rs[0-9]+.[ACGT].0\.[0-9]+$ ]]
	[[ $VSIM_BUILD != */release ]] || [ "$SECONDS" -lt 30 ]
}

@test "pipeline.mk: made once, then up to date" {
	local mk="$TOP/examples/pipeline.mk" vcf="$TOP/examples/chr20.vcf.gz"
	make -sf "$mk" VCF="$vcf" T=0.75 chr20.tsv
	[ "$(wc -l <chr20.tsv)" -gt 100 ]
	make -qf "$mk" VCF="$vcf" T=0.75 chr20.tsv
}

@test "one line: bcftools to the strongest edges" {
	requires cmd bcftools
	bcftools view "$TOP/examples/chr20.vcf.gz" |
		vsim-pack --vcf - -o x.vec.h5 &&
		vsim-run -m ccc -t 0.7 -o run x.vec.h5 &&
		vsim-merge -o e.res.h5 run &&
		vsim-view e.res.h5 | sort -k5,5gr | sed -n 1,10p >strongest
	[ "$(wc -l <strongest)" = 10 ]
	# falling values, all above the threshold
	cut -f5 strongest | sort -cgr
	awk '$5 <= 0.7 { exit 1 }' strongest
}
