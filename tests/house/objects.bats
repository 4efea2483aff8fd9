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
	for header in $(sources '*.h' | grep -v '/rows\.h$\|^tests/sim/cuda/'); do
		printf '#include "%s"\n' "$header" |
			gcc "${flags[@]}" -Wno-unused -x c -fsyntax-only - ||
			complain "$header"
	done
}

@test "sources: no warning from gcc" {
	requires cmd gcc
	local f said built=$VSIM_BUILD
	# some need the optimiser to be seen: what gcc has built with it is not
	# compiled once more
	[[ $(probed PROBED) == gcc* && $built == */release ]] || built=none
	for f in $(sources '*.c'); do
		said=$built/${f%.c}.said
		[ -e "$said" ] || echo "$f"
		[ ! -s "$said" ] || cat "$said" >&2
		[ ! -s "$said" ]
	done >"$BATS_TEST_TMPDIR/others"
	warnings gcc -O2 <"$BATS_TEST_TMPDIR/others"
}

# bats test_tags=long
@test "sources: no warning from clang" {
	requires cmd clang
	sources '*.c' | warnings clang -fsyntax-only
}

@test "objects: nothing but vs_ leaves the libraries" {
	none "$(nm -A -g --defined-only "$VSIM_BUILD"/*.a |
		awk 'NF > 1 && $NF !~ /^(vs_|__|\.gomp_critical_user_(vs_|\.reduction\.)|H5PLget_plugin_(type|info)$)/')"
}

@test "objects: exported functions carry the stem of their file" {
	# or of a header that the file's stem begins with: vs_panel_... in
	# panel_numbers.c
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
