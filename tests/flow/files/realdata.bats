# SPDX-License-Identifier: BSD-3-Clause
# Real genotypes: every record against the oracle, and one result for
# any kernel and ranks. The oracle takes every 48th block of vectors against all others,
# where calls are missing and it has five products to make every 192th;
# VSIM_TEST_FULL=1 takes all of them (minutes).
# bats file_tags=long
load ../../helpers

oracle() {
	"$PYTHON" "$TOP/tests/flow/oracle.py" "$@"
}

share=48 few=192
[ "${VSIM_TEST_FULL:-0}" = 0 ] || share=1 few=1

mouse() {
	requires data mouse-hs1940
	requires python numpy h5py
	vsim-pack --bfile "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" "$@"
}

# run_on X [RUN-OPTION...]: at t = 0.7; says the content, merged back
run_on() {
	rm -rf run
	vsim-run -t 0.7 -o run "${@:2}" "$1" || return
	vsim-merge -f --unpermute -o u.res.h5 run || return
	content u.res.h5
}

# punch OUT: the mouse set with 5 % of the calls missing, and every 97th vector
# and every 101st sample
punch() {
	"$PYTHON" - "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" "$1" <<-'END'
	import shutil, sys
	import numpy as np
	src, out = sys.argv[1:]
	for x in ".bim", ".fam":
	    shutil.copyfile(src + x, out + x)
	n = sum(1 for _ in open(src + ".fam"))
	b = np.fromfile(src + ".bed", np.uint8)
	g = np.unpackbits(b[3:].reshape(-1, (n + 3) // 4), axis=1, bitorder="little")
	rng = np.random.default_rng(7)
	gone = rng.random((len(g), n)) < 0.05
	gone[::97] = True
	gone[:, ::101] = True
	g[:, 0:2 * n:2][gone] = 1
	g[:, 1:2 * n:2][gone] = 0
	with open(out + ".bed", "wb") as f:
	    f.write(b[:3].tobytes())
	    np.packbits(g, axis=1, bitorder="little").tofile(f)
	END
}

@test "mouse-hs1940: records equal the oracle's" {
	mouse -o x.vec.h5
	vsim-run -t 0.7 -o run x.vec.h5
	vsim-merge -o e.res.h5 run
	[ "$(vsim-view --no-header e.res.h5 | wc -l)" = 52925 ]
	oracle check x.vec.h5 0.7 e.res.h5 $share
	vsim-verify --against x.vec.h5 --sample 20000 e.res.h5
}

@test "mouse-hs1940: one result by ranks, threads, kernels, orders, labels" {
	requires mpi 4
	mouse -o x.vec.h5
	want=$(run_on x.vec.h5)
	[ -n "$want" ]
	same() {
		[ "$1" = "$want" ] || complain "$2: $1, wanted $want"
	}
	same "$(run_on x.vec.h5 -j 1)" 'one thread'
	for cpu in $(cpu_steps | sed 1d); do
		same "$(run_on x.vec.h5 --cpu $cpu)" $cpu
	done
	for n in 2 3 4; do
		rm -rf run
		ranks $n vsim-run -t 0.7 -j 1 -o run x.vec.h5
		vsim-merge -f --unpermute -o u.res.h5 run
		same "$(content u.res.h5)" "$n ranks"
	done
	for order in random frequency; do
		vsim-permute -f --order $order -o p.vec.h5 x.vec.h5
		same "$(run_on p.vec.h5)" $order
	done
	for label in a1 a2; do
		mouse -f --label $label -o p.vec.h5
		same "$(run_on p.vec.h5)" "label $label"
	done
}

@test "mouse-hs1940: the scalar kernel too" { # bats test_tags=slow
	mouse -o x.vec.h5
	vsim-permute --order frequency --reverse -o p.vec.h5 x.vec.h5
	# the 3000 vectors of the most even frequency suffice
	vsim-view --no-header -c id p.vec.h5 | head -n 3000 >ids
	mouse -f --extract ids -o x.vec.h5
	want=$(run_on x.vec.h5)
	[ "$(run_on x.vec.h5 --cpu scalar)" = "$want" ]
}

@test "mouse-hs1940: with calls, vectors and samples missing" {
	requires data mouse-hs1940
	requires python numpy h5py
	punch p
	vsim-pack --bfile p -o x.vec.h5
	want=$(run_on x.vec.h5)
	vsim-merge -o e.res.h5 run
	oracle check x.vec.h5 0.7 e.res.h5 $few
	vsim-verify --against x.vec.h5 --sample 20000 e.res.h5
	vsim-permute --order random -o r.vec.h5 x.vec.h5
	[ "$(run_on r.vec.h5 -j 1)" = "$want" ]
}

@test "mouse-hs1940: triples, candidates and all, calls missing or not" {
	local bed t want
	requires data mouse-hs1940
	requires python numpy h5py
	punch p
	for bed in "$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940" p; do
		cut -f 2 "$bed.bim" | head -n 1000 >ids
		vsim-pack -f --bfile "$bed" --extract ids -o x.vec.h5
		rm -rf run
		vsim-run --way 3 -t 0.45 --no-prune -o run x.vec.h5
		vsim-merge -f -o all.res.h5 run
		[ "$(vsim-view --no-header all.res.h5 | wc -l)" -gt 900 ]
		for t in 0.45 0.46; do
			vsim-threshold -f --above $t -o want.res.h5 all.res.h5
			want=$(content want.res.h5)
			rm -rf run
			vsim-run --way 3 -t $t -v -o run x.vec.h5 2>said
			grep -q ' candidates$' said
			vsim-merge -f -o some.res.h5 run
			[ "$(content some.res.h5)" = "$want" ]
		done
	done
}

@test "1000g-chr20: records equal the oracle's, for any ranks" {
	requires data 1000g-chr20
	requires python numpy h5py
	requires mpi 3
	vsim-pack --vcf "$VSIM_TEST_DATA/1000g-chr20/reference.vcf.gz" \
		-o x.vec.h5
	want=$(run_on x.vec.h5)
	vsim-merge -o e.res.h5 run
	oracle check x.vec.h5 0.7 e.res.h5 $share
	vsim-verify --against x.vec.h5 --sample 20000 e.res.h5
	rm -rf run
	ranks 3 vsim-run -t 0.7 -j 1 -o run x.vec.h5
	vsim-merge -f --unpermute -o u.res.h5 run
	[ "$(content u.res.h5)" = "$want" ]
}

# bats test_tags=long
@test "mouse-hs1940: interaction with its own phenotype is PLINK's BOOST" {
	requires cmd plink1.9
	requires data mouse-hs1940
	local in=$VSIM_TEST_DATA/mouse-hs1940/mouse_hs1940
	# column 9 is 0, 1 or NA
	{
		echo 'FID IID status'
		awk '{ print $1, $2, $9 }' "$in.fam"
	} >pheno
	mouse --pheno pheno -o x.vec.h5 2>/dev/null
	plink1.9 --bfile "$in" --chr 17 --nonfounders --allow-no-sex --1 \
		--pheno pheno --pheno-name status --fast-epistasis boost \
		--epi1 1e-9 --out p >/dev/null
	awk '$6 == 4 { print $2 "\t" $4 "\t" $5 }' p.epi.cc | sort >theirs
	vsim-run -m inter -t 35 --within-chromosome -o run x.vec.h5 2>/dev/null
	vsim-merge -o x.res.h5 run
	vsim-view --no-header -c id1,id2,value x.res.h5 | sort >ours
	awk -F'\t' 'NR == FNR { at[$1 "\t" $2] = $3; next }
		$3 > 35.1 {
			x = at[$1 "\t" $2]
			n++
			if (x > $3 * (1 + 1e-5) || x < $3 * (1 - 1e-5)) {
				print
				bad++
			}
		}
		END { exit bad || n < 100 }' ours theirs
}
