/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors: a code that travels up, and one sentence said where it is known. */
#ifndef VS_BASE_FAIL_H
#define VS_BASE_FAIL_H

/*
 * Codes of every function that can fail. The exit code of a program is the
 * code's negative. Three are no errors: VS_DONE, "nothing more to do", VS_LOST,
 * "the device is gone, its work is another's", and VS_UNABLE, "the device,
 * which is there, cannot do it; its work may be another's", with a sentence
 * recorded.
 */
enum {
	VS_UNABLE = 4,
	VS_LOST = 2,
	VS_DONE = 1,
	VS_OK = 0,
	VS_ENO = -1,      /* the answer to the question asked is no */
	VS_EUSAGE = -2,   /* the command line cannot be followed */
	VS_EINPUT = -3,   /* a file given to us is wrong */
	VS_EMACHINE = -4, /* disk, memory, MPI or device failed us */
};

/*
 * Record why something failed and return code.
 *
 * The first sentence recorded stays until vs_fail_clear(); later ones are
 * dropped, since the place that knows most speaks first. Write
 * "where: what: why", lower case, no full stop, no newline.
 * threads  safe
 */
int vs_fail(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* As vs_fail, with ": " and the text of errno behind the sentence. */
int vs_fail_errno(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * "path: cannot what: " and the text of errno, for what is read: VS_EMACHINE
 * where the machine lacks descriptors or memory or cannot read its disk, else
 * VS_EINPUT, as where there is no such file.
 */
int vs_fail_input(const char *path, const char *what);

/* Memory of this size could not be had; what names the thing. VS_EMACHINE. */
int vs_fail_memory(const char *what, unsigned long long bytes);

/* Let a sentence be one line, whatever the names in it: control characters
 * become question marks. */
void vs_fail_one_line(char *text);

/* Put "where: " before the recorded sentence; returns code unchanged. */
int vs_fail_at(int code, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Put words behind the recorded sentence, if there is one. */
void vs_fail_append(const char *words);

/* The recorded sentence, "" when none; valid until the next call here. */
const char *vs_fail_text(void);

void vs_fail_clear(void);

#endif
