# SPDX-License-Identifier: BSD-3-Clause
# --summary against the same sums in numpy; every way to compute gives one table.
load ../../helpers
load ../metrics

oracle() {
	"$PYTHON" "$TOP/tests/flow/summary.py" "$@"
}

# packed VARIANTS SAMPLES SEED [missing]: x.vec.h5
packed() {
	oracle make "$@" >x.vcf
	vsim-pack -f --vcf x.vcf --label alt -o x.vec.h5
}

# annotated: x.vec.h5 with the annotations of x.annot
annotated() {
	awk '!/^#/ { print $1, $2, $3, 0, 1, NR % 7 == 0, sin(NR) / 3, NR % 50 - 20.25 }' \
		x.vcf | sed '1i CHR BP SNP CM base coding age far' >x.annot
	vsim-pack -f --vcf x.vcf --label alt --annot x.annot -o x.vec.h5
}

# summaries RUN-OPTION...: a run of every kind
summaries() {
	ranks "${n:-1}" vsim-run -m r2 -t 0.1,0.5 \
		--summary ldscore,degree,decay,histogram,grid,grid-kb=30,grid-sites=40 "$@" \
		x.vec.h5
}

# summed RUN-OPTION...: tables out.* of x.vec.h5, by as many ranks as n says
summed() {
	rm -rf run out.*
	summaries -o run "$@" && vsim-merge -o out run 2>said || complain "$*"
}

# sums: the tables as one line
sums() {
	cat out.*.* | sha256sum
}

# same RUN-OPTION...: the tables are those that `want` is the sum of
same() {
	summed "$@"
	[ "$(sums)" = "$want" ] || complain "$*: other tables"
}

@test "summary: decay and grids, as numpy has them" {
	requires python numpy h5py
	local how kb
	for how in '' missing; do
		packed 240 131 7 $how
		for kb in 9.3 -; do
			summed $([ $kb = - ] || echo --max-kb $kb)
			oracle decay x.vec.h5 $kb out
			oracle grid x.vec.h5 $kb out
			oracle grid x.vec.h5 $kb out kb 30
			oracle grid x.vec.h5 $kb out sites 40
		done
		rm -rf run
		vsim-run -m r2 --summary decay=0.25 -o run x.vec.h5
		vsim-merge -f -o out run
		oracle decay x.vec.h5 - out 0.25
	done
}

# bats test_tags=long
@test "summary: decay and grids of chromosome 20, and of the mice" {
	requires python numpy h5py
	requires data 1000g-chr20
	requires data mouse-hs1940
	local x
	vsim-pack --vcf "$VSIM_TEST_DATA/1000g-chr20/reference.vcf.gz" --maf 0.3 \
		-o chr20.vec.h5
	vsim-pack --bfile "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" --chr 18,19 \
		-o mouse.vec.h5
	for x in chr20 mouse; do
		rm -rf run out.*
		vsim-run -m r2 --summary decay,grid,grid-sites=500 -o run $x.vec.h5
		vsim-merge -o out run
		oracle decay $x.vec.h5 - out
		oracle grid $x.vec.h5 - out
		oracle grid $x.vec.h5 - out sites 500
	done
}

# bats test_tags=install
@test "summary: LD scores and partners of variants, as numpy has them" {
	requires python numpy h5py
	local how kb
	for how in '' missing; do
		packed 240 131 7 $how
		for kb in 9.3 0.5 -; do
			summed $([ $kb = - ] || echo --max-kb $kb)
			oracle ldscore x.vec.h5 $kb out
			oracle degree x.vec.h5 $kb out 0.1 0.5
		done
		mv out.l2.ldscore.gz plain.gz
		annotated
		summed
		oracle ldscore x.vec.h5 - out x.annot
		# an annotation of 1 is none
		cmp <(zcat plain.gz | sed 1d) <(zcat out.l2.ldscore.gz | cut -f 1-4 | sed 1d)
		grep -q 'are constant and have no LD score' said
	done
}

@test "summary: partners of rows of numbers, some constant, entries missing or not" {
	requires python numpy h5py
	local missing
	for missing in 0 20; do
		awk -v missing=$missing 'BEGIN { srand(3)
			for (v = -1; v < 40; v++) {
				printf v < 0 ? "id" : "v" v
				for (q = 0; q < 12; q++) {
					x = v % 9 == 4 ? 7 : int(30 * rand())
					printf "\t%s", v < 0 ? "s" q : \
						100 * rand() < missing ? "NA" : x
				}
				print ""
			} }' >x.tsv
		vsim-pack -f --matrix x.tsv -o x.vec.h5
		rm -rf run
		vsim-run -m r --summary degree -t -0.5,0,0.3 -o run x.vec.h5
		vsim-merge -f -o out run
		oracle rows x.tsv out -0.5 0 0.3
	done
}

@test "summary: partners by scores of cases and controls are the records' ends" {
	requires python numpy
	local ask
	"$PYTHON" "$TOP/tests/flow/association.py" make 3 40 120 0.05 60 t
	vsim-pack --tped t -o t.vec.h5
	for ask in '-m k2 -t 80' '-m g -t 5' '-m beta -t 0.55' '-m inter -t 2'; do
		# shellcheck disable=SC2086
		{
			vsim-run -f $ask -o run --merge e.res.h5 t.vec.h5
			vsim-run -f $ask --summary degree -o run t.vec.h5
		}
		vsim-merge -f -o out run
		vsim-view --no-header -c i,j e.res.h5 | awk '{ n[$1]++; n[$2]++ }
			END { for (v = 0; v < 40; v++) print n[v] + 0 }' >want
		[ "$(sort -u want | wc -l)" -gt 4 ]
		tail -n +2 out.degree.tsv | cut -f 3 | diff want - ||
			complain "$ask"
	done
}

# bats test_tags=long
@test "summary: by each kernel, tile and thread the same bytes" {
	requires python numpy h5py
	local how cpu kernel kb want
	for how in '' missing; do
		packed 560 131 7 $how
		[ -z "$how" ] || annotated
		for kb in '--max-kb 30' '--max-kb 1' '--max-sites 40 --min-kb 2' ''; do
			# shellcheck disable=SC2086
			{
				summed -j 1 $kb
				want=$(sums)
				same --cpu scalar -j 2 --tile 33 $kb
			}
		done
		for cpu in $(cpu_steps); do
			same --cpu $cpu -j 2
		done
		for kernel in $(kernels r2); do
			same --kernel "$kernel"
		done
		same --memory 30M --tile 50
	done
}

@test "summary: annotations by id or by row, kept by every program" {
	requires python numpy h5py
	local bad
	packed 60 64 5
	annotated
	vsim-verify x.vec.h5
	summed
	cp x.vec.h5 y.vec.h5
	zcat out.l2.ldscore.gz >want
	# without the first columns; packed, in another order and with other variants
	cut -d' ' -f 5- x.annot >thin
	{ head -1 x.annot; echo 9 1 other 0 2 2 2 2; sed 1d x.annot | sort -k 7; } |
		gzip >sorted.gz
	for how in thin:'without SNP: its rows are taken' sorted.gz:'4 annotations, by SNP'; do
		vsim-pack -f --vcf x.vcf --label alt --annot "${how%%:*}" -o x.vec.h5 2>said
		grep -q "${how#*:}" said
		vsim-verify --compare x.vec.h5 y.vec.h5
	done
	sed '9s/[^ ]*$/0.125/' x.annot >other
	vsim-pack -f --vcf x.vcf --label alt --annot other -o x.vec.h5 2>said
	refuses 1 'annotation: row 7: .* against 0.125' vsim-verify --compare x.vec.h5 y.vec.h5
	# by parts, and in another order
	for k in 1 2; do
		vsim-pack -f --vcf x.vcf --label alt --part $k/2 -o p$k.vec.h5
	done
	vsim-pack -f --parts --annot x.annot -o x.vec.h5 p1.vec.h5 p2.vec.h5
	vsim-permute -f --order random -o y.vec.h5 x.vec.h5
	mv y.vec.h5 x.vec.h5
	summed
	diff <(sort want) <(zcat out.l2.ldscore.gz | sort)
	vsim-verify --against x.vec.h5 run
	# what is refused
	refused() {
		refuses 3 "$1" vsim-pack --vcf x.vcf --annot bad -o no.vec.h5
		gone no.vec.h5
	}
	sed 5d x.annot >bad && refused 'no row for 1 of 60 variants, first v3'
	sed 5p x.annot >bad && refused 'v3 occurs twice'
	sed 5d thin >bad && refused 'has no column SNP, and 59 rows for 60 variants'
	sed '7s/ [^ ]*$//' x.annot >bad && refused 'line 7: has 7 columns, its header 8'
	for bad in NA nan inf 1e16 x; do
		sed "7s/ [^ ]*\$/ $bad/" x.annot >bad
		refused "line 7: column 8: number expected, '$bad' found"
	done
	sed 1d x.annot >bad && refused "names of columns expected, '1' found"
	sed '1s/age/base/' x.annot >bad && refused "two annotations are named 'base'"
	cut -d' ' -f 1-4 x.annot >bad && refused '1 to 256 annotations expected'
	: >bad && refused 'is empty'
	refuses 2 'give it with --parts' vsim-pack --vcf x.vcf --part 1/2 --annot thin \
		-o no.vec.h5
	# a file whose annotations cannot be
	"$PYTHON" "$TOP/tests/cli/forge.py" x.vec.h5 "f['vectors/annotation'][7, 2] = 2e15"
	refuses 3 'row 7: -1e15 to 1e15 expected' vsim-run -m r2 --summary ldscore -o no \
		x.vec.h5
}

# besides THRESHOLD RUN-OPTION...: the tables are those of `want`, and the records
# those of e.res.h5, a run without sums
besides() {
	local t=$1
	shift
	rm -rf run out.*
	ranks "${n:-1}" vsim-run -m r2 -t "$t" -o run --merge out.res.h5 "$@" --summary \
		ldscore,degree=0.1,0.5,decay,histogram,grid,grid-kb=30,grid-sites=40 x.vec.h5
	mv out.res.h5 both.res.h5
	[ "$(sums)" = "$want" ] || complain "$t $*: other tables"
	vsim-verify --compare e.res.h5 both.res.h5
	[ "$(content both.res.h5)" = "$(content e.res.h5)" ] || complain "$t $*: other digest"
}

# plain THRESHOLD RUN-OPTION...: the records that `besides` compares with, some
plain() {
	vsim-run -f -m r2 -o plain --merge e.res.h5 -t "$@" x.vec.h5
	[ "$(vsim-view --no-header e.res.h5 | wc -l)" -gt 20 ]
}

@test "summary: with -t it is kept besides the records, which are those of a run without" {
	requires python numpy h5py
	requires mpi 3
	local how kb t n k want
	for how in '' missing; do
		packed 240 131 7 $how
		for kb in '' '--max-kb 9.3' '--max-sites 3 --min-joint 60'; do
			# shellcheck disable=SC2086
			{
				summed $kb
				want=$(sums)
				for t in 0.01 '0.1 --below 0.4 --value f32'; do
					plain $t $kb
					besides $t $kb
				done
				vsim-verify -v --against x.vec.h5 run 2>said
			}
			grep -q ' sums recomputed from ' said
			grep -q ' records recomputed, ' said
		done
	done
	summed
	want=$(sums)
	plain 0.05
	for n in 2 3; do
		besides 0.05 -j 1
	done
	n=1
	# what a merge of a part, or by the source, has
	vsim-merge -o p1.res.h5 --part 1/2 run
	vsim-merge --unpermute -o by.res.h5 run
	gone p1.decay.tsv
	gone by.decay.tsv
	# stages, and one of them with some tiles that are done already
	for k in 1 2 3; do
		vsim-run -m r2 -t 0.05 --tile 40 --stage $k/3 -o run$k x.vec.h5 --summary \
			ldscore,degree=0.1,0.5,decay,histogram,grid,grid-kb=30,grid-sites=40
	done
	rm -rf out.* run2/shard-00000.shard.h5 run2/complete*
	vsim-run -r -m r2 -t 0.05 --tile 40 --stage 2/3 -o run2 x.vec.h5 --summary \
		ldscore,degree=0.1,0.5,decay,histogram,grid,grid-kb=30,grid-sites=40
	vsim-merge -o out.res.h5 run1 run2 run3
	vsim-verify --compare e.res.h5 out.res.h5
	rm out.res.h5
	[ "$(sums)" = "$want" ]
	# a run that has ended is not merged again; tables are written again
	rm out.*
	vsim-run -m r2 -t 0.05 -o again --codec none --merge out.res.h5 \
		--summary decay x.vec.h5
	vsim-run -r -m r2 -t 0.05 -o again --codec none --merge out.res.h5 \
		--summary decay x.vec.h5
	rm out.res.h5
	vsim-run -r -m r2 -t 0.05 -o again --codec none --merge out.res.h5 \
		--summary decay x.vec.h5
	vsim-verify --compare e.res.h5 out.res.h5
	"$PYTHON" "$TOP/tests/cli/forge.py" again/shard-00000.shard.h5 \
		"f['summary/low'][-3] += 1"
	refuses 1 'decay: counter' vsim-verify --against x.vec.h5 again
}

# every OPTION...: a run of every kind with records
every() {
	ranks "${n:-1}" vsim-run -m r2 --summary \
		ldscore,degree=0.1,0.5,decay,histogram,grid,grid-kb=30,grid-sites=40 "$@" x.vec.h5
}

@test "summary: besides a table and the strongest records, as numpy has it" {
	requires python numpy h5py
	requires mpi 2
	local how kb filter n want
	for how in '' missing; do
		packed 240 131 7 $how
		for kb in 9.3 -; do
			filter=$([ $kb = - ] || echo --max-kb $kb)
			# shellcheck disable=SC2086
			{
				summed $filter
				want=$(sums)
				rm -f out.*
				vsim-run -f -m r2 -t 0.05 $filter --to ld -o plain x.vec.h5
				every -f -t 0.05 $filter --to ld -o out
			}
			cmp plain out
			[ "$(sums)" = "$want" ]
			oracle decay x.vec.h5 $kb out
			oracle grid x.vec.h5 $kb out
			oracle ldscore x.vec.h5 $kb out
			oracle degree x.vec.h5 $kb out 0.1 0.5
			for n in 1 2; do
				rm -rf run out.* out
				# shellcheck disable=SC2086
				{
					vsim-run -f -m r2 --top 50 $filter -o plain.run \
						--merge e.res.h5 x.vec.h5
					every --top 50 $filter -o run --merge out.res.h5
				}
				vsim-verify --against x.vec.h5 run
				mv out.res.h5 both.res.h5
				[ "$(sums)" = "$want" ]
				[ "$(content both.res.h5)" = "$(content e.res.h5)" ]
			done
			# both, and genotypes that are not packed
			n=1
			rm -f out*
			# shellcheck disable=SC2086
			{
				vsim-run -f -m r2 --top 50 $filter --to tsv -o plain x.vec.h5
				every --top 50 $filter --to tsv -o out
			}
			cmp plain out
			[ "$(sums)" = "$want" ]
		done
	done
	plink1.9 --vcf x.vcf --make-bed --out bed >/dev/null
	vsim-run -m r2 -t 0.05 --to ld --summary decay -o packed x.vec.h5
	vsim-run -m r2 -t 0.05 --to ld --summary decay -o direct bed.bed
	cmp packed.decay.tsv direct.decay.tsv
	# a table of sums that exists, none to name them, no records
	rm packed
	refuses 2 'packed.decay.tsv.*exists' vsim-run -m r2 -t 0.05 --to ld --summary decay \
		-o packed x.vec.h5
	gone packed
	refuses 2 'o FILE names its tables' vsim-run -m r2 -t 0.05 --to ld --summary decay -o - x.vec.h5
	vsim-run -m r2 -t 0.05 --to ld --summary decay --dry-run x.vec.h5
	refuses 2 'no records are kept' vsim-run -m r2 --to ld --summary decay -o no x.vec.h5
}

@test "summary: pairs between sets, by every way, as numpy has them" {
	requires python numpy h5py
	requires mpi 2
	local how kb sets of want n
	set -- '100-139 3-110' '100-100 0-239'
	for how in '' missing; do
		packed 240 131 7 $how
		[ -z "$how" ] || annotated
		# apart but for a few, one in all; overlapping, the same
		[ -z "$how" ] || set -- '0-99 50-239' '20-199 20-199'
		for sets in "$@"; do
			for kb in 9.3 -; do
				of=(--pairs-between ${sets% *} ${sets#* })
				[ $kb = - ] || of+=(--max-kb $kb)
				summed -j 1 "${of[@]}"
				oracle ldscore x.vec.h5 $kb:${sets/ /:} out ${how:+x.annot}
				oracle degree x.vec.h5 $kb:${sets/ /:} out 0.1 0.5
				oracle decay x.vec.h5 $kb:${sets/ /:} out
				oracle grid x.vec.h5 $kb:${sets/ /:} out sites 40
				vsim-verify --against x.vec.h5 run
				want=$(sums)
				n=2
				same -j 1 --tile 13 "${of[@]}"
				n=1
				rm out.*
				every -f -t 0.05 --to ld -o out "${of[@]}"
				[ "$(sums)" = "$want" ]
			done
		done
	done
	"$PYTHON" "$TOP/tests/cli/forge.py" run/shard-00000.shard.h5 \
		"f['summary/low'][1] += 1"
	refuses 1 'ldscore: counter' vsim-verify --against x.vec.h5 run
}

# bats test_tags=long
@test "summary: besides records, by each kernel, tile and thread" {
	requires python numpy h5py
	local how cpu kernel kb want
	for how in '' missing; do
		packed 560 131 7 $how
		for kb in '--max-kb 30' '--max-kb 1' '--max-sites 40 --min-kb 2' ''; do
			# shellcheck disable=SC2086
			{
				summed -j 1 $kb
				want=$(sums)
				plain 0.02 $kb
				besides 0.02 --cpu scalar -j 2 --tile 33 $kb
			}
		done
		for cpu in $(cpu_steps); do
			besides 0.02 --cpu $cpu -j 2
		done
		for kernel in $(kernels r2); do
			besides 0.02 --kernel "$kernel"
		done
		besides 0.02 --memory 30M --tile 50
	done
}

@test "summary: partners besides records, of numbers, tables of counts and traits" {
	requires python numpy
	local ask file
	vsim-pack --synthetic random --vectors 90 --fields 70 --missing 0.1 -o g.vec.h5
	"$PYTHON" "$TOP/tests/flow/association.py" make 3 40 120 0.05 60 t
	vsim-pack --tped t -o t.vec.h5
	for file in '' NA; do
		awk -v gap="$file" 'BEGIN { srand(3)
			for (v = -1; v < 60; v++) {
				printf v < 0 ? "id" : "v" v
				for (q = 0; q < 12; q++)
					printf "\t%s", v < 0 ? "s" q : \
						gap && rand() < 0.1 ? gap : rand()
				print ""
			} }' >x.tsv
		vsim-pack --matrix x.tsv -o "n$file.vec.h5"
	done
	for ask in 'r -t 0.3 n' 'r -t 0.3 --abs n' 'r -t 0.3 nNA' 'ps -t 0.6 n' \
		'euclid -t 1.2 n' 'spearman -t 0.3 nNA' 'cosine -t 0.3 g' 'k2 -t 80 t' \
		'g -t 5 t' 'beta -t 0.55 t'; do
		set -- $ask
		file=${*: -1}.vec.h5
		set -- "${@:1:$#-1}"
		vsim-run -f -m "$@" -o run --merge e.res.h5 "$file"
		vsim-run -f -m "$1" -t "$3" --summary degree -o run --merge one "$file"
		vsim-run -f -m "$@" --summary degree="$3" -o run --merge both.res.h5 "$file"
		cmp one.degree.tsv both.degree.tsv
		[ "$(content both.res.h5)" = "$(content e.res.h5)" ] || complain "$ask"
		[ "$(vsim-view --no-header e.res.h5 | wc -l)" -gt 20 ] || complain "$ask: few"
	done
}

# beside RUN-OPTION...: with --metric-histogram, a run writes the table of a run
# without sums, and vsim-merge that, and those of a run without the table
beside() {
	rm -rf run? out.*
	vsim-run -t 0.5 --metric-histogram want "$@" -o run1 x.vec.h5
	vsim-run --summary decay,grid "$@" -o run2 x.vec.h5
	ranks "${n:-1}" vsim-run --summary decay,grid --metric-histogram got "$@" -o run3 \
		x.vec.h5
	cmp want got
	vsim-merge -o out run2
	want=$(sums)
	vsim-merge -f -o out run3
	cmp want out.histogram.tsv
	rm out.histogram.tsv
	[ "$(sums)" = "$want" ] || complain "$*: other tables"
}

@test "summary: with --metric-histogram, both are what each is alone" {
	requires python numpy h5py
	requires mpi 2
	local how n k want
	for how in '' missing; do
		oracle make 150 131 7 $how >y.vcf
		# a variant whose values are undefined
		awk '{ print } END { $2++; for (k = 10; k <= NF; k++) $k = "0/0"; print }' \
			OFS='\t' y.vcf >x.vcf
		vsim-pack -f --vcf x.vcf --label alt -o x.vec.h5
		for k in r2 r cosine dprime; do
			beside -m $k
			beside -m $k --min-joint 129 --max-kb 20
		done
	done
	beside -m r2 --min-joint 128 --pairs-between 0-99 50-149 -j 3 --tile 31
	n=2
	beside -m r2 --min-joint 128 -j 1 --tile 20
	# records, too, some of the shards being lost
	rm run3/shard-00001.shard.h5 run3/complete* got
	vsim-run -r -m r2 --summary decay,grid --metric-histogram got --min-joint 128 \
		-o run3 x.vec.h5
	cmp want got
	vsim-run -m r2 --top 50 --summary decay --metric-histogram got --min-joint 128 \
		-o run4 x.vec.h5
	cmp want got
	vsim-verify --against x.vec.h5 run3
	"$PYTHON" "$TOP/tests/cli/forge.py" run3/shard-00000.shard.h5 \
		"f['summary/low'][-1] += 1"
	refuses 1 'not of all' vsim-verify --against x.vec.h5 run3
}

@test "summary: ranks, a run that is resumed, and stages give the same bytes" {
	requires python numpy h5py
	requires mpi 3
	local k want n
	packed 300 64 5 missing
	annotated
	summed --tile 30
	want=$(sums)
	for n in 2 3; do
		same -j 1
	done
	n=1
	rm -rf run? out.*
	for k in 1 2 3; do
		summaries -o run$k --tile 40 --stage $k/3
	done
	refuses 3 'stages 2 of 3 are missing' vsim-merge -o out run1 run3
	vsim-merge -o out run1 run2 run3
	[ "$(sums)" = "$want" ]
	# a shard with some tiles is done already
	rm -rf run out.*
	summaries -o run --tile 40 --stage 2/3
	rm run/shard-00000.shard.h5 run/complete*
	summaries -r -o run --tile 40 --stage 2/3
	vsim-merge -o out run1 run run3
	[ "$(sums)" = "$want" ]
}

@test "summary: vsim-verify computes them again, and names what differs" {
	requires python numpy h5py
	local at
	packed 120 64 5 missing
	annotated
	summed --max-kb 20
	vsim-verify -v --against x.vec.h5 run 2>said
	grep -q ' sums recomputed from [0-9]* pairs' said
	summed
	vsim-verify --against x.vec.h5 run
	refuses 2 'omit --sample' vsim-verify --sample 9 --against x.vec.h5 run
	cp run/shard-00000.shard.h5 x
	for at in 0:ldscore 479:ldscore 485:degree 800:decay -3:grid-sites; do
		"$PYTHON" "$TOP/tests/cli/forge.py" run/shard-00000.shard.h5 \
			"f['summary/low'][${at%:*}] += 1"
		refuses 1 "${at#*:}: counter" vsim-verify --against x.vec.h5 run
		cp x run/shard-00000.shard.h5
	done
}

@test "summary: vsim-verify computes those of numbers, haplotypes and tables, too" {
	requires python numpy h5py
	local ask gap type
	"$PYTHON" "$TOP/tests/flow/association.py" make 3 40 120 0.05 60 t
	vsim-pack --tped t -o t.vec.h5
	for type in u8 f32 f64; do
		for gap in 0 0.1; do
			[ $type$gap != u80.1 ] || continue
			# some rows are constant, or 0
			awk -v gap=$gap -v real=${type#u8} 'BEGIN { srand(5)
				for (v = -1; v < 50; v++) {
					printf v < 0 ? "id" : "v" v
					for (q = 0; q < 40; q++) {
						x = real ? rand() : int(250 * rand())
						x = v % 17 == 4 ? (real ? 0.1 : 7) : v % 23 == 5 ? 0 : x
						printf "\t%s", v < 0 ? "s" q : rand() < gap ? "NA" : x
					}
					print ""
				} }' >x.tsv
			vsim-pack --matrix x.tsv --element $type -o $type$gap.vec.h5
		done
	done
	for ask in 'r u80' 'ps u80' 'cosine f320' 'ps f320' 'r2 f640' 'r f320.1' \
		'spearman f640.1' 'cosine f640.1' 'dprime t' 'r2em t' 'k2 t' 'inter t'; do
		set -- $ask
		vsim-run -f -m "$1" -t 0.2 -o run "$2.vec.h5" --summary \
			"degree=0,0.2$([[ $1 == [ki][2n]* ]] || echo ,grid-sites=9)"
		vsim-verify --against "$2.vec.h5" run
		"$PYTHON" "$TOP/tests/cli/forge.py" run/shard-00000.shard.h5 \
			"f['summary/low'][3] += 1"
		refuses 1 'degree: counter 3' vsim-verify --against "$2.vec.h5" run
	done
}

@test "summary: what was not summed up once is refused, and other questions" {
	requires python numpy h5py
	packed 60 64 5
	summed
	"$PYTHON" "$TOP/tests/cli/forge.py" run/shard-00000.shard.h5 \
		"f['summary/low'][-2] += 1"
	refuses 3 'of 1771 pairs, and the run of 1770' vsim-merge -o no run
	gone no.l2.M
	# a plan says what is kept, and no number of records
	vsim-run -n -m r2 --summary ldscore x.vec.h5 >plan
	grep -qx 'summary: ldscore' plan && grep -q '^minutes_estimated: ' plan
	! grep -q output_bytes_at_most plan
	vsim-run -m r2 --summary ldscore -o a --stage 1/2 x.vec.h5
	vsim-run -m r2 --summary degree -t 0.1 -o b --stage 2/2 x.vec.h5
	refuses 3 'not of one run: summary differs' vsim-merge -o no a b
	refuses 2 'use -m r2' vsim-run -m r --summary ldscore -o c x.vec.h5
	refuses 2 'add -t' vsim-run -m r2 --summary degree -o c x.vec.h5
	refuses 2 'no records are kept' vsim-run -m r2 --below 0.5 --summary ldscore \
		-o c x.vec.h5
	refuses 2 'no records are kept' vsim-run -m r2 --top 5 -t 0.1 --summary degree \
		-o c x.vec.h5
	for ask in 'of whole searches:--permutations 3' \
		'no sums to add to:--against run'; do
		# shellcheck disable=SC2086
		refuses 2 "${ask%%:*}" vsim-run -m r2 -t 0.1 --summary ldscore \
			-o c ${ask#*:} x.vec.h5
	done
	refuses 2 'values of pairs' vsim-run -w 3 -m r2 -t 0.1 --summary degree -o c x.vec.h5
	refuses 2 'numbers that rise' vsim-run -m r2 -t 0.2,0.1 \
		--summary degree -o c x.vec.h5
	refuses 2 'expected ldscore, degree\[=T,...\], decay' vsim-run -m r2 --summary moo -o c \
		x.vec.h5
	refuses 2 'beyond -1 and 1' vsim-run -m hamming --summary grid -o c x.vec.h5
	refuses 2 'bins of 0.001' vsim-run -m r2 --summary decay=0 -o c x.vec.h5
	refuses 2 'a whole number' vsim-run -m r2 --summary grid-sites=2.5 -o c \
		x.vec.h5
	refuses 2 'is at least 0.001' vsim-run -m r2 --summary grid-kb=0 -o c x.vec.h5
	refuses 2 'several values' vsim-run --summary degree -t 0.1 -o c x.vec.h5
	summed
	refuses 2 'are for records' vsim-merge --partial -o no run
	refuses 2 'out.l2.ldscore.gz: exists' vsim-merge -o out run
	vsim-merge -f -o out run
}
