/* SPDX-License-Identifier: BSD-3-Clause */
/* Rules by which pairs of vectors are chosen, as text and back. */
#include <stdio.h>
#include <string.h>

#include "libcore/base/decimal.h"
#include "libcore/base/num.h"
#include "libcore/plan/pair_rules.h"

bool
vs_pair_rules_any(const struct vs_pair_rules *r)
{
	return r->within || r->inter || r->max_sites > 0 ||
		vs_pair_rules_need_positions(r);
}

bool
vs_pair_rules_is_window(const struct vs_pair_rules *r)
{
	return r->max_kb > 0 || r->max_cm > 0 || r->max_sites > 0;
}

bool
vs_pair_rules_need_positions(const struct vs_pair_rules *r)
{
	return r->min_kb > 0 || r->max_kb > 0 || r->max_cm > 0;
}

static void
put(char text[VS_PAIR_RULES_TEXT], const char *word, const char *number)
{
	size_t n = strlen(text);

	snprintf(text + n, VS_PAIR_RULES_TEXT - n, "%s%s%s%s", n ? " " : "",
		word, *number ? " " : "", number);
}

#define BILLION 1000000000
#define MILLION 1000000

/* Put a word and 10^-9 kb or cM as kb or cM, without trailing zeros. */
static void
put_distance(char text[VS_PAIR_RULES_TEXT], const char *word, int64_t kb)
{
	char number[VS_NUM_ROOM];
	int n;

	if (kb <= 0)
		return;
	n = snprintf(number, VS_NUM_ROOM, "%lld.%09lld",
		(long long)(kb / BILLION), (long long)(kb % BILLION));
	while (number[n - 1] == '0')
		n--;
	number[n - (number[n - 1] == '.')] = '\0';
	put(text, word, number);
}

static bool
read_kb(const char *number, int64_t *kb)
{
	struct vs_decimal d;

	return vs_decimal_read(number, strlen(number), &d) &&
		vs_decimal_scaled(&d, VS_PAIR_RULES_SCALE, false, kb) &&
		*kb > 0;
}

int64_t
vs_pair_rules_least(const struct vs_pair_rules *r)
{
	return r->min_kb / MILLION + (r->min_kb % MILLION > 0);
}

int64_t
vs_pair_rules_most(const struct vs_pair_rules *r)
{
	return r->max_kb / MILLION;
}

void
vs_pair_rules_print(const struct vs_pair_rules *r,
	char text[VS_PAIR_RULES_TEXT])
{
	char number[VS_NUM_ROOM];

	*text = '\0';
	put_distance(text, "min_kb", r->min_kb);
	put_distance(text, "max_kb", r->max_kb);
	put_distance(text, "max_cm", r->max_cm);
	if (r->max_sites > 0) {
		snprintf(number, sizeof(number), "%lld",
			(long long)r->max_sites);
		put(text, "max_sites", number);
	}
	if (r->within)
		put(text, "within_chromosome", "");
	if (r->inter)
		put(text, "inter_chromosome", "");
}

/* The word and, if it takes one, the number after it. */
static bool
take(struct vs_pair_rules *r, const char *word, const char *number)
{
	if (!strcmp(word, "min_kb"))
		return read_kb(number, &r->min_kb);
	if (!strcmp(word, "max_kb"))
		return read_kb(number, &r->max_kb);
	if (!strcmp(word, "max_cm"))
		return read_kb(number, &r->max_cm);
	if (!strcmp(word, "max_sites"))
		return vs_num_int(number, &r->max_sites) && r->max_sites > 0;
	return false;
}

bool
vs_pair_rules_read(const char *text, struct vs_pair_rules *r)
{
	char copy[VS_PAIR_RULES_TEXT], again[VS_PAIR_RULES_TEXT], *rest = NULL;

	memset(r, 0, sizeof(*r));
	if (strlen(text) >= sizeof(copy))
		return false;
	memcpy(copy, text, strlen(text) + 1);
	for (char *word = strtok_r(copy, " ", &rest); word;
		word = strtok_r(NULL, " ", &rest)) {
		const char *number;

		if (!strcmp(word, "within_chromosome")) {
			r->within = true;
			continue;
		}
		if (!strcmp(word, "inter_chromosome")) {
			r->inter = true;
			continue;
		}
		number = strtok_r(NULL, " ", &rest);
		if (!number || !take(r, word, number))
			return false;
	}
	vs_pair_rules_print(r, again);
	return !strcmp(text, again);
}
