# SPDX-License-Identifier: BSD-3-Clause
# Matrices of numbers, from each kind of file to each program.
load ../../helpers

IN=$TOP/tests/data/in/matrix

# matrices good|bad: lines "name file options"
matrices() {
	local f name file options ends=says
	[ "$1" = bad ] || ends=want
	for f in "$IN/$1"/*.$ends; do
		name=${f##*/}
		name=${name%.*}
		for file in "$IN/$1/$name".*; do
			case $file in
			*.want | *.says | *.options | *.warns) ;;
			*) break ;;
			esac
		done
		options=
		[ ! -e "$IN/$1/$name.options" ] || options=$(<"$IN/$1/$name.options")
		echo "$name $file $options"
	done
}

# as_text X.vec.h5...: X.vec.h5.txt each, by h5py alone
as_text() {
	requires python numpy h5py
	"$PYTHON" "$TOP/tests/vecdump.py" "$@"
}

# bats test_tags=install
@test "matrix: each good file gives the numbers written beside it" {
	local name file options bad=
	while read -r name file options; do
		# shellcheck disable=SC2086
		vsim-pack --matrix "$file" $options -o "$name.vec.h5" 2>why ||
			bad+="$name: $(cat why)"$'\n'
		# what was guessed is said, and nothing else
		if [ -e "$IN/good/$name.warns" ]; then
			sed "s#^vsim-pack: $IN/good/##" why | cmp -s - "$IN/good/$name.warns"
		else
			[ ! -s why ]
		fi || bad+="$name: said: $(<why)"$'\n'
	done < <(matrices good)
	[ -z "$bad" ] || complain "$bad"
	as_text ./*.vec.h5
	for name in *.vec.h5; do
		name=${name%.vec.h5}
		[ "$(<"$IN/good/$name.want")" = "$(<"$name.vec.h5.txt")" ] ||
			bad+="$name: wanted <, got >: $(diff "$IN/good/$name.want" \
				"$name.vec.h5.txt")"$'\n'
	done
	[ -z "$bad" ] || complain "$bad"
}

# bats test_tags=install
@test "matrix: each bad file is refused, naming file and place, nothing left" {
	local name file options bad=
	while read -r name file options; do
		# shellcheck disable=SC2086
		refuses 3 "$(<"$IN/bad/$name.says")" vsim-pack \
			--matrix "$file" $options -o x.vec.h5 2>why ||
			bad+="$name: $(<why)"$'\n'
		gone x.vec.h5 2>why || bad+="$name: $(<why)"$'\n'
	done < <(matrices bad)
	[ -z "$bad" ] || complain "$bad"
}

# content X.vec.h5: the digest of its content
content() {
	vsim-view --header "$1" | sed -n 's/^#content_xxh128: //p'
}

@test "matrix: earlier spellings of choices write the same file, and are not shown" {
	printf 'id\ta\tb\nx\t1\t300\ny\t0\t7\n' >x.tsv
	vsim-pack --matrix x.tsv --header auto --element smallest --no-host -o new.vec.h5
	vsim-pack --matrix x.tsv --header told --element least --no-host -o old.vec.h5
	[ -n "$(content new.vec.h5)" ]
	[ "$(content old.vec.h5)" = "$(content new.vec.h5)" ]
	vsim-pack --help >help
	grep -q smallest help
	run ! grep -w -e told -e least help
	refuses 2 'not one of auto|yes|no$' vsim-pack --matrix x.tsv --header tol \
		-o x.vec.h5
}

# bats test_tags=long
@test "matrix: a stream gives what the file gives, each kind of file" {
	local name file options
	while read -r name file options; do
		# shellcheck disable=SC2086
		vsim-pack --matrix "$file" $options -o a.vec.h5 -f
		# shellcheck disable=SC2086
		cat "$file" | vsim-pack --matrix - $options -o b.vec.h5 -f
		vsim-verify --compare b.vec.h5 a.vec.h5
	done < <(matrices good)
}

# random_matrices: NAME.npy, .f.npy (Fortran), .tsv, .mtx of the same numbers
random_matrices() {
	requires python numpy
	"$PYTHON" - <<-'END'
		import numpy as np
		r = np.random.default_rng(11)
		some = {
		    "u8": r.integers(0, 256, (300, 70)) * (r.random((300, 70)) < .3),
		    "u16": r.integers(0, 65536, (60, 513)),
		    "u32": r.integers(0, 2**32, (41, 1000)),
		    "f64": r.random((120, 33)) * 10.0 ** r.integers(-300, 300, (120, 33)),
		}
		for name, a in some.items():
		    np.save(name + ".npy", a)
		    np.save(name + ".f.npy", np.asfortranarray(a))
		    np.savetxt(name + ".tsv", a, delimiter="\t",
		               fmt="%.17g" if a.dtype.kind == "f" else "%d")
		    i, j = np.nonzero(a)
		    order = r.permutation(len(i))
		    kind = "real" if a.dtype.kind == "f" else "integer"
		    with open(name + ".mtx", "w") as o:
		        print(f"%%MatrixMarket matrix coordinate {kind} general", file=o)
		        print(*a.shape, len(i), file=o)
		        for k in order:
		            print(i[k] + 1, j[k] + 1, repr(a[i[k], j[k]].item()), file=o)
	END
}

# bats test_tags=long
@test "matrix: NumPy, text and Matrix Market of the same numbers are one" {
	random_matrices
	requires python numpy h5py
	local e kind
	for e in u8 u16 u32 f64; do
		for kind in npy f.npy tsv mtx; do
			vsim-pack --matrix $e.$kind -o $e.$kind.vec.h5
			vsim-pack --matrix $e.$kind --transpose \
				-o $e.$kind.t.vec.h5
			vsim-pack --matrix $e.$kind --element $e \
				-o $e.$kind.e.vec.h5
			vsim-verify --compare $e.npy.vec.h5 $e.$kind.vec.h5
			vsim-verify --compare $e.npy.vec.h5 $e.$kind.e.vec.h5
			vsim-verify --compare $e.npy.t.vec.h5 $e.$kind.t.vec.h5
		done
		"$PYTHON" - $e <<-'END'
			import h5py, numpy as np, sys
			e = sys.argv[1]
			a = np.load(e + ".npy")
			for name, b in ("", a), (".t", a.T):
			    v = h5py.File(f"{e}.npy{name}.vec.h5")["vectors"]
			    x = v["values"][:]
			    assert x.shape == b.shape and (x == b).all()
			    assert v.attrs["element"].decode() == e
		END
	done
}

# bats test_tags=long
@test "matrix: vegan's tables, entry by entry" {
	requires data ecology
	requires python numpy h5py
	local t
	for t in BCI dune mite varespec; do
		vsim-pack --matrix "$VSIM_TEST_DATA/ecology/$t.tsv.gz" \
			-o $t.vec.h5
		vsim-pack --matrix "$VSIM_TEST_DATA/ecology/$t.tsv.gz" \
			--transpose -o $t.t.vec.h5
		vsim-verify $t.vec.h5 $t.t.vec.h5
	done
	"$PYTHON" - "$VSIM_TEST_DATA/ecology" <<-'END'
		import gzip, h5py, numpy as np, sys
		for t in "BCI dune mite varespec".split():
		    rows = [l.rstrip("\n").split("\t") for l in
		            gzip.open(f"{sys.argv[1]}/{t}.tsv.gz", "rt")]
		    a = np.array([r[1:] for r in rows[1:]], float)
		    for name, b, ids, fields in (
		            ("", a, [r[0] for r in rows[1:]], rows[0][1:]),
		            (".t", a.T, rows[0][1:], [r[0] for r in rows[1:]])):
		        f = h5py.File(f"{t}{name}.vec.h5")
		        assert (f["vectors/values"][:] == b).all()
		        assert [x.decode() for x in f["vectors/id"]] == ids
		        assert [x.decode() for x in f["samples/id"]] == fields
	END
}

# bats test_tags=long
@test "matrix: gene families, with two columns of text" {
	requires data gene-families
	requires python numpy h5py
	local tab=$VSIM_TEST_DATA/gene-families/12Primate_genefamilies.tab
	vsim-pack --matrix "$tab" -o g.vec.h5
	"$PYTHON" - "$tab" <<-'END'
		import h5py, sys
		rows = [l.rstrip("\n").split("\t") for l in open(sys.argv[1])]
		f = h5py.File("g.vec.h5")
		assert [x.decode() for x in f["samples/id"]] == rows[0][2:]
		assert [x.decode() for x in f["vectors/id"]] == [r[1] for r in rows[1:]]
		want = [[int(x) for x in r[2:]] for r in rows[1:]]
		assert f["vectors/values"][:].tolist() == want
	END
}

# rows N C WORD: ids, a column of text, two of numbers; row N has WORD in column C
rows() {
	awk -v n="$1" -v c="$2" -v word="$3" 'BEGIN {
		OFS = "\t"
		print "name", "desc", "a", "b"
		for (k = 1; k <= 1200; k++) {
			$0 = "x" k " foo " k % 7 " 1"
			if (k == n)
				$c = word
			$1 = $1
			print
		}
	}'
}

@test "matrix: a row far behind that contradicts the rows read ahead is refused" {
	local n c word says
	while IFS=: read -r n c word says; do
		rows "$n" "$c" "$word" >x.tsv
		run -3 --separate-stderr vsim-pack --matrix x.tsv -o x.vec.h5
		grep -q "x.tsv: line $((n + 1)), $says" <<<"$stderr" ||
			complain "$n $c $word: $stderr"
		run -3 --separate-stderr vsim-pack --matrix - -o x.vec.h5 <x.tsv
		grep -q "input: line $((n + 1)), $says" <<<"$stderr" ||
			complain "$n $c $word: $stderr"
	done <<-'EOT'
	1150:2:5:column 2 .desc.: 5 is a number, .* --drop-columns 2
	1150:3:1,5:column 3 .a.: 1,5 is not a number .* --decimal ,
	1150:4:low:column 4 .b.: low is not a number; --missing-word 'low'
	3:4:low:column 4 .b.: low is not a number; --missing-word 'low'
	EOT
	gone x.vec.h5
	rows 1150 2 5 >x.tsv
	quietly vsim-pack --matrix x.tsv --drop-columns desc -o x.vec.h5
	rows 1150 4 low >x.tsv
	quietly vsim-pack --matrix x.tsv --drop-columns desc --missing-word low -o y.vec.h5
	[ "$(vsim-view -g y.vec.h5 | sed -n 1151p)" = "x1150	2	NA" ]
}

@test "tables: a number that --missing-word lists is missing" {
	printf 'id\ta\tb\tc\nx\t-9\t1\t2.5\ny\t999\t0\t2\n' >x.tsv
	quietly vsim-pack --matrix x.tsv --missing-word -9,999,2.5 -o x.vec.h5
	[ "$(vsim-view -g x.vec.h5 | tail -n 2 | xargs)" = 'x NA 1 NA y NA 0 2' ]
	printf 'id\ta\tb\tc\nx\t9\t1\t2\ny\t1\t0\t2\n' >y.tsv
	quietly vsim-pack --tsv y.tsv --missing-word 9 --label given -o y.vec.h5
	[ "$(vsim-view -g y.vec.h5 | tail -n 2 | xargs)" = 'x NA 1 2 y 1 0 2' ]
	quietly vsim-pack -f --tsv y.tsv --missing-word 9,2 --label given -o y.vec.h5
	[ "$(vsim-view -g y.vec.h5 | tail -n 2 | xargs)" = 'x NA 1 NA y 1 0 NA' ]
}

@test "tables: ids that occur more than once are counted" {
	printf 'id\ta\tb\nv2\t1\t2\n\t3\t4\nx\t5\t7\nx\t6\t7\n' >x.tsv
	run --separate-stderr vsim-pack --matrix x.tsv -o x.vec.h5
	[ "$stderr" = 'vsim-pack: x.tsv: 2 ids occur more than once, first v2; a list of ids selects all that share one' ]
}

@test "matrix: options that go with genotypes, or with tables, say so" {
	printf '1\t2\n' >x.tsv
	refuses 2 '--maf requires genotypes' \
		vsim-pack --matrix x.tsv --maf 0.1 -o x.vec.h5
	refuses 2 '--transpose requires --matrix or --format-field' \
		vsim-pack --tsv x.tsv --transpose -o x.vec.h5
	refuses 2 '--matrix cannot be combined with --tsv' \
		vsim-pack --matrix x.tsv --tsv x.tsv -o x.vec.h5
	refuses 2 'npy-u1.npy: is not a text table; omit --header' \
		vsim-pack --matrix "$IN/good/npy-u1.npy" --header yes -o x.vec.h5
	gone x.vec.h5
}

# bats test_tags=long
@test "numbers: shown as a table and packed again they are the same" {
	random_matrices
	local e
	for e in u8 u16 u32 f64; do
		vsim-pack --matrix $e.npy -o $e.vec.h5
		vsim-view --genotypes $e.vec.h5 |
			vsim-pack --matrix - -o again.vec.h5 -f
		vsim-verify --compare again.vec.h5 $e.vec.h5
	done
	vsim-pack --matrix f64.npy --transpose --element f32 -o f32.vec.h5 \
		2>said || grep -q 'does not fit f32' said
	"$PYTHON" -c 'import numpy as np; np.save("s.npy", np.load(
		"u32.npy").astype("f4") / np.float32(7))'
	vsim-pack --matrix s.npy --element f32 -o f32.vec.h5
	vsim-view -g f32.vec.h5 |
		vsim-pack --matrix - --element f32 -o again.vec.h5 -f
	vsim-verify --compare again.vec.h5 f32.vec.h5
}

@test "numbers: a line a vector with its sum, exact" {
	printf 'id\ta\tb\nx\t4294967295\t4294967295\ny\t1\t0\n' >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	[ "$(vsim-view x.vec.h5)" = $'id\tsum\nx\t8589934590\ny\t1' ]
	[ "$(vsim-view -c i,sum --no-header -i y x.vec.h5)" = $'1\t1' ]
	refuses 2 'freq1: no such column' vsim-view -c freq1 x.vec.h5
	vsim-view -H x.vec.h5 | grep -qx '#element: u32'
}

@test "numbers: permuted by sum, by list or at random, and brought back" {
	random_matrices
	local e way
	for e in u16 f64; do
		vsim-pack --matrix $e.npy -o x.vec.h5 -f
		vsim-permute --order sum -o s.vec.h5 -f x.vec.h5
		vsim-view --no-header s.vec.h5 | cut -f 2 >sums
		sort -g sums | cmp - sums
		[ "$(vsim-view s.vec.h5 | sort)" = \
			"$(vsim-view x.vec.h5 | sort)" ]
		vsim-permute --order sum --reverse --memory 20K -o r.vec.h5 \
			-f x.vec.h5
		[ "$(vsim-view --no-header r.vec.h5 | cut -f 2)" = \
			"$(tac sums)" ]
		vsim-permute --order random --seed 5 -o q.vec.h5 -f r.vec.h5
		vsim-verify q.vec.h5
		vsim-permute --order source -o b.vec.h5 -f q.vec.h5
		vsim-verify --compare b.vec.h5 x.vec.h5
	done
	for way in frequency position; do
		refuses 3 "holds numbers: --order $way is for genotypes" \
			vsim-permute --order $way -o y.vec.h5 x.vec.h5
	done
	vsim-pack --tsv <(printf '0\t1\n') -o g.vec.h5
	refuses 3 'holds genotypes: --order sum is for numbers' \
		vsim-permute --order sum -o y.vec.h5 g.vec.h5
	gone y.vec.h5
}

@test "numbers: a wrong sum, a wrong number, another type are found" {
	requires python numpy h5py
	printf 'id\ta\tb\nx\t4\t5\ny\t1\t0\n' >x.tsv
	vsim-pack --matrix x.tsv --codec none -o x.vec.h5
	vsim-pack --matrix x.tsv --element f64 --codec none -o f.vec.h5
	forge() {
		cp "$1" y.vec.h5
		"$PYTHON" "$TOP/tests/cli/forge.py" y.vec.h5 "$2"
	}
	forge x.vec.h5 ''
	vsim-verify y.vec.h5
	forge x.vec.h5 'f["vectors/value_sum"][1] = 2'
	refuses 1 '/vectors/value_sum: row 1: states 2, the values .* 1$' \
		vsim-verify y.vec.h5
	forge f.vec.h5 'f["vectors/value_sum"][0] = 9.5'
	refuses 1 '/vectors/value_sum: row 0: states 9.5, the values .* 9$' \
		vsim-verify y.vec.h5
	forge f.vec.h5 'f["vectors/values"][1, 0] = -1'
	refuses 1 'vector 1, field 0: -1 is negative or not finite' \
		vsim-verify y.vec.h5
	refuses 3 'vector 1, field 0: -1 is negative' vsim-view -g \
		--no-header y.vec.h5
	forge f.vec.h5 'f["vectors/values"][1, 1] = np.inf'
	refuses 1 'vector 1, field 1: inf is negative or not finite' \
		vsim-verify y.vec.h5
	# of several, found by several threads, the first is reported
	"$PYTHON" -c 'import numpy as np; np.save("w.npy", np.ones((900, 600)))'
	vsim-pack --matrix w.npy --element f64 --codec none -o w.vec.h5
	forge w.vec.h5 'for v, q in (860, 1), (77, 5), (430, 0), (77, 9):
		f["vectors/values"][v, q] = -v'
	refuses 3 'vector 77, field 5: -77 is negative or not finite' \
		vsim-run -m ps -t 0.9 -o run y.vec.h5
	refuses 1 'element: f64 against u8|element: u8 against f64' \
		vsim-verify --compare f.vec.h5 x.vec.h5
	printf 'id\ta\tb\nx\t4\t5\ny\t1\t7\n' >z.tsv
	vsim-pack --matrix z.tsv -o z.vec.h5
	refuses 1 '/vectors/values: row 1 field 1: . against .' \
		vsim-verify --compare z.vec.h5 x.vec.h5
}

@test "numbers: metrics of genotypes refuse them, in one line" {
	printf '1\t2\n3\t4\n' >x.tsv
	vsim-pack --matrix x.tsv -o x.vec.h5
	refuses 3 'x.vec.h5: holds numbers' vsim-run -m ccc -t 0.5 -o r x.vec.h5
	gone r
}

@test "numbers: bits are what DUO takes, value by value" {
	requires python numpy
	printf 'id\ta\tb\tc\td\nx\t1\t1\t0\t0\ny\t1\t0\t1\t0\nz\t1\t1\t1\t0\n' >x.tsv
	vsim-pack --matrix x.tsv --element bit -o x.vec.h5
	vsim-verify x.vec.h5
	vsim-run -m duo -t 0 -o r x.vec.h5
	vsim-merge -o r.res.h5 r
	vsim-view -c i,j,a,b,value --no-header r.res.h5 >got
	"$PYTHON" - <<-'END'
		from fractions import Fraction as F
		x = [[1, 1, 0, 0], [1, 0, 1, 0], [1, 1, 1, 0]]
		want = {}
		for i in range(3):
		    for j in range(i + 1, 3):
		        for a in 0, 1:
		            for b in 0, 1:
		                f = F(sum(p == a and q == b for p, q in zip(x[i], x[j])), 4)
		                fi, fj = F(x[i].count(a), 4), F(x[j].count(b), 4)
		                v = 4 * f * (1 - F(2, 3) * fi) * (1 - F(2, 3) * fj)
		                if v > 0:
		                    want[i, j, a, b] = float(v)
		got = {}
		for l in open("got"):
		    *k, v = l.split("\t")
		    got[tuple(map(int, k))] = float(v)
		assert got.keys() == want.keys(), (got, want)
		assert all(abs(got[k] - want[k]) < 1e-15 for k in want)
	END
}

# bats test_tags=long
@test "matrix: shares and ranks are those of numpy, of rows and of columns" {
	random_matrices
	requires python numpy h5py
	local name how
	for name in u8 u16 u32 f64; do
		for how in sum rank z; do
			vsim-pack --matrix $name.tsv --normalize $how -o $name.$how.vec.h5
			vsim-pack --matrix $name.npy --normalize $how --transpose \
				-o $name.$how.t.vec.h5
			vsim-pack --matrix $name.mtx --normalize $how --element f32 \
				-o $name.$how.f32.vec.h5
		done
	done
	"$PYTHON" - <<-'PY'
	import h5py
	import numpy as np
	def ranks(x):
	    return np.array([((y[None] < y[:, None]).sum(1) +
	                      ((y[None] == y[:, None]).sum(1) + 1) / 2) for y in x])
	def z(x):
	    x = x / np.maximum(x.max(1, keepdims=True), 1e-300)  # squares overflow
	    d = x.std(1, keepdims=True)
	    return (x - x.mean(1, keepdims=True)) / np.where(d > 0, d, 1)
	def shares(x):
	    s = x.sum(1, keepdims=True)
	    return x / np.where(s > 0, s, 1)
	for name in "u8", "u16", "u32", "f64":
	    a = np.load(name + ".npy").astype(float)
	    for how, f in ("sum", shares), ("rank", ranks), ("z", z):
	        get = lambda x: h5py.File(f"{name}.{how}{x}.vec.h5")["vectors/values"][...]
	        for got, want in (get(""), f(a)), (get(".t"), f(a.T.copy())):
	            assert got.dtype == "f8" and got.shape == want.shape
	            if how == "z":
	                assert np.allclose(got, want, rtol=0, atol=1e-13)
	            elif how == "rank" or name != "f64":  # sums of integers are exact
	                assert (got == want).all(), (name, how)
	            else:
	                assert np.allclose(got, want, rtol=1e-14, atol=0)
	        got = get(".f32")
	        assert got.dtype == "f4"
	        assert np.allclose(got, f(a).astype("f4"), rtol=1e-6,
	                           atol=1e-7 if how == "z" else 1e-45)
	PY
	refuses 2 '--normalize cannot be combined with --element u8' vsim-pack \
		--matrix u8.tsv --normalize sum --element u8 -o x.vec.h5
	refuses 2 '--normalize requires --matrix or --format-field' vsim-pack --bfile x \
		--normalize sum -o x.vec.h5
	printf 'id\ta\tb\nx\t0\t0\ny\t1\t3\n' >zero.tsv
	vsim-pack --matrix zero.tsv --normalize sum -o zero.vec.h5
	[ "$(vsim-view -g --no-header zero.vec.h5 | xargs)" = "x 0 0 y 0.25 0.75" ]
	# a sum that overflows is not a vector of zeros
	printf 'id\ta\tb\nx\t1\t2\ny\t1e308\t1e308\n' >big.tsv
	refuses 3 'big.tsv: row 2, y: its sum is above 1.8e308: divide' \
		vsim-pack --matrix big.tsv --normalize sum -o x.vec.h5
	printf 'id\tx\ty\na\t1\t1e308\nb\t2\t1e308\n' >turned.tsv
	refuses 3 'turned.tsv: column 2, y: its sum is above 1.8e308' vsim-pack \
		--matrix turned.tsv --transpose --normalize sum -o x.vec.h5
	printf 'id\ta\tb\tc\nx\t0.1\t0.1\t0.1\ny\t-1e308\t1e308\t0\n' >far.tsv
	vsim-pack --matrix far.tsv --normalize z --element f32 -o far.vec.h5
	[ "$(vsim-view -g --no-header far.vec.h5 | xargs)" = \
		"x 0 0 0 y -1.2247449 1.2247449 0" ]
	vsim-pack --matrix big.tsv --normalize rank -o big.vec.h5
	[ "$(vsim-view -g --no-header big.vec.h5 | xargs)" = "x 1 2 y 1.5 1.5" ]
	gone x.vec.h5
}

@test "numbers: counts of 10x Genomics, with the names beside them, from a folder or a file" {
	requires python numpy scipy
	requires cmd xxhsum
	mkdir a b
	"$PYTHON" - <<-'END'
		import gzip
		import scipy.io, scipy.sparse
		m = scipy.sparse.random(30, 12, 0.3, random_state=1, format="coo")
		m.data = (1 + m.data * 9).astype(int)
		scipy.io.mmwrite("a/matrix.mtx", m, field="integer")
		feature = [f"ENSG{k:03}\tGene {k}\tGene Expression" for k in range(30)]
		code = [f"ACGT{k}-1" for k in range(12)]
		open("a/genes.tsv", "w").write("\n".join(feature) + "\n")
		open("a/barcodes.tsv", "w").write("\n".join(code) + "\n")
		for name, text in [("features.tsv", "\n".join(feature)), ("barcodes.tsv", "\n".join(code)),
		                   ("matrix.mtx", open("a/matrix.mtx").read())]:
		    gzip.open(f"b/GSM1_{name}.gz", "wt").write(text)
		with open("want", "w") as f:
		    print("id", *code, sep="\t", file=f)
		    for k, row in enumerate(m.toarray()):
		        print(f"ENSG{k:03}", *row, sep="\t", file=f)
	END
	local of
	vsim-pack --matrix want -o want.vec.h5
	vsim-pack --matrix want --transpose -o turned.vec.h5
	for of in a a/ a/matrix.mtx b/GSM1_matrix.mtx.gz; do
		vsim-pack -f --matrix $of -o x.vec.h5 2>said
		grep -q 'names are from the files of 10x Genomics beside it' said
		cmp <(vsim-view -g x.vec.h5) <(vsim-view -g want.vec.h5)
		vsim-pack -f --matrix $of --transpose -o x.vec.h5 2>said
		cmp <(vsim-view -g x.vec.h5) <(vsim-view -g turned.vec.h5)
	done
	# all three are sources
	vsim-view --header x.vec.h5 | sed -n 's/^#source[0-9]_//p' |
		grep -e ^name -e ^xxh128 >sources
	for of in features.tsv barcodes.tsv matrix.mtx; do
		printf 'name: %s\nxxh128: %s\n' b/GSM1_$of.gz \
			"$(xxhsum -H2 b/GSM1_$of.gz | cut -d ' ' -f 1)"
	done | cmp - sources
	# other names, one file alone, and names that do not fit
	cp a/matrix.mtx m.mtx
	vsim-pack -f --matrix m.mtx -o x.vec.h5 2>said
	run ! grep 10x said
	[ "$(vsim-view --no-header -c id --head 1 x.vec.h5)" = v1 ]
	rm a/barcodes.tsv
	vsim-pack -f --matrix a -o x.vec.h5
	[ "$(vsim-view -g x.vec.h5 | cut -f 1-2 | head -n 2 | tr '\n\t' ' ,')" = "$(
		printf 'id,s1 ENSG000,%s ' "$(sed -n 2p want | cut -f 2)")" ]
	seq 11 >a/barcodes.tsv
	run -3 vsim-pack -f --matrix a -o y.vec.h5
	[[ $output = *'a/barcodes.tsv: has 11 names, and a/matrix.mtx needs 12; restore'* ]]
	rm a/matrix.mtx
	run -3 vsim-pack -f --matrix a -o y.vec.h5
	[ ! -e y.vec.h5 ]
}
