#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Which HDF5 and MPI are here, which Debian packages are missing for a purpose
# (build, check, extra, more), and how to get them by apt-get.
#
#	deps.sh need PURPOSE  install what is missing; exit 1, naming it, where
#	                      that cannot be
#	deps.sh want PURPOSE  install what is missing and can be had
#	deps.sh probe         what build/probe.mk says
#
# CC, MPI, PYTHON and DEPS are the Makefile's settings. HDF5 and MPI flavours
# must agree. Run in the top folder; apt-get's words go to build/deps.log.
: "${CC:=gcc}" "${PYTHON:=python3}"

pc() { pkg-config --exists "$1" 2>/dev/null; }

hdf5() {
	[ -z "$MPI" ] || {
		echo "hdf5-$MPI"
		return
	}
	for h in hdf5-openmpi hdf5-mpich hdf5-serial hdf5; do
		pc $h && {
			echo $h
			return
		}
	done
	if bare_hdf5; then echo bare; else echo hdf5-openmpi; fi
}

# without a .pc, as conda and modules of clusters have it: by CPPFLAGS and LDFLAGS
bare_hdf5() {
	mkdir -p build
	# shellcheck disable=SC2086
	printf '#include <hdf5.h>\nint main(void) { return H5open(); }\n' |
		$CC $CPPFLAGS -x c - -o build/probe.out $LDFLAGS -lhdf5 2>/dev/null
}

mpi() {
	case $(hdf5) in
	*-openmpi) echo openmpi ;;
	*-mpich) echo mpich ;;
	*) if ! pc ompi-c && pc mpich; then echo mpich; else echo openmpi; fi ;;
	esac
}

mpi_pc() { case $(mpi) in openmpi) echo ompi-c ;; *) echo mpich ;; esac }

# ---- what is missing for a purpose -------------------------------------------

# lack PACKAGE TEST...: PACKAGE, where TEST fails
lack() {
	p=$1
	shift
	"$@" >/dev/null 2>&1 || echo "$p"
}

# lack_command COMMAND[:PACKAGE]...
lack_command() {
	for c; do
		lack "${c#*:}" command -v "${c%:*}"
	done
}

# the compiler may be several words
header() { echo "#include <$1>" | $CC -fopenmp -E -; }
launcher() { command -v "mpiexec.$(mpi)" || command -v mpiexec; }

missing_build() {
	case $CC in
	*clang*)
		lack clang command -v "${CC%% *}"
		lack libomp-dev header omp.h
		;;
	*) lack gcc command -v "${CC%% *}" ;;
	esac
	lack libc6-dev header stdio.h
	lack_command pkg-config
	case $(hdf5) in
	hdf5 | hdf5-serial | bare) ;;
	*) lack "lib$(hdf5)-dev" pc "$(hdf5)" ;;
	esac
	lack "lib$(mpi)-dev" pc "$(mpi_pc)"
	lack "$(if [ "$(mpi)" = mpich ]; then echo mpich; else echo openmpi-bin; fi)" launcher
	lack libhts-dev pc htslib
	lack libzstd-dev pc libzstd
	lack libyaml-dev pc yaml-0.1
	lack libxxhash-dev pc libxxhash
	lack libhwloc-dev pc hwloc
	lack zlib1g-dev pc zlib
}

missing_check() { lack_command bats; }

# what single tests compare with, each of a few megabytes
missing_extra() {
	for m in numpy h5py; do
		lack python3-$m "$PYTHON" -c "import $m"
	done
	lack_command bcftools mandoc mcl plink1.9 zstd h5dump:hdf5-tools \
		xxh128sum:xxhash rsvg-convert:librsvg2-bin
}

libfuzzer() {
	echo 'int LLVMFuzzerTestOneInput(void) { return 0; }' |
		clang -w -x c -fsanitize=fuzzer - -o build/probe.out
}

# what the long tests of make check-more and make campaign need, emulators and
# compilers
missing_more() {
	lack libclang-rt-dev libfuzzer
	lack libomp-dev sh -c 'echo "#include <omp.h>" | clang -fopenmp -E -'
	lack libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/lib/libc.a
	lack python3-scipy "$PYTHON" -c 'import scipy'
	lack_command clang clang-format plink2 aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
		qemu-aarch64-static:qemu-user-static ip:iproute2
}

# ---- by apt-get --------------------------------------------------------------

as_root() {
	if [ "$(id -u)" = 0 ]; then
		"$@"
	elif [ -t 0 ]; then
		sudo "$@"
	else
		sudo -n "$@"
	fi
}

can_install() {
	[ "$DEPS" != 0 ] && command -v apt-get >/dev/null && as_root true 2>/dev/null
}

apt() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" >>build/deps.log 2>&1
}

get() { apt install -y --no-install-recommends "$@"; }

fetch() {
	echo "deps: installing $*"
	mkdir -p build
	: >build/deps.log
	get "$@" || {
		apt update
		get "$@"
	}
}

# shellcheck disable=SC2005,SC2046,SC2086,SC2116 # names of packages are words, of a line
need() {
	m=$(echo $(missing_"$1"))
	[ -n "$m" ] || return 0
	if can_install && fetch $m; then m=$(echo $(missing_"$1")); fi
	[ -n "$m" ] || return 0
	echo "deps: missing, please install: $m" >&2
	[ ! -s build/deps.log ] || echo "deps: apt-get's words are in build/deps.log" >&2
	exit 1
}

# shellcheck disable=SC2005,SC2046,SC2086,SC2116
want() {
	m=$(echo $(missing_"$1"))
	[ -n "$m" ] && can_install || return 0
	fetch $m || for p in $m; do
		get "$p" || echo "deps: cannot install $p" >&2
	done
}

# ---- for the Makefile --------------------------------------------------------

# HDF5 in the program, where that links: its own libraries take half of every start
static() {
	s=$(echo "$*" | sed 's/-lhdf5\b/-l:libhdf5.a -lsz/')
	# shellcheck disable=SC2086
	echo 'int H5open(void); int main(void) { return H5open(); }' |
		$CC -x c - -o build/probe.out $s -lz -ldl -lm 2>/dev/null || s=$*
	echo "$s"
}

probe() {
	m=$(mpi) h=$(hdf5)
	[ "$h" != hdf5-serial ] || echo "probe: serial HDF5; libhdf5-$m-dev is the parallel one" >&2
	echo "PROBED := $CC/$MPI"
	echo "MPI_FLAVOUR := $m"
	echo "MPIEXEC := $(launcher)"
	d=$(pc libdeflate && echo libdeflate)
	for v in "H5 $h" "DEP $(mpi_pc) htslib libzstd yaml-0.1 libxxhash hwloc zlib $d"; do
		# shellcheck disable=SC2086
		set -- $v
		n=$1
		shift
		[ "$1" != bare ] || {
			echo "${n}_LIBS := -lhdf5"
			continue
		}
		echo "${n}_CFLAGS := $(pkg-config --cflags "$@")"
		# shellcheck disable=SC2046
		echo "${n}_LIBS := $(static $(pkg-config --libs "$@"))"
	done
	# unpacks deflate three times as fast as zlib
	[ -z "$d" ] || echo "DEP_CFLAGS += -DVSIM_LIBDEFLATE"
}

"$@"
