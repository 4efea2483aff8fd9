# SPDX-License-Identifier: BSD-3-Clause
# What the Makefile promises.
load words

# make as a user calls it, not as a child of the make that runs the tests
fresh_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CFLAGS make "$@"
}

# a tree of two sources beside the same Makefile
small_tree() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p build libcore/base formats
	cp "$TOP/Makefile" .
	cp "$TOP/build/probe.mk" build
	echo 'int vs_one(void); int vs_one(void) { return VS_ONE; }' \
		>libcore/base/one.c
	echo '#define VS_ONE 1' >libcore/base/one.h
	sed -i '1i #include "libcore/base/one.h"' libcore/base/one.c
	touch build/probe.mk
}

@test "make: nothing changed, nothing is built" {
	small_tree
	fresh_make
	[ -z "$(fresh_make -s)" ]
}

@test "make: a changed header, source or flag is noticed" {
	small_tree
	fresh_make
	sleep 1
	touch libcore/base/one.h
	[[ $(fresh_make) == *one.c* ]]
	touch libcore/base/one.c
	[[ $(fresh_make) == *one.c* ]]
	[[ $(fresh_make CFLAGS=-O0) == *one.c* ]]
	[ -z "$(fresh_make -s CFLAGS=-O0)" ]
}

@test "make: an unknown BUILD is an error that names the known ones" {
	run ! fresh_make BUILD=fast
	[[ $output == *"BUILD=fast: known are release debug asan"* ]]
}

@test "deps: without apt-get the missing packages are named, exit not 0" {
	small_tree
	mkdir bin
	for c in sh mkdir sed id rm mv cat touch; do
		ln -s "$(command -v $c)" bin
	done
	rm build/probe.mk
	run ! env -u MAKEFLAGS -u MAKELEVEL PATH="$PWD/bin" "$(command -v make)"
	[[ $output == *"deps: missing, please install:"*gcc* ]]
	[[ $output == *libhdf5-openmpi-dev*libopenmpi-dev*libzstd-dev* ]]
	run ! env -u MAKEFLAGS -u MAKELEVEL PATH="$PWD/bin" \
		"$(command -v make)" deps MPI=mpich
	[[ $output == *libhdf5-mpich-dev*libmpich-dev*mpich* ]]
	# nor is it asked, unless it may be
	ln -s "$(command -v env)" bin
	printf '#!/bin/sh\n: >called\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
	run ! env -u MAKEFLAGS -u MAKELEVEL PATH="$PWD/bin" \
		"$(command -v make)" deps DEPS=0
	[[ $output == *"deps: missing, please install:"*gcc* ]]
	[ ! -e called ]
	[ "$(id -u)" != 0 ] ||
		run ! env -u MAKEFLAGS -u MAKELEVEL PATH="$PWD/bin" \
			"$(command -v make)" deps
	[ "$(id -u)" != 0 ] || [ -e called ]
}

@test "install: what it puts there runs, uninstall takes all of it away" {
	local root=$BATS_TEST_TMPDIR/root at=(
		BUILD="${VSIM_BUILD##*/}" PREFIX=/opt/v
		DESTDIR="$BATS_TEST_TMPDIR/root")
	fresh_make -s install "${at[@]}"
	for t in tools/vsim-*.c; do
		t=$(basename "$t" .c)
		"$root/opt/v/bin/$t" --version
		[ -s "$root/opt/v/share/man/man1/$t.1" ]
	done
	[ -s "$root/opt/v/lib/vsim/plugin/libvsim_zstd.so" ]
	fresh_make -s uninstall "${at[@]}"
	none "$(find "$root" ! -type d)"
	none "$(find "$root" -name 'vsim*')"
}

@test "help: names each target a user may call" {
	local t bad=
	for t in $(sed -n '/^\.PHONY:/,/[^\\]$/p' Makefile | tr -d '\\'); do
		case $t in
		.PHONY: | FORCE | deps-check | help) continue ;;
		esac
		fresh_make -s help | grep -qw -- "$t" || bad+="$t "
	done
	none "$bad"
}

@test ".ci/run calls make check, from any directory" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "$PWD: $*"\n' >"$BATS_TEST_TMPDIR/bin/make"
	chmod +x "$BATS_TEST_TMPDIR/bin/make"
	cd /
	[ "$(PATH=$BATS_TEST_TMPDIR/bin:$PATH "$TOP/.ci/run" SAN=1)" = \
		"$TOP: check SAN=1" ]
}
