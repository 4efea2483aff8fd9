#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Find HDF5 and MPI, list the Debian packages missing for a purpose (build, check,
# judge, plot, extra, more, deb), and install them with apt-get.
#
#	deps.sh need PURPOSE...  install what is missing; exit 1, with the command
#	                         that would, where that cannot be
#	deps.sh want PURPOSE     install what is missing and can be had
#	deps.sh update [PURPOSE]  build/probe.mk, of a build with what it needs, and
#	                         of the purpose
#
# CC, MPI, PYTHON and DEPS are the Makefile's settings. HDF5 and MPI flavours
# must agree. Run in the top folder; apt-get's words go to build/deps.log.
: "${CC:=gcc}" "${PYTHON:=python3}"

pc() { pkg-config --exists "$1" 2>/dev/null; }

hdf5() {
	case $MPI in
	none)
		set -- hdf5-serial hdf5
		if is_parallel hdf5; then set -- hdf5-serial; fi
		;;
	'') set -- hdf5-openmpi hdf5-mpich hdf5-serial hdf5 ;;
	*) set -- "hdf5-$MPI" ;;
	esac
	for h; do
		pc "$h" && {
			echo "$h"
			return
		}
	done
	if [ "$1" != "hdf5-$MPI" ] && bare_hdf5; then echo bare; else echo "$1"; fi
}

# Debian's hdf5.pc is of any flavour
is_parallel() {
	# shellcheck disable=SC2046
	printf '#include <hdf5.h>\n#ifndef H5_HAVE_PARALLEL\n#error\n#endif\n' |
		$CC $(pkg-config --cflags "$1") -E -
} >/dev/null 2>&1

# without a .pc, as conda and modules of clusters have it: by CPPFLAGS and LDFLAGS
bare_hdf5() {
	mkdir -p build
	# shellcheck disable=SC2086
	printf '#include <hdf5.h>\nint main(void) { return H5open(); }\n' |
		$CC $CPPFLAGS -x c - -o build/probe.out $LDFLAGS -lhdf5 2>/dev/null
}

mpi() {
	[ "$MPI" != none ] || {
		echo none
		return
	}
	case $(hdf5) in
	*-openmpi) echo openmpi ;;
	*-mpich) echo mpich ;;
	*) if ! pc ompi-c && pc mpich; then echo mpich; else echo openmpi; fi ;;
	esac
}

mpi_pc() { case $(mpi) in openmpi) echo ompi-c ;; mpich) echo mpich ;; esac }

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
	bare) ;;
	hdf5-serial) lack libhdf5-dev pc hdf5-serial ;;
	*) lack "lib$(hdf5)-dev" pc "$(hdf5)" ;;
	esac
	[ "$(mpi)" = none ] || {
		lack "lib$(mpi)-dev" pc "$(mpi_pc)"
		lack "$(if [ "$(mpi)" = mpich ]; then echo mpich; else echo openmpi-bin; fi)" launcher
	}
	lack libhts-dev pc htslib
	lack libzstd-dev pc libzstd
	lack libyaml-dev pc yaml-0.1
	lack libxxhash-dev pc libxxhash
	lack libhwloc-dev pc hwloc
	lack zlib1g-dev pc zlib
	lack libdeflate-dev pc libdeflate
}

# definitions that tests compare with are in Python
missing_check() {
	lack_command bats
	lack python3 "$PYTHON" -c 'import json'
}

# what most tests of make check read and judge results by
missing_judge() {
	for m in numpy h5py; do
		lack python3-$m "$PYTHON" -c "import $m"
	done
}

# what vsim-plot draws by: networkx networks, and scipy heat maps
missing_plot() {
	missing_judge
	for m in matplotlib networkx scipy; do
		lack python3-$m "$PYTHON" -c "import $m"
	done
}

# what single tests compare with, each of a few megabytes
missing_extra() {
	missing_plot
	lack_command bcftools mandoc mcl plink1.9 zstd h5dump:hdf5-tools \
		xxh128sum:xxhash
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
	lack_command chromium clang clang-format gappa plink2 aarch64-linux-gnu-gcc:gcc-aarch64-linux-gnu \
		qemu-aarch64-static:qemu-user-static ip:iproute2
}

installed() {
	dpkg-query -Wf '${db:Status-Status}' "$1" 2>/dev/null | grep -qx installed
}

# what make deb needs, by the package's own list
missing_deb() {
	for p in build-essential debhelper $(sed -n '/^Build-Depends:/,/^[^ B]/ {
			/^[^ B]/d; s/^[^:]*://; s/debhelper-compat//; s/([^)]*)\|,//g; p; }' \
		.packaging/debian/control); do
		lack "$p" installed "$p"
	done
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

# missing PURPOSE...: on one line
missing() {
	# shellcheck disable=SC2005,SC2046
	echo $(for purpose; do missing_"$purpose"; done)
}

need() {
	m=$(missing "$@")
	[ -n "$m" ] || return 0
	# shellcheck disable=SC2086 # names of packages are words
	if can_install && fetch $m; then m=$(missing "$@"); fi
	[ -n "$m" ] || return 0
	[ ! -s build/deps.log ] || echo "deps: apt-get failed, see build/deps.log" >&2
	echo "deps: packages are missing; install them as root:" \
		"apt-get install -y --no-install-recommends $m" >&2
	exit 1
}

# shellcheck disable=SC2086
want() {
	m=$(missing "$1")
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
	[ "$h/$MPI" != hdf5-serial/ ] || echo "probe: serial HDF5; libhdf5-$m-dev is the parallel one" >&2
	echo "PROBED := $CC/$MPI"
	echo "MPI_FLAVOUR := $m"
	[ "$m" = none ] || {
		echo "MPI_VERSION := $(pkg-config --modversion "$(mpi_pc)")"
		echo "MPIEXEC := $(launcher)"
	}
	# shellcheck disable=SC2046,SC2086
	set -- $(mpi_pc) htslib libzstd yaml-0.1 libxxhash hwloc zlib libdeflate
	echo "DEP_CFLAGS := $(pkg-config --cflags "$@")"
	echo "DEP_LIBS := $(pkg-config --libs "$@")"
	h5_cflags='' h5_libs=-lhdf5
	[ "$h" = bare ] || {
		h5_cflags=$(pkg-config --cflags "$h")
		# shellcheck disable=SC2046
		h5_libs=$(static $(pkg-config --libs "$h"))
	}
	# HDF5 1.12 and later offer the functions of 1.10 by this macro
	echo "H5_CFLAGS := -DH5_USE_110_API $h5_cflags"
	echo "H5_LIBS := $h5_libs"
}

update() {
	f=build/probe.mk
	if [ -e $f ] && [ -z "$(find Makefile tests/deps.sh -newer $f)" ] &&
		grep -qxF "PROBED := $CC/$MPI" $f; then
		need "$@"
		return
	fi
	rm -f $f
	mkdir -p build
	need build "$@"
	probe >$f.tmp
	mv $f.tmp $f
}

"$@"
