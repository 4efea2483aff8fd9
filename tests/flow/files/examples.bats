# SPDX-License-Identifier: BSD-3-Clause
# What the README and examples/ show is what happens.
load ../../helpers

# a place that looks like a new clone, where files may be made: what users have
# made in their own is not there
scratch() {
	local f
	for f in Makefile README.md cuda examples formats libcore man tests tools; do
		ln -s "$TOP/$f" .
	done
	# the README speaks of the release build; the tests may try another
	mkdir build
	ln -s "$VSIM_BUILD" build/release
	# make need not find out about compilers once more
	cp -p "$TOP"/build/*.mk build/ 2>/dev/null || true
}

# the commands of README.md, one block after another
commands() {
	awk '/^```sh$/ { on = 1; next } /^```$/ { on = 0 } on' "$TOP/README.md"
}

# bats test_tags=install
@test "README: every command runs as printed" {
	requires cmd mcl
	requires python h5py matplotlib
	requires mpi 4
	scratch
	# the targets that would build and test once more are read, not run
	commands | sed 's/^make /make -n /' >readme.sh
	[ "$(grep -c '^vsim-' readme.sh)" -ge 10 ]
	run --separate-stderr bash -euo pipefail -c '
		head() { sed -n "1,${2:-10}p" "${@:3}"; }
		launcher=$1
		# mpirun may be that of another MPI than the build has; MPI itself leaks;
		# MPICH has no such option
		mpirun() {
			[ "$1 $0" != "--oversubscribe mpich" ] || shift
			ASAN_OPTIONS=detect_leaks=0 "$launcher" "$@"
		}
		. ./readme.sh' "$(probed MPI_FLAVOUR)" "$(probed MPIEXEC)"
	[ "$status" = 0 ] || complain "$stderr" "$output"
	[[ $stderr != *'more than once'* ]] || complain "$stderr"
	[ -s clusters.tsv ]
	# what the README prints is what it says
	while read -r line; do
		grep -qxF "$line" <<<"$output" || complain "not printed: $line"
	done < <(grep -P '^(rs|v|A).*\t' "$TOP/README.md")
	# the same edges by another way
	diff <(vsim-view edges.res.h5 | sort) <(vsim-view same.res.h5 | sort)
}

@test "README: it names exactly the programs" {
	diff <(grep -oE '^\| `vsim(-[a-z]+)?`' "$TOP/README.md" |
		grep -oE 'vsim(-[a-z]+)?' | sort) \
		<(cd "$TOP/tools" && printf '%s\n' vsim* | sed 's/\.c$//' | sort)
}

# bats test_tags=install
@test "demo: strongest edges by name, in less than 30 seconds" {
	local TIMEFORMAT='%0U %0S' spent
	# of a CPU: others may use the machine too
	{ time run --separate-stderr sh "$TOP/examples/demo.sh"; } 2>spent
	read -ra spent <spent
	[ "$status" = 0 ]
	[ "${lines[0]}" = "$(printf 'id1\tallele1\tid2\tallele2\tvalue')" ]
	[ "${#lines[@]}" = 11 ]
	[[ ${lines[1]} =~ ^rs[0-9]+.[ACGT].rs[0-9]+.[ACGT].0\.[0-9]+$ ]]
	[[ $VSIM_BUILD != */release ]] || [ $((spent[0] + spent[1])) -lt 30 ]
}

# bats test_tags=install
@test "planted.sh: the two SNPs that make cases are the strongest pair" {
	SECONDS=0
	run -0 --separate-stderr "$TOP/examples/planted.sh"
	[ "${lines[0]}" = "$(printf 'id1\tid2\tvalue')" ]
	[ "${#lines[@]}" = 11 ]
	[[ ${lines[1]} =~ ^rs6039500.rs7273150.107\.0804 ]] || complain "$output"
	[[ $VSIM_BUILD != */release ]] || [ $((spent[0] + spent[1])) -lt 30 ]
	run -3 --separate-stderr "$TOP/examples/planted.sh" rs6039500 none
	[ "${stderr_lines[-1]}" = \
		"planted.sh: rs6039500 none: not two common SNPs" ]
}

@test "covariates.sh: populations make false pairs and hide the true one" {
	run -0 --separate-stderr "$TOP/examples/covariates.sh"
	[ "${#lines[@]}" = 14 ]
	[[ ${lines[2]} =~ ^v8.v10.19\.46 && ${lines[2]} =~ 0\.0005624[0-9]*$ ]]
	[[ ${lines[6]} =~ ^v8.v10.19\.46 && ${lines[6]} =~ 0\.03959[0-9]*$ ]]
	[[ ${lines[11]} =~ ^v101.v102.13\.55 && ${lines[11]} =~ 4\.6511[0-9]*e-12$ ]]
}

# bats test_tags=install
@test "family_wise.sh: a planted pair is significant, others are not" {
	cd "$BATS_TEST_TMPDIR" || return
	vsim-pack --synthetic epistasis --vectors 60 --fields 600 \
		--planted v3,v17 -o x.vec.h5
	run -0 --separate-stderr "$TOP/examples/family_wise.sh" x.vec.h5 mi 2 3 9
	[ "${lines[0]}" = "$(printf 'id1\tid2\tvalue\tp_family')" ]
	[ "${#lines[@]}" = 4 ]
	[[ ${lines[1]} =~ ^v3.v17.0\.[0-9]+.0\.1$ ]] || complain "$output"
	awk 'NR > 2 && !($4 > 0.1 && $4 <= 1 && $3 <= last) { exit 1 }
		{ last = $3 }' <<<"$output" || complain "$output"
	# does nothing again; none found above 0 is none as strong
	mv x.vec.h5 y.vec.h5
	cp "$TOP/README.md" x.vec.h5
	run -0 --separate-stderr "$TOP/examples/family_wise.sh" x.vec.h5 mi 2 3 9
	[ "${#lines[@]}" = 4 ]
	mv y.vec.h5 x.vec.h5
	run -0 --separate-stderr "$TOP/examples/family_wise.sh" x.vec.h5 lbf 2 1 4
	[[ ${lines[1]} =~ ^v3.v17.[0-9.]+.0\.2$ ]] || complain "$output"
	run -0 --separate-stderr "$TOP/examples/family_wise.sh" x.vec.h5 k2 3 2 4
	[ "${#lines[@]}" = 3 ]
}

@test "epistasis.sh: mice's own status, PLINK's value of the pair, third SNPs" {
	requires cmd plink1.9
	requires data mouse-hs1940
	cd "$BATS_TEST_TMPDIR" || return
	local in=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940 a b value
	run -0 --separate-stderr "$TOP/examples/epistasis.sh" "$in" 9 out
	[ "$(wc -l <out/pairs.tsv)" = 21 ]
	read -r a b value _ < <(sed -n 2p out/pairs.tsv)
	# that pair alone by PLINK
	printf '%s\n' "$a" "$b" >two
	awk 'BEGIN { print "FID IID status" } { print $1, $2, $9 }' \
		"$in.fam" >pheno
	# PLINK drops the SNPs without a position
	awk -v OFS='\t' '{ $4 = NR; print }' "$in.bim" >placed.bim
	plink1.9 --mouse --bed "$in.bed" --bim placed.bim --fam "$in.fam" \
		--extract two --nonfounders --allow-no-sex --1 \
		--pheno pheno --pheno-name status --fast-epistasis boost \
		--epi1 0.1 --out p >/dev/null
	awk -v v="$value" 'NR == 2 { x = $5 }
		END { exit !(x / v > 0.99999 && x / v < 1.00001) }' p.epi.cc ||
		complain "$a $b $value: $(cat p.epi.cc)"
	# the others are no stronger, and each triple has the pair
	awk -F'\t' 'NR > 2 && $3 > last { exit 1 } { last = $3 }' out/pairs.tsv
	[ "$(grep -cFw "$a" out/triples.tsv)" = 20 ]
	[ "$(grep -cFw "$b" out/triples.tsv)" = 20 ]
	run -3 --separate-stderr "$TOP/examples/epistasis.sh" "$in" 6 out
	[[ $stderr == *"column 6 has no 0 and 1" ]]
	run -2 --separate-stderr "$TOP/examples/epistasis.sh" "$in"
	[[ $stderr == "usage: epistasis.sh PREFIX COLUMN OUT" ]]
}

@test "gene_families.sh: shared content of species, families, clusters" {
	requires cmd mcl
	requires python matplotlib networkx scipy
	requires data gene-families
	local table=$VSIM_TEST_DATA/gene-families/12Primate_genefamilies.tab
	run -0 --separate-stderr "$TOP/examples/gene_families.sh" "$table" out
	[ "${#lines[@]}" = 67 ]
	# 2 sum min / (sum + sum) of each pair of species, by its definition
	"$PYTHON" - "$table" >want <<'EOF'
import csv, itertools, sys
head, *rows = csv.reader(open(sys.argv[1]), delimiter="\t")
rows = [[int(x) for x in r[2:]] for r in rows]
rows = [r for r in rows if sum(r) >= 3 * len(r) and
        sum(x != r[0] for x in r) >= 3]
columns = dict(zip(head[2:], zip(*rows)))
for a, b in itertools.combinations(head[2:], 2):
    x, y = columns[a], columns[b]
    print(f"{a} {b} {2 * sum(map(min, x, y)) / (sum(x) + sum(y)):.9f}")
EOF
	diff <(sort want) <(tail -n +2 <<<"$output" |
		awk '{ printf "%s %s %.9f\n", $1, $2, $3 }' | sort)
	"$PYTHON" "$TOP/tests/cli/picture.py" shapes cells out/species.svg >cells
	[ "$(grep -c ': 0\.' cells)" = 132 ]
	"$PYTHON" "$TOP/tests/cli/picture.py" shapes nodes out/families.svg |
		tr ',' '\n' | grep -c family >families
	[ "$(cat families)" -ge 140 ] && [ "$(cat families)" -le 150 ]
	# each cluster has two families or more, none is in two
	[ "$(wc -l <out/clusters.tsv)" -gt 20 ]
	[ -z "$(tr '\t' '\n' <out/clusters.tsv | sort | uniq -d)" ]
	run -2 --separate-stderr env PATH="$PATH" \
		"$TOP/examples/gene_families.sh"
	[[ $stderr == *"usage: gene_families.sh"* ]]
}

@test "pleiotropy.sh: profiles of PLINK's p, clusters, a tripartite network" {
	requires cmd mcl plink1.9
	requires python matplotlib scipy
	requires data mouse-hs1940
	run -0 --separate-stderr "$TOP/examples/pleiotropy.sh" \
		"$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" out 1e-8
	# each profile has a p that is less, and a cluster has those alone
	awk 'NR > 1 { best = 0
		for (k = 2; k <= NF; k++) if ($k > best) best = $k
		if (best < 8) { print; exit 1 } }' out/profiles.tsv
	[ "$(wc -l <out/profiles.tsv)" -gt 100 ]
	[ -z "$(tr '\t' '\n' <out/clusters.tsv | sed 's/#.*//' | sort -u |
		comm -13 <(cut -f 1 out/profiles.tsv | sort) -)" ]
	"$PYTHON" "$TOP/tests/cli/picture.py" texts out/tripartite.svg >shape
	[ "$(grep -c '^trait' shape)" = \
		"$(($(head -n 1 out/profiles.tsv | wc -w) - 1))" ]
	[ "$(grep -c '[0-9] variants$' shape)" -ge 5 ]
	grep -q '^chromosome 1$' shape
	# the largest cluster is the first one
	[ "$(grep -m 1 '[0-9] variants$' shape)" = \
		"$(head -n 1 out/clusters.tsv | wc -w) variants" ]
	[ -s out/phenotypes.svg ]
}

# pipeline T [TARGET] [MAKE-OPTION...]
pipeline() {
	local t=$1 target=${2:-chr20.tsv}
	shift $(($# < 2 ? $# : 2))
	make -sf "$TOP/examples/pipeline.mk" "$@" \
		VCF="${VCF:-$TOP/examples/chr20.vcf.gz}" T="$t" "$target"
}

# bats test_tags=install
@test "pipeline.mk: made once, then up to date, until the threshold changes" {
	pipeline 0.75
	[ "$(wc -l <chr20.tsv)" -gt 100 ]
	cp chr20.tsv before.tsv
	pipeline 0.75 chr20.tsv -q
	run pipeline 0.7 chr20.tsv -q
	[ "$status" = 1 ]
	pipeline 0.7
	[ "$(wc -l <chr20.tsv)" -gt "$(wc -l <before.tsv)" ]
	# back to what was computed already, and is not computed again
	stamp=$(stat -c %Y.%i chr20-0.75.run/*)
	pipeline 0.75
	cmp chr20.tsv before.tsv
	[ "$(stat -c %Y.%i chr20-0.75.run/*)" = "$stamp" ]
	# another file of the same name
	mkdir other
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 3000 | gzip >other/chr20.vcf.gz
	run --separate-stderr make -sf "$TOP/examples/pipeline.mk" T=0.75 \
		VCF=other/chr20.vcf.gz chr20.tsv
	[ "$status" = 2 ]
	[[ $stderr == *"its vectors file differs; give another directory"* ]]
	[ -s chr20-0.75.run/complete.yaml ]
}

# bats test_tags=install
@test "pipeline.mk: packed in parts, on a number of ranks, the same table" {
	requires mpi 2
	pipeline 0.75
	mkdir one
	mv chr20* one
	mkdir -p bin
	printf '#!/bin/sh\nshift\nexec %s "$@"\n' "$TOP/tests/ranks" >bin/mpiexec
	chmod +x bin/mpiexec
	PATH=$PWD/bin:$PATH
	pipeline 0.75 chr20.tsv PARTS=3 RANKS=2 -j 2 2>words ||
		complain "$(cat words)"
	cmp one/chr20.tsv chr20.tsv
	[ "$(content one/chr20.vec.h5)" = "$(content chr20.vec.h5)" ]
	[ "$(find chr20-0.75.run -name '*.shard.h5' | wc -l)" = 2 ]
	# parts are gone, and up to date it is
	[ -z "$(compgen -G 'chr20.*-of-*')" ]
	pipeline 0.75 chr20.tsv PARTS=3 RANKS=2 -q
}

# slow OPTION...: vsim-run takes long, and seals often
slow() {
	mkdir -p bin
	printf '#!/bin/sh\nexec "%s" %s "$@"\n' "$(command -v vsim-run)" "$*" \
		>bin/vsim-run
	chmod +x bin/vsim-run
	PATH=$PWD/bin:$PATH
}

# killed FILE SECONDS CMD...: CMD and all that it started, killed SECONDS after
# there is FILE
killed() {
	local file=$1 after=$2 pid
	shift 2
	setsid "$@" >/dev/null 2>&1 &
	pid=$!
	until [ -e "$file" ] || ! kill -0 $pid 2>/dev/null; do
		sleep 0.01
	done
	sleep "$after"
	kill -KILL -- "-$pid" 2>/dev/null || true
	wait "$pid" || true
}

# small: the first few thousand variants, in $VCF
small() {
	export VCF=$PWD/vcf/chr20.vcf.gz
	mkdir vcf
	zcat "$TOP/examples/chr20.vcf.gz" | sed 7000q | gzip -1 >"$VCF"
}

# interrupted T [MAKE-OPTION...]: until a make is left alone long enough
interrupted() {
	local t=$1 after n=0 unfinished=0
	shift
	export -f pipeline
	for after in 0 0 0 0 0.03 0.06 0.1 0.15 0.2 0.25 0.3 0.4 0.5 0.7 1; do
		killed "chr20-$t.run" "$after" bash -c 'pipeline "$@"' bash "$t" chr20.tsv "$@"
		if [ -e "chr20-$t.run/complete.yaml" ]; then
			vsim-verify "chr20-$t.run"
			[ "$unfinished" = 0 ] || break
			# it had ended before the first look
			rm -r "chr20-$t.run"
		fi
		[ ! -e "chr20-$t.run" ] || unfinished=$((unfinished + 1))
	done
	[ "$unfinished" -gt 0 ] || complain "no run was killed on its way"
	# ranks that lost their launcher may need a moment to go
	until pipeline "$t" chr20.tsv "$@" 2>words; do
		grep -q 'another run writes here' words && ((n++ < 50)) ||
			complain "$(cat words)"
		sleep 0.1
	done
}

# bats test_tags=long
@test "pipeline.mk: a run killed at any moment is resumed" {
	small
	pipeline 0.7
	digest=$(content chr20.res.h5)
	rm -r chr20.* chr20-*
	slow --no-prune -j 1 --tile 700 --commit-every 0
	interrupted 0.7
	[ "$(content chr20.res.h5)" = "$digest" ]
	vsim-verify chr20-0.7.run
}

# bats test_tags=long
@test "pipeline.mk: so is one on several ranks" {
	requires mpi 2
	small
	pipeline 0.7
	digest=$(content chr20.res.h5)
	rm -r chr20.* chr20-*
	slow --no-prune -j 1 --tile 700 --commit-every 0
	interrupted 0.7 \
		RANKS="$TOP/tests/ranks 2"
	[ "$(content chr20.res.h5)" = "$digest" ]
	vsim-verify chr20-0.7.run
}

# bats test_tags=install
@test "clusters.sh: exit codes, a result of no records, a reader that leaves" {
	requires cmd mcl
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" -o x.vec.h5
	path 0.75 2
	vsim-threshold --max 0.1 -o none.res.h5 e.res.h5
	"$TOP/examples/clusters.sh" e.res.h5 >clusters.tsv
	[ "$(wc -l <clusters.tsv)" -gt 10 ]
	[ -z "$("$TOP/examples/clusters.sh" none.res.h5)" ]
	[ "$("$TOP/examples/clusters.sh" e.res.h5 2>&1 | sed 1q)" = \
		"$(sed 1q clusters.tsv)" ]
	run -2 "$TOP/examples/clusters.sh"
	[[ $output == "clusters.sh: usage: "* ]]
	run -3 "$TOP/examples/clusters.sh" absent.res.h5
	[ "$output" = 'vsim-view: absent.res.h5: cannot open: No such file or directory' ]
	run -0 bash -o pipefail -c '"$@" | :' bash "$TOP/examples/clusters.sh" e.res.h5
	[ -z "$output" ]
	run -4 bash -c '"$@" >/dev/full' bash "$TOP/examples/clusters.sh" e.res.h5
	[ "${lines[-1]}" = 'clusters.sh: cannot write' ]
	# mcl that fails half-way
	mkdir -p bad
	printf '#!/bin/sh\nread x; echo words >&2; exit 3\n' >bad/mcl
	chmod +x bad/mcl
	PATH=$PWD/bad:$PATH run -4 "$TOP/examples/clusters.sh" e.res.h5
	[ "$output" = 'words
clusters.sh: mcl failed' ]
	mkdir few
	for f in sh mktemp rm cat vsim-view; do
		ln -s "$(command -v $f)" few/
	done
	PATH=$PWD/few run -4 "$TOP/examples/clusters.sh" e.res.h5
	[ "$output" = 'clusters.sh: no program mcl: on Debian and Ubuntu it is the package mcl' ]
}

# bats test_tags=install
@test "edges.py: exit codes, triples, a reader that leaves, h5py absent" {
	local edges="$TOP/examples/edges.py"
	requires python h5py
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --maf 0.05 -o x.vec.h5
	path 0.7 2
	id=$(vsim-view --no-header -c id1 e.res.h5 | sed -n 1p)
	"$PYTHON" "$edges" e.res.h5 "$id" >partners
	diff <(sort partners) <(vsim-view --no-header -c id1,id2,cell,value \
		e.res.h5 | awk -v me="$id" '
		{ cell = ($3 > 1 ? 1 : 0) ($3 % 2) }
		$1 == me { print $2, cell, $4 }
		$2 == me { print $1, cell, $4 }' | sort)
	run bash -o pipefail -c '"$@" | :' bash "$PYTHON" "$edges" e.res.h5 "$id"
	[ "$status" = 0 ] && [ -z "$output" ]
	run -4 bash -c '"$@" >/dev/full' bash "$PYTHON" "$edges" e.res.h5 "$id"
	[ "$output" = 'edges.py: cannot write: No space left on device' ]
	run -2 "$PYTHON" "$edges" e.res.h5
	[ "$output" = 'edges.py: usage: edges.py EDGES.res.h5 ID' ]
	run -3 "$PYTHON" "$edges" e.res.h5 nobody
	[ "$output" = 'edges.py: e.res.h5: no record contains nobody' ]
	run -3 "$PYTHON" "$edges" x.vec.h5 "$id"
	run -3 "$PYTHON" "$edges" absent.res.h5 "$id"
	[ "${#lines[@]}" = 1 ]
	mkdir -p hidden
	echo 'raise ModuleNotFoundError("no", name="h5py")' >hidden/h5py.py
	PYTHONPATH=$PWD/hidden run -4 "$PYTHON" "$edges" e.res.h5 "$id"
	[ "$output" = 'edges.py: no module h5py: on Debian and Ubuntu it is in the package python3-h5py' ]
	path 0.5 3
	id=$(vsim-view --no-header -c id2 e.res.h5 | sed -n 1p)
	[ "$("$PYTHON" "$edges" e.res.h5 "$id" | wc -l)" = \
		"$(vsim-view --no-header -c id1,id2,id3 e.res.h5 | grep -cw "$id")" ]
}

# bats test_tags=install
@test "soak.sh: all kernels agree" {
	run --separate-stderr "$TOP/examples/soak.sh" 1 5
	[ "$status" = 0 ] || complain "$stderr"
	[[ $output =~ ^[1-9][0-9]*\ runs,\ all\ equal$ ]]
	[[ $stderr = *'time for only '* ]]
}

# bats test_tags=long
@test "soak.sh: a device with a wrong value is named" {
	# of these metrics the greatest of the strongest values is the threshold
	local lower
	lower=$(cd "$TOP/libcore/metric" && grep -l 'lower = true' ./*.h |
		sed 's#\./##; s/\.h$//' | sort | xargs)
	[ "$lower" = "$(sed -n 's/^\t\(.*\)) threshold=.*tail.*/\1/p' \
		"$TOP/examples/soak.sh" | tr -d '|' | xargs -n1 | sort | xargs)" ]
	# one bit of one value ends it, on a machine of any load
	simulate seed=1,wrong=1
	run --separate-stderr "$TOP/examples/soak.sh" 3000 5
	[ "$status" = 1 ] || complain "$status: $stderr"
	[[ $stderr =~ ^soak.sh:\ --backend\ cuda.*,\ ccc\ of\ 2\ vectors,.*seed\ 5: ]] ||
		complain "$stderr"
}

# bats test_tags=long
@test "soak.sh: many kinds of vectors and metrics" {
	run --separate-stderr "$TOP/examples/soak.sh" 100 6
	[ "$status" = 0 ] || complain "$stderr"
}

# made KIND good|bad: lines "name input", of examples/to_bed.py
made() {
	local f
	for f in "$TOP/tests/data/to_bed/$1/$2"/*.{txt,dsc}; do
		[ ! -e "$f" ] || echo "$(basename "${f%.*}") $f"
	done
}

# bats test_tags=long
@test "to_bed.py: what vsim-pack once read is packed the same, and bad input refused" {
	requires python numpy h5py
	local kind name f to_bed="$TOP/examples/to_bed.py" n=0
	for kind in gametes hiperbio; do
		while read -r name f; do
			"$PYTHON" "$to_bed" $kind "$f" x
			vsim-pack -f --bfile x --label a1 -o x.vec.h5
			"$PYTHON" "$TOP/tests/vecdump.py" --source x.vec.h5
			# an unknown chromosome is 0 in a .bim
			sed -i 's/^0\t/\t/' x.vec.h5.txt
			diff "${f%.*}.want" x.vec.h5.txt
			n=$((n + 1))
		done < <(made $kind good)
		while read -r name f; do
			run -3 "$PYTHON" "$to_bed" $kind "$f" bad
			[[ $output =~ ^to_bed.py:\ .*$(cat "${f%.*}.says") ]] ||
				complain "$output"
			[ ! -e bad.bed ]
			n=$((n + 1))
		done < <(made $kind bad)
	done
	[ $n = 25 ] || complain $n
	# controls first, or by Class
	"$PYTHON" "$to_bed" gametes \
		"$TOP/tests/data/to_bed/gametes/good/three-samples.txt" x
	[ "$(cut -d' ' -f2,6 x.fam | xargs)" = "s1 2 s2 1 s3 2" ]
	run -2 "$PYTHON" "$to_bed" gametes x
	[[ $output = 'to_bed.py: usage: to_bed.py gametes|hiperbio FILE PREFIX' ]]
}

# bats test_tags=long
@test "to_bed.py: calls and classes of many samples are those of a .tped" {
	requires python numpy h5py
	"$PYTHON" - <<-'PY'
	import numpy as np
	r = np.random.default_rng(5)
	g, n = r.integers(0, 3, (700, 1100)), 1030
	word = np.array(["1 1", "1 2", "2 2"])
	with open("t.tped", "w") as o:
	    for k, row in enumerate(g):
	        print(1, f"v{k + 1}", 0, k + 1, *word[row], file=o)
	with open("t.tfam", "w") as o:
	    for q in range(1100):
	        print("F", f"s{q + 1}", 0, 0, 0, 1 + (q >= n), file=o)
	with open("g.txt", "w") as o:
	    print(*(f"v{k + 1}" for k in range(700)), "Class", sep="\t", file=o)
	    for q in range(1100):
	        print(*g[:, q], int(q >= n), sep="\t", file=o)
	with open("h.txt", "w") as o:
	    print(700, "h0.bin", n, "h1.bin", 1100 - n, sep="\n", file=o)
	for c, x in enumerate((g[:, :n], g[:, n:])):
	    b = np.stack([x == 0, x == 1], 1)
	    b = np.pad(b, ((0, 0), (0, 0), (0, -b.shape[2] % 1024)))
	    np.packbits(b, axis=2).reshape(-1, 4)[:, ::-1].tofile(f"h{c}.bin")
	PY
	vsim-pack --tped t --label minor -o t.vec.h5
	gzip <g.txt | zcat | "$PYTHON" "$TOP/examples/to_bed.py" gametes - g
	"$PYTHON" "$TOP/examples/to_bed.py" hiperbio h.txt h
	vsim-pack --bfile g -o g.vec.h5
	vsim-pack --bfile h -o h.vec.h5
	vsim-verify --compare g.vec.h5 h.vec.h5
	"$PYTHON" - <<-'PY'
	import h5py
	t, g, h = (h5py.File(x + ".vec.h5") for x in "tgh")
	for x in g, h:
	    assert (x["samples/case"][...] == t["samples/case"][...]).all()
	    same = x["vectors/planes"][...] == t["vectors/planes"][...]
	    # where both alleles are as frequent, label 1 may be either
	    assert (~same.all(axis=(1, 2))).sum() <= 20
	assert t["samples/case"][...].sum() == 70
	PY
	vsim-run -m k2 --top 5 -o t t.vec.h5 --merge t.res.h5
	vsim-view -c id1,id2,value t.res.h5 >want
	for x in g h; do
		vsim-run -m k2 --top 5 -o $x $x.vec.h5 --merge $x.res.h5
		vsim-view -c id1,id2,value $x.res.h5 | diff want -
	done
}

# bats test_tags=install
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
