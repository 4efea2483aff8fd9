# SPDX-License-Identifier: BSD-3-Clause
# Triples on ranks of a machine, which have one copy of all vectors.
load ../../helpers

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	requires mpi 3
}

# shim CODE CODE: shim.so, where memfd_create() and fallocate() begin with these;
# `mine` is true of memory that ranks share
shim() {
	cat >shim.c - <<-END
		#include <errno.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int memfd_create(const char *name, unsigned flags) {
			int mine = !strcmp(name, "vsim-vectors");
			$1
			return (int)syscall(SYS_memfd_create, name, flags);
		}
		int fallocate(int fd, int mode, long at, long n) {
			int mine = !mode;
			$2
			return (int)syscall(SYS_fallocate, fd, mode, at, n);
		}
	END
	gcc -D_GNU_SOURCE -w -shared -fPIC -o shim.so shim.c
}


# memory RANKS RUN-OPTION...: of a rank, as planned
memory() {
	ranks "$1" vsim-run -n -w 3 -j 1 -t 0.6 --allow-empty "${@:2}" x.vec.h5 |
		sed -n 's/^memory_of_a_rank: //p'
}

# bats test_tags=long
@test "triples shared: a rank of three needs a third of the vectors, and has it" {
	requires cpu avx2
	local alone three limit=105000 how
	# 41 MB of planes
	vsim-pack --synthetic random --vectors 10000 --fields 16000 -o x.vec.h5
	alone=$(memory 1) three=$(memory 3)
	# two thirds less, but for what each has anyway
	[ $((alone - three)) -gt 27000000 ]
	[ $((alone - three)) -lt 30000000 ]
	refuses 4 'memory needed by each rank' ranks 3 vsim-run -w 3 -t 0.6 -j 1 \
		--memory $((three / 2)) -o run x.vec.h5
	# with less each reads some at a time, and has no share
	ranks 3 vsim-run -n -w 3 -j 1 -t 0.6 --allow-empty \
		--memory $((three - 1000000)) x.vec.h5 2>said >plan
	grep -qx 'blocks: streamed' plan
	! sanitized || return 0
	# memory of a rank's own is limited, in kB, so that no copy fits
	how="ulimit -d $limit; exec vsim-run --memory 300M -w 3 -t 0.6 -j 1"
	how+=" --no-prune --triples-between 0-0 1-2 -o run x.vec.h5"
	shim 'if (mine) { errno = ENOSYS; return -1; }'
	run ranks 2 env LD_PRELOAD="$PWD/shim.so" sh -c "$how"
	[ "$status" = 4 ]
	[[ $output == *'no memory for '* ]]
	ranks 2 sh -c "$how -f"
}

@test "triples shared: where ranks cannot share memory each has a copy" {
	! sanitized || skip "asan wants to be the first library"
	vsim-pack --synthetic random --vectors 100 --fields 300 --missing 0.01 \
		-o x.vec.h5
	vsim-run -w 3 -t 0.3 -j 1 --merge one.res.h5 -o one x.vec.h5
	shim 'if (mine) { errno = ENOSYS; return -1; }'
	ranks 3 env LD_PRELOAD="$PWD/shim.so" vsim-run -v -w 3 -t 0.3 -j 1 \
		--merge run.res.h5 -o run x.vec.h5 2>said
	[ "$(grep -c 'cannot share memory: each has a copy' said)" = 1 ]
	[ "$(content run.res.h5)" = "$(content one.res.h5)" ]
	# pages that there are not
	shim '' 'errno = mine ? ENOSPC : 0; if (mine) return -1;'
	run --separate-stderr ranks 3 env LD_PRELOAD="$PWD/shim.so" vsim-run \
		-w 3 -t 0.3 -j 1 -o run2 x.vec.h5
	[ "$status" = 4 ]
	[ "$(grep -c vsim-run: <<<"$stderr")" = 1 ]
	[[ $stderr == *'panel of vectors: 2 MB that the ranks of this machine share: Cannot allocate memory'* ]]
}

# bats test_tags=long
@test "triples shared: sorted and split by the ranks together, each metric's the same" {
	local how n
	vsim-pack --synthetic epistasis --vectors 40 --fields 400 --missing 0.02 \
		-o k.vec.h5
	vsim-pack --synthetic random --vectors 60 --fields 2000 -o x.vec.h5
	while read -r how; do
		for n in 1 3; do
			rm -rf run
			# shellcheck disable=SC2086
			ranks $n vsim-run -w 3 -j 1 -o run --merge $n.res.h5 -f \
				$how </dev/null
		done
		[ "$(content 1.res.h5)" = "$(content 3.res.h5)" ] ||
			complain "$how"
	done <<-'END'
		-t 0.2 --no-prune --tile 7 x.vec.h5
		--top 90 x.vec.h5
		-m k2 --top 70 --tile 9 k.vec.h5
		-m mi -t 0.01 k.vec.h5
		-t 0.15 --tile 9 k.vec.h5
	END
}
