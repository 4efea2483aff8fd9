# SPDX-License-Identifier: BSD-3-Clause
# F tests of a quantitative trait, against least squares in fractions.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

py() {
	"$PYTHON" "$TOP/tests/flow/trait.py" "$@"
}

# made SEED VECTORS SAMPLES MISSING: x.vec.h5
made() {
	py make "$@" x
	vsim-pack --tped x --pheno x.pheno --pheno-name y -f -o x.vec.h5
}

# judged METRIC WAY OPTION...: every combination, its p and its proof
judged() {
	local columns=id1,id2
	[ "$2" = 2 ] || columns=$columns,id3
	vsim-run -f -m "$1" -w "$2" -t -1 "${@:3}" -o run --merge x.res.h5 \
		x.vec.h5 2>/dev/null
	vsim-view --no-header -c "$columns,value,df,df2,p" x.res.h5 >x.tsv
	py judge x "$1" "$2" x.tsv
	vsim-verify --against x.vec.h5 x.res.h5
}

# values NAME: by the numbers of the first input
values() {
	vsim-view --no-header -c i,j,value "$1.res.h5" | sort
}

digest() {
	vsim-view -H "$1.res.h5" | sed -n 's/^#content_xxh128: //p'
}

@test "trait: F, degrees of freedom and p of pairs and triples are those of least squares" {
	local k metric missing=(0 0 0.05 0.2)
	for k in 1 2 3; do
		made "$k" 5 $((20 + 15 * k)) "${missing[k]}"
		for metric in f fadd; do
			judged $metric 2
			judged $metric 3
		done
	done
}

# bats test_tags=long
@test "trait: the same of 200 random sets" {
	local k missing=(0 0.03 0.2)
	for ((k = 10; k < 210; k++)); do
		made "$k" 4 $((9 + k % 50)) "${missing[k % 3]}"
		judged "$([ $((k % 2)) = 0 ] && echo f || echo fadd)" \
			$((2 + k / 2 % 2))
	done
}

@test "trait: the same bits for kernels, threads, tiles, stages, order of vectors" {
	local of first cpu
	made 5 40 150 0.03
	for of in '-m f -t 2' '-m fadd -w 3 -t 2.2'; do
		# shellcheck disable=SC2086
		{
			vsim-run -f $of -j 1 -o a --merge a.res.h5 x.vec.h5
			[ "$(values a | wc -l)" -gt 20 ]
			first=$(digest a)
			for cpu in scalar avx2; do
				VSIM_CPU=$cpu vsim-run -f $of -j 2 --tile 7 \
					-o a --merge a.res.h5 x.vec.h5
				[ "$(digest a)" = "$first" ]
			done
			vsim-run -f $of --stage 1/2 -o s1 x.vec.h5
			vsim-run -f $of --stage 2/2 -o s2 x.vec.h5
			vsim-merge -f -o a.res.h5 s1 s2
			[ "$(digest a)" = "$first" ]
			vsim-permute -f --order random -o y.vec.h5 x.vec.h5
			vsim-run -f $of -o b --merge b.res.h5 y.vec.h5
			vsim-merge --unpermute -f -o b.res.h5 b
			vsim-verify --against x.vec.h5 b.res.h5
			values a >want
			values b | cmp - want
		}
	done
}

@test "trait: p_family is what Python finds with the same permutations" {
	local of metric way columns
	made 5 5 40 0.05
	for of in 'f 2' 'fadd 3'; do
		metric=${of% *} way=${of#* } columns=id1,id2
		[ "$way" = 2 ] || columns=$columns,id3
		vsim-run -f -m "$metric" -w "$way" -t -1 --permutations 19 \
			-o run --merge x.res.h5 x.vec.h5 2>/dev/null
		vsim-view --no-header -c "$columns,value,p_family" x.res.h5 |
			tr '\t' ' ' | sort >got
		py family x "$metric" "$way" 19 | sort >want
		[ "$(awk '$NF < 1' want | wc -l)" -ge 3 ]
		paste -d' ' got want | awk '{ n = NF / 2; d = $(n - 1) - $(NF - 1)
			for (k = 1; k < n - 1; k++)
				bad += $k != $(n + k)
			bad += d * d > 1e-16 * (1 + $(NF - 1) ^ 2)
			d = $n - $NF
			bad += d * d > 1e-24 }
			END { exit bad || !NR }' || complain "$of" "$(paste got want)"
	done
}

@test "trait: p_permuted is the p of F, but for the permutations' chance" {
	made 7 12 90 0.03
	vsim-run -f -m f -t -1 -o run --merge x.res.h5 x.vec.h5
	vsim-view --no-header -c p,p_permuted --permutations 2000 x.res.h5 >got
	[ "$(wc -l <got)" = 66 ]
	# within five standard deviations; F is not quite that of a normal trait
	awk '{ d = $1 - $2; v = $1 * (1 - $1) / 2000 + 1e-4
		bad += d * d > 25 * v } END { exit bad > 1 }' got ||
		complain "$(cat got)"
	[ "$(awk '$2 < 0.5' got | wc -l)" -ge 15 ]
	vsim-view --no-header -c p,p_permuted --permutations 2000 -j 1 \
		--sort value x.res.h5 | sort >again
	sort got | cmp - again
}

@test "trait: vsim epistasis chooses F, and says so in one line" {
	made 2 6 80 0
	vsim epistasis x.tped --pheno x.pheno --pheno-name y --permutations 9 \
		>table
	[ "$(head -1 table | tr '\t' ' ')" = 'id1 chrom1 pos1 id2 chrom2 pos2 value inter_p p_permuted p_family' ] ||
		complain "$(head -1 table)"
	run -0 --separate-stderr vsim epistasis x.tped --pheno x.pheno \
		--pheno-name y
	[ "${lines[0]##*value}" = $'\tinter_p' ]
	[ "${#lines[@]}" -gt 10 ]
	[ "$(grep -c 'has a quantitative trait, so --metric f' <<<"$stderr")" = 1 ]
}

@test "trait: --against refuses another trait, and an input without one is named" {
	made 4 12 60 0
	mv x.vec.h5 all.vec.h5
	printf 'v0\nv1\nv2\n' >some
	vsim-pack --tped x --pheno x.pheno --pheno-name y --extract some \
		-o old.vec.h5
	vsim-run -m f -t 1 -o old --merge old.res.h5 old.vec.h5
	vsim-run -m f -t 1 --against old.res.h5 --vectors old.vec.h5 -o new all.vec.h5
	vsim-pack --tped x --pheno x.pheno --pheno-name other -f -o all.vec.h5
	refuses 3 'has a different trait than the vectors of --against' \
		vsim-run -m f -t 1 --against old.res.h5 --vectors old.vec.h5 -o other \
		all.vec.h5
	vsim-pack --tped x -f -o all.vec.h5
	refuses 3 'all.vec.h5: has no quantitative trait; give' \
		vsim-run -m f -t 1 -o none all.vec.h5
}
