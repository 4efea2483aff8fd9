#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# campaign.sh BUILD SECONDS [SEED]: a quarter of the time each for: calls that fail or
# kill; up to 5,000 files with forged metadata, then values and logs, under the address
# sanitizer; power cuts, failing MPI calls and changes of the date; the fuzz targets, by
# libFuzzer if clang has it. Works in a scratch folder of BUILD.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
: "${PYTHON:=/usr/bin/python3}"
scratch=$build/campaign
rm -rf "$scratch"
mkdir -p "$scratch"
cc -D_GNU_SOURCE -O1 -w -shared -fPIC -o "$scratch/fault.so" "$here/fault.c"
cc -D_GNU_SOURCE -O1 -w -shared -fPIC -o "$scratch/record.so" "$here/record.c"
cc -D_GNU_SOURCE -O1 -w -shared -fPIC -o "$scratch/clock.so" "$here/clock.c"
# shellcheck disable=SC2046
cc -O1 -w -shared -fPIC $(sed -n 's/^DEP_CFLAGS := //p' "$build/../probe.mk") \
	-o "$scratch/fault_mpi.so" "$here/fault_mpi.c"
bad=0
"$PYTHON" "$here/cuts.py" "$build" "$scratch/cuts" "$scratch/record.so" \
	--flushes --time $(($2 / 8)) --seed "${3:-1}" || bad=1
"$PYTHON" "$here/mpi.py" "$build" "$scratch/mpi" "$scratch/fault_mpi.so" \
	--time $(($2 / 10)) --seed "${3:-1}" || bad=1
"$PYTHON" "$here/clock.py" "$build" "$scratch/clock" "$scratch/clock.so" \
	--time $(($2 / 40)) || bad=1
"$PYTHON" "$here/campaign.py" "$build" "$scratch/faults" "$scratch/fault.so" \
	--time $(($2 / 4)) --seed "${3:-1}" || bad=1
cd "$scratch/faults"
"$PYTHON" "$here/forged.py" "$build" "$scratch/forged" x.vec.h5 m.vec.h5 \
	e.res.h5 old.res.h5 p.res.h5 run/*.shard.h5 more/*.shard.h5 run-p/*.shard.h5 \
	--time $(($2 / 8)) \
	--first $((${3:-1} * 1000000)) || bad=1
# a run that has a log
! FAULT_CALL=fsync FAULT_AT=30 FAULT_HOW=kill \
	LD_PRELOAD="$scratch/fault.so" "$build/vsim-run" -j 1 -t 0.3 --tile 6 \
	--commit-every 0 --metric-histogram histogram.tsv -o killed \
	"$PWD/x.vec.h5" 2>"$scratch/killed" || bad=1
make -s -C "$here/../.." BUILD=asan CUDA=0 all || bad=1
LSAN_OPTIONS="suppressions=$here/../lsan.supp:print_suppressions=0" \
	"$PYTHON" "$here/forged.py" "$here/../../build/asan" "$scratch/values" \
	x.vec.h5 m.vec.h5 g.vec.h5 e.res.h5 p.res.h5 run/*.shard.h5 \
	run-p/*.shard.h5 killed --values --count 5000 --time $(($2 / 8)) \
	--first $((${3:-1} * 1000000)) || bad=1
"$here/fuzz.sh" "$build" $(($2 / 4)) "${3:-1}" || bad=1
exit $bad
