# SPDX-License-Identifier: BSD-3-Clause
# Words for tests that go over all metrics: `load metrics`, behind the helpers.

# states METRIC WORDS: its row says so
states() {
	grep -qF -- "$2" "$TOP/libcore/metric/$1.h"
}

# moments [PLOIDY]: the metrics of one value of a pair of genotype vectors of this
# ploidy, 2 unless given, that sums and one formula make: not of haplotypes
moments() {
	(cd "$TOP/libcore/metric" &&
		grep -l 'family = VS_FAMILY_MOMENTS' ./*.h |
		xargs grep -L -e "ploidy = $((3 - ${1:-2}))" -e 'phased = true') |
		sed 's#.*/##; s/\.h$//'
}

# ploidy METRIC: of the vectors that it is tried on
ploidy() {
	states "$1" '.ploidy = 1' && echo 1 || echo 2
}

# strong METRIC T FIELDS: a threshold like T from -1 to 1; lower is stronger of
# those that count fields which differ
strong() {
	states "$1" '.lower = true' || { echo "$2" && return; }
	awk -v t="$2" -v n="$3" 'BEGIN { print n * (1 - t) / 2 }'
}

# want METRIC WAY T: what x.tsv holds, as text
want() {
	case $1$2 in
	ccc2) set -- oracle edges x.tsv "$3" ;;
	ccc3) set -- oracle triples x.tsv "$3" ;;
	duo2) set -- oracle duo x.tsv "$3" ;;
	duo3) set -- oracle triples x.tsv "$3" duo ;;
	ps*) set -- ps x.tsv exact "$3" "$2" ;;
	*) set -- moments "$1" x.tsv "$3" "$(ploidy "$1")" ;;
	esac
	"$PYTHON" "$TOP/tests/flow/$1.py" "${@:2}" | sed 's/\.0$//'
}

# columns METRIC WAY: what of it the text tells
columns() {
	case $1$2 in
	ps2) echo i,j,value ;;
	ps3) echo i,j,k,value ;;
	*3) echo i,j,k,cell,num,n,value ;;
	ccc2 | duo2) echo i,j,a,b,num,n,value ;;
	*) echo i,j,n,value ;;
	esac
}

# data METRIC FIELDS KIND...: x.tsv and x.vec.h5, few triples, of all sizes
data() {
	local make=("$PYTHON" "$TOP/tests/flow/oracle.py" make)
	requires python numpy
	"${make[@]}" "$vectors" "$2" "$2" "${@:3}" >x.tsv
	case $1 in
	ps) # calls turned into numbers, a missing one into 0
		sed -i '2,$s/NA/0/g; 2,$s/\t2/\t200/g; 2,$s/\t1/\t3/g' x.tsv
		vsim-pack -f --matrix x.tsv -o x.vec.h5
		;;
	*)
		vsim-pack -f --tsv x.tsv --label given --ploidy "$(ploidy "$1")" \
			-o x.vec.h5 2>said
		;;
	esac
}

# sums FILE: the records of a run and their sum, as -v said them
sums() {
	grep -oE '[0-9]+ records, sum [0-9a-f]+' "$1"
}

# finds RANKS OPTION...: one more way, with the first one's content
finds() {
	local got launch=()
	[ "$1" = 1 ] || launch=(ranks "$1")
	"${launch[@]}" vsim-run -f -v "${how[@]}" "${@:2}" -o run \
		--merge e.res.h5 x.vec.h5 2>said || complain "$(cat said)"
	got=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	[ "$got" ] && [ "$got" = "${content:=$got}" ] ||
		complain "${how[*]}, $* of $(head -c 40 x.tsv): $got"
}

# agree OPTION...: one more way, with the records of $first by their sum; true if
# --kernel names one that is not for these vectors or this CPU, too
agree() {
	if vsim-run -f -v "${how[@]}" "$@" -o run x.vec.h5 2>said; then
		[ "$(sums said)" = "$first" ] ||
			complain "${how[*]}, $*: $(cat said)" "not: $first"
		tried=$((tried + 1))
	else
		grep -q 'or not for' said || complain "$(cat said)"
	fi
}

# alike FILE RUN-OPTION...: the records in the file `want`, whatever computes them, by
# the test's own records() and content()
alike() {
	local file=$1 first= how
	local ask=("${@:2}")
	for how in '' --no-prune '--tile 17 -j 2' '--cpu scalar' 3 '--value f32'; do
		rm -rf run e.res.h5
		if [ "$how" = 3 ]; then
			can_start 3 || continue
			ranks 3 vsim-run "${ask[@]}" -j 1 -o run \
				--merge e.res.h5 "$file"
		else
			# shellcheck disable=SC2086
			vsim-run "${ask[@]}" $how -o run --merge e.res.h5 "$file"
		fi
		quietly vsim-verify --against "$file" e.res.h5
		[ "$how" ] || quietly vsim-verify run
		case $how in
		*f32) [ "$(records e.res.h5 | wc -l)" = "$(wc -l <want)" ] ;;
		*)
			records e.res.h5 | diff want - >differ ||
				complain "$* $how: $(head -n 5 differ)"
			first=${first:-$(content e.res.h5)}
			[ "$(content e.res.h5)" = "$first" ]
			;;
		esac
	done
	for how in 1 2; do
		vsim-run -f "${ask[@]}" --stage $how/2 -o part$how "$file"
	done
	vsim-merge -f -o e.res.h5 part1 part2
	[ "$(content e.res.h5)" = "$first" ]
}
