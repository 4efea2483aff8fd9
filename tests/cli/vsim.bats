# SPDX-License-Identifier: BSD-3-Clause
# vsim: verbs, and questions answered by a chain of programs
load ../helpers

# people: x.bed of 60 variants on two chromosomes, cases and controls, x.vcf.gz,
# x.tped; and table.tsv of numbers
people() {
	awk 'BEGIN {
		srand(3)
		for (q = 1; q <= 90; q++)
			print "f" q, "s" q, 0, 0, 1 + q % 2, 1 + (rand() < 0.5) >"x.tfam"
		for (v = 1; v <= 60; v++) {
			p = 0.2 + 0.5 * rand()
			line = (v > 30) + 1 " v" v " 0 " v * 90000
			for (q = 1; q <= 90; q++) {
				if (v == 1 || v == 31 || rand() < 0.2)
					g[q] = (rand() < p) + (rand() < p)
				line = line (rand() < 0.02 ? " 0 0" : g[q] == 0 ? " A A" : \
					g[q] == 1 ? " A C" : " C C")
			}
			print line >"x.tped"
		}
		print "id\ta\tb\tc\td\te" >"table.tsv"
		for (v = 1; v <= 20; v++)
			printf "r%d\t%.3f\t%.3f\t%.3f\t%.3f\t%.3f\n", v, rand(), rand(),
				rand(), rand(), rand() >"table.tsv"
	}'
}

# digest of the records of a table, in any order
records() {
	tail -n +2 "$1" | sort | md5sum
}

@test "vsim: alone it lists the verbs, and runs the program of each" {
	local v
	run -0 --separate-stderr vsim
	[ -z "$stderr" ] && [ "$(wc -l <<<"$output")" -le 24 ]
	[[ $output == *$'\n  ld  '* && $output == *$'\n  merge  '* ]]
	[ "$(vsim help)" = "$output" ]
	for v in "$VSIM_BUILD"/vsim-*; do
		v=${v##*/vsim-}
		[[ $v =~ ^[a-z]+$ ]] || continue
		grep -q "^  $v " <<<"$output" || complain "no verb $v"
		[ "$(vsim "$v" --version)" = "$("vsim-$v" --version)" ]
	done
	refuses 2 'nosuch: no such verb; vsim alone lists them$' vsim nosuch
	refuses 2 'corelate: no such verb; did you mean correlate[?]$' vsim corelate x
	refuses 2 'LD: no such verb; did you mean ld[?]$' vsim LD x
	[ "$(vsim vsim-view --version)" = "$(vsim-view --version)" ]
	[ "$(vsim ld --version)" = "$(vsim --version)" ]
	refuses 2 'no page nosuch; ' vsim help nosuch
	mkdir bare
	refuses 4 'cannot run man: .*; install man-db, or see --help$' \
		env PATH="$PWD/bare" "$VSIM_BUILD/vsim" help ld
	mkdir dir
	refuses 3 'dir: is a directory' vsim ld dir
	refuses 2 'use --window N --step N --r2 X' \
		vsim prune x.bed --indep-pairwise 50 5 0.2
	for v in ld prune epistasis correlate; do
		[ "$(vsim $v -h | wc -L)" -le 80 ] || complain "vsim $v -h is wide"
	done
	refuses 3 'No such file' vsim run -m r2 -t 0.5 -o run nosuch.vec.h5
}

# bats test_tags=long
@test "vsim ld: the records of the programs one by one, whatever the input" {
	local in with
	people
	vsim-pack --tped x -o x.vec.h5
	vsim-run -m r2 -t 0.299999 --max-kb 500 -o run --merge e.res.h5 x.vec.h5
	vsim-view -c id1,chrom1,pos1,id2,chrom2,pos2,value e.res.h5 >want
	[ "$(wc -l <want)" -gt 20 ]
	awk 'NR == FNR { s = s "\t" $2; next } FNR == 1 {
		print "##fileformat=VCFv4.2"
		print "#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT" s } {
		line = $1 "\t" $4 "\t" $2 "\tA\tC\t.\t.\t.\tGT"
		for (k = 5; k < NF; k += 2)
			line = line "\t" ($k == 0 ? "./." : ($k == "C") "/" ($(k + 1) == "C"))
		print line }' x.tfam x.tped >v.vcf
	gzip -k v.vcf
	cp v.vcf.gz named-anyhow
	for in in x x.tped x.vec.h5 v.vcf v.vcf.gz named-anyhow; do
		vsim ld "$in" --min-r2 0.3 --window-kb=500 >out 2>said ||
			complain "$in: $(cat said)"
		[ "$(records out)" = "$(records want)" ] || complain "$in"
	done
	vsim ld <(cat v.vcf) --min-r2 0.3 --window-kb 500 >piped
	vsim ld - --min-r2 0.3 --window-kb 500 <v.vcf | tee out >out.vcf
	cmp out piped
	[ "$(records out)" = "$(records want)" ]
	# a text table is said to be one, and can be stated
	awk '{ line = $2; for (k = 5; k < NF; k += 2)
		line = line "\t" ($k == 0 ? "NA" : ($k == "C") + ($(k + 1) == "C"))
		print line }' x.tped >t.txt
	vsim ld t.txt --min-r2 0.3 --window-kb all --columns id1,id2 >out 2>said
	grep -q 't.txt: read as a table of genotypes 0, 1 and 2; --matrix' said
	[ "$(wc -l <out)" -gt 20 ]
	vsim ld --tsv t.txt --header no --min-r2 0.3 --window-kb all >out 2>said
	[ -z "$(cat said)" ] && [ "$(wc -l <out)" -gt 20 ]
	refuses 2 'one input too many' vsim ld --tsv t.txt x
	vsim ld --min-r2 0.3 --window-kb 500 -- v.vcf | cmp out.vcf -
	refuses 2 '^vsim: -v.vcf: write ./-v.vcf$' vsim ld -- -v.vcf
	# one program does it, or with an option of another the three
	vsim ld x --min-r2 0.3 --window-kb 500 -v -j 1 -f --to ld >a.ld 2>said
	[ "$(grep -c '^vsim: vsim-run .* -o - x$' said)" = 1 ]
	[ "$(grep -c '^vsim: vsim-' said)" = 1 ]
	vsim-view --to ld e.res.h5 | diff - a.ld
	# an option that names the input does not add a third
	for with in "--tped x" "--vcf v.vcf.gz" "--vcf -"; do
		# shellcheck disable=SC2086
		vsim ld $with -v --min-r2 0.3 --window-kb 500 >out 2>said <v.vcf
		[ "$(grep -c '^vsim: vsim-' said)" = 1 ] || complain "$with"
		[ "$(records out)" = "$(records want)" ] || complain "$with"
	done
	for with in "x --label given" "x --sort value" "x --to graphml" \
		"--tsv t.txt --window-kb all"; do
		# shellcheck disable=SC2086
		vsim ld $with -v --min-r2 0.3 >out 2>said
		[ "$(grep -c '^vsim: vsim-' said)" = 3 ] || complain "$with"
		[ "$(wc -l <out)" -gt 20 ] || complain "$with"
	done
	vsim ld x --min-r2 0.3 --maf 0.2 --max-missing 0.1 -v >out 2>said
	[ "$(grep -c '^vsim: vsim-' said)" = 1 ]
	vsim ld x --min-r2 0.3 --maf 0.2 --max-missing 0.1 --label given >want
	cmp want out
	# -o names the table, which is made by the last program
	vsim ld x --min-r2 0.3 --window-kb 500 >want
	vsim ld x --min-r2 0.3 --window-kb 500 -o a.tsv -v 2>said
	[ "$(grep -c '^vsim: vsim-' said)" = 1 ]
	cmp want a.tsv
	refuses 2 'a.tsv: exists already; -f replaces it' vsim ld x -o a.tsv
	refuses 2 '^vsim: a.tsv: exists already; -f replaces it' \
		vsim ld --tsv t.txt -o a.tsv
	vsim ld x --min-r2 0.3 --window-kb 500 --label minor -f -o a.tsv | cmp - /dev/null
	cmp want a.tsv
	# a least value counts itself
	r2=$(vsim-view --no-header -c value e.res.h5 | sort -g | tail -n 1)
	[ "$(vsim ld x --min-r2 "$r2" | wc -l)" -ge 2 ]
}

@test "vsim ld: what vsim-plink(7) has in place of PLINK's commands" {
	requires cmd plink1.9
	people
	# a constant variant, and one that is constant where v1 is called
	awk 'NR == 1 { missing = $0; sub(/^1 v1 /, "1 rare ", missing) }
		{ print }
		END {
			$2 = "same"
			for (k = 5; k <= NF; k++)
				$k = "A"
			print
			n = split(missing, g)
			for (k = 5; k < n; k += 2)
				$k = $(k + 1) = g[k] == 0 ? "C" : "A"
			$2 = "rare"
			print
		}' x.tped >more.tped
	mv more.tped x.tped
	plink1.9 --tfile x --allow-no-sex --make-bed --out x >/dev/null
	# like FLAGS OF PLINK -- OPTIONS: as many pairs, of the same variants
	like() {
		local flags=()
		for (( ; $# > 0; )); do
			[ "$1" != -- ] || break
			flags+=("$1")
			shift
		done
		shift
		plink1.9 --bfile x --allow-no-sex --r2 "${flags[@]}" --out p >/dev/null
		vsim ld x.bed "$@" --columns id1,id2 | tail -n +2 | sort >ours
		tail -n +2 p.ld | awk '{ print $3 "\t" $6 }' | sort | diff - ours ||
			complain "${flags[*]}"
		[ -s ours ]
	}
	like -- --max-sites 9
	like --ld-window-kb 500 --ld-window 999999 --ld-window-r2 0.3 -- \
		--window-kb 500 --min-r2 0.3
	like inter-chr --ld-window-r2 0.1 -- --window-kb all --min-r2 0.1
	like --ld-window 5 --maf 0.3 -- --max-sites 4 --maf 0.3
	# an undefined r2 makes no pair, in one program or in the chain
	like inter-chr --ld-window-r2 0 -- --window-kb all --min-r2 0
	like inter-chr --ld-window-r2 0 -- --window-kb all --min-r2 0 --sort value
	like inter-chr --ld-window-r2 0 -- --window-kb all -t -1
	[ "$(vsim ld x.bed --window-kb all --min-r2 0 --undefined NA |
		awk '$7 == "NA" && $1 == "v1" && $4 == "rare"' | wc -l)" = 1 ]
	vsim ld x.bed --window-kb all --min-r2 0 -v >out 2>said
	n=$((62 * 61 / 2 - $(wc -l <out) + 1))
	grep -x "vsim-run: omitted $n records of 0/0" said
	vsim ld x.bed --window-kb all --min-r2 0 --to matrix | grep -q NA
	refuses 2 '--undefined NA cannot be combined with --to ld' \
		vsim-run -m r2 -t -1 --undefined NA --to ld -o - x.bed
	refuses 2 '--undefined requires --to' \
		vsim-run -m r2 -t -1 --undefined NA -o run x.vec.h5
}

# bats test_tags=long
@test "vsim ld: the pairs and values of PLINK on chromosome 20" {
	requires cmd plink1.9
	local limits r2 kb
	plink1.9 --vcf "$TOP/examples/chr20.vcf.gz" --double-id --make-bed \
		--out c >/dev/null
	for limits in "0 10" "0.2 100" "0.5 1000"; do
		read -r r2 kb <<<"$limits"
		plink1.9 --bfile c --r2 --ld-window 999999 --ld-window-kb "$kb" \
			--ld-window-r2 "$r2" --out p >/dev/null
		vsim ld c.bed --min-r2 "$r2" --window-kb "$kb" \
			-c id1,id2,value --no-header >ours
		awk 'NR > 1 { print $3, $6, $7 }' p.ld | paste -d ' ' - ours |
			awk '{ d = ($3 - $6) / ($3 + 1e-300) }
				$1 != $4 || $2 != $5 || d > 1e-5 || d < -1e-5 {
					print; bad = 1 }
				END { exit bad || NR < 100000 }' ||
			complain "$limits"
	done
}

# every program has -f, -j and -v, so vsim need not ask for its options
@test "vsim: starts no program before the one that does the work" {
	local p
	people
	mkdir bin
	ln -s "$VSIM_BUILD"/vsim* bin
	cp --remove-destination "$VSIM_BUILD/vsim" bin
	for p in pack run threshold view; do
		"vsim-$p" --list-options | cut -f1-3 | grep -Pc '^(f\tforce\t|j\tthreads\t#|v\tverbose\t)$' >n
		[ "$(<n)" = 3 ] || complain "vsim-$p: $(<n) of 3 options"
		rm "bin/vsim-$p"
		printf '%s\n' '#!/bin/sh' "echo $p \"\$*\" >>$PWD/calls" \
			"exec $VSIM_BUILD/vsim-$p \"\$@\"" >"bin/vsim-$p"
		chmod +x "bin/vsim-$p"
	done
	bin/vsim prune x -f --threads=1 -v --out a 2>said
	bin/vsim ld x --force -j 1 >a.tsv
	[ "$(cut -d' ' -f1 calls | paste -sd' ')" = 'threshold run' ] ||
		complain "$(<calls)"
	bin/vsim ld x --no-host --label minor -j 1 | cmp - a.tsv
	grep -q 'view --list-options' calls
}

@test "vsim prune, epistasis, correlate: as the programs one by one" {
	people
	vsim-pack --tped x -o x.vec.h5
	vsim-threshold --prune a --window 20 --step 2 --above 0.3 x.vec.h5
	vsim prune --window 20 --step 2 --r2 0.3 --out b x
	cmp a.prune.in b.prune.in
	cmp a.prune.out b.prune.out
	refuses 2 'exists already' vsim prune --out b x
	vsim prune -f -v --threads 1 --window 20 --step 2 --r2 0.3 --out b x 2>said
	[ "$(grep -c '^vsim: vsim-' said)" = 1 ]
	vsim-run -m inter --top 7 --min-kb 900 -o run --merge e.res.h5 x.vec.h5
	vsim-view --sort value -c id1,chrom1,pos1,id2,chrom2,pos2,value,inter_p \
		e.res.h5 >want
	vsim epistasis x --top 7 --min-kb 900 | diff want -
	vsim epistasis x --top 3 --triples --permutations 3 >out
	[ "$(wc -l <out)" = 4 ]
	vsim-run -f -m inter -w 3 --top 3 --permutations 3 -o run --merge e.res.h5 x.vec.h5
	vsim-view --sort value -c "$(head -n 1 out | tr '\t' ,)" e.res.h5 | diff out -
	[ "$(head -n 1 out | tr '\t' ,)" = "id1,chrom1,pos1,id2,chrom2,pos2,id3,\
chrom3,pos3,value,inter_p,p_permuted,p_family" ]
	vsim-pack --matrix table.tsv --normalize rank -o t.vec.h5 2>said
	vsim-run -f -m r -t 0.6999 -o run --merge t.res.h5 t.vec.h5
	vsim-view --sort value -c id1,id2,value t.res.h5 >want
	[ "$(wc -l <want)" -gt 3 ]
	vsim correlate table.tsv --min 0.7 --spearman 2>said | diff want -
	vsim correlate --min 0.7 --spearman - <table.tsv | diff want -
	vsim correlate table.tsv --min 0.7 --spearman -o edges.tsv 2>said
	diff want edges.tsv
	vsim-pack --matrix table.tsv -fo t.vec.h5 2>said
	vsim correlate t.vec.h5 --min 0.7 --spearman | diff want -
	vsim correlate t.vec.h5 --min 0.7 --metric spearman | diff want -
	vsim correlate -v t.vec.h5 --spearman 2>said >out
	grep -q ' -m spearman ' said && ! grep -q ' -m r ' said
	vsim correlate t.vec.h5 --threshold 0.6999 -m spearman | diff want -
	# an option of a program overrides the recipe's default
	vsim ld x --min-r2 0.4 --window-kb 200 >want
	[ "$(wc -l <want)" -lt "$(vsim ld x | wc -l)" ]
	vsim ld x -t 0.3999999999999999 --max-kb 200 | diff want -
	# other options do not take "all"
	vsim prune --window 20 --step 2 --r2 0.3 --out all x
	cmp a.prune.in all.prune.in
	# none is an answer, too
	[ "$(vsim ld x --min-r2 1 --window-kb 1 | wc -l)" = 1 ]
}

@test "vsim: wrong words are refused, and no directory is left behind" {
	people
	mkdir tmp
	export TMPDIR=$PWD/tmp
	refuses 2 'unknown option --nosuch' vsim ld x --nosuch
	refuses 2 'unknown option --ld-window-kb; use --window-kb X' vsim ld --ld-window-kb 9 x
	refuses 2 'use --min-r2 X' vsim ld --ld-window-r2 0.2 x
	refuses 2 'unknown option --min-r; did you mean --min-r2[?]' vsim ld --min-r 1 x
	refuses 2 'unknown option --out; use -o$' vsim ld --out pairs x
	for v in -min-r2 -maf; do
		refuses 2 "unknown option $v; did you mean -$v[?]\$" vsim ld x $v 0.3
	done
	refuses 2 '-j4: write options of one letter apart, as -j 4$' vsim ld x -j4
	refuses 2 'use --permutations N$' vsim epistasis --mperm 99 x
	refuses 2 'use -m inter, which is the default$' \
		vsim epistasis --fast-epistasis boost x
	refuses 2 'use --window N ' vsim prune --indep-pairwise 50 5 0.2 x
	refuses 2 'use --metric NAME' vsim correlate --method spearman x
	refuses 2 '--spearman cannot be combined with --metric' \
		vsim correlate --metric cosine --spearman x
	vsim-pack --synthetic random --vectors 9 --fields 9 -o g.vec.h5
	refuses 2 'g.vec.h5: is a vectors file already, and --maf is for vsim-pack' \
		vsim epistasis -v --maf 0.1 g.vec.h5
	refuses 2 'g.vec.h5: is a vectors file already, and --transpose is for vsim-pack' \
		vsim correlate --transpose g.vec.h5
	refuses 3 'is a URL, not a file; try: curl -s https://x/y.vcf | vsim ld -$' \
		vsim ld https://x/y.vcf
	refuses 3 's3://x/y.vcf: is a URL, not a file; copy it here first$' \
		vsim ld s3://x/y.vcf
	xz -c x.tfam >x.vcf.xz
	printf '1 rs1 100 A G 1 0 0\n' >x.gen
	refuses 3 'plink2 --gen x.gen ref-first --sample FILE --make-bed' vsim ld x.gen
	refuses 3 'is packed by xz; try: xz -dc x.vcf.xz | vsim ld -$' vsim ld x.vcf.xz
	# messages name the file that was given, not one of the chain
	awk '{ $6 = -9 } 1' x.tfam >y.tfam
	cp x.tped y.tped
	refuses 3 "^vsim-run: y.tped: has no case/control status; .*--pheno FILE" \
		vsim epistasis y.tped
	refuses 3 '^vsim-run: standard input: has no case/control status' \
		vsim epistasis --tsv - \
		< <(printf 'id\ta\tb\tc\nv\t0\t1\t2\nw\t1\t0\t2\n')
	refuses 2 'no input' vsim ld --maf 0.05
	refuses 2 'one input too many' vsim ld x y
	refuses 2 'requires an argument' vsim ld x --min-r2
	refuses 2 'requires an argument' vsim ld x --maf
	refuses 2 '--min-r2 1.5: nothing can pass: r2 of pairs is at most 1$' \
		vsim ld x --min-r2 1.5
	refuses 2 '--min-r2 80: nothing can pass: .* did you mean 0.8[?]$' \
		vsim ld x --min-r2 80
	refuses 2 '--r2 1: nothing can pass' vsim prune x --r2 1
	refuses 2 '--min 2: nothing can pass: jaccard of pairs' \
		vsim correlate --metric jaccard --min 2 x
	refuses 2 '--min 80: nothing can pass: r of pairs' \
		vsim correlate --metric Pearson --min 80 x
	refuses 2 '--min-r2 strong: not a number$' vsim ld x --min-r2 strong
	refuses 2 '--min-r2 0,8: not a number; did you mean 0.8[?]$' \
		vsim ld x --min-r2 0,8
	refuses 3 'no such file' vsim ld nosuch
	refuses 2 'maf' vsim ld x --maf 2
	TMPDIR=$PWD/none refuses 4 'TMPDIR names another place' \
		vsim epistasis x
	[ -z "$(ls tmp)" ]
	# it ends by the signal that it got, and names no directory of its own
	for signal in TERM:143 HUP:129 INT:130; do
		env --default-signal=INT vsim epistasis x --permutations 100000 \
			--top 5 >out 2>said &
		until [ -n "$(ls tmp)" ]; do sleep 0.05; done
		sleep 0.3
		kill -"${signal%:*}" $!
		code=0
		wait $! || code=$?
		[ "$code" = "${signal#*:}" ]
		[ -z "$(ls tmp)" ]
		! grep resume said
	done
}
