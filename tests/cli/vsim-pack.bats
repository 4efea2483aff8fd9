# SPDX-License-Identifier: BSD-3-Clause
load ../helpers

IN=$TOP/tests/data/in
CHR20=$VSIM_TEST_DATA/1000g-chr20
MOUSE=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940

# as_text X.vec.h5...: X.vec.h5.txt each, of source alleles, by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" --source "$@"
}

# as_labels X.vec.h5...: the same, of labels 0 and 1
as_labels() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$@"
}

# inputs FORMAT good|bad: lines "name option argument"
inputs() {
	local f name arg opt
	for f in "$IN/$1/$2"/*.$([ $2 = good ] && echo want || echo says); do
		name=$(basename "${f%.*}")
		opt=$1
		case $1 in
		bed) opt=bfile arg=${f%.*} ;;
		tped) arg=${f%.*} ;;
		*) for arg in "${f%.*}".*; do
			case $arg in
			*.want | *.says | *.warns) ;;
			*) break ;;
			esac
		done ;;
		esac
		echo "$name --$opt $arg"
	done
}

walk_good() {
	local name opt arg bad=
	while read -r name opt arg; do
		run --separate-stderr vsim-pack "$opt" "$arg" --label given \
			-o "$name.vec.h5"
		[ "$status" = 0 ] && [ -z "$output" ] ||
			bad+="$name: exit $status: $output $stderr"$'\n'
		if [ -f "$IN/$1/good/$name.warns" ]; then
			[ "${#stderr_lines[@]}" = 1 ] && grep -qf \
				"$IN/$1/good/$name.warns" <<<"$stderr" ||
				bad+="$name: said: $stderr"$'\n'
		else
			[ -z "$stderr" ] || bad+="$name: said: $stderr"$'\n'
		fi
	done < <(inputs "$1" good)
	as_text ./*.vec.h5
	for name in *.vec.h5; do
		name=${name%.vec.h5}
		diff "$IN/$1/good/$name.want" "$name.vec.h5.txt" >d ||
			bad+="$name: wanted <, got >: $(cat d)"$'\n'
	done
	[ -z "$bad" ] || complain "$bad"
}

walk_bad() {
	local name opt arg bad=
	while read -r name opt arg; do
		refuses 3 "$(cat "$IN/$1/bad/$name.says")" \
			vsim-pack "$opt" "$arg" -o x.vec.h5 2>why ||
			bad+="$name: $(cat why)"$'\n'
		gone x.vec.h5 2>why || bad+="$name: $(cat why)"$'\n'
	done < <(inputs "$1" bad)
	[ -z "$bad" ] || complain "$bad"
}

@test "pack: each good .bed gives the calls written beside it" {
	walk_good bed
}

@test "pack: each bad .bed is refused, naming file and place, nothing left" {
	walk_bad bed
}

@test "pack: each good VCF gives the calls written beside it" {
	walk_good vcf
}

@test "pack: each bad VCF is refused, naming file and place, nothing left" {
	walk_bad vcf
}

@test "pack: each good table gives the calls written beside it" {
	walk_good tsv
}

@test "pack: each bad table is refused, naming file and place, nothing left" {
	walk_bad tsv
}

@test "pack: each good .tped gives the calls written beside it" {
	walk_good tped
}

@test "pack: each bad .tped is refused, naming file and place, nothing left" {
	walk_bad tped
}
