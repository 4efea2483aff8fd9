# SPDX-License-Identifier: BSD-3-Clause
# Options that do not go together, row by row of each program's rules.
load ../helpers

# words TERM: a term as it is typed, with a value that the option takes
words() {
	local name=${1%%=*} arg
	if [[ $1 == *=* ]]; then
		echo "--$name ${1#*=}"
		return
	fi
	arg=$(awk -F '\t' -v n="$name" '$2 == n { print $3; exit }' options)
	case $name:$arg in
	*:) echo "--$name" ;;
	permute-test:*) echo "--$name 1000" ;;
	*memory:*) echo "--$name 1G" ;;
	maf:* | blocks-min-maf:*) echo "--$name 0.1" ;;
	blocks-*-lowci:*) echo "--$name 0.7" ;;
	blocks-*-*ci:* | blocks-*-frac:*) echo "--$name 0.9" ;;
	*:'#') echo "--$name 1" ;;
	*' '*) echo "--$name x y" ;;
	*)
		arg=$(awk -F '\t' -v n="$name" '$2 == n { print $4; exit }' options)
		echo "--$name ${arg%%|*}" | sed 's/ $/ x/'
		;;
	esac
}

# refused OPTION...: exit 2 and one sentence, which names what $names says
refused() {
	local name err status=0
	err=$("$tool" "$@" x 2>&1 >out) || status=$?
	[ "$status" = 2 ] && [ ! -s out ] && [ "$(wc -l <<<"$err")" = 1 ] ||
		complain "$tool $*" "exit $status: $err"
	for name in "${names[@]}"; do
		[[ $err =~ --${name/=/ }([ :,]|$) ]] ||
			complain "$tool $*" "--$name is not in: $err"
	done
}

each_row() {
	local left kind right when why a b met
	local -A needed=()
	while IFS=$'\x01' read -r left kind right when why; do
		[[ $when != *@* ]] || continue
		met=$(for a in $when; do words "$a"; done)
		for a in ${left:-none}; do
			[[ $a != @* ]] || continue
			if [ "$kind" = excludes ]; then
				for b in $right; do
					[[ $b != @* ]] || continue
					names=("$a" "$b")
					refused $met $(words "$a") $(words "$b")
					n=$((n + 1))
				done
				continue
			fi
			[[ $right != *@* ]] || continue
			names=($right)
			if [ "$a" = none ]; then
				refused ${needed[none]}
			else
				names+=("$a")
				refused $met $(words "$a") ${needed[$a]}
			fi
			needed[$a]+=" $(words "${right%% *}")"
			n=$((n + 1))
		done
	done < <("$tool" --list-rules | tr '\t' '\001')
}

# bats test_tags=long
@test "rules: each row refuses each of its pairs, and names both options" {
	local tool n=0 names
	for tool in "$VSIM_BUILD"/vsim-*; do
		[[ ${tool##*/} =~ ^vsim-[a-z]+$ ]] || continue
		"$tool" --list-options >options
		each_row
	done
	[ "$n" -gt 200 ] || complain "only $n pairs"
}

@test "tools: options of PLINK are answered with ours by every program" {
	local tool row name here option bad=
	for tool in pack run threshold merge verify view permute; do
		for row in r2=vsim-run ld-window-kb=vsim-run ld-window-r2=vsim-run \
			indep-pairwise=vsim-threshold fast-epistasis=vsim-run geno=vsim-pack; do
			name=${row%=*} here=${row#*=}
			run -2 vsim-$tool --$name 1
			# without the program: this one has the option
			[[ $output =~ "option --$name; use "("$here "|)(-[a-z-]+) ]] ||
				complain "vsim-$tool --$name" "$output"
			option=${BASH_REMATCH[2]}
			[ "${BASH_REMATCH[1]}" ] || here=vsim-$tool
			"$here" --help | grep -q -e "^ *\(-.,\)\? *$option\b" -e "^  $option," ||
				complain "$here has no $option"
		done
	done
}
