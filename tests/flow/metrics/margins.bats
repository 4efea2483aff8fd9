# SPDX-License-Identifier: BSD-3-Clause
# Margins of float bounds: proofs by Gappa, *.gappa beside the sources, which also
# fail where the margin is too small.
# bats file_tags=long
load ../../helpers

setup() {
	cd "$TOP" || return
	requires cmd gappa
}

# proof SCRIPT [NAME=VALUE]: what gappa says of it, in $output; $status
proof() {
	local text=$BATS_TEST_TMPDIR/proof.gappa
	"$PYTHON" tests/flow/margins.py "$@" >"$text" || complain "$1"
	run timeout 120 gappa -Eno-auto-dichotomy "$text"
}

@test "margins: the constants of each source are proved to be enough" {
	local script
	for script in $(find libcore cuda -name '*.gappa'); do
		proof "$script"
		[ "$status" = 0 ] || complain "$script: $output"
	done
}

@test "margins: of less than they need no proof is found" {
	local script less
	for script in $(find libcore cuda -name '*.gappa'); do
		grep -q '^#fails ' "$script" || complain "$script: none"
		for less in $(sed -n 's/^#fails //p' "$script"); do
			proof "$script" "$less"
			[[ $output =~ 'were not satisfied'|'no contradiction' ]] ||
				complain "$script $less: $output"
		done
	done
}
