/* SPDX-License-Identifier: BSD-3-Clause */
/* Options that a program lists, see its --list-options. */
#ifndef VS_TOOLS_CHAIN_OPTION_LIST_H
#define VS_TOOLS_CHAIN_OPTION_LIST_H

#include <stdbool.h>
#include <stddef.h>

/* An option, in its line of the list. */
struct vs_listed {
	const char *name; /* its long name, of n bytes; null: none */
	size_t n;
	bool takes; /* an argument */
};

/* True if a name of n bytes is the word. */
bool vs_option_list_is(const char *name, size_t n, const char *word);

/* Look up an option by its name without dashes, n bytes; letter: of one. */
struct vs_listed vs_option_list_find(const char *list, const char *name,
	size_t n, bool letter);

/* True if the lines of two programs, from the name on, describe the same
 * option: name, argument, choices and help, up to the group. */
bool vs_option_list_is_same(const char *a, const char *b);

/* True if the line of an option, from its name on, lists a choice. */
bool vs_option_list_has(const char *option, const char *word);

#endif
