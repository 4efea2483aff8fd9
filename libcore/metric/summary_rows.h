/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of summaries: SUMMARY(name, word, least, most, places, form, help).
 * To add one: struct vs_summary_kind vs_summary_NAME of
 * libcore/engine/histogram, vs_summary_NAME_writer of tools/merge, and a row.
 *
 * word         of --summary and of files, where its numbers follow "="
 * least, most  how many numbers it has; they are positive, or they rise
 * places       whether it needs the table of the vectors: their chromosomes,
 *              positions or annotations
 * form         how --summary has it, for messages
 */
SUMMARY(ldscore, "ldscore", 0, 0, true, "ldscore", "LD scores for LDSC")
SUMMARY(degree, "degree", 1, VS_SUMMARY_NUMBERS, false, "degree[=T,...]",
	"partners above each -t")
SUMMARY(decay, "decay", 0, 1, true, "decay[=KB]",
	"mean and quantiles by distance")
SUMMARY(histogram, "histogram", 0, 0, false, "histogram",
	"all values, by thousandths")
SUMMARY(grid, "grid", 0, 0, true, "grid", "means between chromosomes")
SUMMARY(grid_kb, "grid-kb", 1, 1, true, "grid-kb=KB", "between blocks of KB")
SUMMARY(grid_sites, "grid-sites", 1, 1, true, "grid-sites=N",
	"between blocks of N vectors")
