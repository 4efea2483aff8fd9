#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Build and install into PREFIX, as conda's and rattler's builders call it.
set -e
# conda sets BUILD, and means a machine by it
set -- BUILD=release DEPS=0 CUDA=0 CC="${CC:-gcc}" PYTHON='/usr/bin/env python3'
make -j"${CPU_COUNT:-2}" "$@"
make install "$@" PREFIX="$PREFIX"
for t in "$PREFIX"/bin/vsim*; do
	[ "${t##*/}" = vsim-plot ] || "${STRIP:-strip}" "$t"
done
