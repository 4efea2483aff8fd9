/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes, and one recorded error message per process. */
#ifndef VS_BASE_FAIL_H
#define VS_BASE_FAIL_H

/*
 * Codes returned by every function that can fail. A program's exit code is the
 * code's negative. Three codes are not errors. VS_DONE: nothing is left to do.
 * VS_LOST: the device is gone, and another one does its work. VS_UNABLE: the
 * device cannot do this work but another one may; a sentence is recorded.
 */
enum {
	VS_UNABLE = 4,
	VS_LOST = 2,
	VS_DONE = 1,
	VS_OK = 0,
	VS_ENO = -1,      /* the answer is no */
	VS_EUSAGE = -2,   /* the command line is wrong */
	VS_EINPUT = -3,   /* an input file is wrong */
	VS_EMACHINE = -4, /* disk, memory, MPI or device failed */
};

/*
 * Record why something failed and return code.
 *
 * The first sentence recorded stays until vs_fail_clear(); later ones are
 * dropped, because the place that fails first knows most. Write
 * "where: what: why", lower case, no full stop, no newline.
 * threads  safe
 */
int vs_fail(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Like vs_fail(), with ": " and the text of errno appended. */
int vs_fail_errno(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Record "path: cannot what: " and the text of errno, for inputs. returns
 * VS_EMACHINE if the machine lacks descriptors or memory or cannot read its
 * disk; else VS_EINPUT, for instance if there is no such file.
 */
int vs_fail_input(const char *path, const char *what);

/* Record that an allocation of this size failed; what names its purpose.
 * returns VS_EMACHINE */
int vs_fail_memory(const char *what, unsigned long long bytes);

/*
 * Replace control characters, as file names may have, by question marks, so
 * that text stays on one line.
 */
void vs_fail_one_line(char *text);

/* Put "where: " before the recorded sentence; returns code unchanged. */
int vs_fail_at(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Append words to the recorded sentence, if there is one. */
void vs_fail_append(const char *words);

/* The recorded sentence, "" when none; valid until the next call here. */
const char *vs_fail_text(void);

void vs_fail_clear(void);

/*
 * Hide what a library prints to stderr until vs_fail_unmute(), which is
 * async-signal-safe.
 * threads  one at a time;  nested: no
 */
void vs_fail_mute(void);
void vs_fail_unmute(void);

#endif
