/* SPDX-License-Identifier: BSD-3-Clause */
/* Child programs of vsim: one after another, in a directory of their own. */
#ifndef VS_TOOLS_CHAIN_CHAIN_H
#define VS_TOOLS_CHAIN_CHAIN_H

#include <stddef.h>

#include "libcore/base/text.h"

/* Words of a command line; all zero is empty. */
struct vs_words {
	char **word; /* ends with a null */
	size_t n, room;
};

/* Append a copy of a word, or of the blank-separated words of a text. */
int vs_chain_words_add(struct vs_words *w, const char *word);
int vs_chain_words_split(struct vs_words *w, const char *text);
/* Append an option, a long name of n bytes, and its argument, unless null. */
int vs_chain_words_option(struct vs_words *w, const char *option, size_t n,
	const char *argument);
/* Append the words of one list to another, and empty the first. */
int vs_chain_words_move(struct vs_words *to, struct vs_words *from);
/* Print a command line so that a shell reads it back. */
void vs_chain_words_show(const struct vs_words *w);
void vs_chain_words_free(struct vs_words *w);

/* Path of a program: next to this one, otherwise from PATH. */
int vs_chain_path(struct vs_text *path, const char *program);

/* Replace this process by the program. Returns only on failure. */
int vs_chain_become(char *const *words);

/*
 * Run a program to its end.
 * out      null, or an empty text that receives its output
 * step     its VSIM_STEP, vs_tool_is_step()
 * code     its exit code; 128 + the signal that ended it
 * returns  0; VS_EMACHINE: it did not start
 */
int vs_chain_run(char *const *words, struct vs_text *out, const char *step,
	int *code);

/* Make a directory for temporary files, in TMPDIR or /tmp; and remove it with
 * its contents. */
int vs_chain_directory(struct vs_text *path);
void vs_chain_remove(const char *path);

#endif
