/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that a program lists, by lines of words between tabs. */
#include <string.h>

#include "tools/chain/option_list.h"

bool
vs_option_list_is(const char *name, size_t n, const char *word)
{
	return strlen(word) == n && !memcmp(name, word, n);
}

struct vs_listed
vs_option_list_find(const char *list, const char *name, size_t n, bool letter)
{
	const char *end;

	for (; list && *list && (end = strchr(list, '\n')); list = end + 1) {
		const char *at = strchr(list, '\t') + 1;
		const size_t n_name = strcspn(at, "\t");

		if (letter ? *list == *name && *list != '\t'
			   : n_name == n && !memcmp(at, name, n))
			return (struct vs_listed){ at, n_name,
				at[n_name + 1] != '\t' };
	}
	return (struct vs_listed){ 0 };
}

bool
vs_option_list_is_same(const char *a, const char *b)
{
	int tabs = 0;

	for (; *a == *b && *a != '\n' && tabs < 4; a++, b++)
		tabs += *a == '\t';
	return tabs == 4;
}

bool
vs_option_list_has(const char *option, const char *word)
{
	const size_t n = strlen(word);
	const char *at = strchr(option, '\t') + 1;

	for (at = strchr(at, '\t'); *at == '\t' || *at == '|';
		at += 1 + strcspn(at + 1, "|\t"))
		if (strcspn(at + 1, "|\t") == n && !memcmp(at + 1, word, n))
			return true;
		else if (at[1 + strcspn(at + 1, "|\t")] == '\t')
			break;
	return false;
}
