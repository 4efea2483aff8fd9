/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Buffered text output to stdout, into memory, or into a file that appears
 * whole or not at all. A closed pipe is not a failure: output is then dropped,
 * and vs_out_closed() returns true.
 */
#ifndef VS_FORMATS_OUT_OUT_H
#define VS_FORMATS_OUT_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "libcore/base/file.h"

#define VS_OUT_ROOM (256u << 10)

struct vs_out {
	struct vs_file file; /* fd -1: stdout */
	bool memory;         /* nothing is written, the buffer grows */
	char *buf;
	size_t len, room;
	int code; /* the first failure; VS_DONE: the pipe is closed */
};

/* Write to path, or to stdout if path is null or "-". force: replace path. */
int vs_out_open(struct vs_out *o, const char *path, bool force);

/* Write into memory: buf and len hold what was put since. */
int vs_out_memory(struct vs_out *o);

/* Write what is buffered. */
int vs_out_flush(struct vs_out *o);

/* Write what is in from's memory, and empty it. */
int vs_out_pass(struct vs_out *o, struct vs_out *from);

/* Flush and, for a file, fsync and rename. */
int vs_out_finish(struct vs_out *o);
void vs_out_abandon(struct vs_out *o);

static inline bool
vs_out_closed(const struct vs_out *o)
{
	return o->code != 0;
}

/* Room for n bytes, far fewer than the buffer has, behind those put. Numbers
 * are printed in place: copying one would stall on its byte stores. */
static inline char *
vs_out_room(struct vs_out *o, size_t n)
{
	while (o->room - o->len < n)
		vs_out_flush(o);
	return o->buf + o->len;
}

/* Bytes of any number. A failure is kept for vs_out_finish(). */
static inline void
vs_out_put(struct vs_out *o, const char *bytes, size_t n)
{
	while (n > o->room - o->len) {
		size_t part = o->room - o->len;

		memcpy(o->buf + o->len, bytes, part);
		o->len += part;
		bytes += part;
		n -= part;
		vs_out_flush(o);
	}
	memcpy(o->buf + o->len, bytes, n);
	o->len += n;
}

static inline void
vs_out_char(struct vs_out *o, char c)
{
	if (o->len == o->room)
		vs_out_flush(o);
	o->buf[o->len++] = c;
}

static inline void
vs_out_text(struct vs_out *o, const char *text)
{
	vs_out_put(o, text, strlen(text));
}

void vs_out_int(struct vs_out *o, int64_t v);
void vs_out_real(struct vs_out *o, double v);
void vs_out_f32(struct vs_out *o, float v);

/*
 * Length of the first character of a text of len bytes, at least 1; a byte that
 * is not UTF-8 is printed as an underscore.
 * returns  its bytes
 */
size_t vs_out_character(struct vs_out *o, const char *text, size_t len);

/* All of a text likewise. */
void vs_out_utf8(struct vs_out *o, const char *text, size_t len);

/* The same in quotes, as JSON. */
void vs_out_json(struct vs_out *o, const char *text, size_t len);

#endif
