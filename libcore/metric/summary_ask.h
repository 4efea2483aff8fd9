/* SPDX-License-Identifier: BSD-3-Clause */
/* The summaries that a run is asked for, and how files state them. */
#ifndef VS_METRIC_SUMMARY_ASK_H
#define VS_METRIC_SUMMARY_ASK_H

#include <stdbool.h>

#define VS_SUMMARY_DEGREES 16 /* most thresholds */
#define VS_SUMMARY_ROOM 640   /* bytes of the text */

/* The summaries, each of which may be absent. */
struct vs_summary_ask {
	bool ldscore;
	int n_degree; /* thresholds, ascending */
	double degree[VS_SUMMARY_DEGREES];
};

/*
 * Read the text in files, such as "ldscore degree=0.2,0.5"; print it.
 * returns  false if the text does not state summaries
 */
bool vs_summary_ask_read(const char *text, struct vs_summary_ask *ask);
void vs_summary_ask_print(const struct vs_summary_ask *ask,
	char text[VS_SUMMARY_ROOM]);

#endif
