/* SPDX-License-Identifier: BSD-3-Clause */
/* Import pipeline: reader thread, filters, bit planes. */
#include <errno.h>
#include <semaphore.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/chromosome.h"
#include "formats/in/import.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

#define BLOCK (1u << 20) /* bytes of codes processed together, in the cache */
#define MOST 2048        /* sites of these */
#define N_BLOCK 4

/* ---- a block of sites ---- */

enum fate { KEPT, MISSING, MONOMORPHIC, RARE };

struct row {
	int64_t n_het, n_male_het, n_not_male;
	enum fate fate;
};

struct block {
	size_t n, room;         /* sites in it, and most of them */
	size_t n_bytes, stride; /* bytes of a row's codes; to the next row */
	uint8_t *codes;
	struct row *row;
	struct vs_site *site;
	struct vs_text text; /* of one site after the other */
	struct vs_vec vec;   /* converted codes */
	uint64_t *male;      /* mask of males, if a row lies on X or Y */
	int64_t n_male;
	uint64_t n_read, n_unwanted;
	int code; /* of filling: 1 there may be more, 0 that was all */
	struct vs_import *in;
};

/* Allocate when b is first filled. */
static int
block_new(struct block *b)
{
	const struct vs_reader *r = b->in->reader;
	int code;

	b->n_bytes = (r->samples.n + 3) / 4;
	b->stride = (b->n_bytes + 7) / 8 * 8; /* 8 are read at a time */
	b->room = BLOCK / b->stride;
	b->room = b->room < 1 ? 1 : b->room > MOST ? MOST : b->room;
	/* most inputs fill only part of it: untouched pages cost nothing */
	code = vs_mem_room(&b->codes, b->room, b->stride, "calls");
	VS_MEM_NEW(&code, b->male, b->in->n_field / 64 + 1, "sexes");
	VS_MEM_ROOM(&code, b->row, b->room, "sites");
	VS_MEM_ROOM(&code, b->site, b->room, "sites");
	return code;
}

static void
block_free(struct block *b)
{
	free(b->codes);
	free(b->row);
	free(b->site);
	free(b->male);
	vs_text_free(&b->text);
	vs_vec_free(&b->vec);
}

/*
 * Determine sexes from calls that state their ploidy: a sample is male if its
 * first non-missing call has one allele. True if any call has one.
 */
static bool
learn_sexes(struct vs_import *in, const struct vs_input_site *site)
{
	uint8_t *sex = in->sexes->sex;
	uint64_t n = 0;

	for (size_t k = 0; site->haploid && k < in->n_field; k++) {
		size_t q = in->keep ? (size_t)in->keep[k] : k;

		n += site->haploid[q / 8] >> q % 8 & 1;
	}
	for (size_t k = 0; n && k < in->n_field; k++) {
		size_t q = in->keep ? (size_t)in->keep[k] : k;
		bool one = site->haploid[q / 8] >> q % 8 & 1;

		if ((site->codes[q / 4] >> (2 * (q % 4)) & 3) ==
			VS_CODE_MISSING)
			continue;
		if (!sex[k])
			sex[k] = one ? 1 : 2;
		else
			in->n_misfit += one != (sex[k] == 1);
	}
	in->n_one_allele += n;
	return n;
}

/*
 * Kind of a site by its chromosome. If the input has no sexes but its calls
 * state their ploidy, that decides: in a pseudo-autosomal region no call has
 * one allele.
 */
static enum vs_haploid
haploid_of(struct vs_import *in, struct vs_input_site *site)
{
	struct vs_site *s = &site->site;
	const struct vs_chromosome c =
		vs_chromosome_of(s->contig, s->contig_len, in->n_autosome);
	bool any;

	if (c.haploid == VS_HAPLOID_X &&
		vs_chromosome_is_par(in->split_par, s->pos)) {
		s->contig = "XY";
		s->contig_len = 2;
		return VS_HAPLOID_NONE;
	}
	if (c.haploid == VS_HAPLOID_NONE || !in->sexes)
		return VS_HAPLOID_NONE;
	any = learn_sexes(in, site);
	in->n_numbered += c.numbered;
	if (in->by_calls && !any) {
		in->n_sexless++;
		return VS_HAPLOID_NONE;
	}
	in->n_haploid++;
	return c.haploid;
}

/* Mark the males, once a block's calls show their ploidy. */
static void
find_males(struct block *b)
{
	const struct vs_import *in = b->in;

	memset(b->male, 0, (in->n_field / 64 + 1) * sizeof(*b->male));
	b->n_male = 0;
	for (size_t k = 0; in->sexes && k < in->n_field; k++) {
		bool male = in->sexes->sex[k] == 1;

		b->male[k / 64] |= (uint64_t)male << k % 64;
		b->n_male += male;
	}
}

static int
block_put(struct block *b, struct vs_input_site *site)
{
	struct vs_site *s = &site->site;
	struct vs_text *t = &b->text;

	s->haploid = (uint8_t)haploid_of(b->in, site);
	vs_text_put(t, s->id, s->id_len);
	vs_text_put(t, s->contig, s->contig_len);
	vs_text_put(t, s->allele[0], s->allele_len[0]);
	vs_text_put(t, s->allele[1], s->allele_len[1]);
	memcpy(b->codes + b->n * b->stride, site->codes, b->n_bytes);
	b->site[b->n++] = *s;
	return t->code;
}

/* Point each site to its texts, now that these move no more. */
static void
find_texts(struct block *b)
{
	const char *t = b->text.bytes;

	for (struct vs_site *s = b->site; s < b->site + b->n; s++) {
		s->id = t;
		s->contig = s->id + s->id_len;
		s->allele[0] = s->contig + s->contig_len;
		s->allele[1] = s->allele[0] + s->allele_len[0];
		t = s->allele[1] + s->allele_len[1];
	}
}

/* Skip to a wanted site. 1: there may be more; 0: that was all. */
static int
take_sites(struct block *b)
{
	struct vs_import *in = b->in;
	struct vs_input_site site = { 0 };
	int code;

	b->n = b->n_read = b->n_unwanted = 0;
	b->text.len = 0;
	while (b->n < b->room) {
		code = vs_reader_next(in->reader, &site);
		if (code != 1)
			return code;
		b->n_read++;
		if (in->filter &&
			!vs_site_choice_passes(in->filter, &site.site)) {
			b->n_unwanted++;
			continue;
		}
		code = block_put(b, &site);
		if (code)
			return code;
	}
	return 1;
}

/*
 * Keep some of the fields, in place: keep ascends, so a byte is overwritten
 * only after all codes in it have been read.
 */
static void
pick_codes(uint8_t *codes, const int64_t *keep, size_t n)
{
	unsigned byte = 0;

	for (size_t k = 0; k < n; k++) {
		size_t q = (size_t)keep[k];

		byte |= (codes[q / 4] >> (2 * (q % 4)) & 3u) << (2 * (k % 4));
		if (k % 4 == 3 || k + 1 == n) {
			codes[k / 4] = (uint8_t)byte;
			byte = 0;
		}
	}
}

/* Copies of the second allele, and of both; males have one on X and Y. */
static void
alleles_of(const struct vs_site *s, int64_t *n_one, int64_t *n_allele)
{
	vs_sites_alleles(s, 2, n_one, n_allele);
	*n_one -= s->males[1];
}

/*
 * Quotients of integers are rounded correctly, so a frequency equal to the
 * limit as typed compares equal.
 */
static enum fate
judge(const struct vs_import *in, const struct vs_site *s, double missing)
{
	int64_t n_one, n_allele, rarer;

	alleles_of(s, &n_one, &n_allele);
	rarer = 2 * n_one < n_allele ? n_one : n_allele - n_one;
	if (missing > in->max_missing)
		return MISSING;
	if (in->drop_monomorphic && !rarer)
		return MONOMORPHIC;
	if (in->maf > 0 &&
		(!n_allele || (double)rarer / (double)n_allele < in->maf))
		return RARE;
	return KEPT;
}

/*
 * Correlations with X depend on which of two equally frequent alleles is
 * counted: PLINK counts A1.
 */
static bool
to_swap(const struct vs_import *in, const struct vs_site *s)
{
	int64_t n_one, n_allele;

	if (in->label != VS_LABEL_MINOR)
		return in->label == VS_LABEL_FIRST;
	alleles_of(s, &n_one, &n_allele);
	return 2 * n_one > n_allele ||
		(2 * n_one == n_allele && s->haploid == VS_HAPLOID_X &&
			in->reader->kind->label[0]);
}

/*
 * Set calls that cannot be on X or Y to missing, and count.
 * missing  out: the missing calls as a share of the possible ones, as in
 *          PLINK's --geno
 */
static void
count_row(struct block *b, size_t v, double *missing)
{
	struct vs_vec *vec = &b->vec;
	struct row *r = b->row + v;
	struct vs_site *s = b->site + v;
	int64_t male[4] = { 0 };

	*r = (struct row){ 0 };
	vs_vec_count(vec, v, s->count);
	*missing = (double)s->count[3] / (double)b->in->n_field;
	if (s->haploid == VS_HAPLOID_NONE)
		return;
	vs_haploid_count(vec, v, b->male, male);
	if (s->haploid == VS_HAPLOID_Y) {
		*missing = (double)male[3] / (double)b->n_male;
		r->n_not_male = vs_haploid_drop_others(vec, v, b->male);
	}
	r->n_male_het = vs_haploid_drop_het(vec, v, b->male);
	s->males[0] = male[0];
	s->males[1] = male[2];
	vs_vec_count(vec, v, s->count);
}

/* Count the first allele of a vector instead of the second. */
static void
swap_row(struct vs_vec *vec, size_t v, struct vs_site *s)
{
	const struct vs_site was = *s;

	vs_vec_swap(vec, v);
	s->allele1_source = VS_ALLELE_FIRST;
	for (int a = 0; a < 2; a++) {
		s->allele[a] = was.allele[!a];
		s->allele_len[a] = was.allele_len[!a];
		s->males[a] = was.males[!a];
		s->count[2 * a] = was.count[2 * !a];
	}
}

static void
convert_row(struct block *b, size_t v)
{
	struct vs_vec *vec = &b->vec;
	const struct vs_import *in = b->in;
	uint8_t *codes = b->codes + v * b->stride;
	struct row *r = b->row + v;
	struct vs_site *s = b->site + v;
	double missing;

	if (in->keep)
		pick_codes(codes, in->keep, in->n_field);
	vs_vec_from_codes(vec, v, codes);
	count_row(b, v, &missing);
	if (in->ploidy == 1) {
		/* until it is stored, an entry counts twice */
		r->n_het = s->count[1];
		s->count[3] += r->n_het;
		s->count[1] = 0;
		missing = (double)s->count[3] / (double)in->n_field;
	}
	r->fate = judge(in, s, missing);
	if (r->fate != KEPT)
		return;
	s->allele1_source = VS_ALLELE_SECOND;
	if (to_swap(in, s))
		swap_row(vec, v, s);
	if (s->haploid != VS_HAPLOID_NONE) {
		vs_haploid_halve(vec, v, b->male);
		s->count[1] += s->males[1];
		s->count[2] -= s->males[1];
	}
	if (in->ploidy == 1) {
		vs_vec_halve(vec, v);
		s->count[1] = s->count[2];
		s->count[2] = 0;
	}
}

/* Fill b with wanted sites. 1: there may be more; 0: the input has ended. */
static int
block_fill(struct block *b)
{
	int code = b->codes ? 0 : block_new(b), more = 0;

	if (!code)
		code = more = take_sites(b);
	if (code >= 0 && !b->vec.word)
		code = vs_vec_new(&b->vec, more ? b->room : b->n,
			b->in->n_field);
	if (code < 0)
		return code;
	find_texts(b);
	find_males(b);
	for (size_t v = 0; v < b->n; v++)
		convert_row(b, v);
	return more;
}

static void
sem_wait_through(sem_t *s)
{
	while (sem_wait(s) && errno == EINTR)
		;
}

/*
 * Ring of blocks: a thread fills them, the caller processes them. There are
 * several, so that neither waits when packing comes in bursts. With one thread
 * the caller fills them, too.
 */
struct ring {
	struct block b[N_BLOCK];
	sem_t empty, full;
	pthread_t thread;
	bool running, stop;
};

static void *
fill_all(void *arg)
{
	struct ring *r = arg;

	for (size_t k = 0;; k = (k + 1) % N_BLOCK) {
		sem_wait_through(&r->empty);
		if (__atomic_load_n(&r->stop, __ATOMIC_ACQUIRE))
			break;
		r->b[k].code = block_fill(&r->b[k]);
		sem_post(&r->full);
		if (r->b[k].code != 1)
			break;
	}
	return NULL;
}

static void
ring_begin(struct ring *r, struct vs_import *in)
{
	for (size_t k = 0; k < N_BLOCK; k++)
		r->b[k].in = in;
	sem_init(&r->empty, 0, N_BLOCK);
	sem_init(&r->full, 0, 0);
	r->running =
		in->threads > 1 && !vs_thread_start(&r->thread, fill_all, r);
}

/* after a failure the thread may still be inside a block */
static void
ring_end(struct ring *r)
{
	__atomic_store_n(&r->stop, true, __ATOMIC_RELEASE);
	sem_post(&r->empty);
	if (r->running)
		pthread_join(r->thread, NULL);
	for (size_t k = 0; k < N_BLOCK; k++)
		block_free(&r->b[k]);
	sem_destroy(&r->empty);
	sem_destroy(&r->full);
}

/* Block k, filled. As block_fill(). */
static int
ring_pop(struct ring *r, size_t k)
{
	struct block *b = &r->b[k];

	if (r->running)
		sem_wait_through(&r->full);
	else
		b->code = block_fill(b);
	if (b->code >= 0) {
		b->in->n_read += b->n_read;
		b->in->n_unwanted += b->n_unwanted;
	}
	return b->code;
}

static void
tally(struct vs_import *in, const struct row *r, struct vs_site *s)
{
	s->source_row = (int64_t)in->n_kept++;
	in->n_het += (uint64_t)r->n_het;
	in->n_male_het += (uint64_t)r->n_male_het;
	in->n_not_male += (uint64_t)r->n_not_male;
}

/* Pass on the rows that were kept, in runs. */
static int
block_give(const struct block *b)
{
	struct vs_import *in = b->in;
	int code = 0;

	for (size_t v = 0, lo; v < b->n && !code;) {
		for (lo = v; v < b->n && b->row[v].fate == KEPT; v++)
			tally(in, &b->row[v], &b->site[v]);
		if (v > lo)
			code = in->give(in->giving, &b->vec, lo, v,
				b->site + lo);
		if (v == b->n || code)
			break;
		in->n_missing += b->row[v].fate == MISSING;
		in->n_monomorphic += b->row[v].fate == MONOMORPHIC;
		in->n_rare += b->row[v].fate == RARE;
		v++;
	}
	return code;
}

/* A list that names none of the sites may have another form. */
static int
add_unlisted(struct vs_text *why, const struct vs_site_list *list)
{
	size_t first = 0, len;
	const char *id;

	if (!list->id.n || vs_site_choice_missed(list, &first) < list->id.n)
		return 0;
	id = vs_text_pool_get(&list->id, first, &len);
	return vs_text_add(why, "; --extract names none of them, first %.*s",
		len > 60 ? 60 : (int)len, id);
}

int
vs_import_none_left(const struct vs_import *in, const char *name)
{
	const struct vs_reader_tally *t = &in->reader->tally;
	const uint64_t skipped[] = { (uint64_t)t->multiallelic,
		(uint64_t)t->no_gt, (uint64_t)t->polyploid_sites };
	const struct {
		uint64_t n;
		const char *why;
	} row[] = {
		{ skipped[0], "with several alleles (--multiallelic)" },
		{ skipped[1], "without GT" },
		{ skipped[2], "with polyploid calls (--polyploid)" },
		{ in->n_unwanted,
			"not selected (--extract, --exclude, --chr, "
			"--from-kb, --to-kb)" },
		{ in->n_missing,
			"with too many missing calls (--max-missing)" },
		{ in->n_monomorphic, "monomorphic (--drop-monomorphic)" },
		{ in->n_rare, "too rare (--maf)" },
	};
	struct vs_text why = { 0 };
	int code = 0;

	for (size_t k = 0; k < sizeof(row) / sizeof(*row) && !code; k++)
		if (row[k].n)
			code = vs_text_add(&why, "%s%llu %s",
				why.len ? ", " : ": ",
				(unsigned long long)row[k].n, row[k].why);
	if (!code && in->filter)
		code = add_unlisted(&why, &in->filter->extract);
	if (!code)
		code = vs_fail(VS_EINPUT, "%s: no site is left of %llu%s",
			strcmp(name, "-") ? name : "standard input",
			(unsigned long long)(in->n_read + skipped[0] +
				skipped[1] + skipped[2]),
			why.len ? why.bytes : "");
	vs_text_free(&why);
	return code;
}

static int
all_blocks(struct vs_import *in, struct ring *r)
{
	int code = 1, more = 1;

	for (size_t k = 0; more == 1 && code >= 0; k = (k + 1) % N_BLOCK) {
		more = code = ring_pop(r, k);
		if (code >= 0)
			code = block_give(&r->b[k]);
		sem_post(&r->empty);
		if (!code && in->progress)
			in->progress(in->to, in->n_read);
	}
	return code;
}

static bool
any_sex(const struct vs_import *in)
{
	for (size_t k = 0; in->sexes->sex && k < in->n_field; k++)
		if (in->sexes->sex[k])
			return true;
	return false;
}

/* If no sex is stated, calls may show it; a .fam is never overridden. */
static int
begin_sexes(struct vs_import *in)
{
	if (in->ploidy == 1)
		in->sexes = NULL;
	if (!in->sexes)
		return 0;
	in->by_calls =
		!in->sexes->sex || (in->reader->kind->ploidy && !any_sex(in));
	return in->sexes->sex
		? 0
		: vs_mem_new(&in->sexes->sex, in->n_field, 1, "sexes");
}

static void
end_sexes(struct vs_import *in)
{
	if (!in->sexes || !in->by_calls || any_sex(in))
		return;
	free(in->sexes->sex);
	in->sexes->sex = NULL;
}

int
vs_import_run(struct vs_import *in)
{
	struct ring r = { 0 };
	int code = begin_sexes(in);

	if (code)
		return code;
	ring_begin(&r, in);
	code = all_blocks(in, &r);
	ring_end(&r);
	end_sexes(in);
	if (!code && !in->n_kept && !in->reader->part.n)
		code = vs_import_none_left(in, in->reader->path[0]);
	return code;
}
