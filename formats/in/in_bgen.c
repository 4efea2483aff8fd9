/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * BGEN reader, layout 2 (versions 1.2 and 1.3): probabilities of genotypes of
 * two alleles, as dosages or as hard calls. A call is the genotype whose number
 * of copies is at most 0.1 from the dosage; it is missing if there is none.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/codec.h"
#include "formats/in/reader.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define N_HEADER 24 /* offset, length, variants, samples, magic */
#define NEAREST 10  /* a dosage is at most 1 / NEAREST from a call */
#define N_PLOIDY 8  /* bytes of a block before the samples' ploidy */
#define N_BITS 2    /* bytes after the ploidy: phased, bits */
#define PAD 8       /* readable bytes behind the probabilities */
#define EXCEEDS "probabilities exceed 1"
#define BESIDE "its samples are from the .sample beside it"

/* Compression of blocks, as files number it. */
static const enum vs_codec_id packings[] = { VS_CODEC_NONE, VS_CODEC_DEFLATE,
	VS_CODEC_ZSTD };

struct bgen {
	struct vs_lines *l;
	uint64_t n_vec, at;
	enum vs_codec_id packing;
	struct vs_codec_state *codec;
	struct vs_text id, contig, allele[2];
	uint8_t *block, *codes, *haploid;
	size_t size, room; /* bytes of the block, and of its buffer */
};

static int
damaged(const struct bgen *b, const char *what)
{
	return b->at
		? vs_fail(VS_EINPUT, "%s: variant %llu: %s; restore it",
			  vs_lines_name(b->l), (unsigned long long)b->at, what)
		: vs_fail(VS_EINPUT, "%s: its header %s; restore it",
			  vs_lines_name(b->l), what);
}

/* The next n bytes, exactly; valid until the next call. */
static int
take(struct bgen *b, size_t n, const uint8_t **at)
{
	const char *bytes = NULL;
	size_t got = 0;
	int code;

	if (n > VS_LINES_MOST)
		return damaged(b, "a length in it is too large");
	code = vs_lines_peek(b->l, n, &bytes, &got);
	*at = (const uint8_t *)bytes;
	if (!code && got < n)
		code = damaged(b, "is cut short");
	if (!code)
		vs_lines_skip(b->l, n);
	return code;
}

static int
take_number(struct bgen *b, size_t n, uint64_t *x)
{
	const uint8_t *at;
	int code = take(b, n, &at);

	*x = code ? 0 : vs_bytes_number(at, n);
	return code;
}

/* A text after its length of n bytes. */
static int
take_text(struct bgen *b, size_t n, struct vs_text *t)
{
	const uint8_t *at;
	uint64_t len;
	int code = take_number(b, n, &len);

	if (!code)
		code = take(b, len, &at);
	t->len = 0;
	if (!code && memchr(at, 0, len))
		code = damaged(b, "a name in it has a NUL byte");
	return code ? code : vs_text_put(t, at, len);
}

/* Skip n bytes. */
static int
pass(struct bgen *b, uint64_t n)
{
	const uint8_t *at;
	int code = 0;

	for (; n && !code; n -= n < 65536 ? n : 65536)
		code = take(b, n < 65536 ? n : 65536, &at);
	return code;
}

static int
read_samples(struct bgen *b, struct vs_reader *r, uint64_t n, uint64_t room)
{
	struct vs_samples *s = &r->samples;
	uint64_t len, n_id, used = 8;
	int code = take_number(b, 4, &len);

	if (!code)
		code = take_number(b, 4, &n_id);
	if (!code && (n_id != n || len > room))
		code = damaged(b, "has a list of samples of another length");
	for (uint64_t q = 0; q < n && !code; q++) {
		code = take_text(b, 2, &b->id);
		used += 2 + b->id.len;
		if (!code && !s->n)
			code = vs_text_pool_add(&s->id, b->id.bytes, b->id.len);
	}
	if (!code && used != len)
		code = damaged(b, "has a list of samples of another length");
	return code || len > room ? code : pass(b, room - len);
}

/* Read samples from a .sample: the one that --sample names or, if the BGEN has
 * no ids, the one of its name beside it. */
static int
read_table(struct bgen *b, struct vs_reader *r, uint64_t n, bool has_ids)
{
	static const char ending[] = ".bgen";
	const char *name = vs_lines_name(b->l);
	const size_t len = strlen(name), n_end = strlen(ending);
	struct vs_text t = { 0 };
	int code = 0;

	if (!r->path[1] && !has_ids && len > n_end &&
		!strcmp(name + len - n_end, ending)) {
		code = vs_text_add(&t, "%.*s.sample", (int)(len - n_end), name);
		r->path[1] = code || access(t.bytes, F_OK) ? NULL : t.bytes;
		if (!r->path[1])
			vs_text_free(&t);
		else
			code = vs_text_pool_add(&r->guess, BESIDE,
				sizeof(BESIDE));
	}
	if (code || (!r->path[1] && has_ids && !r->status))
		return code;
	if (!r->path[1])
		return vs_fail(VS_EINPUT,
			"%s: has no %s; --sample names the .sample that does",
			name, has_ids ? "phenotypes" : "ids of samples");
	code = vs_sample_table_read(&r->samples, r->path[1], VS_SAMPLE_OXFORD,
		r->status, r->provenance);
	if (!code && r->samples.n != n)
		code = vs_fail(VS_EINPUT,
			"%s: has %zu samples, and %s %llu; name the file that "
			"belongs to it",
			r->path[1], r->samples.n, name, (unsigned long long)n);
	return code;
}

static int
read_header(struct bgen *b, struct vs_reader *r)
{
	const char *name = vs_lines_name(b->l);
	uint64_t offset, len, n, flags;
	const uint8_t *at;
	int code = take(b, 20, &at);

	if (code)
		return code;
	offset = vs_bytes_number(at, 4);
	len = vs_bytes_number(at + 4, 4);
	b->n_vec = vs_bytes_number(at + 8, 4);
	n = vs_bytes_number(at + 12, 4);
	if (memcmp(at + 16, "bgen", 4) && memcmp(at + 16, "\0\0\0", 4))
		return vs_fail(VS_EINPUT, "%s: is not a .bgen", name);
	if (len < 20 || len > offset)
		return damaged(b, "has a wrong length");
	code = take(b, len - 20, &at);
	if (!code)
		code = take_number(b, 4, &flags);
	if (code)
		return code;
	if ((flags >> 2 & 15) != 2 ||
		(flags & 3) >= sizeof(packings) / sizeof(*packings))
		return vs_fail(VS_EINPUT,
			"%s: has layout %u and compression %u, but only layout "
			"2 (BGEN 1.2 and 1.3) with 0 to 2 is supported; "
			"convert it by plink2 --export bgen-1.2",
			name, (unsigned)(flags >> 2 & 15),
			(unsigned)(flags & 3));
	b->packing = packings[flags & 3];
	code = vs_codec_new(&b->codec);
	if (!code)
		code = read_table(b, r, n, flags >> 31);
	if (!code)
		code = flags >> 31 ? read_samples(b, r, n, offset - len)
				   : pass(b, offset - len);
	r->samples.n = n;
	return code;
}

static int
bgen_open(struct vs_reader *r)
{
	struct bgen *b = r->state;
	int code = vs_lines_open(&b->l, r->path[0]);

	if (!code)
		code = read_header(b, r);
	if (!code)
		code = vs_mem_new(&b->codes, r->samples.n / 4 + 8, 1, "calls");
	if (!code)
		code = vs_mem_new(&b->haploid, r->samples.n / 8 + 1, 1,
			"calls");
	return code;
}

/* ---- probabilities ---- */

/* The block of probabilities, unpacked. */
static int
read_block(struct bgen *b)
{
	const uint64_t most = VS_LINES_MOST;
	const uint8_t *at;
	const char *why = NULL;
	uint64_t n, full;
	int code = take_number(b, 4, &n);

	full = n;
	if (!code && b->packing != VS_CODEC_NONE) {
		if (n < 4)
			return damaged(b, "its block is too short");
		n -= 4;
		code = take_number(b, 4, &full);
	}
	if (!code && full > most)
		code = damaged(b, "a length in it is too large");
	if (!code)
		code = take(b, n, &at);
	if (!code)
		code = vs_mem_grow(&b->block, &b->room, full + PAD, 1, "calls");
	if (!code && b->packing == VS_CODEC_NONE)
		memcpy(b->block, at, full);
	else if (!code)
		code = vs_codec_unpack(b->codec, b->packing, 1, at, n, b->block,
			full, &why);
	if (code == VS_EINPUT && why)
		code = damaged(b, "its block cannot be unpacked");
	b->size = full;
	return code;
}

/* Number k of an array whose numbers have this many bits. */
static uint64_t
number_at(const uint8_t *array, uint64_t bit, unsigned bits)
{
	return vs_bytes_number(array + bit / 8, 8) >> bit % 8 &
		((UINT64_C(1) << bits) - 1);
}

/* Code of a dosage of copies, in units of 1 / one; counted if it is not close
 * to any call. */
static unsigned
code_of(uint64_t dosage, uint64_t one, int64_t *uncertain)
{
	static const uint8_t codes[] = { VS_CODE_0, VS_CODE_1, VS_CODE_2 };
	const uint64_t call = (dosage + one / 2) / one, near = call * one;

	if (NEAREST * (near > dosage ? near - dosage : dosage - near) <= one)
		return codes[call];
	++*uncertain;
	return VS_CODE_MISSING;
}

/* A block while its samples are read, in their order. */
struct block {
	const uint8_t *ploidy, *array;
	uint64_t one, bit; /* a probability of 1; bits read */
	unsigned bits;
	bool phased, exceeds;
};

/* Expected copies of the second allele, in units of 1 / one. */
struct dosage {
	uint64_t copies;
	bool two, missing;
};

static int
open_block(struct bgen *b, uint64_t n, struct block *x)
{
	const size_t size = b->size;
	const uint8_t *ploidy = b->block + N_PLOIDY;
	uint64_t n_bit = 0;

	if (size < N_PLOIDY + n + N_BITS || vs_bytes_number(b->block, 4) != n ||
		vs_bytes_number(b->block + 4, 2) != 2)
		return damaged(b, "its block does not fit the header");
	*x = (struct block){ .ploidy = ploidy,
		.array = ploidy + n + N_BITS,
		.bits = ploidy[n + 1],
		.phased = ploidy[n] };
	if (ploidy[n] > 1 || x->bits < 1 || x->bits > 32)
		return damaged(b, "its block does not fit the header");
	x->one = (UINT64_C(1) << x->bits) - 1;
	for (uint64_t q = 0; q < n; q++) {
		if ((ploidy[q] & 63) < 1 || (ploidy[q] & 63) > 2)
			return vs_fail(VS_EINPUT,
				"%s: variant %llu: sample %llu: has ploidy %d, "
				"not 1 or 2; drop the variant",
				vs_lines_name(b->l), (unsigned long long)b->at,
				(unsigned long long)q + 1, ploidy[q] & 63);
		n_bit += (uint64_t)(ploidy[q] & 63) * x->bits;
	}
	if (size - N_PLOIDY - n - N_BITS != (n_bit + 7) / 8)
		return damaged(b, "its block has another length");
	memset(b->block + size, 0, PAD);
	return 0;
}

/* That of sample q, which is the next. */
static struct dosage
next_dosage(struct block *b, uint64_t q)
{
	const uint64_t x = number_at(b->array, b->bit, b->bits);
	struct dosage d = { .two = (b->ploidy[q] & 63) == 2,
		.missing = b->ploidy[q] >> 7 };
	const uint64_t y =
		d.two ? number_at(b->array, b->bit + b->bits, b->bits) : x;

	b->bit += d.two ? 2 * b->bits : b->bits;
	b->exceeds |= d.two && !b->phased && x + y > b->one && !d.missing;
	d.copies =
		d.two && !b->phased ? 2 * (b->one - x) - y : 2 * b->one - x - y;
	return d;
}

static int
read_calls(struct bgen *b, struct vs_reader *r)
{
	const uint64_t n = r->samples.n;
	struct block x;
	int code = open_block(b, n, &x);

	memset(b->codes, 0, n / 4 + 8);
	memset(b->haploid, 0, n / 8 + 1);
	for (uint64_t q = 0; q < n && !code; q++) {
		const struct dosage d = next_dosage(&x, q);
		unsigned call = VS_CODE_MISSING;

		if (x.exceeds)
			break;
		if (!d.missing)
			call = code_of(d.copies, x.one, &r->tally.uncertain);
		if (!d.two && call == VS_CODE_1) {
			call = VS_CODE_MISSING;
			r->tally.uncertain++;
		}
		if (!d.two && call != VS_CODE_MISSING) {
			b->haploid[q / 8] |= (uint8_t)(1u << q % 8);
			r->tally.haploid++;
		}
		vs_code_put(b->codes, q, call);
	}
	return !code && x.exceeds ? damaged(b, EXCEEDS) : code;
}

/* ---- sites ---- */

static int
read_site(struct bgen *b, uint64_t *pos, uint64_t *n_allele)
{
	struct vs_text past = { 0 };
	int code = take_text(b, 2, &past);

	if (!code)
		code = take_text(b, 2, &b->id);
	if (!code)
		code = take_text(b, 2, &b->contig);
	if (!code)
		code = take_number(b, 4, pos);
	if (!code && *pos > VS_READER_POSITION)
		code = damaged(b, "its position is above 2147483646");
	if (!code)
		code = take_number(b, 2, n_allele);
	for (uint64_t a = 0; a < *n_allele && !code; a++)
		code = take_text(b, 4, a < 2 ? &b->allele[a] : &past);
	vs_text_free(&past);
	return code;
}

/* Check that nothing follows the last variant. */
static int
finish(struct bgen *b)
{
	const char *at;
	size_t got = 0;
	int code = vs_lines_peek(b->l, 1, &at, &got);

	return !code && got ? damaged(b, "has bytes behind its last variant")
			    : code;
}

/* The next site of two alleles, and its block. 1; 0 no more; negative */
static int
next_site(struct bgen *b, struct vs_reader *r, struct vs_site *s)
{
	uint64_t pos = 0, n_allele = 0;
	int code;

	do {
		if (b->at == b->n_vec)
			return finish(b);
		b->at++;
		code = read_site(b, &pos, &n_allele);
		if (!code)
			code = read_block(b);
		if (code)
			return code;
		r->tally.multiallelic += n_allele != 2;
	} while (n_allele != 2);
	*s = (struct vs_site){ .id = b->id.bytes,
		.id_len = b->id.len,
		.contig = b->contig.bytes,
		.contig_len = b->contig.len,
		.pos = (int64_t)pos };
	for (int a = 0; a < 2; a++) {
		s->allele[a] = b->allele[a].bytes;
		s->allele_len[a] = b->allele[a].len;
	}
	code = vs_reader_name(r, s);
	return code ? code : 1;
}

static int
bgen_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct bgen *b = r->state;
	int64_t n_haploid = r->tally.haploid;
	int more = next_site(b, r, &site->site),
	    code = more == 1 && !r->field ? read_calls(b, r)
		: more == 1               ? 0
		: more                    ? more
					  : vs_lines_note(b->l, r->provenance);

	site->codes = r->field ? NULL : b->codes;
	site->haploid = r->tally.haploid > n_haploid ? b->haploid : NULL;
	return code ? code : more;
}

static int
bgen_values(struct vs_reader *r, double *value)
{
	struct bgen *b = r->state;
	struct block x;
	int code = open_block(b, r->samples.n, &x);

	for (uint64_t q = 0; q < r->samples.n && !code; q++) {
		const struct dosage of = next_dosage(&x, q);

		value[q] = of.missing ? NAN : (double)of.copies / (double)x.one;
	}
	return !code && x.exceeds ? damaged(b, EXCEEDS) : code;
}

static void
bgen_close(struct vs_reader *r)
{
	struct bgen *b = r->state;

	vs_lines_close(b->l);
	vs_codec_free(b->codec);
	vs_text_free(&b->id);
	vs_text_free(&b->contig);
	for (int k = 0; k < 2; k++)
		vs_text_free(&b->allele[k]);
	free(b->block);
	free(b->codes);
	free(b->haploid);
}

static const char *const endings[] = { "bgen", NULL };

const struct vs_reader_kind vs_reader_bgen = {
	.name = "bgen",
	.arg = "FILE",
	.help = "BGEN 1.2 or 1.3, as hard calls",
	.endings = endings,
	.phenotypes = true,
	.ploidy = true,
	.field = "DS",
	.state = sizeof(struct bgen),
	.open = bgen_open,
	.next = bgen_next,
	.values = bgen_values,
	.close = bgen_close,
};
