/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries that a run is asked for, and their text in files. */
#include <stdio.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/metric/summary_ask.h"

static bool
read_degrees(const char *text, struct vs_summary_ask *ask)
{
	char one[VS_NUM_ROOM];

	for (;; text++) {
		size_t n = strcspn(text, ",");
		double *t = &ask->degree[ask->n_degree];

		if (n >= sizeof(one) || ask->n_degree == VS_SUMMARY_DEGREES)
			return false;
		memcpy(one, text, n);
		one[n] = 0;
		if (!vs_num_real(one, t) || (ask->n_degree && t[0] <= t[-1]))
			return false;
		ask->n_degree++;
		text += n;
		if (!*text)
			return true;
	}
}

bool
vs_summary_ask_read(const char *text, struct vs_summary_ask *ask)
{
	char word[VS_SUMMARY_ROOM];

	memset(ask, 0, sizeof(*ask));
	for (size_t n; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		if (n >= sizeof(word))
			return false;
		memcpy(word, text, n);
		word[n] = 0;
		if (!strcmp(word, "ldscore") && !ask->ldscore)
			ask->ldscore = true;
		else if (strncmp(word, "degree=", 7) || ask->n_degree ||
			!read_degrees(word + 7, ask))
			return false;
	}
	return ask->ldscore || ask->n_degree;
}

void
vs_summary_ask_print(const struct vs_summary_ask *ask,
	char text[VS_SUMMARY_ROOM])
{
	_Static_assert(16 + VS_SUMMARY_DEGREES * (VS_NUM_ROOM + 1) <=
			VS_SUMMARY_ROOM,
		"a text has room for all numbers");
	int n = snprintf(text, VS_SUMMARY_ROOM, "%s",
		ask->ldscore ? "ldscore" : "");

	for (int k = 0; k < ask->n_degree; k++) {
		char number[VS_NUM_ROOM];

		vs_num_print(ask->degree[k], number);
		n += snprintf(text + n, VS_SUMMARY_ROOM - (size_t)n, "%s%s%s",
			!k && n ? " " : "", k ? "," : "degree=", number);
	}
}
