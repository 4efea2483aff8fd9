# SPDX-License-Identifier: BSD-3-Clause
# What compiles, what it exports, what it needs.
load words

warnings() {
	mapfile -t flags < <(compiler_flags)
	xargs -P 2 -I@ "$@" "${flags[@]}" -c -o /dev/null @
}

# bats test_tags=long
@test "headers: each compiles alone" {
	requires cmd gcc
	local header
	mapfile -t flags < <(compiler_flags)
	# rows have no sense alone; the CUDA that the CPU emulates is C++
	for header in $(sources '*.h' | grep -v '[/_]rows\.h$\|^tests/sim/cuda/'); do
		printf '#include "%s"\n' "$header" |
			gcc "${flags[@]}" -Wno-unused -x c -fsyntax-only - ||
			complain "$header"
	done
}

# others: sources that gcc has not built with its optimiser, which some warnings
# need; fails, showing them, where it had any
others() {
	local f said built=$VSIM_BUILD
	[[ $(probed PROBED) == gcc* && $built == */release ]] || built=none
	for f in $(sources '*.c'); do
		said=$built/${f%.c}.said
		[ -e "$said" ] || echo "$f"
		[ ! -s "$said" ] || cat "$said" >&2
		[ ! -s "$said" ] || return
	done
}

@test "sources: gcc had no warning as it built them" {
	others >/dev/null
}

# bats test_tags=long
@test "sources: no warning from gcc for those that were not built" {
	requires cmd gcc
	others >"$BATS_TEST_TMPDIR/others"
	warnings gcc -O2 <"$BATS_TEST_TMPDIR/others"
}

# bats test_tags=long
@test "sources: no warning from clang" {
	requires cmd clang
	sources '*.c' | warnings clang -fsyntax-only
	# its optimiser says which loops it could not turn into vectors
	sources '*.c' | xargs grep -l 'omp simd' | warnings clang -O2
}

@test "objects: nothing but vs_ leaves the libraries" {
	none "$(nm -A -g --defined-only "$VSIM_BUILD"/*.a |
		awk 'NF > 1 && $NF !~ /^(vs_|__|\.gomp_critical_user_(vs_|\.reduction\.)|H5PLget_plugin_(type|info)$)/')"
}

@test "objects: exported functions carry the stem of their file" {
	# or of a header that the file's stem begins with: vs_panel_... in
	# panel_room.c
	local objects=() file
	for file in $(sources '*.c' | grep -v ^tests/); do
		[ ! -e "$VSIM_BUILD/${file%.c}.o" ] || objects+=("${file%.c}.o")
	done
	none "$({ sources '*.h' && cd "$VSIM_BUILD" &&
		nm -A -g --defined-only "${objects[@]}"; } | awk '
		/\.h$/ { n = split($0, at, "/"); sub(/\.h$/, "", at[n])
			head[at[1] "/" at[n]]; next }
		$(NF - 1) == "T" && $NF ~ /^vs_/ {
			split($1, file, ":"); n = split(file[1], at, "/")
			stem = at[n]; sub(/\.o$/, "", stem); sub(/^vsim_/, "", stem)
			for (known = stem; stem; sub(/_?[^_]*$/, "", stem))
				if ((stem == known || at[1] "/" stem in head) &&
					index($NF "_", "vs_" stem "_") == 1)
					next
			print file[1] ": " $NF }')"
}

# sources whose functions a header of another stem declares: this list only shrinks
elsewhere() {
	printf '%s\n' formats/results/run.c formats/results/run_shards.c \
		libcore/kern/registry.c
}

@test "objects: a function is declared in the header of its file" {
	# or in one whose stem that of the file begins with, _inner and _common apart
	local objects=() file bad
	for file in $(sources '*.c' | grep -v '^tests/\|^cuda/cuda_entry'); do
		[ ! -e "$VSIM_BUILD/${file%.c}.o" ] || objects+=("${file%.c}.o")
	done
	bad=$({ sources '*.h' | xargs grep -HoE '^[a-z][A-Za-z0-9_ *]*\bvs_[a-z0-9_]+\(' &&
		cd "$VSIM_BUILD" && nm -A -g --defined-only "${objects[@]}"; } | awk '
		/\($/ { split($0, at, ":"); sub(/.*[ *]/, ""); sub(/\($/, "")
			sub(/(_(inner|common|write))?\.h$/, "", at[1])
			home[$0] = home[$0] " " at[1]; next }
		$(NF - 1) == "T" && $NF ~ /^vs_/ {
			split($1, file, ":"); sub(/\.o$/, "", file[1])
			n = split(home[$NF], at, " ")
			for (k = 1; k <= n; k++)
				if (index(file[1] "_", at[k] "_") == 1)
					next
			print file[1] ".c" }' | sort -u)
	diff <(elsewhere) <(echo "$bad")
}

@test "objects: stacks are protected, functions fortified but in kernels" {
	[[ $VSIM_BUILD == */release ]] || skip "not so in a build for developers"
	cd "$VSIM_BUILD"
	readelf -d vsim-run plugin/libvsim_zstd.so | grep -c BIND_NOW | grep -x 2
	nm tools/vsim-run.o | grep -w __stack_chk_fail
	nm -A ./*.a | grep -w '__[a-z]*_chk' | grep -v stack
	none "$(nm -A libcore/kern/*/*.o | grep '_chk\>')"
}

@test "plugin: exports the two HDF5 asks for, and needs no HDF5 itself" {
	local so=$VSIM_BUILD/plugin/libvsim_zstd.so
	[ "$(nm -D --defined-only "$so" | awk '/H5PLget_plugin_/ { print $3 }' |
		sort | xargs)" = "H5PLget_plugin_info H5PLget_plugin_type" ]
	none "$(nm -D --defined-only "$so" | awk 'NF > 1 && $NF !~ /^(vs_|_|H5PLget_)/')"
	none "$(objdump -p "$so" | grep -E 'NEEDED.*(hdf5|mpi|asan)')"
}

@test "cpu: a function is compiled for no feature that cpu.c does not look for" {
	local bad= file feature known
	known=$(grep -o '^	X([A-Z0-9]*, "[a-z0-9-]*")' libcore/bits/cpu.c)
	while read -r file; do
		for feature in $(sed -n '/target(/I,/)/p' "$file" | tr -d '\\\n\t ' |
			sed 's/""//g' | grep -io 'target("[^"]*")' |
			cut -d'"' -f2 | tr , '\n' | sort -u); do
			[[ $known == *"\"$feature\""* ]] ||
				bad+="$file: $feature"$'\n'
		done
	done < <(sources | xargs grep -il 'target(')
	none "$bad"
}

@test "objects: no circle of calls between the files of a library" {
	requires cmd nm
	local lib
	cd "$BATS_TEST_TMPDIR"
	for lib in "$VSIM_BUILD"/libvs*.a; do
		# "file needs file", sorted topologically; tsort names circles
		nm -A "$lib" | awk '{
			split($1, at, ":")
			file = at[2]
		}
		$(NF - 1) ~ /^[TDBRV]$/ && $NF ~ /^vs_/ { has[$NF] = file }
		$(NF - 1) == "U" && $NF ~ /^vs_/ { n++; needs[n] = $NF; by[n] = file }
		END {
			for (k = 1; k <= n; k++)
				if (has[needs[k]] != "" && has[needs[k]] != by[k])
					print by[k], has[needs[k]]
		}' | sort -u >calls
		[ "$(wc -l <calls)" -gt 3 ]
		tsort calls >/dev/null 2>circles || true
		none "$(cat circles)"
	done
}
