# SPDX-License-Identifier: BSD-3-Clause
# vsim-view: records and vectors as text
load ../helpers
load view

# bats test_tags=install
@test "view: every record of the definition, to the last digit" {
	made 40 50 0.2 missing
	want=$("$PYTHON" "$ORACLE" edges x.vec.h5 0.2)
	[ "$(vsim-view --no-header -c i,j,a,b,num,n,value e.res.h5)" = "$want" ]
	[ "$(vsim-view --no-header -c i,j,a,b,num,n,value \
		run/shard-00000.shard.h5 | sort -n -k1,1 -k2,2 -k3,3 -k4,4)" = \
		"$want" ]
	[ "$(vsim-view e.res.h5 | head -n 1)" = \
		"id1	allele1	id2	allele2	value" ]
}

@test "view: the first line has no #, unless --header-prefix asks for it" {
	made 20 30 0.2
	vsim-view -c id1,value e.res.h5 >plain
	vsim-view -c id1,value --header-prefix '#' e.res.h5 >marked
	[ "$(head -c 3 plain)" = id1 ]
	sed '1s/^/#/' plain | cmp - marked
	[ "$(vsim-view --header-prefix '# ' x.vec.h5 | head -n 1 | cut -f1)" = \
		"# id" ]
	# either is a list: no vector is called id1
	local list
	for list in plain marked; do
		run -0 --separate-stderr vsim-threshold --keep $list -o k.res.h5 -f \
			e.res.h5
		[ -z "$stderr" ]
		vsim-view k.res.h5 >$list.kept
	done
	cmp plain.kept marked.kept
	[ "$(wc -l <plain.kept)" -gt 2 ]
	refuses 2 '--header-prefix cannot be combined with --to csv' \
		vsim-view --to csv --header-prefix x e.res.h5
	requires cmd Rscript
	echo 'a <- read.table("plain", header = TRUE); cat(names(a), nrow(a))' >r
	[ "$(Rscript --vanilla r)" = "id1 value $(($(wc -l <plain) - 1))" ]
}

# bats test_tags=long
@test "view: any threads print the same lines, in order" {
	vsim-pack --synthetic random --vectors 500 --fields 40 -o x.vec.h5
	vsim-run -t 0 --tile 60 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	for f in e.res.h5 run/shard-00000.shard.h5; do
		vsim-view -j 1 -c i,j,a,b,value "$f" >one
		[ "$(wc -l <one)" -gt 300000 ]
		for n in 2 5; do
			vsim-view -j $n -c i,j,a,b,value "$f" | cmp one -
		done
		vsim-view -j 3 -f -c i,j,a,b,value -o file "$f"
		cmp one file
	done
	vsim-view -j 3 --no-header -c i,j,a,b,value e.res.h5 |
		sort -c -k1,1n -k2,2n
	vsim-view -j 1 --to abc -i v40,v41 e.res.h5 >one
	vsim-view -j 4 --to abc -i v40,v41 e.res.h5 | cmp one -
	# names, which are kept from one line to the next, are those of the ends
	vsim-view -j 2 --no-header -c i,j,a,b,id1,allele1,id2,allele2,freq2,id1 \
		e.res.h5 >names
	vsim-view --no-header -c i,freq1 x.vec.h5 >freq
	awk 'NR == FNR { freq[$1] = $2; next }
		$5 != "v" $1 + 1 || $6 != $3 || $7 != "v" $2 + 1 ||
			$8 != $4 || $10 != $5 ||
			($4 ? $9 != freq[$2] : ($9 + freq[$2] - 1) ^ 2 > 1e-20) {
			print
			bad = 1
			exit
		}
		END { exit bad }' freq names
	# lines that nobody reads are not printed
	[ "$(vsim-view -j 2 e.res.h5 | head -n 3 | wc -l)" = 3 ]
}

@test "view: n is the number of samples where none is missing" {
	made 20 50 0.2
	vsim-view -H e.res.h5 | grep -q '^#has_nvalid: no'
	[ "$(vsim-view --no-header -c n e.res.h5 | sort -u)" = 50 ]
}

@test "view: f32 values are as short as their bits allow" {
	made 40 50 0.2
	vsim-run --value f32 -t 0.2 -o run32 x.vec.h5
	vsim-merge -o f.res.h5 run32
	vsim-view --no-header -c value f.res.h5 >said
	"$PYTHON" - <<-'END'
		import h5py, numpy as np
		v = h5py.File("f.res.h5")["records/value"][:]
		said = open("said").read().split()
		assert len(said) == len(v) > 0
		for a, b in zip(v, said):
		    assert np.float32(b) == a and len(b) <= 11, (a, b)
	END
}

# bats test_tags=install
@test "view: each column, by hand" {
	places
	row=$(vsim-view -c \
		i,j,a,b,cell,num,n,value,id1,chrom1,pos1,allele1,freq1,id2,chrom2,pos2,allele2,freq2 \
		p.res.h5 | awk '$1 == 1 && $2 == 4 && $5 == 2')
	# rs2 (0 1 2 NA) T with the deletion's (2 1 0 1) TA: 0*0 + 1*1 + 2*2 = 5
	# of 12 in 3 samples; f(T) = 3/6, f(TA) = 4/8:
	# 9/2 * 5/12 * (1 - 2/3 * 1/2)^2 = 5/6
	[ "$row" = "1	4	1	0	2	5	3	0.8333333333333334	rs2	2	200	T	0.5	10:300:TA:T	10	300	TA	0.5" ]
}

@test "view: a permuted run shows the same lines; --file-order its own rows" {
	made 40 50 0.3 missing
	vsim-permute --order random --seed 9 -o r.vec.h5 x.vec.h5
	vsim-run -t 0.3 -o run.r r.vec.h5
	vsim-merge -o r.res.h5 run.r
	all=i,j,a,b,cell,num,n,value,id1,allele1,freq1,id2,allele2,freq2
	[ "$(vsim-view -c $all e.res.h5 | sort)" = \
		"$(vsim-view -c $all r.res.h5 | sort)" ]
	[ "$(vsim-view -c $all e.res.h5 | sort)" = \
		"$(vsim-view -c $all run.r/*.shard.h5 | sort)" ]
	[ "$(vsim-view --file-order --no-header -c i,j,a,b,num,n,value r.res.h5)" \
		= "$("$PYTHON" "$ORACLE" edges r.vec.h5 0.3)" ]
	# the names go with the rows of the file then
	vsim-view --file-order -c i,id1 r.res.h5 | tail -n +2 | sort -u >of
	vsim-view --file-order -c i,id r.vec.h5 | tail -n +2 >all
	[ -z "$(comm -23 of <(sort all))" ]
}

@test "view --id: one end, both ends, a list, a name that occurs twice" {
	places
	[ "$(pairs -i rs1)" = "0 1 0 2 0 3 0 4 0 5" ]
	[ "$(pairs -i rs2)" = "0 1 1 2 1 3 1 4 1 5" ]
	[ "$(pairs -i h)" = "0 5 1 5 2 5 3 5 4 5" ]
	[ "$(pairs -i dup --both)" = "2 3" ]
	[ "$(pairs -i rs1,h --both)" = "0 5" ]
	printf 'h\n\nrs1 and more\n#dup\n' >list
	[ "$(pairs -i @list --both)" = "0 5" ]
	# the same of a shard, which has no index
	[ "$(vsim-view -i rs2 prun/*.shard.h5 | sort)" = \
		"$(vsim-view -i rs2 p.res.h5 | sort)" ]
	run --separate-stderr vsim-view --no-header -i nobody p.res.h5
	[ "$status" = 0 ] && [ -z "$output" ]
	[ "$stderr" = "vsim-view: p.res.h5: no vector of any record here is called nobody" ]
}

@test "view --region: places and their forms" {
	places
	[ "$(pairs -r 10 --both)" = "3 4" ]
	[ "$(pairs -r 2:100-200 --both)" = "0 1" ]
	[ "$(pairs -r 2:101-201 --both)" = "1 2" ]
	[ "$(pairs -r 2:201- --both)" = "" ]
	[ "$(pairs -r 2:201-,10:300 --both)" = "2 4" ]
	[ "$(pairs -r 2:100)" = "0 1 0 2 0 3 0 4 0 5" ]
	# a contig whose name looks like a region
	[ "$(pairs -r 'HLA:A*01:1-9,2:200' --both)" = "1 5" ]
	[ "$(pairs -r 'HLA:A*01:1-9:5-5')" = "0 5 1 5 2 5 3 5 4 5" ]
	[ "$(pairs -r 10 -i rs1)" = "0 3 0 4" ]
	# thousands separators, in each number and beside other regions
	local word
	sed 's/^10	300	/10	1003000	/; s/^10	/100	/' p.vcf |
		sed 's/ID=10>/ID=100>/' | vsim-pack --vcf - --label alt -o t.vec.h5
	vsim-run -f -t -1 -o trun --merge t.res.h5 t.vec.h5
	for word in 100:1,003,000 100:1,002,999-1,003,001 100:1003000-1,003,000 \
		100:-1,003,000,2:100 100:999,999-,2:1; do
		vsim-view --no-header -r "$word" -c i,j t.res.h5 >got
		vsim-view --no-header -r "$(sed -E \
			':a; s/([0-9]),([0-9]{3})(,|-|$)/\1\2\3/; ta' <<<"$word")" \
			-c i,j t.res.h5 | cmp - got
		[ -s got ]
	done
	vsim-run -f -t -1 --pairs-between 100:1,003,000 2 -o trun --merge b.res.h5 \
		t.vec.h5
	[ "$(vsim-view --no-header -c i,j b.res.h5 | sort -u | wc -l)" = 3 ]
	for word in 2:3,00,000 2:3000,000-3,100,000 2:1,0000 2:1-3,00; do
		refuses 2 'commas before three digits each' \
			vsim-view -r "$word" t.res.h5
	done
	refuses 2 'may be part of a position or chromosome 100' \
		vsim-view -r 2:1,100 t.res.h5
	refuses 2 'not CHROM' vsim-view -r 2:b-c p.res.h5
	refuses 2 'not CHROM' vsim-view -r 2:300-200 p.res.h5
	run --separate-stderr vsim-view --no-header -r chr3:1-9 p.res.h5
	[ "$status" = 0 ] && [[ $stderr == *"is on chr3" ]]
}

@test "view --region, --id: chr before a chromosome's name or not" {
	local how
	places
	[ "$(pairs -r chr10 --both)" = "3 4" ]
	[ "$(pairs -r chr2:201-,Chr10:300 --both)" = "2 4" ]
	quietly vsim-view --no-header -r chr2:1-9 p.res.h5
	vsim-view -v -r chr2:1-9,chr10:5 p.res.h5 2>&1 >/dev/null |
		diff - <(echo 'vsim-view: p.res.h5: names of chromosomes match but for chr before them')
	# a site without an id is called by its place
	[ "$(pairs -i chr10:300:TA:T)" = "$(pairs -i 10:300:TA:T)" ]
	[ -n "$(pairs -i chr10:300:TA:T)" ]
	sed 's/^\(10\|2\)	/chr\1	/' p.vcf |
		vsim-pack --vcf - --label alt -o c.vec.h5
	vsim-run -t -1 -o crun c.vec.h5
	vsim-merge -f -o p.res.h5 crun
	[ "$(pairs -r 10 --both)" = "3 4" ]
	[ "$(pairs -i 10:300:TA:T)" = "0 4 1 4 2 4 3 4 4 5" ]
	# the other programs that take regions and lists
	vsim-run -t -1 --pairs-between 2 10 -o brun c.vec.h5
	vsim-merge -f -o p.res.h5 brun
	[ "$(pairs)" = "0 3 0 4 1 3 1 4 2 3 2 4" ]
	echo 10:300:TA:T >list
	vsim-run -f -t -1 --pairs-between @list 2 -o brun c.vec.h5
	vsim-merge -f -o p.res.h5 brun
	[ "$(pairs)" = "0 4 1 4 2 4" ]
	vsim-threshold --keep list --keep-either -o few crun
	vsim-merge -f -o p.res.h5 few
	[ "$(pairs)" = "0 4 1 4 2 4 3 4 4 5" ]
	vsim-pack --vcf p.vcf --extract <(echo chr10:300:TA:T) -o e.vec.h5
	[ "$(vsim-view --no-header -c id e.vec.h5)" = 10:300:TA:T ]
}

@test "view: a reader that stops early is not a failure" {
	made 300 20 0
	for n in 1 1000; do
		run --separate-stderr bash -c \
			"set -o pipefail; vsim-view e.res.h5 | head -n $n"
		[ "$status" = 0 ] && [ -z "$stderr" ]
		[ "${#lines[@]}" = $n ]
	done
	run --separate-stderr bash -c \
		'vsim-view e.res.h5 | true; echo ${PIPESTATUS[0]}'
	[ "$output" = 0 ] && [ -z "$stderr" ]
	# but a device that is full is one
	if [ -c /dev/full ]; then
		run --separate-stderr bash -c 'vsim-view e.res.h5 >/dev/full'
		[ "$status" = 4 ]
		[[ $stderr == "vsim-view: stdout: cannot write: No space left"* ]]
	fi
}

@test "view: -o writes a complete file or none" {
	made 30 20 0.2
	quietly vsim-view -o e.tsv e.res.h5
	[ "$(cat e.tsv)" = "$(vsim-view e.res.h5)" ]
	[ "$(vsim-view -o - e.res.h5)" = "$(cat e.tsv)" ]
	refuses 2 'e.tsv: exists already; -f' vsim-view -o e.tsv e.res.h5
	quietly vsim-view -f --no-header -o e.tsv e.res.h5
	refuses 4 'x.tsv/such: .*Not a directory' vsim-view -o x.tsv/such e.res.h5
	quietly vsim-view -o new/er/e.tsv e.res.h5
	[ "$(cat new/er/e.tsv)" = "$(vsim-view e.res.h5)" ]
	small_disk disk 4k
	made_more=$(vsim-view e.res.h5 | wc -c)
	[ "$made_more" -gt 4096 ]
	refuses 4 'No space left' vsim-view -o disk/e.tsv e.res.h5
	[ -z "$(ls -A disk)" ]
	gone
}

@test "view: names from the vectors file, moved or not" {
	made 30 20 0.2
	vsim-merge --no-nodes -o n.res.h5 run
	[ "$(vsim-view n.res.h5)" = "$(vsim-view e.res.h5)" ]
	mkdir far
	mv x.vec.h5 far
	refuses 3 'x.vec.h5 not found; use --vectors FILE, or show' \
		vsim-view n.res.h5
	[ "$(vsim-view --vectors far/x.vec.h5 n.res.h5)" = \
		"$(vsim-view e.res.h5)" ]
	[ "$(vsim-view --vectors far/x.vec.h5 run/*.shard.h5 | sort)" = \
		"$(vsim-view e.res.h5 | sort)" ]
	[ "$(vsim-view --file-order -c i,j,cell,value n.res.h5)" = \
		"$(vsim-view --file-order -c i,j,cell,value e.res.h5)" ]
	[ "$(vsim-view -c value n.res.h5)" = "$(vsim-view -c value e.res.h5)" ]
	vsim-pack --tsv x.tsv --label given -o g.vec.h5
	refuses 3 'g.vec.h5: is not the vectors file of n.res.h5' \
		vsim-view --vectors g.vec.h5 n.res.h5
}

# bats test_tags=install
@test "view: vectors as a table" {
	places
	[ "$(vsim-view p.vec.h5 | sed -n 2,3p)" = \
		"rs1	2	100	A	G	1	2	1	0	0.5
rs2	2	200	C	T	1	1	1	1	0.5" ]
	[ "$(vsim-view --no-header -c i,id,chrom -r 10 p.vec.h5 | xargs)" = \
		"3 dup 10 4 10:300:TA:T 10" ]
	[ "$(vsim-view --no-header -c pos,id -i dup p.vec.h5 | xargs)" = \
		"201 dup 100 dup" ]
	[ "$(vsim-view --to json-lines -c id,n2 -i h p.vec.h5)" = \
		'{"id":"h","n2":1}' ]
	vsim-permute --order random --seed 2 -o r.vec.h5 p.vec.h5
	[ "$(vsim-view -c i,id r.vec.h5 | sort -n)" = \
		"$(vsim-view -c i,id p.vec.h5 | sort -n)" ]
	[ "$(vsim-view --file-order -c i r.vec.h5 | xargs)" = "i 0 1 2 3 4 5" ]
}

# bats test_tags=install
@test "view --genotypes: what vsim-pack --tsv reads back" {
	for n in 1 63 64 65 130; do
		rm -f x.* y.*
		requires python numpy
		"$PYTHON" "$ORACLE" make 30 $n 6 missing vectors >x.tsv
		vsim-pack --tsv x.tsv --label given -o x.vec.h5
		vsim-view --genotypes x.vec.h5 >y.tsv
		cmp x.tsv y.tsv
	done
	vsim-view -g -i v3,v5 --no-header x.vec.h5 |
		cmp - <(grep -E '^v[35]	' x.tsv)
}

# bats test_tags=long
@test "view --genotypes: packed again it has the same content" {
	requires python numpy
	local ploidy how content
	for ploidy in 1 2; do
		for how in '' missing; do
			# shellcheck disable=SC2086
			"$PYTHON" "$ORACLE" make 40 77 3 $how >x.tsv
			[ $ploidy = 2 ] || sed -i '2,$s/	2/	1/g' x.tsv
			rm -f ./*.h5
			quietly vsim-pack --tsv x.tsv --ploidy $ploidy \
				--label given -o x.vec.h5
			vsim-view --genotypes x.vec.h5 | cmp - x.tsv
			vsim-view --genotypes x.vec.h5 >y.tsv
			quietly vsim-pack --tsv y.tsv --ploidy $ploidy \
				--label given -o y.vec.h5
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
			# a stream is the same file
			quietly vsim-pack -f --tsv - --ploidy $ploidy \
				--label given -o y.vec.h5 <y.tsv
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
			[ $ploidy = 1 ] || continue
			quietly vsim-pack -f --matrix y.tsv --element bit \
				-o x.vec.h5
			vsim-view --genotypes x.vec.h5 | cmp - y.tsv
			vsim-view --genotypes x.vec.h5 >y.tsv
			quietly vsim-pack -f --matrix y.tsv --element bit \
				-o y.vec.h5
			quietly vsim-verify --compare x.vec.h5 y.vec.h5
		done
	done
}

@test "view: frequencies with one allele per call" {
	printf 'id\ta\tb\tc\td\te\nx\t1\t1\t1\t0\tNA\ny\t1\t1\t0\t0\t1\n' >x.tsv
	vsim-pack --tsv x.tsv --ploidy 1 -o x.vec.h5
	# the rarer allele is 1: of four calls one, of five two
	[ "$(vsim-view --no-header -c n0,n1,freq1 x.vec.h5 | xargs)" = \
		"3 1 0.25 3 2 0.4" ]
	vsim-view -H x.vec.h5 | grep -qx '#ploidy: 1'
	vsim-run -m duo -t -1 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	vsim-merge --unpermute -o u.res.h5 run
	[ "$(vsim-view --no-header -c a,freq1,b,freq2 e.res.h5 | xargs)" = \
		"0 0.75 0 0.6 0 0.75 1 0.4 1 0.25 0 0.6 1 0.25 1 0.4" ]
	[ "$(vsim-view --no-header -c a,freq1,b,freq2 u.res.h5 | xargs)" = \
		"0 0.25 0 0.4 0 0.25 1 0.6 1 0.75 0 0.4 1 0.75 1 0.6" ]
	# a metric of any ploidy: the result states which it was
	vsim-run -m r2 -t -1 -f -o run x.vec.h5
	vsim-merge -f -o e.res.h5 run
	vsim-merge -f --unpermute -o u.res.h5 run
	[ "$(vsim-view --no-header -c freq1,freq2 e.res.h5)" = "0.25	0.4" ]
	# it has no cell, in whatever order
	[ "$(vsim-view --no-header -c a,b,cell e.res.h5 | xargs)" = '. . .' ]
	[ "$(vsim-view --no-header --file-order -c a,b,cell u.res.h5 | xargs)" = '. . .' ]
	vsim-run -m r2 -t -1 --to tsv --no-header --columns a,b,cell -o r2.tsv x.vec.h5
	[ "$(xargs <r2.tsv)" = '. . .' ]
	[ "$(vsim-view --no-header -c freq1,freq2 u.res.h5)" = "0.75	0.6" ]
	[ "$(vsim-view --no-header -c freq1,freq2 --vectors x.vec.h5 e.res.h5)" = \
		"0.25	0.4" ]
}

@test "view: a variant that no sample has a call of has no frequency" {
	printf 'a\t.\t.\nb\t1\t.\n' >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5 2>/dev/null
	[ "$(vsim-view --no-header -c id,freq1 x.vec.h5 | xargs)" = "a . b 0.5" ]
	[ "$(vsim-view --to json-lines -c id,freq1 x.vec.h5 | head -n 1)" = \
		'{"id":"a","freq1":null}' ]
}

@test "view --header: everything known, of each kind" {
	made 20 30 0.3
	vsim-view -H x.vec.h5 >h
	grep -qx '#format: vsim-vectors' h
	grep -qx '#n_vectors: 20' h
	grep -qx '#step1_command: vsim-pack --tsv x.tsv -o x.vec.h5' h
	vsim-view -H run/shard-00000.shard.h5 >h
	grep -qx '#format: vsim-shard' h
	grep -qx '#threshold: 0.3' h
	vsim-view --header e.res.h5 >h
	grep -qx '#format: vsim-merged' h
	grep -qx '#format_version: 1.0' h
	grep -qx "#n_records: $(vsim-view --no-header e.res.h5 | wc -l)" h
	[ "$(grep -vc '^#[a-z0-9_]*: ' h)" = 0 ]
}

@test "view: damaged files are refused" {
	made 30 20 0.2
	for f in e.res.h5 x.vec.h5 run/shard-00000.shard.h5; do
		cp $f whole
		size=$(stat -c %s $f)
		for at in 3 20 60 700 $((size / 2)) $((size - 9)); do
			cp whole $f
			flip $f $at 5
			refuses 3 "$f" vsim-view $f
			refuses 3 "$f" vsim-view -H $f
		done
		truncate -s $((size - 1)) $f
		refuses 3 "$f" vsim-view $f
		cp whole $f
	done
	refuses 3 'x.tsv' vsim-view x.tsv
	refuses 3 'run' vsim-view run
	refuses 3 'nothing' vsim-view nothing
}

@test "view: wrong usage" {
	made 20 30 0.3
	refuses 2 'no such column' vsim-view -c i,x e.res.h5
	refuses 2 'no third vector' vsim-view -c i,k e.res.h5
	refuses 2 'no such column' vsim-view -c id1 x.vec.h5
	refuses 2 'columns of its own' vsim-view --to abc -c i e.res.h5
	refuses 2 '--to abc requires a result' vsim-view --to abc x.vec.h5
	refuses 2 '--genotypes requires a vectors file' vsim-view -g e.res.h5
	refuses 2 'not one of tsv' vsim-view --to xml e.res.h5
	refuses 2 '--both requires --id or --region' vsim-view --both e.res.h5
}

@test "view: -t, --top and --head by awk, sort and head; of metrics whose lower values are stronger, too" {
	made 40 60 0.2
	vsim-view e.res.h5 >all
	[ "$(wc -l <all)" -gt 200 ]
	awk 'NR == 1 || $5 > 0.4' all | cmp - <(vsim-view -t 0.4 e.res.h5)
	# by class of cell, as vsim-run and vsim-threshold
	local n
	for n in LL=0.45 LL=0.4,HH=0.3,LH=0.35; do
		vsim-run -f -t $n -o runc --merge c.res.h5 x.vec.h5
		vsim-threshold -f -t $n -o d.res.h5 e.res.h5
		vsim-view c.res.h5 >want
		[ "$(wc -l <want)" -gt 5 ] && [ "$(wc -l <want)" -lt "$(wc -l <all)" ]
		vsim-view d.res.h5 | cmp - want
		vsim-view -t $n e.res.h5 | cmp - want
	done
	refuses 2 'a sum needs two records; vsim-threshold -t keeps them' \
		vsim-view -t LL+HH=0.7 e.res.h5
	refuses 2 'thresholds of LL, LH, HH' vsim-view -t XX=0.7 e.res.h5
	for n in 1 7 150 100000; do
		head -n $((n + 1)) all | cmp - <(vsim-view --head $n e.res.h5)
		vsim-view --sort value e.res.h5 >sorted
		head -n $((n + 1)) sorted | cmp - <(vsim-view --top $n e.res.h5)
		vsim-view --sort value -t 0.4 e.res.h5 | sed "$((n + 1))q" |
			cmp - <(vsim-view --top $n -t 0.4 e.res.h5)
	done
	vsim-view x.vec.h5 | head -n 4 | cmp - <(vsim-view --head 3 x.vec.h5)
	# by vector, and in a format that walks the records twice
	vsim-view -i v7 e.res.h5 | head -n 4 | cmp - <(vsim-view -i v7 --head 3 e.res.h5)
	[ "$(vsim-view --to graphml --top 3 e.res.h5 | grep -c '<edge')" = 3 ]
	printf 'id\ta\tb\nx\t1\t2\ny\t4\t6\nz\t1\t3\n' >m.tsv
	vsim-pack --matrix m.tsv -o m.vec.h5
	vsim-run -m euclid -t 100 -o runm m.vec.h5 --merge m.res.h5
	[ "$(vsim-view --no-header -t 5 m.res.h5)" = "$(printf 'x\tz\t1\ny\tz\t4.242640687119285')" ]
	[ "$(vsim-view --no-header --top 1 m.res.h5)" = "$(printf 'x\tz\t1')" ]
	vsim-threshold -t 5 -o less.res.h5 m.res.h5
	vsim-view --no-header -t 5 m.res.h5 | cmp - <(vsim-view --no-header less.res.h5)
	refuses 2 '--threshold csv: not a number; --to names the format' vsim-view -t csv e.res.h5
	refuses 2 '--top cannot be combined with --head' vsim-view --top 1 --head 1 e.res.h5
	refuses 2 '--top requires a result' vsim-view --top 3 x.vec.h5
}

# bats test_tags=long
@test "view: records that are not packed have the sums that their file states" {
	local column how plain id
	plain='for c in list(f["records"]):
	    d = f["records/" + c]
	    v, a, k = d[:], dict(d.attrs), d.chunks
	    del f["records/" + c]
	    d = f["records"].create_dataset(c, data=v, chunks=k, track_times=False)
	    d.attrs.update(a)'
	made 30 40 0.3 missing
	for how in merged triples; do
		[ $how = merged ] || vsim-run -f --way 3 -t 0.3 -o run x.vec.h5
		vsim-merge -f --codec none -o e.res.h5 run
		vsim-view --fast e.res.h5 >want
		# HDF5 finds the checksum of a chunk right, and so do we
		"$PYTHON" -c 'import h5py, sys
f = h5py.File("e.res.h5")
n = sum(f["records/" + c].fletcher32 for c in f["records"])
sys.exit(n != len(f["records"]) or len(f["records/value"][:]) < 8)'
		cp e.res.h5 summed
		id=$(vsim-view --no-header -c id1 e.res.h5 | head -n 1)
		for column in value num; do
			cp summed e.res.h5
			altered $column
			refuses 3 "records/$column: chunk 0,0: its checksum differs" \
				vsim-view --fast --id "$id" e.res.h5
			refuses 3 "records/$column: chunk 0,0: its checksum differs" \
				vsim-view --fast e.res.h5
		done
		# of earlier versions, without checksums
		cp summed e.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 "$plain"
		vsim-view --fast e.res.h5 | diff want -
		# a forger's sums, which are by the words of the page
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 ''
		cp e.res.h5 whole
		for column in value num nvalid; do
			cp whole e.res.h5
			altered $column
			run --separate-stderr vsim-view --fast e.res.h5
			[ "$status" = 3 ]
			[[ $stderr == *"e.res.h5: is damaged: its records do not have"* ]]
			refuses 3 'payload digest differs' vsim-view e.res.h5
		done
		# of earlier versions
		cp whole e.res.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" e.res.h5 \
			'del f["records"].attrs["counts_sum"]'
		vsim-view --fast e.res.h5 | diff want -
	done
}

# altered COLUMN: e.res.h5 with another bit in row 7 of it, which is a chunk's 56
# bytes from the first
altered() {
	"$PYTHON" - "$1" <<-'END'
		import h5py, sys
		with h5py.File("e.res.h5") as f:
		    d = f["records/" + sys.argv[1]]
		    value = d[7:8].tobytes()
		    at = d.id.get_chunk_info(0).byte_offset + 56
		with open("e.res.h5", "r+b") as f:
		    for extra in (0, 512):  # what stands before HDF5's own bytes
		        f.seek(at + extra)
		        if f.read(8) == value:
		            f.seek(at + extra)
		            f.write(bytes([value[0] ^ 4]) + value[1:])
		            break
	END
}
