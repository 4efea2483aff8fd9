#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Runs over four hosts that lose a rank, the launcher or a link, and are resumed on
# other numbers of ranks: the result has to be that of one rank.
# usage: hosts.sh TIMES [SEED]      as root; vsim-run and so on are on PATH
# exit: 0 no result was another, 1 one was, 4 the machine does not do this
#
# The hosts are network namespaces with names of their own, joined by a bridge of
# 100 Mbit/s and 1 ms; mpirun reaches them over TCP, by an agent in place of ssh.
# Hosts of a script that was killed are removed first.
set -u
times=${1:?usage: hosts.sh TIMES [SEED]}
RANDOM=${2:-1}
net=vs$$ # the bridge; NAME-1 and so on are the hosts, NAME.1 their links
work=$(mktemp -d)
hosts=4
declare -A n=([rank]=0 [launcher]=0 [link]=0) hit=([rank]=0 [launcher]=0 [link]=0)
left=0 bad=0 over_hosts=0
input=x # vectors file of over

# remove_hosts NAME: with the processes there
remove_hosts() {
	local h
	for h in $(seq $hosts); do
		end_processes "$1-$h"
		ip netns del "$1-$h" 2>/dev/null
	done
	ip link del "$1" 2>/dev/null
}

# remove_left: the hosts of scripts that ended without that
remove_left() {
	local name
	for name in $(ip netns list | sed -n 's/^\(vs[0-9]*\)-[1-4]\( .*\)*$/\1/p' |
		sort -u); do
		kill -0 "${name#vs}" 2>/dev/null || remove_hosts "$name"
	done
}

clear_hosts() {
	remove_hosts "$net"
	rm -rf "$work"
	! ip netns list | grep -q "^$net-" || echo "hosts.sh: hosts are left" >&2
}

# end_processes HOST: what is still there, counted
end_processes() {
	local pid
	for pid in $(ip netns pids "$1" 2>/dev/null); do
		[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != vsim-run ] ||
			left=$((left + 1))
		kill -KILL "$pid" 2>/dev/null
	done
}

# limit HOST: where the kernel delays nothing, the rate alone
limit() {
	tc -n "$1" qdisc add dev e0 root netem delay 1ms rate 100mbit 2>/dev/null ||
		tc -n "$1" qdisc add dev e0 root tbf rate 100mbit burst 64kb \
			latency 50ms
}

# ranks_there: is a rank still at work on any host?
ranks_there() {
	local h pid
	for h in $(seq $hosts); do
		for pid in $(ip netns pids "$net-$h"); do
			[ "$(cat "/proc/$pid/comm" 2>/dev/null)" != vsim-run ] ||
				return 0
		done
	done
	return 1
}

make_hosts() {
	local h
	ip link add "$net" type bridge && ip link set "$net" up || return
	for h in $(seq $hosts); do
		ip netns add "$net-$h" &&
			ip link add "$net.$h" type veth peer name e0 \
				netns "$net-$h" &&
			ip link set "$net.$h" master "$net" up &&
			ip -n "$net-$h" link set lo up &&
			ip -n "$net-$h" addr add "10.77.0.$h/24" dev e0 &&
			ip -n "$net-$h" link set e0 up &&
			limit "$net-$h" || return
	done
	cat >"$work/agent" <<-END
		#!/bin/sh
		h=\${1##*.}
		shift
		exec ip netns exec $net-\$h unshare --uts sh -c \
			'hostname '$net-\$h'; exec sh -c "\$0"' "\$*"
	END
	chmod +x "$work/agent"
}

# mpirun's own options; from Open MPI 5 on its launcher is PRRTE
launch="--quiet --mca plm_rsh_agent $work/agent --mca oob_tcp_if_include e0
	--mca plm_rsh_no_tree_spawn 1 --mca oob_tcp_keepalive_time 2
	--mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 3"
! mpirun --version 2>/dev/null | grep -q 'Open MPI) [5-9]' ||
	launch="--map-by node:OVERSUBSCRIBE --prtemca prte_ssh_agent $work/agent --prtemca prte_if_include e0
	--prtemca prte_ssh_no_tree_spawn 1 --prtemca oob_tcp_keepalive_time 2
	--prtemca oob_tcp_keepalive_intvl 1 --prtemca oob_tcp_keepalive_probes 3"
launch=${launch//$'\n\t'/ }

# over RANKS OPTION...: vsim-run on these ranks, dealt to the hosts in turn
over() {
	local ranks=$1 list='' h
	shift
	for h in $(seq $hosts); do
		list+=${list:+,}10.77.0.$h:$((ranks / hosts + (h <= ranks % hosts)))
	done
	list=${list//,10.77.0.?:0/}
	exec "$work/agent" 10.77.0.1 "exec mpirun $launch --host $list \
		-n $ranks --mca btl self,tcp \
		--mca pml ob1 --mca osc ^ucx --mca btl_tcp_if_include e0 \
		--allow-run-as-root \
		-x PATH -x HWLOC_HIDE_ERRORS=2 \
		vsim-run $* -o $work/run $work/$input.vec.h5"
}

# hurt KIND: one of the ranks, the launcher or a host's link
hurt() {
	local h=$((RANDOM % (hosts - 1) + 2)) pid
	case $1 in
	rank)
		h=$((RANDOM % hosts + 1))
		for pid in $(ip netns pids "$net-$h"); do
			[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = vsim-run ] &&
				kill -KILL "$pid" && return 0
		done
		return 1
		;;
	launcher)
		for pid in $(ip netns pids "$net-1"); do
			[ "$(cat "/proc/$pid/comm" 2>/dev/null)" = mpirun ] &&
				kill -KILL "$pid" && return 0
		done
		return 1
		;;
	link) ip link set "$net.$h" down ;;
	esac
}

trap clear_hosts EXIT
trap 'exit 4' HUP INT TERM
remove_left
left=0
make_hosts 2>"$work/said" || {
	echo "hosts.sh: no network of hosts here: $(tail -n 1 "$work/said")" >&2
	exit 4
}
question=(-t 0.3 --cpu scalar -j 1 --commit-every 1 --tile 100)
vsim-pack --synthetic random --vectors "${VECTORS:-3000}" \
	--fields "${FIELDS:-4000}" -o "$work/x.vec.h5" &&
	vsim-run -t 0.3 -o "$work/one" --merge "$work/one.res.h5" \
		"$work/x.vec.h5" || exit 4
want=$(content "$work/one.res.h5")
# all hosts have a part, and nobody is hurt
(over $hosts "${question[@]}") >"$work/said" 2>&1 &&
	vsim-merge -o "$work/run.res.h5" "$work/run" || {
	echo "hosts.sh: mpirun over TCP: $(tail -n 3 "$work/said")" >&2
	exit 4
}
at=$(for h in "$work"/run/*.shard.h5; do
	vsim-view -H "$h" | sed -n 's/^#step2_host: //p'
done | sort -u | wc -l)
echo "whole run: of $at hosts, the result of one rank:" \
	"$([ "$(content "$work/run.res.h5")" = "$want" ] && echo yes || echo no)"
[ "$(content "$work/run.res.h5")" = "$want" ] || bad=1
rm -r "$work/run.res.h5" "$work/run"
# vectors are fetched from other hosts instead of passed round
(over $hosts "${question[@]}" --exchange fetch --stats "$work/stats") \
	>"$work/said" 2>&1
vsim-merge -o "$work/run.res.h5" "$work/run"
fetched=$(sed -n 's/^vectors_fetched: //p' "$work/stats")
[ "$(content "$work/run.res.h5")" = "$want" ] && [ "$fetched" -gt 0 ] ||
	bad=$((bad + 1))
echo "fetched by hosts: $fetched vectors, seconds in all:" \
	"$(sed -n 's/^seconds_fetching: //p' "$work/stats")"
rm "$work/run.res.h5"
# where panels take longer than the work, ranks wait for them, and say so
vsim-pack --synthetic random --vectors 1000 --fields 200000 -o "$work/y.vec.h5"
rm -rf "$work/run"
(input=y over $hosts -t 0.9 --no-prune -j 1 --exchange ring \
	--stats "$work/stats") >"$work/said" 2>&1
awk '{ v[$1] = $2 } END {
	all = v["seconds_total:"]
	said = v["seconds_input:"] + v["seconds_compute:"] + \
		v["seconds_wait:"] + v["seconds_output:"]
	printf "accounted for: %d %% of a run by a slow link, waiting: %d %%\n", \
		100 * said / all, 100 * v["seconds_wait:"] / all
}' "$work/stats"
ways=(ring fetch)
for k in $(seq "$times"); do
	kinds=(rank launcher link)
	kind=${kinds[k % 3]}
	n[$kind]=$((n[$kind] + 1))
	rm -rf "$work/run"
	(over $((RANDOM % 5 + 3)) "${question[@]}" \
		--exchange ${ways[k % 2]}) >"$work/said" 2>&1 &
	pid=$!
	disown
	# begin to hurt it when something is sealed
	for _ in $(seq 300); do
		ls "$work"/run/*.shard.h5 >/dev/null 2>&1 && break
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -0 $pid 2>/dev/null && hurt $kind &&
		hit[$kind]=$((hit[$kind] + 1))
	for _ in $(seq 600); do
		kill -0 $pid 2>/dev/null || break
		sleep 0.1
	done
	kill -KILL $pid 2>/dev/null
	# ranks that lost their launcher end by themselves
	for _ in $(seq 100); do
		ranks_there || break
		sleep 0.1
	done
	for h in $(seq $hosts); do
		end_processes "$net-$h"
		ip link set "$net.$h" up
	done
	if (over $((RANDOM % 7 + 1)) -r "${question[@]}") >"$work/said" 2>&1; then
		over_hosts=$((over_hosts + 1))
	else
		vsim-run -r "${question[@]}" -o "$work/run" "$work/x.vec.h5" \
			>>"$work/said" 2>&1
	fi
	vsim-merge -f -o "$work/run.res.h5" "$work/run" 2>>"$work/said"
	[ "$(content "$work/run.res.h5")" = "$want" ] || {
		bad=$((bad + 1))
		echo "hosts.sh: $k, $kind: another result: $(tail -n 3 "$work/said")" >&2
	}
	rm -f "$work/run.res.h5"
done
for kind in rank launcher link; do
	echo "$kind: ${n[$kind]} runs, ${hit[$kind]} of them hit"
done
echo "resumed over the hosts: $over_hosts of $times, the others by one rank"
echo "left behind and killed: $left ranks; results that were others: $bad"
[ $bad = 0 ]
