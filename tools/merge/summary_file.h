/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of summaries, and the numbers in them. */
#ifndef VS_TOOLS_MERGE_SUMMARY_FILE_H
#define VS_TOOLS_MERGE_SUMMARY_FILE_H

#include "formats/vectors/packed.h"
#include "formats/vectors/sites.h"
#include "libcore/engine/histogram/summary_kind.h"
#include "tools/merge/merge_survey.h"

struct vs_summary_tables {
	const struct vs_merge_survey *in; /* null: of no shards */
	const struct vs_merge_shards *ask;
	const char *name; /* of a shard or table, for messages */
	const struct vs_run *run;
	struct vs_summary_plan plan;
	struct vs_tile_counts counts;
	struct vs_sites sites;
	int ploidy;
	bool numbers; /* not genotypes */
	bool look;    /* only see whether the files may be written */
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

/* The counters of a part. */
static inline const vs_wide *
vs_summary_file_counters(const struct vs_summary_tables *t,
	const struct vs_summary_part *part)
{
	return t->counts.count + part->at;
}

/*
 * Write a text, which is freed, to the file of this tail, whose name begins
 * with the output's without .res.h5; one that ends in .gz is packed.
 * returns  0; VS_EUSAGE: it exists; VS_EMACHINE
 */
int vs_summary_file_put(const struct vs_summary_tables *t, const char *tail,
	struct vs_text *text);

/* Append a number; the mean of n values, NA if there are none. */
void vs_summary_file_real(struct vs_text *t, double value);
void vs_summary_file_mean(struct vs_text *t, vs_wide sum, vs_wide n);

#endif
