#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# completion.sh BUILD: BUILD/completion/vsim.bash and _vsim (of zsh), made of the
# tables that each program of BUILD prints with --list-options.
set -e
build=$1
to=$build/completion
mkdir -p "$to"
tools=$(cd "$build" && ls -d vsim-* | grep -x 'vsim-[a-z]*')

# what stands behind vsim: recipes with options of their own, and programs
verbs=$("$build/vsim" help | sed -n 's/^  \([a-z][a-z]*\) .*/\1/p' | xargs)
recipes=$("$build/vsim" help | sed -n '/^questions/,/^$/s/^  \([a-z]*\) .*/\1/p')

# what vsim-plot draws, its first operand
kinds=$("$build/vsim-plot" --help | sed -n '/^kinds/,/^$/s/^  \([a-z]*\) .*/\1/p' | xargs)

# table TOOL: letter, name, argument, choices, help, between tabs
table() { "$build/$1" --list-options; }

{
	cat <<-'EOT'
		# bash completion of vsim, made of the programs' tables of options
		_vsim_files() { mapfile -t COMPREPLY < <(compgen -f -- "$cur"); }
		_vsim() {
			local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}
			local tool=${COMP_WORDS[0]##*/} options= words=
			[ "$tool" != vsim ] || tool=vsim-${COMP_WORDS[1]}
			if [ "$cur" = = ]; then
				cur=
			elif [ "$prev" = = ]; then
				prev=${COMP_WORDS[COMP_CWORD-2]}
			fi
			COMPREPLY=()
			if [ "${COMP_WORDS[0]##*/}$COMP_CWORD" = vsim1 ]; then
				COMPREPLY=($(compgen -W '@VERBS@' -- "$cur"))
				return
			fi
			case "$tool $prev $cur" in
			"vsim-plot "*"plot "[!-]* | "vsim-plot "*"plot ")
				COMPREPLY=($(compgen -W '@KINDS@' -- "$cur"))
				return
				;;
			esac
			case $tool:$prev in
	EOT
	for t in $tools; do
		table "$t" | awk -F '\t' -v t="$t" '
			$3 == "" { next }
			{ p = t ":--" $2 ($1 == "" ? "" : "|" t ":-" $1) }
			$4 != "" { gsub(/[|]/, " ", $4)
				printf "\t%s) words=\047%s\047 ;;\n", p, $4; next }
			$3 == "#" { numbers = numbers "|" p; next }
			{ files = files "|" p }
			END { if (numbers != "")
				printf "\t%s) return ;;\n", substr(numbers, 2)
				if (files != "")
				printf "\t%s) _vsim_files; return ;;\n", substr(files, 2) }'
	done
	cat <<-'EOT'
			esac
			if [ -n "$words" ]; then
				COMPREPLY=($(compgen -W "$words" -- "$cur"))
				return
			fi
			case $tool in
	EOT
	for t in $tools; do
		printf "\t%s) options='%s' ;;\n" "$t" \
			"$(table "$t" | awk -F '\t' '{ printf "%s--%s", (NR > 1 ? " " : ""), $2 }')"
	done
	for t in $recipes; do
		printf "\tvsim-%s) options='%s' ;;\n" "$t" "$("$build/vsim" "$t" --help |
			sed -n 's/^  \(-., \)\{0,1\}\(--[a-z0-9-]*\).*/\2/p' | xargs)"
	done
	cat <<-'EOT'
			esac
			case $cur in
			-*) COMPREPLY=($(compgen -W "$options" -- "$cur")) ;;
			*) _vsim_files ;;
			esac
		}
	EOT
	echo "complete -o filenames -F _vsim vsim" $tools
} | sed "s/@VERBS@/$verbs/; s/@KINDS@/$kinds/" >"$to/vsim.bash.new"

{
	echo "#compdef vsim" $tools
	echo "# zsh completion of vsim, made of the programs' tables of options"
	echo 'if [[ $service = vsim ]]; then'
	echo "	((CURRENT > 2)) || { _values verb $verbs; return }"
	echo '	service=vsim-$words[2]'
	echo '	shift words'
	echo '	((CURRENT--))'
	echo 'fi'
	echo 'case $service in'
	for t in $tools; do
		echo "$t)"
		echo "	_arguments -s \\"
		table "$t" | awk -F '\t' '
			function quoted(x) {
				gsub(/\\|\[|\]|:/, "\\\\&", x)
				gsub(/\047/, "\047\\\047\047", x)
				return x
			}
			{
				sub(/;.*/, "", $5) # the first clause fits a line
				help = "[" quoted($5) "]"
				gsub(/[|]/, " ", $4)
				what = $3 == "" ? "" : $4 != "" ? ":" quoted($3) ":(" $4 ")" : \
					$3 == "#" ? ":number: " : ":" quoted($3) ":_files"
				if ($1 == "")
					printf "\t\t\047--%s%s%s\047 \\\n", $2, help, what
				else
					printf "\t\t\047(-%s --%s)\047{-%s,--%s}\047%s%s\047 \\\n",
						$1, $2, $1, $2, help, what
			}'
		[ "$t" != vsim-plot ] || echo "		'1:kind:($kinds)' \\"
		echo "		'*:file:_files'"
		echo "	;;"
	done
	echo 'esac'
} >"$to/_vsim.new"

mv "$to/vsim.bash.new" "$to/vsim.bash"
mv "$to/_vsim.new" "$to/_vsim"
