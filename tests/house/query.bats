# SPDX-License-Identifier: BSD-3-Clause
# A query is a table: what a row lacks, or states wrongly, does not compile.
load words

ROWS=libcore/metric/query_rows.h

# compiled EDIT...: the table as edited by sed, in both structs and their files
compiled() {
	mkdir -p "$BATS_TEST_TMPDIR/libcore/metric"
	sed "$@" $ROWS >"$BATS_TEST_TMPDIR/$ROWS"
	# shellcheck disable=SC2046
	run "${CC:-cc}" -fsyntax-only -I"$BATS_TEST_TMPDIR" \
		-include libcore/engine/query.h $(compiler_flags) \
		formats/results/run.c
}

# compiles EDIT...
compiles() {
	compiled "$@"
	[ "$status" = 0 ] || complain "$output"
}

# refused WORDS EDIT...: it does not, with WORDS among the errors
refused() {
	local words=$1
	shift
	compiled "$@"
	[ "$status" = 1 ] || complain "$words: it compiles, or there is no compiler"
	[[ $output == *"$words"* ]] || complain "$output"
}

NEW='F64(beyond, BOTH, NEEDED, IN, ASKED, CUDA, "upper limit")'

@test "query: a member has all its flags, or does not compile" {
	compiles "/^I64(min_joint/i $NEW"
	refused 'requires' "/^I64(min_joint/i ${NEW/ ASKED,/}"
	refused 'VS_AGREE_' "/^I64(min_joint/i ${NEW/ASKED/}"
	refused 'VS_QUERY_NOWHERE' "/^I64(min_joint/i ${NEW/CUDA/NOWHERE}"
	refused 'NEVER' "/^I64(min_joint/i ${NEW/NEEDED/NEVER}"
	refused 'beyond is compared and has no words' \
		"/^I64(min_joint/i ${NEW/upper limit/}"
}

@test "query: merged files state the query, and their digest covers it" {
	refused 'beyond is asked' "/^I64(min_joint/i ${NEW/BOTH/SHARD}"
	refused 'beyond is asked' "/^I64(min_joint/i ${NEW/ IN,/ OUT,}"
}

@test "query: what engines get is stated by a row that shards agree in" {
	local new='QUERY(double beyond, beyond, threshold, CPU)'
	compiles "/^QUERY(double threshold/i $new"
	refused 'beyond is stated by shard' \
		"/^QUERY(double threshold/i ${new/threshold/shard}"
	refused 'AGREE_nowhere' \
		"/^QUERY(double threshold/i ${new/threshold/nowhere}"
	# and has no member beside the rows
	none "$(sed -n '/^struct vs_query {/,/^}/p' libcore/engine/query.h |
		grep -v -e '^#' -e '^struct vs_query {' -e '^}' -e '^	' -e '^$')"
	none "$(sed -n '/^struct vs_query {/,/^}/p' libcore/engine/query.h |
		grep ';' | grep -v -e '^#define' -e '^};')"
}
