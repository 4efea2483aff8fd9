/* SPDX-License-Identifier: BSD-3-Clause */
/* Summaries that a run is asked for, and their text in files. */
#include <stdio.h>
#include <string.h>

#include "libcore/base/num.h"
#include "libcore/metric/summary_ask.h"

static const struct row {
	const char *word;
	int least, most;
	bool places;
} rows[VS_SUMMARY_KINDS] = {
#define SUMMARY(name, word, least, most, places, form, help) \
	[VS_SUMMARY_##name] = { word, least, most, places },
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
};

const char vs_summary_detail[] =
#define SUMMARY(name, word, least, most, places, form, help) form "\t" help "\n"
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
	;

const char vs_summary_forms[] =
#define SUMMARY(name, word, least, most, places, form, help) form ", "
#include "libcore/metric/summary_rows.h"
#undef SUMMARY
	"each once at most, with numbers that rise";

static bool
read_numbers(const char *text, size_t len, struct vs_summary_numbers *to)
{
	char one[VS_NUM_ROOM];

	for (const char *end = text + len; text <= end; text++) {
		const char *comma = memchr(text, ',', (size_t)(end - text));
		size_t n = (size_t)((comma ? comma : end) - text);
		double *x = &to->x[to->n];

		if (n >= sizeof(one) || to->n == VS_SUMMARY_NUMBERS)
			return false;
		memcpy(one, text, n);
		one[n] = 0;
		if (!vs_num_real(one, x) || (to->n && x[0] <= x[-1]))
			return false;
		to->n++;
		text += n;
	}
	return true;
}

static bool
read_word(const char *word, size_t n, struct vs_summary_ask *ask)
{
	for (int k = 0; k < VS_SUMMARY_KINDS; k++) {
		const size_t len = strlen(rows[k].word);
		struct vs_summary_numbers *to = &ask->of[k];

		if (n < len || memcmp(word, rows[k].word, len) ||
			(n > len && word[len] != '='))
			continue;
		if (to->is ||
			(n > len &&
				!read_numbers(word + len + 1, n - len - 1, to)))
			return false;
		to->is = true;
		return to->n >= rows[k].least && to->n <= rows[k].most;
	}
	return false;
}

static const char records[] = " records";

bool
vs_summary_ask_alone(const char *text)
{
	return *text && !strstr(text, records);
}

bool
vs_summary_ask_read(const char *text, struct vs_summary_ask *ask)
{
	memset(ask, 0, sizeof(*ask));
	for (;; text++) {
		size_t n = strcspn(text, " ");

		if (!read_word(text, n, ask))
			return false;
		text += n;
		ask->records = !strcmp(text, records);
		if (!*text || ask->records)
			return true;
	}
}

void
vs_summary_ask_print(const struct vs_summary_ask *ask,
	char text[VS_SUMMARY_ROOM])
{
	size_t n = 0;

	*text = 0;
	for (int k = 0; k < VS_SUMMARY_KINDS; k++) {
		const struct vs_summary_numbers *of = &ask->of[k];

		if (!of->is)
			continue;
		n += (size_t)snprintf(text + n, VS_SUMMARY_ROOM - n, "%s%s",
			n ? " " : "", rows[k].word);
		for (int x = 0; x < of->n; x++) {
			char number[VS_NUM_ROOM];

			vs_num_print(of->x[x], number);
			n += (size_t)snprintf(text + n, VS_SUMMARY_ROOM - n,
				"%c%s", x ? ',' : '=', number);
		}
	}
	if (ask->records)
		strcpy(text + n, records);
}

const char *
vs_summary_word(enum vs_summary_which which)
{
	return rows[which].word;
}

bool
vs_summary_ask_places(const struct vs_summary_ask *ask)
{
	bool any = false;

	for (int k = 0; k < VS_SUMMARY_KINDS; k++)
		any |= ask->of[k].is && rows[k].places;
	return any;
}
