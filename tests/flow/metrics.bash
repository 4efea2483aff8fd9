# SPDX-License-Identifier: BSD-3-Clause
# Words for tests that go over all metrics: `load metrics`, behind the helpers.

# moments: the metrics of one value of a pair of genotype vectors
moments() {
	(cd "$TOP/libcore/metric" && grep -lw 'family = VS_FAMILY_MOMENTS' ./*.h) |
		sed 's#.*/##; s/\.h$//'
}

# want METRIC WAY T: what x.tsv holds, as text
want() {
	case $1$2 in
	ccc2) set -- oracle edges x.tsv "$3" ;;
	ccc3) set -- oracle triples x.tsv "$3" ;;
	duo2) set -- oracle duo x.tsv "$3" ;;
	duo3) set -- oracle triples x.tsv "$3" duo ;;
	ps*) set -- czek x.tsv exact "$3" "$2" ;;
	*) set -- moments "$1" x.tsv "$3" ;;
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
	duo) vsim-pack -f --tsv x.tsv --label given --ploidy 1 -o x.vec.h5 2>said ;;
	*) vsim-pack -f --tsv x.tsv --label given -o x.vec.h5 ;;
	esac
}

# finds RANKS OPTION...: one more way, with the first one's content
finds() {
	local got launch=()
	[ "$1" = 1 ] || launch=(ranks "$1")
	rm -rf run
	"${launch[@]}" vsim-run "${how[@]}" "${@:2}" -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	got=$(vsim-view -H e.res.h5 | sed -n 's/^#content_xxh128: //p')
	[ "$got" ] && [ "$got" = "${content:=$got}" ] ||
		complain "${how[*]}, $* of $(head -c 40 x.tsv): $got"
}
