#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Clusters of alleles that go together: the edges of a result, by MCL.
# usage: clusters.sh EDGES.res.h5 >clusters.tsv      one cluster to a line
set -eu
vsim-view --to abc "$1" | mcl - --abc -I 2 -o - 2>/dev/null
