/* SPDX-License-Identifier: BSD-3-Clause */
/* zstd frames and streams. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#define ZSTD_STATIC_LINKING_ONLY /* for the mode of literals */
#include <zstd.h>

#include "formats/h5/zst.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct vs_zst {
	ZSTD_CCtx *pack; /* made when first used */
	ZSTD_DCtx *unpack;
};

int
vs_zst_new(struct vs_zst **z)
{
	return vs_mem_new(z, 1, sizeof(**z), "zstd");
}

void
vs_zst_free(struct vs_zst *z)
{
	if (!z)
		return;
	ZSTD_freeCCtx(z->pack);
	ZSTD_freeDCtx(z->unpack);
	free(z);
}

size_t
vs_zst_bound(size_t n)
{
	return ZSTD_compressBound(n);
}

/*
 * At level 1, a hash table of 32 KiB instead of 64 leaves room in the caches: a
 * tenth faster, for at most 1 % more bytes.
 */
#define HASH_LOG 13

#define SAMPLE (32u << 10)
#define DEAR 32           /* no search if it saves less than 1 byte in DEAR */
#define LITERALS_PACKED 1 /* of an enum whose name differs between versions */

/* Pack one frame. alone: literals only, without searching for matches. */
static size_t
pack_frame(ZSTD_CCtx *z, int level, bool alone, const void *in, size_t n,
	void *out, size_t room)
{
	ZSTD_CCtx_setParameter(z, ZSTD_c_compressionLevel, level);
	ZSTD_CCtx_setParameter(z, ZSTD_c_checksumFlag, 1);
	/* 0: as the level sets it */
	ZSTD_CCtx_setParameter(z, ZSTD_c_hashLog, level == 1 ? HASH_LOG : 0);
	/* step of the search where it finds nothing */
	ZSTD_CCtx_setParameter(z, ZSTD_c_targetLength,
		alone ? ZSTD_TARGETLENGTH_MAX : 0);
	ZSTD_CCtx_setParameter(z, ZSTD_c_literalCompressionMode,
		LITERALS_PACKED);
	return ZSTD_compress2(z, out, room, in, n);
}

/*
 * Genotypes without linkage have hardly any matches: searching takes half the
 * time and saves one byte in fifty. A sample from the middle, as long as the
 * hash table's window, decides; it must be dense to be representative. The same
 * input is always packed the same way.
 */
static bool
better_alone(ZSTD_CCtx *z, const void *in, size_t n, void *out, size_t room)
{
	const char *piece = (const char *)in + (n - SAMPLE) / 2;
	size_t searched = pack_frame(z, 1, false, piece, SAMPLE, out, room);
	size_t alone;

	if (ZSTD_isError(searched) || searched < SAMPLE / 8 * 5)
		return false;
	alone = pack_frame(z, 1, true, piece, SAMPLE, out, room);
	return !ZSTD_isError(alone) && alone <= searched + searched / DEAR;
}

int
vs_zst_pack(struct vs_zst *z, int level, const void *in, size_t n, void *out,
	size_t room, size_t *n_out)
{
	bool alone = false;
	size_t did;

	if (!z->pack)
		z->pack = ZSTD_createCCtx();
	if (!z->pack)
		return vs_fail_memory("zstd", n);
	if (level == 1 && n >= 8 * SAMPLE)
		alone = better_alone(z->pack, in, n, out, room);
	did = pack_frame(z->pack, level, alone, in, n, out, room);
	if (ZSTD_isError(did))
		return vs_fail(VS_EMACHINE, "zstd: cannot pack %zu bytes: %s",
			n, ZSTD_getErrorName(did));
	*n_out = did;
	return 0;
}

int
vs_zst_unpack(struct vs_zst *z, const void *in, size_t n, void *out,
	size_t size, const char **why)
{
	size_t did;

	if (!z->unpack)
		z->unpack = ZSTD_createDCtx();
	if (!z->unpack) {
		*why = "no memory for zstd";
		return VS_EMACHINE;
	}
	did = ZSTD_findFrameCompressedSize(in, n);
	if (ZSTD_isError(did) || did != n) {
		*why = "not one whole zstd frame";
		return VS_EINPUT;
	}
	did = ZSTD_decompressDCtx(z->unpack, out, size, in, n);
	if (ZSTD_isError(did)) {
		*why = ZSTD_getErrorName(did);
		return VS_EINPUT;
	}
	if (did != size) {
		*why = "unpacks to another size than it must";
		return VS_EINPUT;
	}
	return 0;
}

int
vs_zst_is(const void *bytes, size_t n)
{
	const unsigned char *b = bytes;

	if (n < 4)
		return 0;
	/* a frame, or one of the sixteen kinds of skippable frame */
	return !memcmp(b, "\x28\xb5\x2f\xfd", 4) ||
		((b[0] & 0xf0) == 0x50 && !memcmp(b + 1, "\x2a\x4d\x18", 3));
}

struct vs_zst_stream {
	ZSTD_DStream *unpack;
	char *name, *in;
	size_t n_in, at, room;
	int (*more)(void *from, void *bytes, size_t room, size_t *got);
	void *from;
	int ended;  /* more() is exhausted */
	int within; /* inside a frame */
};

int
vs_zst_stream_open(struct vs_zst_stream **s,
	int (*more)(void *from, void *bytes, size_t room, size_t *got),
	void *from, const char *name, const void *head, size_t n_head)
{
	struct vs_zst_stream *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "zstd stream");

	if (code)
		return code;
	p->more = more;
	p->from = from;
	p->room = ZSTD_DStreamInSize();
	if (p->room < n_head)
		p->room = n_head;
	code = vs_mem_copy_text(&p->name, name);
	VS_MEM_NEW(&code, p->in, p->room, "zstd stream");
	if (!code && !(p->unpack = ZSTD_createDStream()))
		code = vs_fail_memory("zstd stream", p->room);
	if (code) {
		vs_zst_stream_close(p);
		return code;
	}
	if (n_head)
		memcpy(p->in, head, n_head);
	p->n_in = n_head;
	*s = p;
	return 0;
}

static int
refill(struct vs_zst_stream *s)
{
	size_t got;
	int code = s->more(s->from, s->in, s->room, &got);

	if (code)
		return code;
	s->at = 0;
	s->n_in = got;
	s->ended = !got;
	return 0;
}

int
vs_zst_stream_read(struct vs_zst_stream *s, void *out, size_t room, size_t *got)
{
	ZSTD_outBuffer to = { out, room, 0 };
	int code;

	while (to.pos < room) {
		ZSTD_inBuffer from;
		size_t had = to.pos, left;

		if (s->at == s->n_in && !s->ended) {
			/* bytes already unpacked need not wait for more */
			if (to.pos)
				break;
			code = refill(s);
			if (code)
				return code;
		}
		if (s->ended && !s->within)
			break;
		from = (ZSTD_inBuffer){ s->in, s->n_in, s->at };
		left = ZSTD_decompressStream(s->unpack, &to, &from);
		if (ZSTD_isError(left))
			return vs_fail(VS_EINPUT,
				"%s: is damaged: zstd: %s; restore it", s->name,
				ZSTD_getErrorName(left));
		s->at = from.pos;
		s->within = left != 0;
		if (s->ended && s->within && to.pos == had)
			return vs_fail(VS_EINPUT,
				"%s: is cut short: ends within a zstd frame; "
				"restore it",
				s->name);
	}
	*got = to.pos;
	return 0;
}

void
vs_zst_stream_close(struct vs_zst_stream *s)
{
	if (!s)
		return;
	ZSTD_freeDStream(s->unpack);
	free(s->in);
	free(s->name);
	free(s);
}

const char *
vs_zst_version(void)
{
	return ZSTD_versionString();
}
