/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Haplotype blocks. A pair of variants is strong, recombined, or tells nothing,
 * by the confidence interval of D'. A range of variants may be a block if its
 * ends are strong, and so are nearly all of its pairs that tell something. The
 * longest become blocks first, if their ends are in no other.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "libcore/metric/dprime_interval.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/blocks.h"
#include "tools/threshold/haplotypes.h"
#include "tools/threshold/ld_graph.h"

#define SPAN_OF_TWO 20000 /* bases; Haploview's */
#define SPAN_OF_THREE 30000
#define TINY 0x1p-35 /* for the rounding of shares and hundredths */

/* Limits of the lower end of the interval: rules for blocks of a few variants
 * ask for the first and the last, all others for those of the options. */
enum { WEAK = VS_INTERVAL_HIGH + 1, END, STRONG, TIGHT };

/* A range that may be a block; variants are numbered within their list. */
struct range {
	int64_t span; /* bases from the first to the last */
	uint32_t first, last;
};

struct finder {
	struct vs_interval_limits limits;
	double share; /* more strong pairs among the informative ones */
	int64_t most_bases;
	bool any_span;
	struct vs_ld_graph g;
	struct vs_packed *vectors;
	struct vs_haplotypes h;
	/* the variants that are frequent enough, as places in genome order */
	uint32_t *place;
	uint64_t n;
	uint32_t *size; /* [n] number within reach, from each one on */
	/* rows of h hold variants [row_from, row_end) */
	uint64_t row_from, row_end;
	/* by first variant modulo n_count: pairs in the range to the last */
	struct pairs {
		uint64_t strong, recombined;
	} * count;
	uint64_t n_count;
	struct range *range;
	size_t n_range, room;
	uint8_t *used;   /* [n] in a block */
	uint32_t *begin; /* [n] 1 + first variant of the block that ends here */
	uint64_t n_block;
	struct vs_text ids, lines;
};

static int64_t
pos_of(const struct finder *f, uint64_t v)
{
	return f->g.pos[f->place[v]];
}

/* ---- variants ---- */

/* Chromosome 0 is none. */
static bool
is_frequent(const struct finder *f, uint64_t place, double least)
{
	const struct vs_ld_graph *g = &f->g;
	struct vs_site site;
	int64_t one, all;

	vs_ld_graph_site(g, place, &site);
	vs_sites_alleles(&site, f->vectors->ploidy, &one, &all);
	one = one < all - one ? one : all - one;
	return g->contig[place] >= 0 && g->pos[place] > 0 &&
		(double)one >= least * (1 - TINY) * (double)all;
}

/* Choose the variants, and measure the reach of each. */
static int
choose(struct finder *f, double maf)
{
	struct vs_ld_graph *g = &f->g;
	uint64_t end = 0;
	int code = vs_mem_new(&f->place, g->n, sizeof(*f->place), "variants");

	for (uint64_t p = 0; p < g->n && !code; p++)
		if (is_frequent(f, p, maf))
			f->place[f->n++] = (uint32_t)p;
	VS_MEM_NEW(&code, f->size, f->n, "variants");
	VS_MEM_NEW(&code, f->used, f->n, "variants");
	VS_MEM_NEW(&code, f->begin, f->n, "variants");
	for (uint64_t v = 0; v < f->n && !code; v++) {
		while (end < f->n &&
			g->contig[f->place[end]] == g->contig[f->place[v]] &&
			pos_of(f, end) - pos_of(f, v) <= f->most_bases)
			end++;
		f->size[v] = (uint32_t)(end - v);
		f->n_count = f->size[v] > f->n_count ? f->size[v] : f->n_count;
	}
	VS_MEM_NEW(&code, f->count, f->n_count, "variants");
	return code;
}

/* Let the rows hold [from, v], and more. */
static int
want_rows(struct finder *f, uint64_t from, uint64_t v)
{
	struct vs_vec *rows = &f->h.rows;
	const uint32_t *vector = f->g.vector;
	const size_t words = 2 * rows->stride;
	uint64_t end = v + 1, at;
	int code;

	if (v < f->row_end)
		return 0;
	memmove(rows->word, rows->word + (from - f->row_from) * words,
		(v - from) * words * sizeof(*rows->word));
	f->row_from = from;
	at = v - from;
	/* consecutive vectors, and those between them */
	while (end < f->n &&
		vector[f->place[end]] > vector[f->place[end - 1]] &&
		at + vector[f->place[end]] - vector[f->place[v]] < rows->n_vec)
		end++;
	code = vs_haplotypes_read(&f->h, vector[f->place[v]],
		vector[f->place[end - 1]] + 1ull, at);
	for (uint64_t k = v; k < end && !code; k++)
		memmove(rows->word + (k - from) * words,
			rows->word +
				(at + vector[f->place[k]] -
					vector[f->place[v]]) *
					words,
			words * sizeof(*rows->word));
	f->row_end = end;
	return code;
}

/* ---- ranges ---- */

/*
 * True if [first, last] may be a block.
 * kind     of the pair of its ends
 * near     of two variants: 0; of three and of four: its other pairs that are
 *          at least WEAK
 */
static bool
may_be_block(const struct finder *f, uint64_t first, uint64_t last, int kind,
	int near)
{
	const int64_t span = pos_of(f, last) - pos_of(f, first);
	const struct pairs *n = &f->count[first % f->n_count];
	const uint64_t all = n->strong + n->recombined;

	switch (last - first) {
	case 1:
		return kind >= TIGHT && (f->any_span || span <= SPAN_OF_TWO);
	case 2:
		return kind >= END && near >= (int)(3 * f->share) &&
			(f->any_span || span <= SPAN_OF_THREE);
	case 3:
		return kind >= END && near >= (int)(6 * f->share);
	default:
		return kind >= END && all >= 6 &&
			(double)all * f->share < (double)n->strong;
	}
}

static int
add_range(struct finder *f, uint64_t first, uint64_t last)
{
	int code = vs_mem_grow(&f->range, &f->room, f->n_range + 1,
		sizeof(*f->range), "blocks");

	if (!code)
		f->range[f->n_range++] =
			(struct range){ pos_of(f, last) - pos_of(f, first),
				(uint32_t)first, (uint32_t)last };
	return code;
}

static int
kind_of(const struct finder *f, uint64_t v)
{
	int64_t known[4];
	const int64_t both = vs_haplotypes_known(&f->h, v - f->row_from,
		f->g.vector[f->place[v]], known);

	return vs_dprime_interval(f->h.cpu, &f->limits, known, both);
}

/* Pairs of a range that rule it and all around it out: too many are recombined,
 * for any size that one from *first on can reach. */
static uint64_t
futile(const struct finder *f, uint64_t first, uint64_t last)
{
	double n = 0;

	for (uint64_t v = first; v <= last; v++)
		n = f->size[v] > n ? f->size[v] : n;
	return 1 + (uint64_t)(n * (n - 1) / 2 * (1 - f->share));
}

/*
 * Find the ranges that end with a variant.
 * first    that a range may begin with
 * recent   kinds of the last pairs of the last four variants, in order: of the
 *          last with those before it, nearest first, and so on
 */
static int
find_ranges(struct finder *f, uint64_t *first, uint64_t last, int recent[6])
{
	const uint64_t most = futile(f, *first, last);
	uint64_t strong = 0, recombined = 0;
	int code = 0, near = 0;

	recent[5] = recent[3];
	recent[4] = recent[1];
	recent[3] = recent[0];
	vs_haplotypes_first(&f->h, last - f->row_from,
		f->g.vector[f->place[last]]);
	for (uint64_t v = last; v-- > *first && !code;) {
		struct pairs *n = &f->count[v % f->n_count];
		int kind;

		if (last - v == 1)
			*n = (struct pairs){ 0 };
		else if (last - v > 3 && n->recombined + recombined >= most) {
			*first = v + 1;
			break;
		}
		kind = kind_of(f, v);
		strong += kind >= STRONG;
		recombined += kind == VS_INTERVAL_LOW;
		n->strong += strong;
		n->recombined += recombined;
		if (last - v <= 3)
			recent[last - v - 1] = kind;
		if (last - v == 2)
			near = (recent[0] >= WEAK) + (recent[3] >= WEAK);
		if (last - v == 3)
			near += (recent[1] >= WEAK) + (recent[4] >= WEAK) +
				(recent[5] >= WEAK);
		if (may_be_block(f, v, last, kind, near))
			code = add_range(f, v, last);
	}
	return code;
}

/* ---- blocks ---- */

/* The longest first; as PLINK, of equal ones the last. */
static int
by_span(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	if (x->span != y->span)
		return x->span > y->span ? -1 : 1;
	if (x->first != y->first)
		return x->first > y->first ? -1 : 1;
	return x->last > y->last ? -1 : x->last < y->last;
}

static int
put_block(struct finder *f, uint64_t first, uint64_t last)
{
	const int64_t span = pos_of(f, last) - pos_of(f, first) + 1;
	struct vs_site site;
	int code = 0;

	for (uint64_t v = first; v <= last && !code; v++) {
		vs_ld_graph_site(&f->g, f->place[v], &site);
		if (v == first) {
			vs_text_add(&f->lines,
				"%4.*s   %10lld   %10lld %12g %6llu ",
				(int)site.contig_len, site.contig,
				(long long)pos_of(f, first),
				(long long)pos_of(f, last),
				vs_ld_graph_kb(span),
				(unsigned long long)(last - first + 1));
			vs_text_add(&f->ids, "*");
		}
		vs_text_add(&f->ids, " %.*s", (int)site.id_len, site.id);
		code = vs_text_add(&f->lines, "%s%.*s", v > first ? "|" : "",
			(int)site.id_len, site.id);
	}
	vs_text_add(&f->ids, "\n");
	f->n_block++;
	return code ? code : vs_text_add(&f->lines, "\n");
}

/* Make blocks of the ranges of a chromosome, variants [from, end). */
static int
put_blocks(struct finder *f, uint64_t from, uint64_t end)
{
	int code = 0;

	if (f->n_range)
		qsort(f->range, f->n_range, sizeof(*f->range), by_span);
	for (size_t k = 0; k < f->n_range; k++) {
		const struct range *r = &f->range[k];

		if (f->used[r->first] || f->used[r->last])
			continue;
		memset(f->used + r->first, 1, r->last - r->first + 1);
		f->begin[r->last] = r->first + 1;
	}
	for (uint64_t v = from; v < end && !code; v++)
		if (f->begin[v])
			code = put_block(f, f->begin[v] - 1, v);
	f->n_range = 0;
	return code;
}

static int
find(struct finder *f)
{
	const int32_t *contig = f->g.contig;
	int code = vs_text_add(&f->lines,
		" CHR          BP1          BP2           KB  NSNPS SNPS\n");

	for (uint64_t from = 0, end; from < f->n && !code; from = end) {
		uint64_t first = from;
		int recent[6] = { 0 };

		for (end = from; end < f->n && !code &&
			contig[f->place[end]] == contig[f->place[from]];
			end++) {
			while (pos_of(f, end) - pos_of(f, first) >
				f->most_bases)
				first++;
			code = want_rows(f, first, end);
			if (!code)
				code = find_ranges(f, &first, end, recent);
		}
		if (!code)
			code = put_blocks(f, from, end);
	}
	return code;
}

/* ---- files ---- */

/* Limits of D' in hundredths, as PLINK rounds them. */
static void
set_limits(struct finder *f, const struct vs_blocks *b)
{
	const double low = 100 * b->strong_low;

	f->limits = (struct vs_interval_limits){
		.low = (int)floor(100 * b->recombined + TINY) - 1,
		.high = (int)ceil(100 * b->strong_high - TINY) - 1,
		.least = { 52, (int)ceil(low - TINY) + 1,
			(int)floor(low + TINY) + 2, 82 },
	};
}

/* Call use() with the names of both files. */
static int
each_file(const struct vs_blocks *b,
	int (*use)(void *with, const char *name, int k), void *with)
{
	int code = 0;

	for (int k = 0; k < 2 && !code; k++) {
		struct vs_text name = { 0 };

		code = vs_text_add(&name, "%s.blocks%s", b->prefix,
			k ? ".det" : "");
		if (!code)
			code = use(with, name.bytes, k);
		vs_text_free(&name);
	}
	return code;
}

static int
check_name(void *force, const char *name, int k)
{
	(void)k;
	return vs_result_io_may_write(name, *(const bool *)force);
}

static int
print(void *with, const char *name, int k)
{
	const struct finder *f = with;

	return vs_result_io_print(name, k ? &f->lines : &f->ids);
}

static void
close_all(struct finder *f)
{
	vs_haplotypes_close(&f->h);
	vs_ld_graph_free(&f->g);
	vs_packed_close(f->vectors);
	vs_text_free(&f->ids);
	vs_text_free(&f->lines);
	free(f->place);
	free(f->size);
	free(f->count);
	free(f->range);
	free(f->used);
	free(f->begin);
}

int
vs_blocks_write(const struct vs_blocks *b, const char *vectors, bool force)
{
	struct finder f = { .share = b->strong_share + TINY,
		.most_bases = b->kb.text ? vs_decimal_bases(&b->kb) : 200000,
		.any_span = b->any_span };
	int code = each_file(b, check_name, &force);

	set_limits(&f, b);
	if (!code && f.limits.low > f.limits.high)
		code = vs_fail(VS_EUSAGE,
			"--blocks-recomb-highci exceeds "
			"--blocks-strong-highci");
	if (!code)
		code = vs_packed_open(&f.vectors, vectors, 0);
	if (!code)
		code = vs_ld_graph_of_vectors(&f.g, f.vectors);
	if (!code)
		code = choose(&f, b->maf);
	if (!code)
		code = vs_haplotypes_open(&f.h, f.vectors, f.n_count);
	if (!code)
		code = find(&f);
	if (!code)
		code = each_file(b, print, &f);
	if (!code)
		vs_tool_close(b->prefix, "%llu block%s",
			(unsigned long long)f.n_block, vs_text_s(f.n_block));
	close_all(&f);
	return code;
}
