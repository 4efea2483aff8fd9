# SPDX-License-Identifier: BSD-3-Clause
# CONTRIBUTING.md is about this tree: its files, functions and rows are there.
load words

# the words between backquotes
quoted() {
	grep -o '`[^`]*`' CONTRIBUTING.md | tr -d '`'
}

@test "contributing: each file that it names exists" {
	local bad= path
	for path in $(quoted | grep -E '^[a-z]+/[A-Za-z0-9_./-]+$'); do
		# a unit program is made from the source of its name
		case $path in
		build/release/tests/*) path=${path#build/release/}.c ;;
		esac
		[ -e "$path" ] || bad+="$path"$'\n'
	done
	[ "$(quoted | grep -cE '^[a-z]+/')" -gt 40 ]
	none "$bad"
}

@test "contributing: each function is in the file named with it" {
	local bad= n=0 name file
	while read -r name file; do
		n=$((n + 1))
		grep -qE "\b$name\(" "$file" || bad+="$name: not in $file"$'\n'
	done < <(tr '\n' ' ' <CONTRIBUTING.md |
		grep -oE '`vs_[a-z0-9_]+`( in|,) +`[a-z0-9_/]+\.[ch]`' |
		sed 's/`\(vs_[a-z0-9_]*\)`[ in,]* `\(.*\)`/\1 \2/')
	[ "$n" -ge 18 ] || complain "$n functions"
	none "$bad"
}

@test "contributing: the map has every folder, and every room" {
	local bad= dir
	for dir in libcore/*/ libcore/*/*/ formats/*/ formats/*/*/ cuda/ tools/*/; do
		dir=${dir%/}
		[ "$dir" != formats/plugin ] || continue
		grep -q "^| \`\($dir\|${dir%/*}\|${dir%%/*}\)\` .*\`\(${dir##*/}\|$dir\)\`" \
			CONTRIBUTING.md || grep -q "^| \`$dir\` " CONTRIBUTING.md ||
			bad+="$dir"$'\n'
	done
	none "$bad"
}

# example FILE ROWS: the file of the table is that of a row
example() {
	local stem=${1##*/}
	stem=${stem%.*} stem=${stem#in_} stem=${stem#out_} stem=${stem#pair_}
	stem=${stem#summary_}
	grep -Eq "^[A-Z0-9]+\(([A-Z]+, )?$stem[,)]" "$2" || echo "$2 has no row of $1"
}

@test "contributing: what the table shows is a row, and the tests know it" {
	local line file rows bad=
	while IFS='|' read -r _ line file rows _; do
		file=$(grep -o '`[a-z]*/[^`]*`' <<<"$file" | head -n 1 | tr -d '`')
		rows=$(grep -o '`[^`]*rows\.h`' <<<"$rows" | tr -d '`')
		[ "$rows" ] && [ "$file" ] && [[ $file != *.h || $rows == *metric* ]] || continue
		bad+=$(example "$file" "$rows")
	done < <(sed -n '/^| metric/,/^$/p' CONTRIBUTING.md)
	none "$bad"
}

@test "contributing: the table has the gain of exactly the bounds and filters" {
	none "$(diff <(sed -n 's/^ABLATION(.*"\(.*\)")$/\1/p' libcore/engine/rows.h |
		sort) <(sed -n '/^| name /,/^$/s/^| `\([a-z-]*\)` | `\(libcore\|formats\).* [0-9].*/\1/p' \
		CONTRIBUTING.md | sort))"
}
