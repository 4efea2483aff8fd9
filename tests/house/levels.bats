# SPDX-License-Identifier: BSD-3-Clause
# Includes point one way, and each outside library has one door.
load words

# folder: what it may include besides itself
levels='
libcore/base:
libcore/bits:   libcore/base
libcore/kern:   libcore/base libcore/bits
libcore/metric: libcore/base libcore/bits
libcore/plan:   libcore/base libcore/bits
libcore/engine: libcore/base libcore/bits libcore/kern libcore/metric libcore/plan
formats/plugin:
formats:        libcore/base libcore/bits libcore/metric libcore/plan formats/plugin
cuda:           libcore/base libcore/bits libcore/kern libcore/metric libcore/plan libcore/engine
tools/shared:   libcore/base libcore/bits libcore/kern libcore/metric libcore/plan libcore/engine formats cuda
tools:          libcore/base libcore/bits libcore/kern libcore/metric libcore/plan libcore/engine formats cuda tools/shared
'

# header: the files that may include it
doors='
hdf5.h        formats/h5_ formats/plugin/
H5PLextern.h  formats/plugin/
H5Zpublic.h   formats/plugin/
mpi.h         libcore/plan/comm.c
zstd.h        formats/zst.c formats/plugin/
zlib.h        formats/codec.c formats/lines.c
yaml.h        formats/runfile.c
immintrin.h   libcore/kern/
cpuid.h       libcore/bits/
hwloc.h       libcore/bits/
xxhash.h      libcore/base/
htslib/*      formats/in_vcf.c
omp.h         libcore/engine/ libcore/bits/place.c formats/h5_
'

@test "levels: an include line points down the table, never up or across" {
	local bad= file name folder sees
	declare -A see
	while IFS=: read -r folder sees; do
		[ -z "$folder" ] || see[$folder]=" $folder $sees "
	done <<<"$levels"
	while IFS=: read -r file _ name; do
		[[ ${see[${file%/*}]-} ]] || bad+="$file: is of no level"$'\n'
		[[ ${see[${file%/*}]-} == *" ${name%/*} "* ]] ||
			bad+="$file: may not include $name"$'\n'
	done < <(sources | grep -v ^tests/ | xargs grep -n '^ *# *include *"' |
		sed 's/#.*"\(.*\)".*/\1/')
	none "$bad"
}

@test "levels: a tool includes no other tool's file" {
	none "$(grep -n '^ *# *include *"tools/vsim' $(sources) /dev/null)"
}

@test "levels: paths are written from the root" {
	local bad=
	while IFS=: read -r file _ name; do
		[ -f "$name" ] || bad+="$file: $name is no path from the root"$'\n'
	done < <(sources | xargs grep -n '^ *# *include *"' |
		sed 's/#.*"\(.*\)".*/\1/')
	none "$bad"
}

@test "levels: an outside library is included only by its door" {
	local bad= header files
	while read -r header files; do
		[ -n "$header" ] || continue
		for file in $(sources | grep -v ^tests/ | xargs grep -lE \
			"^ *# *include *[<\"]${header/\*/.*}[>\"]"); do
			for door in $files; do
				[[ $file != $door* ]] || continue 2
			done
			bad+="$file: includes $header, whose door is $files"$'\n'
		done
	done <<<"$doors"
	none "$bad"
}
