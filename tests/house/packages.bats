# SPDX-License-Identifier: BSD-3-Clause
# What .packaging, CITATION.cff and .github state agrees with the Makefile.
load words

# yaml FILE EXPRESSION: of the parsed FILE, as d in Python
yaml() {
	"$PYTHON" -c 'import sys, yaml
with open(sys.argv[1]) as f:
	d = yaml.safe_load(f)
print(eval(sys.argv[2]))' "$@"
}

@test "packages: each states the version of the Makefile" {
	local v
	cd "$TOP"
	v=$(sed -n 's/^VERSION := //p' Makefile)
	[[ $v =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]]
	none "$({
		sed -n '1s/.*(\(.*\)-[0-9]*).*/debian \1/p' .packaging/debian/changelog
		sed -n 's/^version: /CITATION /p' CITATION.cff
		sed -n 's/^  version: \([0-9]\)/conda \1/p' .packaging/conda/recipe.yaml
		sed -n 's/.*image\.version /apptainer /p' .packaging/vsim.def
		sed -n 's/^version = "\(.*\)"/python \1/p' examples/python/pyproject.toml
		sed -n 's/^__version__ = "\(.*\)"/vsim.py \1/p' examples/python/vsim.py
	} | awk -v v="$v" '$2 != v; END { if (NR != 6) print NR, "of 6" }')"
}

@test "packages: no address is made up" {
	cd "$TOP"
	none "$(grep -rnE '[A-Za-z0-9._-]+@[A-Za-z0-9.-]+\.[a-z]+' CITATION.cff \
		.packaging/debian .packaging/conda .packaging/vsim.def \
		examples/python/pyproject.toml man/*)"
	[ "$(cat .packaging/debian/c* | grep -c '@MAINTAINER@')" = 2 ]
}

@test "packages: debian asks for what the build names as missing" {
	cd "$BATS_TEST_TMPDIR"
	mkdir bin
	for c in sh sed id grep; do
		ln -s "$(command -v $c)" bin
	done
	run ! env -i PATH="$PWD/bin" CC=gcc MPI=openmpi DEPS=0 \
		sh "$TOP/tests/deps.sh" need build
	local named=${output##*--no-install-recommends } p
	[ "$(wc -w <<<"$named")" -ge 8 ]
	for p in $named; do
		# every builder of Debian has these
		case $p in gcc | libc6-dev) continue ;; esac
		sed -n '/^Build-Depends/,/^Standards/p' \
			"$TOP/.packaging/debian/control" | tr -s ' ,' '\n' |
			grep -qx "$p" || complain "not in Build-Depends: $p"
	done
}

@test "packages: YAML files are valid and name existing things" {
	requires python yaml
	cd "$TOP"
	[ "$(yaml CITATION.cff 'd["license"], d["cff-version"]')" = "('BSD-3-Clause', '1.2.0')" ]
	[ "$(yaml .packaging/conda/recipe.yaml 'd["package"]["name"]')" = vsim ]
	[ -f ".packaging/conda/$(yaml .packaging/conda/recipe.yaml 'd["build"]["script"]')" ]
	[ -f "$(yaml .packaging/conda/recipe.yaml 'd["about"]["license_file"]')" ]
	local t
	for t in $(yaml .github/workflows/check.yml '" ".join(["demo", "check"] +
		[x["do"] for x in d["jobs"]["check"]["strategy"]["matrix"]["include"]])'); do
		make -s help | grep -q "^$t " || complain "no target $t"
	done
}

@test "packages: the workflow tries what README.md names" {
	requires python yaml
	cd "$TOP"
	local named have t
	named=$(grep -oE '(Debian|Ubuntu) [0-9]+(\.[0-9]+)?' README.md |
		tr 'DU ' 'du:' | sort -u)
	[ "$named" = "$(yaml .github/workflows/check.yml '"\n".join(sorted(
		d["jobs"]["check"]["strategy"]["matrix"]["system"]))')" ]
	# and the other settings that the Makefile has for a user, each somewhere
	have=$(yaml .github/workflows/check.yml '[(x["set"], x["do"]) for x in
		d["jobs"]["check"]["strategy"]["matrix"]["include"]]')
	for t in "'MPI=mpich', 'check" "'MPI=none', 'check" "'SAN=1', 'check" \
		"'install'" "'deb'"; do
		[[ $have == *"$t"* ]] || complain "nothing with $t in $have"
	done
	[ "$(yaml .github/workflows/check.yml '(d["concurrency"]["cancel-in-progress"],
		0 < d["jobs"]["check"]["timeout-minutes"] <= 90,
		any("upload-artifact" in x.get("uses", "") for x in
			d["jobs"]["check"]["steps"]))')" = "(True, True, True)" ]
}

@test "packages: their scripts are shell" {
	local f
	cd "$TOP"
	for f in .packaging/*.sh .packaging/conda/*.sh; do
		sh -n "$f"
	done
	# the sections of the definition that a shell runs
	for f in post environment runscript test; do
		awk -v s="%$f" '/^%/ { on = $1 == s; next } on' .packaging/vsim.def >"$BATS_TEST_TMPDIR/part"
		[ -s "$BATS_TEST_TMPDIR/part" ] && sh -n "$BATS_TEST_TMPDIR/part"
	done
}

# bats test_tags=long
@test "packages: conda's build script installs programs that run" {
	git -C "$TOP" rev-parse --git-dir >/dev/null 2>&1 || skip 'no clone of git'
	cd "$BATS_TEST_TMPDIR"
	git clone -q "$TOP" tree
	cd tree
	env -u MAKEFLAGS -u MAKELEVEL -u CFLAGS CPU_COUNT=2 BUILD=x86_64-conda-linux-gnu \
		PREFIX="$BATS_TEST_TMPDIR/p" sh .packaging/conda/build.sh
	"$BATS_TEST_TMPDIR/p/bin/vsim-run" --version
	PATH="$BATS_TEST_TMPDIR/p/bin:$PATH" \
		sh "$BATS_TEST_TMPDIR/p/share/doc/vsim/examples/demo.sh"
}

# bats test_tags=long
@test "packages: make deb is built, and lintian has nothing to say" {
	requires cmd dpkg-buildpackage dh lintian
	git -C "$TOP" rev-parse --git-dir >/dev/null 2>&1 || skip 'no clone of git'
	cd "$BATS_TEST_TMPDIR"
	git clone -q "$TOP" tree
	cd tree
	CUDA=0 DEB_BUILD_OPTIONS='nocheck parallel=2' make deb >said 2>&1 ||
		complain "$(tail -n 20 said)"
	dpkg-deb -c build/deb/vsim_*.deb | grep -q ' ./usr/bin/vsim-run$'
	dpkg-deb -c build/deb/vsim_*.deb |
		grep -q ' ./usr/share/bash-completion/completions/vsim-run$'
}
