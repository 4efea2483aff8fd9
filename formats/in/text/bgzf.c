/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Parallel reader of BGZF with two batches of blocks: while the bytes of one
 * are delivered, the pool unpacks the other.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/deflate.h"
#include "formats/in/text/bgzf.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/team.h"

#define MOST 65536 /* bytes of a block, packed or not */
#define TAIL 8     /* its checksum and its bytes, unpacked */
#ifdef VS_FUZZ
#define LEAST_ROOM 2 /* full-length blocks in a batch */
#else
#define LEAST_ROOM 16
#endif
#define MOST_BLOCKS 512

struct block {
	size_t at, n, at_text, n_text;
	int code;
};

struct batch {
	uint8_t *packed, *text; /* `room` bytes each */
	size_t n_packed, n_text;
	struct block block[MOST_BLOCKS];
	size_t n;
};

struct vs_bgzf {
	int (*more)(void *from, void *bytes, size_t room, size_t *got);
	void *from;
	const char *name;
	uint8_t *in; /* bytes as read, MOST */
	size_t n_in, at_in;
	size_t room;           /* bytes of a batch */
	struct batch batch[2]; /* the other one is being unpacked */
	int now;
	size_t at, at_text; /* block being delivered, and its bytes so far */
	bool begun, ended;
	bool empty; /* the last block read */
	bool within;
	struct vs_team *team;
	struct vs_deflate **deflate; /* of each thread */
	int threads;
};

static size_t
number(const uint8_t *at, int n)
{
	size_t x = 0;

	while (n--)
		x = x << 8 | at[n];
	return x;
}

/* True if the only extra field is bgzip's. */
bool
vs_bgzf_is(const void *bytes, size_t n)
{
	const uint8_t *p = bytes;

	return n >= VS_BGZF_HEAD && p[0] == 0x1f && p[1] == 0x8b && p[2] == 8 &&
		p[3] == 4 && number(p + 10, 2) == 6 && p[12] == 'B' &&
		p[13] == 'C' && number(p + 14, 2) == 2;
}

size_t
vs_bgzf_length(const void *bytes)
{
	return number((const uint8_t *)bytes + 16, 2) + 1;
}

void
vs_bgzf_within(struct vs_bgzf *b)
{
	b->within = true;
}

int
vs_bgzf_open(struct vs_bgzf **b,
	int (*more)(void *from, void *bytes, size_t room, size_t *got),
	void *from, const char *name, const void *head, size_t n_head,
	int threads)
{
	size_t n_in = n_head > MOST ? n_head : MOST, n_block = LEAST_ROOM;
	struct vs_bgzf *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "bgzip");

	if (code)
		return code;
	/* a few for each thread, since blocks may not take equally long */
	if (n_block < 4 * (size_t)threads)
		n_block = 4 * (size_t)threads;
	*p = (struct vs_bgzf){
		.more = more,
		.from = from,
		.name = name,
		.n_in = n_head,
		.room = n_block * MOST,
		.threads = threads,
	};
	code = vs_mem_room(&p->in, n_in, 1, "bgzip");
	if (!code)
		memcpy(p->in, head, n_head);
	for (int k = 0; k < 2 && !code; k++) {
		code = vs_mem_room(&p->batch[k].packed, p->room, 1, "bgzip");
		VS_MEM_ROOM(&code, p->batch[k].text, p->room, "bgzip");
	}
	VS_MEM_NEW(&code, p->deflate, (size_t)threads, "bgzip");
	for (int t = 0; t < threads && !code; t++)
		code = vs_deflate_new(&p->deflate[t]);
	if (!code)
		code = vs_team_new(&p->team, threads);
	if (code)
		vs_bgzf_close(p);
	else
		*b = p;
	return code;
}

void
vs_bgzf_close(struct vs_bgzf *b)
{
	if (!b)
		return;
	vs_team_free(b->team);
	for (int t = 0; b->deflate && t < b->threads; t++)
		vs_deflate_free(b->deflate[t]);
	free(b->deflate);
	for (int k = 0; k < 2; k++) {
		free(b->batch[k].packed);
		free(b->batch[k].text);
	}
	free(b->in);
	free(b);
}

/* ---- blocks as read ---- */

/* Read the next n bytes of the file; *got is less only at its end. */
static int
take(struct vs_bgzf *b, uint8_t *to, size_t n, size_t *got)
{
	size_t now;
	int code;

	for (*got = 0; *got < n; *got += now) {
		if (b->at_in == b->n_in) {
			b->at_in = 0;
			code = b->more(b->from, b->in, MOST, &b->n_in);
			if (code)
				return code;
			if (!b->n_in)
				break;
		}
		now = b->n_in - b->at_in;
		now = now < n - *got ? now : n - *got;
		memcpy(to + *got, b->in + b->at_in, now);
		b->at_in += now;
	}
	return 0;
}

static int
fail_cut(const struct vs_bgzf *b)
{
	return vs_fail(VS_EINPUT,
		"%s: is cut short: ends within a block of bgzip; restore it",
		b->name);
}

static int
fail_damaged(const struct vs_bgzf *b)
{
	return vs_fail(VS_EINPUT,
		"%s: is damaged: invalid bgzip block; restore it", b->name);
}

/* Check that the n bytes, and all that follow, are zero. 0; VS_EINPUT;
 * VS_EMACHINE */
static int
pass_padding(struct vs_bgzf *b, const uint8_t *at, size_t n)
{
	uint8_t more[512];
	int code = 0;

	while (!code && n) {
		while (n && !*at++)
			n--;
		if (n)
			return fail_damaged(b);
		at = more;
		code = take(b, more, sizeof(more), &n);
	}
	return code;
}

/* Append one block to a batch that has room for it. */
static int
take_block(struct vs_bgzf *b, struct batch *to)
{
	struct block x = { .at = to->n_packed, .at_text = to->n_text };
	uint8_t *at = to->packed + x.at;
	size_t got;
	int code = take(b, at, VS_BGZF_HEAD, &got);

	/* zeros after a file's last block are padding, as for gzip */
	if (!code && got && !*at && b->empty) {
		code = pass_padding(b, at, got);
		got = 0;
	}
	if (code)
		return code;
	if (!got) {
		b->ended = true;
		return b->empty || b->within
			? 0
			: vs_fail(VS_EINPUT,
				  "%s: is cut short: the block that ends a "
				  "bgzip file is missing; restore it",
				  b->name);
	}
	if (got < VS_BGZF_HEAD)
		return fail_cut(b);
	x.n = vs_bgzf_length(at);
	if (!vs_bgzf_is(at, got) || x.n < VS_BGZF_HEAD + TAIL)
		return fail_damaged(b);
	code = take(b, at + got, x.n - got, &got);
	if (code)
		return code;
	if (got < x.n - VS_BGZF_HEAD)
		return fail_cut(b);
	x.n_text = number(at + x.n - 4, 4);
	if (x.n_text > MOST)
		return fail_damaged(b);
	b->empty = !x.n_text;
	to->n_packed += x.n;
	to->n_text += x.n_text;
	to->block[to->n++] = x;
	return 0;
}

static int
fill(struct vs_bgzf *b, struct batch *to)
{
	int code = 0;

	to->n = to->n_packed = to->n_text = 0;
	while (!code && !b->ended && to->n < MOST_BLOCKS &&
		to->n_packed + MOST <= b->room && to->n_text + MOST <= b->room)
		code = take_block(b, to);
	return code;
}

/* ---- bytes ---- */

/* A failure is reported when its block is delivered. */
static int
unpack(void *ctx, size_t k, int thread)
{
	struct vs_bgzf *b = ctx;
	struct batch *of = b->batch + !b->now;
	struct block *x = of->block + k;

	x->code = vs_deflate_unpack_gzip(b->deflate[thread], of->packed + x->at,
		x->n, of->text + x->at_text, x->n_text);
	return 0;
}

/* Start unpacking the other batch. */
static int
begin_other(struct vs_bgzf *b)
{
	struct batch *other = b->batch + !b->now;
	int code = fill(b, other);

	if (!code)
		vs_team_start(b->team, unpack, b, other->n);
	return code;
}

/* Switch to the other batch, and start on the one after it. */
static int
next_batch(struct vs_bgzf *b)
{
	int code = b->begun ? 0 : begin_other(b);

	if (code)
		return code;
	b->begun = true;
	vs_team_wait(b->team);
	b->now = !b->now;
	b->at = b->at_text = 0;
	return begin_other(b);
}

int
vs_bgzf_read(struct vs_bgzf *b, void *out, size_t room, size_t *got)
{
	const struct block *x;
	size_t n;
	int code;

	for (*got = 0; *got < room; *got += n) {
		const struct batch *of = b->batch + b->now;

		n = 0;
		if (b->at == of->n) {
			if (*got || (b->begun && !of->n))
				break;
			code = next_batch(b);
			if (code)
				return code;
			continue;
		}
		x = of->block + b->at;
		if (x->code == VS_EMACHINE)
			return vs_fail_memory("bgzip", MOST);
		if (x->code)
			return fail_damaged(b);
		n = x->n_text - b->at_text;
		n = n < room - *got ? n : room - *got;
		memcpy((char *)out + *got, of->text + x->at_text + b->at_text,
			n);
		b->at_text += n;
		if (b->at_text == x->n_text) {
			b->at++;
			b->at_text = 0;
		}
	}
	return 0;
}
