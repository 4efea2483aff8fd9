/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of checkpoints in a file that was not finished, without HDF5. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/codec.h"
#include "formats/h5/h5_saved.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

#define MOST_DATA 16

struct column {
	struct vs_h5_saved_data of; /* as stated last */
	struct vs_h5_saved_chunk *chunk;
	size_t n, room;
	uint64_t pending; /* where its packed rows are */
};

struct vs_h5_saved {
	int fd;
	char *path;
	uint64_t size; /* of the file */
	struct vs_seal_saved *at;
	size_t n, room;
	struct column column[MOST_DATA];
	size_t n_column;
	struct vs_codec_state *codec;
	uint8_t *packed;
	size_t room_packed;
};

static int
damaged(const struct vs_h5_saved *s, const char *why)
{
	return vs_fail(VS_EINPUT,
		"%s: is damaged: %s; remove it to repeat its part", s->path,
		why);
}

static int
get(const struct vs_h5_saved *s, const struct vs_seal_saved *at, uint8_t **out)
{
	uint8_t *bytes = NULL;
	int code;

	if (at->size < sizeof(struct vs_h5_saved_head) || at->at > s->size ||
		at->size > s->size - at->at)
		return damaged(s, "its checkpoint is outside the file");
	code = vs_mem_room(&bytes, at->size, 1, "checkpoint");
	if (!code)
		code = vs_file_get(s->fd, s->path, bytes, at->size, at->at);
	if (!code &&
		(vs_digest_64(bytes, at->size) != at->hash ||
			memcmp(bytes, VS_H5_SAVED_MAGIC, 8)))
		code = damaged(s, "its checkpoint has another digest");
	if (code)
		free(bytes);
	else
		*out = bytes;
	return code;
}

/* List the checkpoints, each of which names the one before it. */
static int
list(struct vs_h5_saved *s, struct vs_seal_saved at)
{
	uint8_t *bytes = NULL;
	uint64_t sum = 0;
	int code = 0;

	for (; at.size && !code;
		at = ((struct vs_h5_saved_head *)(void *)bytes)->before) {
		free(bytes);
		bytes = NULL;
		code = vs_mem_grow(&s->at, &s->room, s->n + 1, sizeof(*s->at),
			"checkpoints");
		if (!code)
			code = get(s, &at, &bytes);
		if (code)
			break;
		/* none has bytes of another */
		sum += at.size;
		if (sum > s->size) {
			code = damaged(s, "its checkpoints overlap");
			break;
		}
		s->at[s->n++] = at;
	}
	free(bytes);
	for (size_t k = 0; k < s->n / 2; k++) {
		at = s->at[k];
		s->at[k] = s->at[s->n - 1 - k];
		s->at[s->n - 1 - k] = at;
	}
	return code;
}

/* One data set of a checkpoint, whose bytes end at end; *at is moved behind
 * it. */
static int
read_data(struct vs_h5_saved *s, const struct vs_seal_saved *place,
	const uint8_t *bytes, uint64_t *at, uint64_t end, struct column *c)
{
	struct vs_h5_saved_data d;
	uint64_t left = end - *at;
	int code;

	if (left < sizeof(d))
		return damaged(s, "its checkpoint is cut short");
	memcpy(&d, bytes + *at, sizeof(d));
	left -= sizeof(d);
	if (d.n_chunk > left / sizeof(struct vs_h5_saved_chunk) ||
		d.n_bytes >
			left - d.n_chunk * sizeof(struct vs_h5_saved_chunk) ||
		!d.chunk_rows || d.chunk_rows > VS_H5_SAVED_ROWS ||
		d.n_rows >= d.chunk_rows || !d.size || d.size > 8 ||
		d.codec > VS_CODEC_SUMMED ||
		memchr(d.path, 0, sizeof(d.path)) == NULL ||
		(c->of.size && strcmp(c->of.path, d.path)))
		return damaged(s, "its checkpoint states what cannot be");
	*at += sizeof(d);
	code = vs_mem_grow(&c->chunk, &c->room, c->n + d.n_chunk + 1,
		sizeof(*c->chunk), "chunks");
	if (code)
		return code;
	memcpy(c->chunk + c->n, bytes + *at, d.n_chunk * sizeof(*c->chunk));
	c->n += d.n_chunk;
	*at += d.n_chunk * sizeof(*c->chunk);
	c->pending = place->at + *at;
	*at += d.n_bytes;
	c->of = d;
	return 0;
}

static int
read_one(struct vs_h5_saved *s, const struct vs_seal_saved *place)
{
	struct vs_h5_saved_head head;
	uint64_t at = sizeof(head);
	uint8_t *bytes = NULL;
	int code = get(s, place, &bytes);

	if (code)
		return code;
	memcpy(&head, bytes, sizeof(head));
	if (head.n_words > place->size - sizeof(head) || !head.n_data ||
		head.n_data > MOST_DATA ||
		(s->n_column && s->n_column != head.n_data))
		code = damaged(s, "its checkpoint states what cannot be");
	s->n_column = head.n_data;
	for (size_t d = 0; d < s->n_column && !code; d++)
		code = read_data(s, place, bytes, &at,
			place->size - head.n_words, &s->column[d]);
	if (!code && at != place->size - head.n_words)
		code = damaged(s, "its checkpoint is of another size");
	free(bytes);
	return code;
}

static int
open_file(struct vs_h5_saved *s, const char *path, struct vs_seal_saved *last)
{
	struct stat st;
	int code = vs_mem_copy_text(&s->path, path);

	if (code)
		return code;
	s->fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (s->fd < 0)
		return vs_fail_input(path, "open");
	if (!fstat(s->fd, &st) && S_ISREG(st.st_mode))
		code = vs_seal_read_open(s->fd, path, last);
	/* a file that is still written has what its seal names by then */
	if (fstat(s->fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	s->size = (uint64_t)st.st_size;
	/* one that has no seal yet has nothing */
	if (code == VS_EINPUT) {
		vs_fail_clear();
		last->size = 0;
		code = 0;
	}
	return code;
}

int
vs_h5_saved_open(struct vs_h5_saved **s, const char *path)
{
	struct vs_seal_saved last = { 0 };
	struct vs_h5_saved *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "checkpoints");

	if (code)
		return code;
	p->fd = -1;
	code = open_file(p, path, &last);
	if (!code)
		code = list(p, last);
	for (size_t k = 0; k < p->n && !code; k++)
		code = read_one(p, &p->at[k]);
	if (!code)
		code = vs_codec_new(&p->codec);
	if (code || !p->n) {
		vs_h5_saved_close(p);
		p = NULL;
	}
	if (!code)
		*s = p;
	return code;
}

void
vs_h5_saved_close(struct vs_h5_saved *s)
{
	if (!s)
		return;
	if (s->fd >= 0)
		close(s->fd);
	for (size_t d = 0; d < MOST_DATA; d++)
		free(s->column[d].chunk);
	vs_codec_free(s->codec);
	free(s->packed);
	free(s->at);
	free(s->path);
	free(s);
}

uint64_t
vs_h5_saved_count(const struct vs_h5_saved *s)
{
	return s->n;
}

int
vs_h5_saved_words(const struct vs_h5_saved *s, uint64_t k, void **words,
	size_t *n)
{
	struct vs_h5_saved_head head;
	uint8_t *bytes = NULL;
	int code = get(s, &s->at[k], &bytes);

	if (code)
		return code;
	memcpy(&head, bytes, sizeof(head));
	memmove(bytes, bytes + s->at[k].size - head.n_words, head.n_words);
	*words = bytes;
	*n = head.n_words;
	return 0;
}

int
vs_h5_saved_find(const struct vs_h5_saved *s, const char *path, size_t size,
	size_t *d)
{
	for (size_t k = 0; k < s->n_column; k++)
		if (!strcmp(s->column[k].of.path, path) &&
			s->column[k].of.size == size) {
			*d = k;
			return 0;
		}
	return damaged(s, "a column is missing");
}

struct vs_codec
vs_h5_saved_codec(const struct vs_h5_saved *s, size_t d)
{
	const struct vs_h5_saved_data *of = &s->column[d].of;

	return (struct vs_codec){ of->codec == VS_CODEC_SUMMED
			? VS_CODEC_NONE
			: (enum vs_codec_id)of->codec,
		(int)of->level };
}

uint64_t
vs_h5_saved_n_rows(const struct vs_h5_saved *s, size_t d)
{
	const struct column *c = &s->column[d];

	return c->n * c->of.chunk_rows + c->of.n_rows;
}

int
vs_h5_saved_rows(struct vs_h5_saved *s, size_t d, uint64_t k, void *out)
{
	const struct column *c = &s->column[d];
	const bool whole = k < c->n;
	const uint64_t rows = whole ? c->of.chunk_rows : c->of.n_rows;
	const uint64_t n = whole ? c->chunk[k].size : c->of.n_bytes;
	const uint64_t at = whole ? c->chunk[k].at : c->pending;
	const char *why = NULL;
	int code;

	if (at > s->size || n > s->size - at)
		return damaged(s, "a chunk is outside the file");
	code = vs_mem_grow(&s->packed, &s->room_packed, n + 1, 1, "chunk");
	if (!code)
		code = vs_file_get(s->fd, s->path, s->packed, n, at);
	if (code)
		return code;
	code = vs_codec_unpack(s->codec, (enum vs_codec_id)c->of.codec,
		c->of.shuffle ? c->of.size : 1, s->packed, n, out,
		rows * c->of.size, &why);
	return code ? damaged(s, why) : 0;
}
