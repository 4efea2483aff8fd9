/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * PLINK 2 binary reader: PREFIX.pgen, PREFIX.pvar and PREFIX.psam, hard calls
 * or dosages of two alleles. Phase is ignored.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/pgen_record.h"
#include "formats/in/pvar.h"
#include "formats/in/reader.h"
#include "formats/in/sample_table.h"
#include "formats/in/text/lines.h"
#include "libcore/base/bytes.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/cpu.h"

#define N_MAGIC 3
#define N_SIZES 9     /* variants, samples, and the form of the header */
#define BLOCK 65536   /* variants that the header describes as a group */
#define MOST_BYTES 16 /* bytes per sample of a record, and some more */
#define MOST_MORE 1024

enum mode {
	BED = 0x01,
	FIXED = 0x02,
	DOSAGES = 0x03,
	PHASED_DOSAGES = 0x04,
	VARIABLE = 0x10
};

struct pgen {
	const char *pgen, *pvar, *psam;
	struct vs_lines *calls;
	struct vs_pvar sites;
	enum mode mode;
	unsigned how;                      /* the header's byte on its form */
	uint64_t n_vec, at, end, position; /* end: of a part */
	size_t row_bytes;      /* of each record, if they do not vary: */
	unsigned fixed;        /* type */
	const uint8_t *behind; /* the calls of the record read last */
	size_t n_behind;
	/* of each record, if they vary */
	uint8_t *type;
	uint32_t *length;
	/* rows as words, the bits behind a row being zero */
	uint64_t *now, *base, *codes;
	bool based;
};

static int
damaged(const struct pgen *p, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: %s; restore it", p->pgen, what);
}

/* The next n bytes, exactly; valid until the next call. */
static int
take_bytes(struct pgen *p, size_t n, const uint8_t **bytes)
{
	const char *at = NULL;
	size_t got = 0;
	int code = vs_lines_peek(p->calls, n, &at, &got);

	p->position += n;
	*bytes = (const uint8_t *)at;
	if (!code && got < n)
		code = damaged(p, "is cut short");
	if (!code)
		vs_lines_skip(p->calls, n);
	return code;
}

/* ---- header ---- */

static int
read_mode(struct pgen *p)
{
	const uint8_t *m;
	int code = take_bytes(p, N_MAGIC, &m);

	if (code)
		return code;
	if (m[0] != 0x6c || m[1] != 0x1b)
		return vs_fail(VS_EINPUT,
			"%s: is not a .pgen: its first bytes are %02x %02x, "
			"not 6c 1b",
			p->pgen, m[0], m[1]);
	p->mode = m[2];
	switch (p->mode) {
	case BED:
	case FIXED:
	case DOSAGES:
	case PHASED_DOSAGES:
	case VARIABLE:
		return 0;
	}
	return vs_fail(VS_EINPUT,
		"%s: has storage mode %02x, but only 01 to 04 and 10 are "
		"supported; plink2 --make-pgen converts it",
		p->pgen, m[2]);
}

static int
read_sizes(struct pgen *p, size_t n_sample)
{
	const uint8_t *m;
	uint64_t n_vec, n;
	int code;

	if (p->mode == BED)
		return 0;
	code = take_bytes(p, N_SIZES, &m);
	if (code)
		return code;
	n_vec = vs_bytes_number(m, 4);
	n = vs_bytes_number(m + 4, 4);
	p->how = m[8];
	if (n_vec != p->n_vec)
		return vs_fail(VS_EINPUT,
			"%s: has %llu variants and %s has %llu", p->pgen,
			(unsigned long long)n_vec, p->pvar,
			(unsigned long long)p->n_vec);
	if (n != n_sample)
		return vs_fail(VS_EINPUT, "%s: has %llu samples and %s has %zu",
			p->pgen, (unsigned long long)n, p->psam, n_sample);
	return 0;
}

/* Bits of a record's type and of its length, by the header's low four. */
static bool
widths(unsigned how, unsigned *type, unsigned *length)
{
	if (how < 8) {
		*type = how < 4 ? 4 : 8;
		*length = 8 * (how % 4 + 1);
	} else {
		*type = 0;
		*length = how == 8 ? 2 : 4;
	}
	return how < 10;
}

/* Entry k of an array whose entries have this number of bits, at most 32. */
static uint32_t
entry(const uint8_t *array, size_t k, unsigned bits)
{
	if (bits >= 8)
		return (uint32_t)vs_bytes_number(array + k * (bits / 8),
			bits / 8);
	return array[k * bits / 8] >> (k * bits % 8) & ((1u << bits) - 1);
}

/* Types and lengths of n records from the one at lo. */
static int
read_block(struct pgen *p, uint64_t lo, size_t n)
{
	const uint8_t *array;
	unsigned type, length;
	int code;

	widths(p->how & 15, &type, &length);
	code = take_bytes(p, (n * type + 7) / 8, &array);
	for (size_t k = 0; type && k < n && !code; k++)
		p->type[lo + k] = (uint8_t)entry(array, k, type);
	if (!code)
		code = take_bytes(p, (n * length + 7) / 8, &array);
	for (size_t k = 0; k < n && !code; k++) {
		p->length[lo + k] = entry(array, k, length);
		if (type)
			continue;
		p->type[lo + k] = p->length[lo + k] ? VS_PGEN_MULTIALLELIC : 0;
		p->length[lo + k] += (uint32_t)p->row_bytes;
	}
	if (!code) /* allele counts, which the .pvar has, too */
		code = take_bytes(p, (p->how >> 4 & 3) * n, &array);
	if (!code && p->how >> 6 == 3)
		code = take_bytes(p, (n + 7) / 8, &array);
	return code;
}

/* a sum of lengths that no real file has would not fit */
static int
check_lengths(const struct pgen *p, const uint64_t *start, size_t n_sample)
{
	uint64_t at = p->position,
		 most = (uint64_t)n_sample * MOST_BYTES + MOST_MORE;

	for (uint64_t v = 0; v < p->n_vec; v++) {
		if (v % BLOCK == 0 && start[v / BLOCK] != at)
			return damaged(p,
				"a block of its records is not where its "
				"header says");
		if (p->length[v] > most)
			return vs_fail(VS_EINPUT,
				"%s: variant %llu: a record of %lu bytes is "
				"too long for %zu samples",
				p->pgen, (unsigned long long)v + 1,
				(unsigned long)p->length[v], n_sample);
		at += p->length[v];
	}
	return 0;
}

/* The header if records vary: p->n_vec is the .pvar's true number. */
static int
read_index(struct pgen *p, size_t n_sample)
{
	uint64_t n_block = (p->n_vec + BLOCK - 1) / BLOCK, *start = NULL;
	unsigned type, length;
	const uint8_t *at;
	int code = 0;

	if (!widths(p->how & 15, &type, &length))
		return damaged(p, "the form of its header is not defined");
	code = vs_mem_new(&p->type, p->n_vec, 1, "variants");
	VS_MEM_NEW(&code, p->length, p->n_vec, "variants");
	VS_MEM_NEW(&code, start, n_block, "variants");
	for (uint64_t b = 0; b < n_block && !code; b++) {
		code = take_bytes(p, sizeof(*start), &at);
		start[b] = code ? 0 : vs_bytes_number(at, sizeof(*start));
	}
	for (uint64_t lo = 0; lo < p->n_vec && !code; lo += BLOCK)
		code = read_block(p, lo,
			p->n_vec - lo < BLOCK ? p->n_vec - lo : BLOCK);
	if (!code)
		code = check_lengths(p, start, n_sample);
	free(start);
	return code;
}

static int
read_header(struct vs_reader *r, struct pgen *p)
{
	const size_t n = r->samples.n;
	const uint8_t *past;
	int code = read_mode(p);

	if (!code)
		code = read_sizes(p, n);
	if (code || p->mode == BED)
		return code;
	if (p->mode == VARIABLE)
		return read_index(p, n);
	if (p->mode != FIXED) {
		const size_t n_kind = p->mode == DOSAGES ? 1 : 2;

		p->fixed = VS_PGEN_DOSAGE_ALL |
			(n_kind == 2 ? VS_PGEN_DOSAGE_PHASE : 0);
		p->row_bytes += 2 * n * n_kind;
	}
	if (p->how & 63)
		return damaged(p, "the form of its header is not defined");
	return p->how >> 6 == 3 ? take_bytes(p, (p->n_vec + 7) / 8, &past) : 0;
}

static int
pgen_open(struct vs_reader *r)
{
	struct pgen *p = r->state;
	size_t n, n_word;
	int code;

	p->pgen = r->path[0];
	p->pvar = r->path[1];
	p->psam = r->path[2];
	code = vs_lines_open(&p->calls, p->pgen);
	if (!code)
		code = vs_sample_table_read(&r->samples, p->psam,
			VS_SAMPLE_PSAM, r->status, r->provenance);
	if (!code)
		code = vs_pvar_count(p->pvar, false, &p->n_vec);
	if (code)
		return code;
	p->end = p->n_vec;
	n = r->samples.n;
	p->row_bytes = (n + 3) / 4;
	n_word = vs_pgen_record_words(n);
	code = read_header(r, p);
	if (!code)
		code = vs_pvar_open(&p->sites, p->pvar, false);
	VS_MEM_NEW(&code, p->now, n_word, "calls");
	VS_MEM_NEW(&code, p->base, n_word, "calls");
	return code ? code
		    : vs_mem_new(&p->codes, n_word, sizeof(*p->codes), "calls");
}

/* ---- records ---- */

/* 32 codes of each word as VS_CODE_*; a .bed counts the other allele. */
VS_INLINE void
recode_any(const uint64_t *from, size_t n_word, enum mode mode, uint64_t *to)
{
	const uint64_t low = 0x5555555555555555, flip = mode == BED ? low : 0;

#pragma omp simd
	for (size_t w = 0; w < n_word; w++) {
		const uint64_t half = (from[w] >> 1 ^ flip) & low,
			       x = mode == BED ? from[w] : from[w] ^ half;

		to[w] = ((x ^ flip) & low) << 1 | half;
	}
}

VS_BY_CPU(void, recode, (from, n_word, mode, to), const uint64_t *from,
	size_t n_word, enum mode mode, uint64_t *to)

static int
wrong_record(const struct pgen *p, const char *why)
{
	return vs_fail(VS_EINPUT, "%s: variant %llu: its record %s; restore it",
		p->pgen, (unsigned long long)p->at + 1, why);
}

static unsigned
type_of(const struct pgen *p, uint64_t v)
{
	return p->mode == VARIABLE ? p->type[v] : p->fixed;
}

/* The record at p->at, into p->codes. */
static int
read_record(struct pgen *p, size_t n, bool multiallelic)
{
	bool vary = p->mode == VARIABLE;
	size_t len = vary ? p->length[p->at] : p->row_bytes;
	unsigned type = type_of(p, p->at);
	size_t used = (n + 3) / 4;
	const char *why = "";
	const uint8_t *record;
	int code = take_bytes(p, len, &record);

	if (code)
		return code;
	if (type & VS_PGEN_MULTIALLELIC && !multiallelic)
		return wrong_record(p,
			"has more than two alleles and its line of the .pvar "
			"has not");
	if (p->at % BLOCK == 0)
		p->based = false;
	if (!vary)
		memcpy(p->now, record, used);
	else if (vs_pgen_record_calls(type, record, len, n,
			 p->based ? p->base : NULL, p->now, &used, &why))
		return wrong_record(p, why);
	p->behind = record + used;
	p->n_behind = len - used;
	recode(vs_cpu_best(), p->now, vs_pgen_record_words(n), p->mode,
		p->codes);
	if (vary && !vs_pgen_record_depends(type)) {
		uint64_t *was = p->base;

		p->base = p->now;
		p->now = was;
		p->based = true;
	}
	return 0;
}

/* ---- parts ---- */

/* Bytes of the file before the record of a variant. */
static uint64_t
start_of(const struct pgen *p, uint64_t v)
{
	uint64_t at = p->position;

	if (p->mode != VARIABLE)
		return at + v * p->row_bytes;
	for (uint64_t u = 0; u < v; u++)
		at += p->length[u];
	return at;
}

/*
 * Read the record that those from variant v on may be packed against: the last
 * self-contained one before them in their block.
 */
static int
read_base(struct pgen *p, uint64_t v, size_t n)
{
	uint64_t u = v;
	int code;

	if (p->mode != VARIABLE || v == p->end)
		return 0;
	while (u % BLOCK && vs_pgen_record_depends(p->type[u]))
		u--;
	if (u == v)
		return 0;
	code = vs_lines_seek(p->calls, start_of(p, u));
	p->at = u;
	/* another part reads its line of the .pvar */
	return code ? code : read_record(p, n, true);
}

static int
pgen_cut(struct vs_reader *r)
{
	struct pgen *p = r->state;
	const uint64_t header = p->position;
	int code;

	vs_part_rows(&r->part, p->n_vec);
	p->end = r->part.hi;
	code = vs_pvar_pass(&p->sites, r->part.lo);
	if (!code)
		code = read_base(p, r->part.lo, r->samples.n);
	p->position = header;
	p->at = r->part.lo;
	return code ? code : vs_lines_seek(p->calls, start_of(p, p->at));
}

/* ---- sites ---- */

static int
finish(struct vs_reader *r, struct pgen *p)
{
	const char *past;
	size_t got = 0;
	int code = vs_pvar_pass(&p->sites, p->n_vec - p->end);

	if (!code && p->end == p->n_vec)
		code = vs_lines_peek(p->calls, 1, &past, &got);
	if (!code && got)
		code = damaged(p, "has bytes behind its last variant");
	if (!code)
		code = vs_pvar_finish(&p->sites, r->provenance);
	return code ? code : vs_lines_note(p->calls, r->provenance);
}

static int
pgen_next(struct vs_reader *r, struct vs_input_site *site)
{
	struct pgen *p = r->state;
	bool multiallelic;
	int code;

	do {
		if (p->at == p->end)
			return finish(r, p);
		code = vs_pvar_next(&p->sites, r, &site->site, &multiallelic);
		if (!code)
			code = read_record(p, r->samples.n, multiallelic);
		if (code)
			return code;
		r->tally.multiallelic += multiallelic;
		r->tally.past += p->mode == BED &&
			vs_codes_past((uint8_t *)p->now, r->samples.n);
		p->at++;
	} while (multiallelic);
	site->codes = (uint8_t *)p->codes;
	r->tally.dosages += !r->field && type_of(p, p->at - 1) & VS_PGEN_DOSAGE;
	code = vs_reader_name(r, &site->site);
	return code ? code : 1;
}

/* Dosages of the record read last, or its calls. */
static int
pgen_values(struct vs_reader *r, double *value)
{
	static const double copies[] = { [VS_CODE_0] = 0,
		[VS_CODE_MISSING] = NAN,
		[VS_CODE_1] = 1,
		[VS_CODE_2] = 2 };
	struct pgen *p = r->state;
	const uint64_t v = p->at - 1;
	const char *why;
	size_t n_het = 0;
	int code;

	for (size_t q = 0; q < r->samples.n; q++) {
		const unsigned call = p->codes[q / 32] >> 2 * (q % 32) & 3;

		value[q] = copies[call];
		n_het += call == VS_CODE_1;
	}
	/* the words of the last record that is not needed any more */
	code = vs_pgen_record_dosages(type_of(p, v), p->behind, p->n_behind,
		r->samples.n, n_het, value, p->now, &why);
	if (code)
		p->at = v;
	return code ? wrong_record(p, why) : 0;
}

static void
pgen_close(struct vs_reader *r)
{
	struct pgen *p = r->state;

	vs_lines_close(p->calls);
	vs_pvar_close(&p->sites);
	free(p->type);
	free(p->length);
	free(p->now);
	free(p->base);
	free(p->codes);
}

static const char *const suffixes[] = { "pgen", "pvar", "psam", NULL };

const struct vs_reader_kind vs_reader_pgen = {
	.name = "pfile",
	.arg = "PREFIX",
	.help = "PLINK 2: PREFIX.pgen, PREFIX.pvar, PREFIX.psam",
	.suffixes = suffixes,
	.phenotypes = true,
	.label = { NULL, "alt" },
	.field = "DS",
	.state = sizeof(struct pgen),
	.open = pgen_open,
	.next = pgen_next,
	.values = pgen_values,
	.close = pgen_close,
	.cut = pgen_cut,
};
