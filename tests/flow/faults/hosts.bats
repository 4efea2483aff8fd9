# SPDX-License-Identifier: BSD-3-Clause
# Ranks on four hosts, network namespaces joined over TCP, whose ranks, launcher and
# links are lost, resumed on other numbers of ranks.
# bats file_tags=long
load ../../helpers

@test "hosts: a rank, the launcher and a link lost over four hosts, all resumed" {
	requires root
	requires cmd ip tc unshare
	requires mpi 4
	[ "$(probed MPI_FLAVOUR)" != mpich ] || skip "mpirun of Open MPI is wanted"
	! sanitized || skip "over TCP a sanitized MPI takes minutes"
	# a script that was killed leaves hosts, which the next one removes
	sh -c ':' &
	local gone=vs$!
	wait
	ip netns add "$gone-2" || skip "no network namespaces here"
	VECTORS=3000 FIELDS=3000 run --separate-stderr \
		"$TOP/tests/faults/hosts.sh" 3 7
	[ -z "$(ip netns list | grep "^$gone-2")" ]
	[ "$status" != 4 ] || skip "$stderr"
	echo "$output$stderr"
	[ "$status" = 0 ]
	grep -qx 'whole run: of 4 hosts, the result of one rank: yes' <<<"$output"
	grep -q '^fetched by hosts: [1-9]' <<<"$output"
	# what is waited for does not go by another name
	grep -Eq '^accounted for: ([6-9].|1..) % .*waiting: [1-9]' <<<"$output"
	[ "$(grep -c ': 1 runs, 1 of them hit$' <<<"$output")" = 3 ]
	grep -q 'results that were others: 0$' <<<"$output"
	# nothing of its own hosts is left
	! grep -q 'hosts are left' <<<"$stderr"
}
