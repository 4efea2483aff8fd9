# SPDX-License-Identifier: BSD-3-Clause
# What the Makefile promises.
load words

# make as a user calls it, not as a child of the make that runs the tests; the
# interpreter is the one that their scripts have, not a client that goes with them
fresh_make() {
	: "${interpreter:=$("$PYTHON" -c 'import sys; print(sys.executable)')}"
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u CFLAGS PYTHON="$interpreter" make "$@"
}

# a tree of two sources beside the same Makefile
small_tree() {
	cd "$BATS_TEST_TMPDIR" || return
	mkdir -p build libcore/base formats tests
	cp "$TOP/Makefile" .
	cp "$TOP/tests/deps.sh" tests
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

@test "make: a new source is built whatever its date, one that is gone is left out" {
	small_tree
	fresh_make
	echo 'int vs_two(void); int vs_two(void) { return 2; }' >libcore/base/two.c
	touch -d '2 days ago' libcore/base/two.c
	[[ $(fresh_make) == *two.c* ]]
	nm build/release/libvscore.a | grep -w vs_two
	# nor is one kept that is gone
	mv libcore/base/two.c .
	fresh_make
	! nm build/release/libvscore.a | grep -w vs_two
	mv two.c libcore/base
	mkdir -p tests/unit
	cp libcore/base/two.c tests/unit/t_two.c
	echo 'int main(void) { return 0; }' >>tests/unit/t_two.c
	fresh_make build/release/tests/unit/t_two
	[ -e build/release/tests/unit/t_two.o ]
	[ -e build/release/libcore/base/two.o ]
}

# bats test_tags=long
@test "bench: the rates of the kernels are printed to the end" {
	local bench
	for bench in min_rates pair_rates; do
		make -s -C "$TOP" "${VSIM_BUILD#"$TOP"/}/tests/bench/$bench"
		"$VSIM_BUILD/tests/bench/$bench" >"$BATS_TEST_TMPDIR/said"
		grep -q "^scalar" "$BATS_TEST_TMPDIR/said" || complain "$bench"
	done
}

@test "make: an unknown BUILD is an error that names the known ones" {
	run ! fresh_make BUILD=fast
	[[ $output == *"BUILD=fast: known are release debug asan"* ]]
}

# make of a user who has nothing but what lies in bin
bare_make() {
	env -u MAKEFLAGS -u MAKELEVEL -u BUILD -u CC PATH="$PWD/bin" \
		"$(command -v make)" "$@"
}

@test "deps: without apt-get the missing packages are named, exit not 0" {
	small_tree
	mkdir -p bin cuda .packaging/debian
	cp "$TOP/cuda/rules.mk" cuda
	cp "$TOP/.packaging/debian/control" .packaging/debian
	for c in sh mkdir sed id rm mv cat touch find grep; do
		ln -s "$(command -v $c)" bin
	done
	rm build/probe.mk
	local said='deps: packages are missing; install them as root: apt-get install -y --no-install-recommends '
	run ! bare_make
	[[ $output == "$said"gcc*libhdf5-openmpi-dev*libopenmpi-dev*libzstd-dev* ]]
	# one line to copy, and not a word of make's; what tests need is in it
	[ ${#lines[@]} = 1 ]
	run ! bare_make -j2 demo check
	[[ $output == "$said"gcc*libzstd-dev*bats* && ${#lines[@]} == 1 ]]
	run ! bare_make deb
	[[ $output == "$said"build-essential\ debhelper* && ${#lines[@]} == 1 ]]
	run ! bare_make deps MPI=mpich
	[[ $output == "$said"*libhdf5-mpich-dev*libmpich-dev*mpich*bats* ]]
	[ ${#lines[@]} = 1 ]
	run ! bare_make MPI=none
	[[ $output == "$said"*libhdf5-dev* && $output != *mpi* ]]
	[ ${#lines[@]} = 1 ]
	# nor is it asked, unless it may be
	ln -s "$(command -v env)" bin
	printf '#!/bin/sh\n: >called\nexit 1\n' >bin/apt-get
	chmod +x bin/apt-get
	run ! bare_make deps DEPS=0
	[[ $output == "$said"gcc* ]]
	[ ! -e called ]
	[ "$(id -u)" != 0 ] ||
		run ! bare_make deps
	[ "$(id -u)" != 0 ] || [ -e called ]
}

# bats test_tags=long
@test "deps: HDF5 without a .pc is found by CPPFLAGS and LDFLAGS, as of conda" {
	local flags libs
	flags=$(sed -n 's/^H5_CFLAGS := //p' build/probe.mk)
	libs=$(pkg-config --libs-only-L "$(pkg-config --list-all |
		sed -n 's/^\(hdf5[a-z-]*\) .*/\1/p' | head -n 1)")
	small_tree
	mkdir bin
	cat >bin/pkg-config <<-END
		#!/bin/sh
		case \$* in *hdf5*) exit 1 ;; esac
		exec $(command -v pkg-config) "\$@"
	END
	chmod +x bin/pkg-config
	rm build/probe.mk
	PATH=$PWD/bin:$PATH fresh_make CPPFLAGS="$flags" LDFLAGS="$libs" DEPS=0
	grep -x 'H5_LIBS := -lhdf5' build/probe.mk
	rm build/probe.mk
	PATH=$PWD/bin:$PATH run ! fresh_make CPPFLAGS=-I. LDFLAGS=-L. DEPS=0
	[[ $output == *"--no-install-recommends libhdf5-openmpi-dev"* ]]
}

# bats test_tags=long
@test "install: what it puts there runs, uninstall takes all of it away" {
	local root=$BATS_TEST_TMPDIR/root at=(
		BUILD="${VSIM_BUILD##*/}" PREFIX=/opt/v
		DESTDIR="$BATS_TEST_TMPDIR/root")
	# what is not built already is not built for this
	[ -e "$VSIM_BUILD/vsim-cuda.so" ] || at+=(CUDA=0)
	# folders and files of others stay
	mkdir -p "$root/opt/v/share/man/man1"
	: >"$root/opt/v/share/man/man1/other.1"
	fresh_make -s install "${at[@]}" >"$BATS_TEST_TMPDIR/said"
	[ "$(grep -vE '^  (CC|AR|LINK) ' "$BATS_TEST_TMPDIR/said")" = "  INST  $root/opt/v" ]
	for t in tools/vsim*.c; do
		t=$(basename "$t" .c)
		"$root/opt/v/bin/$t" --version
		[ -s "$root/opt/v/share/man/man1/$t.1" ]
	done
	[ -s "$root/opt/v/lib/vsim/plugin/libvsim_zstd.so" ]
	"$root/opt/v/share/doc/vsim/examples/clusters.sh" 2>&1 | grep usage
	# once more, to the same place, with a new folder
	rm -r "$root/opt/v/share/zsh"
	fresh_make -s install "${at[@]}"
	fresh_make -s uninstall "${at[@]}"
	[ "$(cd "$root" && find . | sort | xargs)" = ". ./opt ./opt/v ./opt/v/share ./opt/v/share/man ./opt/v/share/man/man1 ./opt/v/share/man/man1/other.1" ]
}

@test "help: names each target a user may call" {
	local t bad= help
	help=$(fresh_make -s help)
	for t in $(sed -n '/^\.PHONY:/,/[^\\]$/p' Makefile | tr -d '\\'); do
		case $t in
		.PHONY: | FORCE | deps-check* | help) continue ;;
		esac
		grep -qw -- "$t" <<<"$help" || bad+="$t "
	done
	none "$bad"
}

# ci TOTAL CODE: .ci/run ends with TOTAL and CODE, with a make that says what the
# file TARGET has and exits with what TARGET.code has; ci_run is another one
ci() {
	mkdir -p bin
	cat >bin/make <<-END
		#!/bin/sh
		echo "\$PWD: \$*"
		[ "\$1" != check-more ] || echo "\$FIRST" "\$UNTIL" >"$PWD/more"
		[ ! -e "$PWD/\$1" ] || cat "$PWD/\$1"
		exit "\$(cat "$PWD/\$1.code")"
	END
	chmod +x bin/make
	run env -C / PATH="$PWD/bin:$PATH" "${ci_run:-$TOP/.ci/run}" SAN=1
	[[ $output == *": check SAN=1"*": check-dev SAN=1"*": check-more SAN=1"* ]] &&
		[ "$(grep -cE '^[0-9]+ passed' <<<"$output")" = 1 ] &&
		[ "${lines[-1]}" = "$1" ] && [ "$status" = "$2" ] ||
		complain "wanted: $1, exit $2" "exit $status: $output"
}

# tiers CHECK DEV MORE: what they end with, and with which codes
tiers() {
	local tier
	for tier in check check-dev check-more; do
		echo "${1%=*}" >$tier
		echo "${1##*=}" >$tier.code
		shift
	done
	echo 0 >deps-check-more.code
}

@test ".ci/run: the three tiers, and the total of them" {
	cd "$BATS_TEST_TMPDIR"
	tiers '10 passed, 0 failed, 2 skipped=0' '4 passed, 0 failed=0' \
		'3 passed, 0 failed=0'
	ci '17 passed, 0 failed, 2 skipped' 0
	tiers '10 passed, 0 failed, 2 skipped=0' '4 passed, 0 failed=0' \
		'2 passed, 1 failed=2'
	ci '16 passed, 1 failed, 2 skipped' 1
	# what does not come to a total has failed
	tiers 'no rule for it=2' '2 passed, 1 failed=2' '=2'
	ci '2 passed, 3 failed' 1
	tiers '5 passed, 0 failed=0' '5 passed, 0 failed=2' '1 passed, 0 failed=0'
	ci '11 passed, 1 failed' 1
}

@test ".ci/run: what a change touches is first of the long tests" {
	requires cmd git
	cd "$BATS_TEST_TMPDIR"
	local ci_run=$PWD/clone/.ci/run
	unset BASE
	tiers '1 passed, 0 failed=0' '1 passed, 0 failed=0' '1 passed, 0 failed=0'
	commit() {
		git -C clone add . && git -C clone -c user.name=a -c user.email=b \
			commit -q -m c
	}
	mkdir -p clone/{.ci,cuda}
	cp "$TOP/.ci/run" clone/.ci
	# no clone, one commit, as in a shallow clone
	ci '3 passed, 0 failed' 0
	grep -qE '^ [0-9]+$' more
	git init -q clone
	commit
	ci '3 passed, 0 failed' 0
	grep -qE '^ [0-9]+$' more
	echo >clone/cuda/x.cu
	commit
	ci '3 passed, 0 failed' 0
	grep -qE '^cuda\|devices\|gpu [0-9]+$' more || complain "$(cat more)"
	# in the work tree, and since a branch was left
	git -C clone update-ref refs/remotes/origin/main HEAD
	git -C clone symbolic-ref refs/remotes/origin/HEAD refs/remotes/origin/main
	mkdir -p clone/tests/flow
	echo >clone/tests/flow/a.bats
	commit
	echo >clone/README.md
	commit
	ci '3 passed, 0 failed' 0
	grep -qE '^/a.bats [0-9]+$' more || complain "$(cat more)"
	echo >>clone/cuda/x.cu
	BASE=HEAD ci '3 passed, 0 failed' 0
	grep -qE '^cuda\|devices\|gpu ' more || complain "$(cat more)"
}

# file_of_tests NAME: of stdin, where TEST stands for what bats would look for here
file_of_tests() {
	sed 's/^TEST/@test/; s/^# TAG /# bats test_tags=/; s/^# ALL /# bats file_tags=/' >"$1"
	chmod +x "$1"
}

# outside CMD...: as a user calls it, not as a test of bats
outside() {
	env -i PATH="/usr/local/bin:/usr/bin:/bin:$PATH" JOBS=2 SLOW="$SLOW" "$@"
}

# bats test_tags=long
@test "run: what takes too long is named, with its seconds; so is what crashes" {
	cd "$BATS_TEST_TMPDIR"
	file_of_tests a.bats <<-'END'
		TEST "a: good" { true; }
		# TAG long
		TEST "a: long" { true; }
		TEST "a: hangs" { sleep 600; }
		TEST "a: never begun" { true; }
	END
	file_of_tests b.bats <<-'END'
		setup_file() { sleep 600; }
		TEST "b: never begun" { true; }
	END
	file_of_tests t_c <<-'END'
		#!/bin/sh
		echo "ok - one"
		sleep 600
	END
	file_of_tests t_d <<-'END'
		#!/bin/sh
		echo "ok - two ${LONG-short}"
		echo "skip - no device"
		kill -SEGV $$
	END
	run outside TEST_TIME=1 "$TOP/tests/run" log a.bats b.bats ./t_c ./t_d
	[ "$status" = 1 ] && [ "${lines[-1]}" = "3 passed, 4 failed, 1 skipped" ] ||
		complain "$output"
	grep -qE '^    a\.bats: not ok - timed out after [0-9]+ s, after the test: ok 1 a: good' <<<"$output"
	grep -qE '^    b\.bats: not ok - timed out after [0-9]+ s, before its first test$' <<<"$output"
	grep -qE '^    ./t_c: not ok - timed out after [0-9]+ s, after the test: ok - one$' <<<"$output"
	grep -qE '^    ./t_d: not ok - ended with code 139, after the test: ok - two short$' <<<"$output"
	grep -q ': not ok - timed out after' log
	file_of_tests e.bats <<-'END'
		TEST "e: left out" { skip "no reason"; }
	END
	run outside "$TOP/tests/run" log e.bats
	[ "$status" = 0 ] && grep -qx '    e.bats: e: left out: no reason' <<<"$output"
	run outside TIER=long "$TOP/tests/run" log a.bats
	[ "$status" = 0 ] && [ "${lines[-1]}" = "1 passed, 0 failed" ]
	run outside "$TOP/tests/run" log none.bats
	[ "$status" = 1 ] && [ "${lines[-1]}" = "0 passed, 1 failed" ]
}

@test "run: temporary files are where TMPDIR says, else in memory or on disk" {
	cd "$BATS_TEST_TMPDIR"
	file_of_tests t_e <<-'END'
		#!/bin/sh
		echo "ok - in ${TMPDIR:-none}"
		touch "${TMPDIR:-.}/left"
	END
	mkdir mine
	outside TMPDIR="$PWD/mine" "$TOP/tests/run" log ./t_e
	grep -qx "./t_e: ok - in $PWD/mine" log
	[ "$(ls mine)" = left ]
	outside "$TOP/tests/run" log ./t_e
	if [ -e left ]; then
		grep -qx './t_e: ok - in none' log
	else
		grep -qx './t_e: ok - in /dev/shm/vsim-check-......' log
		[ ! -e "$(sed -n 's|.* in /dev|/dev|p' log)" ]
	fi
}

@test "run: AGAIN=1 runs what failed once more, and shows both" {
	cd "$BATS_TEST_TMPDIR"
	file_of_tests ./t_e <<-'END'
		#!/bin/sh
		echo "ok - one"
		[ -e seen ] && echo "ok - two" || echo "not ok - two"
		echo "skip - no device"
		[ -e seen ] || { touch seen && exit 1; }
	END
	file_of_tests ./t_f <<-'END'
		#!/bin/sh
		echo "not ok - always"
		exit 1
	END
	run outside AGAIN=1 "$TOP/tests/run" log ./t_e
	[ "$status" = 0 ] && [ "${lines[-1]}" = "2 passed, 0 failed, 1 skipped" ] ||
		complain "$output"
	grep -q 'not ok - two' <<<"$output"
	grep -qx 'failed, and run again alone:' <<<"$output"
	rm seen
	run outside AGAIN=1 "$TOP/tests/run" log ./t_e ./t_f
	[ "$status" = 1 ] && [ "${lines[-1]}" = "2 passed, 1 failed, 1 skipped" ] ||
		complain "$output"
	rm seen
	run outside "$TOP/tests/run" log ./t_e
	[ "$status" = 1 ] && [ "${lines[-1]}" = "1 passed, 1 failed, 1 skipped" ]
}

@test "run: scripts of tests find their modules there, and else what a user has" {
	"$PYTHON" -c 'import numpy' || skip "no numpy"
	cd "$BATS_TEST_TMPDIR"
	file_of_tests a.bats <<-'END'
		load "$TOP/tests/helpers"
		TEST "a: there" {
			run -0 "$PYTHON" -c 'import sys
			print(sys.argv, "numpy" in sys.modules)' x y
			[ "$output" = "['-c', 'x', 'y'] True" ]
		}
		TEST "a: streams, directory, environment" {
			echo 'import os; print(os.getcwd(), os.environ["A"])' >s.py
			[ "$(A=b "$PYTHON" - <s.py)" = "$PWD b" ]
			[ "$(A=b "$PYTHON" s.py)" = "$PWD b" ]
			[ "$("$PYTHON" -c 'print(input())' <<<words)" = words ]
			run -0 "$PYTHON" -c 'f = open("f", "w"); f.write("kept")'
			[ "$(cat f)" = kept ]
			# what an interpreter reads before anything else
			[ "$(PYTHONPATH=/no "$PYTHON" -c 'import sys
			print(sys.path[1], "numpy" in sys.modules)')" = "/no False" ]
		}
		TEST "a: exit codes" {
			run -3 "$PYTHON" -c 'raise SystemExit(3)'
			run -1 "$PYTHON" -c 'raise SystemExit("words")'
			[ "$output" = words ]
			run -1 "$PYTHON" -c 'None + 1'
			[[ $output == *TypeError* ]]
			run -2 "$PYTHON" absent.py
			run -137 "$PYTHON" -c 'import os; os.kill(os.getpid(), 9)'
		}
		TEST "a: a script goes with who asked for it" {
			"$PYTHON" -c 'import os, time
			print(os.getpid(), flush=True); time.sleep(60)' >pid &
			until [ -s pid ]; do sleep 0.02; done
			kill -9 $!
			for k in $(seq 100); do
				kill -0 "$(cat pid)" || return 0
				sleep 0.02
			done
			return 1
		}
	END
	run outside TOP="$TOP" VSIM_BUILD="$VSIM_BUILD" \
		PYTHON="$("$PYTHON" -c 'import sys; print(sys.executable)')" \
		"$TOP/tests/run" log a.bats
	[ "${lines[-1]}" = "4 passed, 0 failed" ] || complain "$output"
}

@test "run: a reason of skips is named once, files without time are named" {
	cd "$BATS_TEST_TMPDIR"
	file_of_tests a.bats <<-'END'
		TEST "a: one" { skip "no moon"; }
		TEST "a: two" { skip "no sun"; }
		TEST "a: three" { skip "no moon"; }
	END
	printf '#!/bin/sh\necho "skip - no moon"\n' >t_b
	printf '#!/bin/sh\necho "ok - c"\n' >t_c
	chmod +x t_b t_c
	run outside "$TOP/tests/run" log a.bats ./t_b
	[ "${lines[-1]}" = "0 passed, 0 failed, 4 skipped" ]
	grep -qx '    3 tests, the first is a.bats: a: one: no moon' <<<"$output"
	grep -qx '    a.bats: a: two: no sun' <<<"$output"
	run outside STRICT=1 "$TOP/tests/run" log a.bats ./t_b
	[ "${lines[-1]}" = "0 passed, 4 failed" ] && [ "$status" = 1 ]
	run outside UNTIL=$(($(date +%s) - 60)) FIRST=t_c \
		"$TOP/tests/run" log a.bats ./t_b ./t_c
	[ "${lines[-1]}" = "1 passed, 0 failed" ] && [ "$status" = 0 ]
	grep -qxE 'no time was left for( ./t_b a.bats| a.bats ./t_b)' <<<"$output"
	run outside UNTIL=1 FIRST=t_c "$TOP/tests/run" log ./t_c
	[ "${lines[-1]}" = "0 passed, 0 failed" ] && [ "$status" = 0 ]
}

@test "run: an MPI that starts no ranks is a failure, none a skip" {
	cd "$BATS_TEST_TMPDIR"
	file_of_tests a.bats <<-'END'
		load "$TOP/tests/helpers"
		probed() { echo "$FLAVOUR"; }
		ranks() { echo "no slots here"; return 1; }
		TEST "a: ranks" { requires mpi 2; }
		TEST "a: some" { ! can_start 3 || ranks 3 true; }
	END
	run outside TOP="$TOP" FLAVOUR=openmpi "$TOP/tests/run" log a.bats
	[ "${lines[-1]}" = "0 passed, 2 failed" ] || complain "$output"
	grep -q 'cannot start 2 ranks: no slots here' <<<"$output"
	run outside TOP="$TOP" FLAVOUR=none "$TOP/tests/run" log a.bats
	[ "${lines[-1]}" = "1 passed, 0 failed, 1 skipped" ] || complain "$output"
}

@test "run: on a terminal its last line says what is running" {
	requires cmd script
	cd "$BATS_TEST_TMPDIR"
	printf '#!/bin/sh\nsleep 3\necho "ok - a"\n' >t_a
	chmod +x t_a
	outside script -qec "$TOP/tests/run log ./t_a" /dev/null >said
	grep -q 'running: ./t_a (1 s)' said
	[ "$(tail -n 1 said | tr -d '\r')" = '1 passed, 0 failed' ]
}

@test "check: each test is in one tier, and unmarked in check-dev" {
	small_tree
	mkdir -p tests/flow tests/unit
	cp "$TOP"/tests/{run,pyclient.c,pyserve.py} tests
	file_of_tests tests/flow/a.bats <<<'TEST "a" { true; }'
	file_of_tests tests/flow/b.bats <<-'END'
		TEST "b" { true; }
		# TAG long
		TEST "c" { true; }
		# TAG install
		TEST "i" { true; }
	END
	file_of_tests tests/flow/d.bats <<-'END'
		# ALL long
		TEST "d" { true; }
		TEST "e" { true; }
	END
	cat >tests/unit/t_u.c <<-'END'
		#include <stdio.h>
		#include <stdlib.h>
		#define T_LONG (getenv("LONG") != NULL)
		int main(void) { return puts(T_LONG ? "ok - long" : "ok - short") < 0; }
	END
	printf '/* T_INSTALL */\n#include <stdio.h>\n%s' \
		'int main(void) { return puts("ok - install") < 0; }' >tests/unit/t_i.c
	echo 'int main(void) { return 0; }' >formats/none.c
	touch build/tried-{judge,extra,more}
	tier() {
		outside make -s CUDA=0 "$1" >said && [ "$(tail -n 1 said)" = "$2" ] ||
			complain "$(cat said)"
	}
	tier check '2 passed, 0 failed'
	grep -q 'ok - install' build/release/check.log
	tier check-dev '3 passed, 0 failed'
	grep -q 'ok - short' build/release/check-dev.log
	tier check-more '4 passed, 0 failed'
	grep -q 'ok - long' build/release/check-more.log
	tier check-flow '3 passed, 0 failed'
}
