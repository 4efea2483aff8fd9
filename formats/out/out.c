/* SPDX-License-Identifier: BSD-3-Clause */
/* Buffered output that appears whole or not at all. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/out/out.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/utf8.h"

int
vs_out_memory(struct vs_out *o)
{
	int code;

	memset(o, 0, sizeof(*o));
	o->file.fd = -1;
	o->memory = true;
	code = vs_mem_room(&o->buf, VS_OUT_ROOM, 1, "output buffer");
	o->room = code ? 0 : VS_OUT_ROOM;
	return code;
}

int
vs_out_open(struct vs_out *o, const char *path, bool force)
{
	uint8_t uuid[16];
	uint32_t tag;
	int code;

	code = vs_out_memory(o);
	o->memory = false;
	if (code || !path || !strcmp(path, "-"))
		return code;
	code = vs_digest_uuid_make(uuid);
	memcpy(&tag, uuid, 4);
	if (!code)
		code = vs_file_create(&o->file, path, tag, force);
	if (code)
		vs_out_abandon(o);
	return code;
}

static void
write_all(struct vs_out *o, const char *p, size_t n)
{
	int fd = o->file.fd < 0 ? STDOUT_FILENO : o->file.fd;
	ssize_t did;

	for (; n && !o->code; n -= (size_t)did, p += did) {
		did = write(fd, p, n);
		if (did >= 0)
			continue;
		if (errno == EPIPE)
			o->code = VS_DONE;
		else if (errno != EINTR)
			o->code = vs_fail_errno(VS_EMACHINE, "%s: cannot write",
				o->file.path ? o->file.path : "stdout");
		did = 0;
	}
}

/* Make room in memory; if there is none, what was put is dropped, and the
 * failure recorded. */
static void
grow(struct vs_out *o)
{
	char *more = realloc(o->buf, 2 * o->room);

	if (!more) {
		o->code = vs_fail_memory("output buffer", 2 * o->room);
		o->len = 0;
		return;
	}
	o->buf = more;
	o->room *= 2;
}

int
vs_out_flush(struct vs_out *o)
{
	if (o->memory) {
		grow(o);
	} else {
		write_all(o, o->buf, o->len);
		o->len = 0;
	}
	return o->code < 0 ? o->code : 0;
}

int
vs_out_pass(struct vs_out *o, struct vs_out *from)
{
	if (from->code < 0 && !o->code)
		o->code = from->code;
	vs_out_flush(o);
	write_all(o, from->buf, from->len);
	from->len = 0;
	return o->code;
}

int
vs_out_finish(struct vs_out *o)
{
	int code = vs_out_flush(o);

	if (!code && o->file.fd >= 0)
		code = vs_file_commit(&o->file);
	vs_out_abandon(o);
	return code;
}

void
vs_out_abandon(struct vs_out *o)
{
	vs_file_abandon(&o->file);
	free(o->buf);
	o->buf = NULL;
	o->len = 0;
}

void
vs_out_int(struct vs_out *o, int64_t v)
{
	o->len += (size_t)vs_num_print_int(v, vs_out_room(o, VS_NUM_ROOM));
}

void
vs_out_real(struct vs_out *o, double v)
{
	o->len += (size_t)vs_num_print(v, vs_out_room(o, VS_NUM_ROOM));
}

void
vs_out_f32(struct vs_out *o, float v)
{
	o->len += (size_t)vs_num_print_f32(v, vs_out_room(o, VS_NUM_ROOM));
}

size_t
vs_out_character(struct vs_out *o, const char *text, size_t len)
{
	uint32_t c;
	size_t n = vs_utf8_decode(text, len, &c);

	vs_out_put(o, n ? text : "_", n ? n : 1);
	return n ? n : 1;
}

void
vs_out_utf8(struct vs_out *o, const char *text, size_t len)
{
	for (size_t k = 0; k < len;)
		k += vs_out_character(o, text + k, len - k);
}

void
vs_out_json(struct vs_out *o, const char *text, size_t len)
{
	char code[8];

	vs_out_char(o, '"');
	for (size_t k = 0; k < len;) {
		unsigned char c = (unsigned char)text[k];

		if (c < ' ') {
			snprintf(code, sizeof(code), "\\u%04x", c);
			vs_out_text(o, code);
			k++;
			continue;
		}
		if (c == '"' || c == '\\')
			vs_out_char(o, '\\');
		k += vs_out_character(o, text + k, len - k);
	}
	vs_out_char(o, '"');
}
