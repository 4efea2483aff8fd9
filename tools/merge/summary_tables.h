/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of the summaries of a run, from the counters of its shards. */
#ifndef VS_TOOLS_MERGE_SUMMARY_TABLES_H
#define VS_TOOLS_MERGE_SUMMARY_TABLES_H

#include "formats/vectors/sites.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "tools/merge/merge_survey.h"

struct vs_summary_tables {
	const struct vs_merge_survey *in;
	const struct vs_run *run;
	struct vs_summary_plan plan;
	struct vs_tile_counts counts;
	struct vs_sites sites;
	int ploidy;
};

/* Writer of the tables of a part; tail: endings of their names, then null,
 * which write() receives. */
struct vs_summary_writer {
	const char *tail[4];
	int (*write)(const struct vs_summary_tables *t,
		const struct vs_summary_part *part, const char *const *tail);
};

#define SUMMARY(name, ...) \
	extern const struct vs_summary_writer vs_summary_##name##_writer;
#include "libcore/metric/summary_rows.h"
#undef SUMMARY

/*
 * Add up the counters of all shards, check them against the run's number of
 * pairs, and write a file for each summary, with a name that begins with the
 * output's.
 * returns  0; VS_EUSAGE; VS_EINPUT; VS_EMACHINE
 */
int vs_summary_tables_write(const struct vs_merge_survey *m);

/* The counters of a part. */
static inline const vs_wide *
vs_summary_tables_counters(const struct vs_summary_tables *t,
	const struct vs_summary_part *part)
{
	return t->counts.count + part->at;
}

/* Write a text, which is freed, to the file of this tail; one that ends in .gz
 * is packed. 0; VS_EMACHINE */
int vs_summary_tables_put(const struct vs_summary_tables *t, const char *tail,
	struct vs_text *text);

/* Append a number; the mean of n values, NA if there are none. */
void vs_summary_tables_real(struct vs_text *t, double value);
void vs_summary_tables_mean(struct vs_text *t, vs_wide sum, vs_wide n);

#endif
