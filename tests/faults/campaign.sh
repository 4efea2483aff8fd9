#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# campaign.sh BUILD SECONDS [SEED]: a third of the time calls that fail or kill, a
# third forged metadata, a third the fuzz targets, by libFuzzer where clang has it,
# in a scratch folder of BUILD.
set -e
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
: "${PYTHON:=/usr/bin/python3}"
scratch=$build/campaign
rm -rf "$scratch"
mkdir -p "$scratch"
cc -D_GNU_SOURCE -O1 -w -shared -fPIC -o "$scratch/fault.so" "$here/fault.c"
bad=0
"$PYTHON" "$here/campaign.py" "$build" "$scratch/faults" "$scratch/fault.so" \
	--time $(($2 / 3)) --seed "${3:-1}" || bad=1
cd "$scratch/faults"
"$PYTHON" "$here/forged.py" "$build" "$scratch/forged" x.vec.h5 m.vec.h5 \
	e.res.h5 run/*.shard.h5 --time $(($2 / 3)) \
	--first $((${3:-1} * 1000000)) || bad=1
"$here/fuzz.sh" "$build" $(($2 / 3)) "${3:-1}" || bad=1
exit $bad
