/* SPDX-License-Identifier: BSD-3-Clause */
/* The summaries that a run is asked for, and how files state them. */
#ifndef VS_METRIC_SUMMARY_ASK_H
#define VS_METRIC_SUMMARY_ASK_H

#include <stdbool.h>

#include "libcore/base/num.h"

#define VS_SUMMARY_NUMBERS 16 /* most numbers of a kind */

enum vs_summary_which {
#define SUMMARY(name, ...) VS_SUMMARY_##name,
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
	VS_SUMMARY_KINDS
};

/* Bytes of the text in files: words, " records", and the numbers. */
#define VS_SUMMARY_ROOM               \
	(16 + 16 * VS_SUMMARY_KINDS + \
		VS_NUM_ROOM * (VS_SUMMARY_KINDS + VS_SUMMARY_NUMBERS))

/* The numbers of each kind, if it is asked for; records: kept, too. */
struct vs_summary_ask {
	struct vs_summary_numbers {
		bool is;
		int n;
		double x[VS_SUMMARY_NUMBERS];
	} of[VS_SUMMARY_KINDS];
	bool records;
};

/* Help of an option, and the forms, separated by commas, for messages. */
extern const char vs_summary_detail[], vs_summary_forms[];

/*
 * Read the text in files, such as "ldscore degree=0.2,0.5", and " records" if
 * these are kept; print it.
 * returns  false if the text does not state summaries
 */
bool vs_summary_ask_read(const char *text, struct vs_summary_ask *ask);
void vs_summary_ask_print(const struct vs_summary_ask *ask,
	char text[VS_SUMMARY_ROOM]);

/* True if a text in files, or "", states sums and no records. */
bool vs_summary_ask_alone(const char *text);

/* The word of a kind. */
const char *vs_summary_word(enum vs_summary_which which);

/* True if any of them needs the table of the vectors. */
bool vs_summary_ask_places(const struct vs_summary_ask *ask);

#endif
