# SPDX-License-Identifier: BSD-3-Clause
# Words for the .bats files: `load ../helpers`.
# Each test starts in an empty directory of its own ($BATS_TEST_TMPDIR), finds
# the programs just built on PATH and h5py finds their plugin.

bats_require_minimum_version 1.5.0

TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
: "${VSIM_BUILD:=$TOP/build/release}"
: "${PYTHON:=/usr/bin/python3}"
: "${VSIM_TEST_DATA:=$TOP/../shared/data}"

# with no build beside it the tests try what is installed
if [ -d "$VSIM_BUILD" ]; then
	PATH=$VSIM_BUILD:$PATH
	export HDF5_PLUGIN_PATH=$VSIM_BUILD/plugin
fi
export TOP VSIM_BUILD PYTHON VSIM_TEST_DATA PATH
export LC_ALL=C HDF5_USE_FILE_LOCKING=FALSE OMP_WAIT_POLICY=passive
export HWLOC_HIDE_ERRORS=2

setup() {
	cd "$BATS_TEST_TMPDIR" || return
}

# bats notes before each command where it is, and takes 0.15 ms for that: what it
# notes in a third of the time, in the words of this version
[[ $BATS_VERSION != 1.8.2 ]] || bats_debug_trap() {
	local i
	[[ $1 != "$BATS_ROOT"/* ]] || return 0
	BATS_DEBUG_LASTLAST_STACK_TRACE=("${BATS_DEBUG_LAST_STACK_TRACE[@]}")
	BATS_DEBUG_LAST_LINENO=("${BASH_LINENO[@]}")
	BATS_DEBUG_LAST_SOURCE=("${BASH_SOURCE[@]}")
	BATS_DEBUG_LAST_STACK_TRACE=()
	for ((i = 1; i < ${#FUNCNAME[@]}; i++)); do
		BATS_DEBUG_LAST_STACK_TRACE+=("${BASH_LINENO[i - 1]} ${FUNCNAME[i]} ${BASH_SOURCE[i]}")
		case ${FUNCNAME[i]} in
		"$BATS_TEST_NAME" | setup | teardown | setup_file | teardown_file) break ;;
		esac
	done
}

# probed NAME: what the Makefile found out, e.g. MPI_FLAVOUR
probed() {
	sed -n "s/^$1 := //p" "$TOP/build/probe.mk"
}

# ranks N CMD...: CMD on N ranks
ranks() {
	"$TOP/tests/ranks" "$@"
}

# sanitized: are the programs built with make check SAN=1, or BUILD=tsan?
sanitized() {
	nm -D "$(command -v vsim-run)" | grep -qE '__[at]san'
}

# races: are the programs built with make check BUILD=tsan, whose memory is a file
# that ulimit -f limits?
races() {
	nm -D "$(command -v vsim-run)" | grep -q __tsan
}

# can_start N: are there N ranks?  Where MPI is and cannot start them the test fails.
# Asked once in a run of tests/run, or in a file.
can_start() {
	local yes=${VSIM_TEST_BUILT:-$BATS_FILE_TMPDIR}/ranks-$1
	[ "$(probed MPI_FLAVOUR)" != none ] || return
	[ -e "$yes" ] || ranks "$1" true >"$yes.said" 2>&1 && : >"$yes" || {
		complain "cannot start $1 ranks: $(cat "$yes.said")" ||
			exit 1
	}
}

# committed RUNDIR|LOG...: tiles that logs of unfinished shards have
committed() {
	"$PYTHON" "$TOP/tests/logs.py" "$@"
}

# can_import MODULE: by $PYTHON?  Asked as rarely, since it takes as long as some
# tests.
can_import() {
	local yes=${VSIM_TEST_BUILT:-$BATS_FILE_TMPDIR}/module-$1
	[ -e "$yes" ] || { "$PYTHON" -c "import $1" 2>/dev/null && : >"$yes"; }
}

# requires WHAT NAME...: skip the test, saying why, when the machine lacks it
#	requires cmd bcftools mcl      programs
#	requires python numpy h5py     modules of $PYTHON
#	requires mpi 4                 4 ranks: a build with MPI
#	requires data mouse-hs1940     a folder of $VSIM_TEST_DATA
#	requires cpu avx2              a flag of /proc/cpuinfo
#	requires root
requires() {
	local what=$1 x
	shift
	for x in "${@:--}"; do
		case $what in
		cmd) command -v "$x" >/dev/null || skip "no program $x" ;;
		python) can_import "$x" ||
			skip "no module $x of Python" ;;
		mpi) can_start "$x" ||
			skip "built without MPI" ;;
		data) [ -d "$VSIM_TEST_DATA/$x" ] ||
			skip "no data set $x (VSIM_TEST_DATA)" ;;
		cpu) grep -qw "$x" /proc/cpuinfo || skip "no $x here" ;;
		root) [ "$(id -u)" = 0 ] || skip "needs root" ;;
		*) complain "requires: $what is unknown" ;;
		esac
	done
}

# plugin NAME SOURCE...: have --backend cuda find a vsim-cuda.so made of these,
# built once in a run of tests/run, or in a file
plugin() {
	local so
	requires cmd gcc
	export VSIM_PLUGIN_PATH=${VSIM_TEST_BUILT:-$BATS_FILE_TMPDIR}/$1
	so=$VSIM_PLUGIN_PATH/vsim-cuda.so
	[ -e "$so" ] || {
		mkdir -p "$VSIM_PLUGIN_PATH"
		# other files may build it, too
		(cd "$TOP" && gcc -std=gnu11 -O2 -I. -fPIC -shared \
			-fvisibility=hidden -D_GNU_SOURCE -ffp-contract=off \
			-Wl,-z,defs -o "$so.$BASHPID" "${@:2}" \
			libcore/base/{fail,limits,mem,num}.c -lm &&
			mv "$so.$BASHPID" "$so")
	}
}

# simulate [seed=N,lost=N]: --backend cuda is the simulated device of tests/sim
simulate() {
	export VSIM_SIM=${1-}
	plugin sim tests/sim/sim_plugin.c libcore/engine/hits.c \
		libcore/metric/alleles.c libcore/base/ratio.c
}

# twin [FLAG...]: whole programs meet a device that is the twin, $VSIM_TWIN says of
# what kind; FLAG of the compiler
twin() {
	plugin "twin${*//[^A-Z]/}" "$@" cuda/drive{,_pairs,_triples}.c \
		cuda/{lane,part_cache,card_query,tables_data,pivots,cuda_entry}.c \
		tests/gpu/twin.c
}

# cpu_steps: what --cpu may be here
cpu_steps() {
	local step last
	last=$(vsim-run --version | sed -n 's/.*this CPU supports at most //p')
	for step in scalar popcnt avx2 avx512 avx512icl amx; do
		echo $step
		[ $step != "$last" ] || return 0
	done
	complain "this CPU supports at most '$last'"
}

# all_kernels METRIC: those that --version lists, of numbers for ps
all_kernels() {
	case $1 in
	ps) vsim-run --version | grep -o '[a-z0-9]*-u8' ;;
	*) vsim-run --version | sed -n 's/^kernels \(.*\);.*/\1/p' ;;
	esac
}

# kernels METRIC: those of this CPU that --kernel may name, for x.vec.h5
kernels() {
	local kernel
	for kernel in $(all_kernels "$1"); do
		# one refused for another reason is a kernel: the caller reports it
		vsim-run -n -m "$1" -t 0.5 --kernel "$kernel" x.vec.h5 2>&1 |
			grep -q 'or not for' || echo "$kernel"
	done
}

# complain TEXT...: say why the test fails, and fail
complain() {
	printf '%s\n' "$@" >&2
	return 1
}

# captured CMD...: as run --separate-stderr, which takes 5 ms more for its own
# processes: leaves status, output, stderr and stderr_lines
captured() {
	local captured_to=$BATS_TEST_TMPDIR.$BASHPID
	status=0
	# a function may set variables, limits or its directory
	if declare -F "$1" >/dev/null; then
		("$@") >"$captured_to" 2>"$captured_to.err" || status=$?
	else
		"$@" >"$captured_to" 2>"$captured_to.err" || status=$?
	fi
	IFS= read -d '' -r output <"$captured_to"
	read -d '' -r stderr <"$captured_to.err"
	mapfile -t stderr_lines <"$captured_to.err"
}

# refuses CODE REGEX CMD...: CMD ends with CODE, prints nothing on stdout and
# one line "vsim-NAME: ..." on stderr, which REGEX matches
refuses() {
	local - code=$1 words=$2
	set +eET
	shift 2
	captured "$@"
	[ "$status" = "$code" ] && [ -z "$output" ] &&
		[ "${#stderr_lines[@]}" = 1 ] &&
		[[ $stderr =~ ^vsim(-[a-z]+)?:\  ]] && [[ $stderr =~ $words ]] ||
		complain "command: $*" \
			"wanted:  exit $code, one line with: $words" \
			"exit:    $status" "stdout:  $output" "stderr:  $stderr"
}

# quietly CMD...: CMD ends with 0 and says nothing at all
quietly() {
	local -
	set +eET
	captured "$@"
	[ "$status" = 0 ] && [ -z "$output$stderr" ] ||
		complain "command: $*" "wanted:  exit 0, not a word" \
			"exit:    $status" "stdout:  $output" "stderr:  $stderr"
}

# gone PATTERN...: no such file was left, temporaries included
gone() {
	local f
	for f; do
		[ ! -e "$f" ] || complain "left behind: $f" || return
	done
	for f in ./*.tmp-* ./*/*.tmp-*; do
		[ ! -e "$f" ] || complain "left behind: $f" || return
	done
}

# flip FILE BYTE [BIT]: turn one bit of a file over
flip() {
	local v
	v=$(od -An -tu1 -j "$2" -N 1 "$1")
	printf "\\x$(printf %x $((v ^ (1 << ${3:-0}))))" |
		dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# small_disk DIR SIZE: mount a tmpfs; skip where that is not allowed
small_disk() {
	mkdir -p "$1"
	mount -t tmpfs -o "size=$2" tmpfs "$1" 2>/dev/null ||
		skip "cannot mount a small disk here"
	SMALL_DISKS="$SMALL_DISKS $(cd "$1" && pwd)"
}

# in_memory: $SCRATCH is a directory in memory where there is such: programs that
# flush their files hundreds of times wait half of their time for a disk
in_memory() {
	[ -n "$SCRATCH" ] ||
		SCRATCH=$(mktemp -d /dev/shm/vsim-test-XXXXXX 2>/dev/null) ||
		SCRATCH=$BATS_TEST_TMPDIR/scratch
}

teardown() {
	local d
	[ -z "$SCRATCH" ] || rm -rf "$SCRATCH"
	for d in $SMALL_DISKS; do
		umount "$d"
	done
}

# path T WAY [RUN-OPTION...]: x.vec.h5 to run, and to e.res.h5
path() {
	rm -rf run
	vsim-run -t "$1" --way "$2" --allow-empty -o run "${@:3}" x.vec.h5 &&
		vsim-merge -f -o e.res.h5 run
}

# listed WAY: the records of e.res.h5 with cells by number, as oracles list them
listed() {
	local third=
	[ "$1" = 2 ] || third=,k
	vsim-view --no-header -c i,j$third,cell,num,n,value e.res.h5
}

# content FILE: the digest of its content
content() {
	vsim-view -H "$1" | sed -n 's/^#content_xxh128: //p'
}
