# SPDX-License-Identifier: BSD-3-Clause
# Completion by bash and zsh, made of the tables of options.
load ../../helpers

made() {
	[ -f "$TOP/.packaging/completion.sh" ] || skip "no .packaging here"
	mkdir -p b
	ln -sf "$VSIM_BUILD"/vsim "$VSIM_BUILD"/vsim-* b
	sh "$TOP/.packaging/completion.sh" b
}

# offers TOOL WORD... : what bash offers for the last word, one a line
offers() {
	bash -c '
		. b/completion/vsim.bash
		f=$(complete -p "$1" | sed "s/.* -F \([^ ]*\) .*/\1/")
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		$f "$1" "${@: -1}" "${@: -2:1}"
		printf "%s\n" "${COMPREPLY[@]}"' bash "$@"
}

@test "completion: bash offers exactly the options of --help" {
	made
	local t
	for t in "$VSIM_BUILD"/vsim-*; do
		t=${t##*/}
		[[ $t =~ ^vsim-[a-z]+$ ]] || continue
		"$t" --help | sed -n 's/^  \(-.,\|   \) --\([a-z0-9-]*\).*/--\2/p' |
			sort >want
		[ -s want ]
		offers "$t" -- | sort | diff want - || complain "$t"
	done
}

@test "completion: bash offers choices, files, and nothing for a number" {
	made
	touch x.vec.h5 y.bed 'z z.txt'
	[ "$(offers vsim-pack --label '' | xargs)" = "minor alt a1 a2 given" ]
	[ "$(offers vsim-pack --label a | xargs)" = "alt a1 a2" ]
	[ "$(offers vsim-pack --codec = z | xargs)" = zstd ]
	[ -z "$(offers vsim-pack --maf '')" ]
	[ -z "$(offers vsim-pack -j 0)" ]
	[ "$(offers vsim-pack --bfile y | xargs)" = y.bed ]
	[ "$(offers vsim-pack --vcf z)" = "z z.txt" ]
	[ "$(offers vsim-run x | xargs)" = x.vec.h5 ]
	[[ " $(offers vsim-run -m '' | xargs) " == *" ccc "*" r2 "* ]]
	[ "$(offers vsim-pack --from | xargs)" = --from-kb ]
	[ "$(offers vsim p | xargs)" = "prune pack permute plot" ]
	[ "$(offers vsim-plot d | xargs)" = "decay degree" ]
	[ "$(offers vsim plot he | xargs)" = heatmap ]
	[ "$(offers vsim-plot ld x | xargs)" = x.vec.h5 ]
	[ "$(offers vsim ld --m | xargs)" = "--metric --min-r2" ]
	[ "$(offers vsim pack --from | xargs)" = --from-kb ]
	[ "$(offers vsim pack --codec = z | xargs)" = zstd ]
}

# bats test_tags=long
@test "completion: zsh reads its file, which has each option" {
	made
	local t o
	for t in vsim-pack vsim-run vsim-view; do
		"$t" --list-options | cut -f 2 >names
		sed -n "/^$t)/,/;;/p" b/completion/_vsim >part
		while read -r o; do
			grep -q -- "--$o[}\[]" part || complain "$t --$o"
		done <names
	done
	requires cmd zsh
	zsh -n b/completion/_vsim
}
