# SPDX-License-Identifier: BSD-3-Clause
# Includes point one way, and each outside library has one door.
load words

low='libcore/base libcore/bits'
core="$low libcore/kern libcore/kern/dots"
core+=' libcore/kern/lanes libcore/kern/minima libcore/kern/screen libcore/kern/tables'
core+=' libcore/metric libcore/plan'
bounds='libcore/engine libcore/engine/tables libcore/engine/histogram'
bounds+=' libcore/engine/prune'
rooms="$bounds libcore/engine/pair libcore/engine/sched libcore/engine/slab"
engine="$rooms libcore/engine/candidates libcore/engine/triple"
disk="$low libcore/metric libcore/plan"
input='formats/in/text formats/in formats/in/numbers'
formats="formats/h5 formats/vectors formats/results formats/check $input formats/in/vcf"
formats+=' formats/out'

# folder: what it may include besides itself. Floors within a folder, lowest
# first: the words that rooms of engine share, tables and histogram, prune, then pair and
# sched, which do not see each other, slab, candidates, triple; h5, vectors, results, check; out.
# The registry of kernels includes its rooms' headers, as do rows.h's readers.
levels="
libcore/base:
libcore/bits:             libcore/base
libcore/kern:             $low libcore/kern/dots libcore/kern/lanes libcore/kern/minima
libcore/kern/pair:        $low libcore/kern
libcore/kern/triple:      $low libcore/kern
libcore/kern/dots:        $low libcore/kern
libcore/kern/tables:      $low
libcore/kern/lanes:       $low
libcore/kern/minima:      $low libcore/kern
libcore/kern/screen:      $low libcore/kern
libcore/metric:           $low
libcore/plan:             $low
libcore/engine:           $core
libcore/engine/histogram: $core libcore/engine
libcore/engine/tables:    $core libcore/engine
libcore/engine/prune:     $core libcore/engine libcore/engine/histogram
libcore/engine/pair:      $core $bounds
libcore/engine/sched:     $core $bounds
libcore/engine/slab:      $core $bounds libcore/engine/pair libcore/engine/sched
libcore/engine/candidates: $core $rooms
libcore/engine/triple:    $core $rooms libcore/engine/candidates
formats/plugin:
formats/h5:               $disk formats/plugin
formats/vectors:          $disk formats/h5
formats/results:          $disk formats/h5 formats/vectors
formats/check:            $disk formats/h5 formats/vectors formats/results
formats/in/text:          $disk formats/h5 formats/vectors
formats/in:               $disk formats/h5 formats/vectors formats/in/text
formats/in/numbers:       $disk formats/h5 formats/vectors formats/in/text formats/in
formats/in/vcf:           $disk formats/h5 formats/vectors $input
formats/out:              $disk formats/h5 formats/vectors
cuda:                     $core $engine
tools/shared:             $core $engine $formats cuda
tools/chain:              $core $engine $formats cuda tools/shared
tools/pack:               $core $engine $formats cuda tools/shared
tools/run:                $core $engine $formats cuda tools/shared
tools/merge:              $core $engine $formats cuda tools/shared
tools/threshold:          $core $engine $formats cuda tools/shared
tools/verify:             $core $engine $formats cuda tools/shared
tools/view:               $core $engine $formats cuda tools/shared
tools:                    $core $engine $formats cuda tools/shared tools/chain tools/pack tools/run tools/merge tools/threshold tools/verify tools/view
"

# header: the files that may include it
doors='
hdf5.h        formats/h5/h5 formats/plugin/
H5PLextern.h  formats/plugin/
H5Zpublic.h   formats/plugin/
mpi.h         libcore/plan/comm
zstd.h        formats/h5/zst.c formats/plugin/
zlib.h        formats/in/text/lines.c
libdeflate.h  formats/h5/deflate.c
yaml.h        formats/h5/runfile.c
immintrin.h   libcore/kern/
cpuid.h       libcore/bits/
hwloc.h       libcore/bits/
xxhash.h      libcore/base/
htslib/*      formats/in/vcf/
omp.h         libcore/engine/ libcore/bits/affinity.c formats/h5/h5
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
		[ -f "$name" ] || bad+="$file: $name is not a path from the root"$'\n'
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

# The first line is of a bound of whole blocks, the last but one of an upper bound,
# the others compare thresholds.
@test "levels: one function compares a value with the threshold" {
	local side='(->|\.)threshold\b'
	run git -C "$TOP" grep -hE \
		"[^-][<>]=? *[A-Za-z_>.-]*$side|$side *[<>]=? *[a-z(-]" -- \
		libcore formats tools
	diff - <(sed 's/^	*//' <<<"$output") <<-'END'
		return (most > other ? most : other) * (1 + 1e-9) > q->threshold;
		return vs_query_strength(q, value) > q->threshold;
		if (shared_threshold > now.threshold)
		return s->on && job->above && job->above[tile] <= t->q.threshold;
		if (t->data.q.threshold <= t->steps.lowest ||
		if (!s->query.thresholds && threshold > s->query.threshold) {
		if (code || !(s.threshold > of->query.threshold))
		(!all && *above < run->threshold)) {
		most < g->run->threshold;
	END
	# --min, --max and --below, which know no direction
	run git -C "$TOP" grep -hE '(->|\.)value [<>]=? ' -- tools/run tools/threshold tools/view
	diff - <(sed 's/^	*//' <<<"$output") <<-'END'
		return r->value >= c->min && r->value <= c->max &&
		r->value < c->below &&
	END
}

@test "levels: a metric's direction is read by one function" {
	none "$(git -C "$TOP" grep -nE '(->|\.)lower\b' -- '*.c' '*.h' '*.cu' \
		':!libcore/metric' ':!tests')"
	[ "$(git -C "$TOP" grep -hE -- '->lower\b' -- libcore/metric | wc -l)" = 2 ]
}
