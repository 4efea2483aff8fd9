/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * LD pruning of genotypes as they are read, in one pass: only vectors of the
 * present window are kept, only pairs that the rule asks for are counted, and
 * those of a removed variant never again.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/minmax.h"
#include "libcore/bits/vec.h"
#include "libcore/kern/joint_moments.h"
#include "libcore/metric/r2.h"
#include "tools/shared/prune.h"
#include "tools/threshold/prune_vectors.h"

#define NARROW 8      /* words of a plane that are counted whole at once */
#define RING_LEAST 64 /* vectors: a power of two, like the size of each ring */

/* Counts of a vector: one copy, two, and missing; sums of copies and of their
 * squares. */
struct sums {
	int64_t one, two, missing, s, q;
};

struct pruning {
	const char *prefix;
	struct vs_prune_scan scan;
	double above;
	size_t n_field;
	enum vs_cpu cpu;
	bool nibbles;
	/* variant v of the scan has row v & scan.mask of these; row is its
	 * site's */
	struct vs_vec ring;
	struct sums *sums;
	/* of all sites, so far */
	uint8_t *removed;
	size_t n_site, room_removed;
	uint64_t n_settled; /* places, their variants are in removed */
	/* chromosomes that have ended */
	uint8_t *ended;
	size_t n_ended;
};

/* ---- pairs ---- */

/* The least sums that remain of a vector when n of its calls are left out. */
struct left {
	int64_t s;  /* sum of copies */
	double var; /* c q - s^2, of c calls */
};

/*
 * A call of x copies takes x from s, and at most q + x^2 c - 2 x s from the
 * other, with s as it is in the end; there are only as many calls with x copies
 * as were counted.
 */
static struct left
left_of(const struct sums *v, int64_t n_field, int64_t n)
{
	const int64_t c = n_field - v->missing, two = vs_min_i64(n, v->two),
		      one = vs_min_i64(n - two, v->one),
		      s = v->s - 2 * two - one,
		      some = vs_max_i64(v->q, v->q + c - 2 * s),
		      all = two * vs_max_i64(some, v->q + 4 * (c - s)) +
		one * some + (n - two - one) * v->q;

	return (struct left){ s, (double)(c * v->q - v->s * v->s - all) };
}

/*
 * True if r2 is certainly below a bound, from the sum of products and the sums
 * of each vector, whichever of its calls the other one misses.
 */
static bool
is_below(const struct sums *a, const struct sums *b, int64_t n_field,
	int64_t product, double bound)
{
	const struct left i = left_of(a, n_field, b->missing),
			  j = left_of(b, n_field, a->missing);
	const int64_t fewest = n_field - a->missing - b->missing,
		      n = n_field - vs_max_i64(a->missing, b->missing);
	const double lo = (double)(fewest * product - a->s * b->s),
		     hi = (double)(n * product - i.s * j.s),
		     cov = fmax(fabs(lo), fabs(hi));

	/* far more than rounding of doubles */
	return i.var > 0 && j.var > 0 &&
		cov * cov * (1 + 1e-9) < bound * i.var * j.var;
}

static inline const uint64_t *
planes_of(const struct pruning *p, uint64_t v)
{
	return vs_vec_plane(&p->ring, v & p->scan.mask, 0);
}

/* r2 > above, without a division unless rounding may decide. */
static inline bool
exceeds(const struct vs_joint_moments *n, double above)
{
	const struct vs_moments m = {
		.c = n->n,
		.p = n->product,
		.si = n->sum[0],
		.sj = n->sum[1],
		.qi = n->square[0],
		.qj = n->square[1],
	};
	const double cov = (double)(m.c * m.p - m.si * m.sj),
		     bound = above * (double)(m.c * m.qi - m.si * m.si) *
		(double)(m.c * m.qj - m.sj * m.sj);

	return fabs(cov * cov - bound) > 1e-9 * bound ? cov * cov > bound
						      : vs_r2_value(&m) > above;
}

VS_INLINE uint64_t
find_any(const struct pruning *p, uint64_t a, uint64_t from, uint64_t end,
	size_t n_word)
{
	const uint64_t *const x = planes_of(p, a), mask = p->scan.mask;

	for (; from < end; from++) {
		const uint64_t *const y = planes_of(p, from);
		struct vs_joint_moments m;

		if (p->scan.place[from & mask].out ||
			(n_word > NARROW &&
				is_below(&p->sums[a & mask],
					&p->sums[from & mask],
					(int64_t)p->n_field,
					vs_joint_product(p->nibbles, x, y,
						n_word),
					p->above)))
			continue;
		m = vs_joint_moments(p->nibbles, x, y, n_word, p->n_field);
		if (exceeds(&m, p->above))
			break;
	}
	return from;
}

VS_INLINE uint64_t
find_by_any(const struct pruning *p, uint64_t a, uint64_t from, uint64_t end)
{
	return p->ring.n_word == NARROW
		? find_any(p, a, from, end, NARROW)
		: find_any(p, a, from, end, p->ring.n_word);
}

VS_BY_POPCNT(uint64_t, find_by, (p, a, from, end), const struct pruning *p,
	uint64_t a, uint64_t from, uint64_t end)

static uint64_t
find(void *with, uint64_t a, uint64_t from, uint64_t end)
{
	return find_by(((struct pruning *)with)->cpu, with, a, from, end);
}

/* ---- the ring ---- */

static void
ring_free(struct pruning *p)
{
	vs_vec_free(&p->ring);
	free(p->sums);
	free(p->scan.place);
}

static void
put_row(struct vs_vec *ring, size_t p, const struct vs_vec *from, size_t row)
{
	for (int k = 0; k < 2; k++) {
		uint64_t *plane = vs_vec_plane(ring, p, k);
		const size_t n = from->n_word < ring->n_word ? from->n_word
							     : ring->n_word;

		memcpy(plane, vs_vec_plane(from, row, k), 8 * n);
	}
}

/* A ring of n rows; those in the window move to it. */
static int
ring_make(struct pruning *p, size_t n)
{
	struct vs_prune_place *place = NULL;
	struct vs_vec more = { 0 };
	struct sums *sums = NULL;
	int code = vs_vec_new(&more, n, p->n_field);

	VS_MEM_NEW(&code, sums, n, "variants");
	VS_MEM_NEW(&code, place, n, "variants");
	for (uint64_t v = p->scan.begin; v < p->scan.n && !code; v++) {
		const size_t from = v & p->scan.mask, to = v & (n - 1);

		put_row(&more, to, &p->ring, from);
		sums[to] = p->sums[from];
		place[to] = p->scan.place[from];
	}
	ring_free(p);
	p->ring = more;
	p->sums = sums;
	p->scan.place = place;
	p->scan.mask = n - 1;
	return code;
}

/* Prune what is complete, and note what became of the variants before the
 * window. */
static void
scan(struct pruning *p, bool all)
{
	vs_prune_scan(&p->scan, all);
	for (; p->n_settled < p->scan.begin; p->n_settled++) {
		const struct vs_prune_place *place =
			vs_prune_place_of(&p->scan, p->n_settled);

		p->removed[place->row] = place->out;
	}
}

/* ---- places ---- */

static int
refuse_order(const struct vs_site *site, const char *what)
{
	return vs_fail(VS_EINPUT,
		"variant %.*s at %.*s:%lld: %s; sort by position "
		"(vsim-permute --order position; before packing bcftools sort "
		"or plink2 --sort-vars)",
		(int)site->id_len, site->id, (int)site->contig_len,
		site->contig, (long long)site->pos, what);
}

/* Refuse a variant that does not follow the one before it. */
static int
check_order(struct pruning *p, const struct vs_site *site, int32_t contig)
{
	const int32_t last = p->scan.n
		? vs_prune_place_of(&p->scan, p->scan.n - 1)->contig
		: contig;
	const size_t n_was = p->n_ended;
	int code = vs_mem_grow(&p->ended, &p->n_ended, (size_t)contig + 1, 1,
		"chromosomes");

	if (code)
		return code;
	memset(p->ended + n_was, 0, p->n_ended - n_was);
	if (last != contig)
		p->ended[last] = 1;
	else if (p->scan.n &&
		site->pos < vs_prune_place_of(&p->scan, p->scan.n - 1)->pos)
		return refuse_order(site, "its position is below the last");
	return p->ended[contig]
		? refuse_order(site, "its chromosome had ended before")
		: 0;
}

/* A variant with a place on a chromosome. */
static int
add_place(struct pruning *p, const struct vs_vec *vec, size_t row,
	const struct vs_site *site, int32_t contig, const int64_t alleles[2])
{
	const uint64_t n = p->scan.n;
	int code = 0;

	if (n - p->scan.begin > p->scan.mask)
		code = ring_make(p, 2 * p->ring.n_vec);
	if (code)
		return code;
	*vs_prune_place_of(&p->scan, n) = (struct vs_prune_place){
		.pos = site->pos,
		.alleles = { alleles[0], alleles[1] },
		.row = p->n_site,
		.contig = contig,
		.out = !alleles[1],
	};
	put_row(&p->ring, n & p->scan.mask, vec, row);
	p->sums[n & p->scan.mask] = (struct sums){ .one = site->count[1],
		.two = site->count[2],
		.missing = site->count[3],
		.s = site->count[1] + 2 * site->count[2],
		.q = site->count[1] + 4 * site->count[2] };
	p->scan.n++;
	return 0;
}

/*
 * Take the next variant, row of vec, in genome order: each chromosome in one
 * piece, with ascending positions; those of chromosome 0 may come anywhere.
 * ploidy  of the calls, 1 or 2
 * returns  0; VS_EINPUT: another order; VS_EMACHINE
 */
static int
add(struct pruning *p, const struct vs_vec *vec, size_t row,
	const struct vs_site *site, int32_t contig, int ploidy)
{
	int64_t alleles[2];
	int code = vs_mem_grow(&p->removed, &p->room_removed, p->n_site + 1, 1,
		"variants");

	if (code)
		return code;
	vs_prune_alleles(site, ploidy, alleles);
	p->removed[p->n_site] = !alleles[1];
	/* variants of no chromosome are in no window */
	if (contig >= 0 && !vs_prune_is_unplaced(site)) {
		code = check_order(p, site, contig);
		if (!code)
			code = add_place(p, vec, row, site, contig, alleles);
		/* at once, so that the ring holds no more than a window */
		if (!code)
			scan(p, false);
	}
	p->n_site++;
	return code;
}

/* ---- */

/*
 * above    r2 that a pair must exceed
 * n_field  samples
 * returns  0; VS_EUSAGE; VS_EINPUT: too many samples; VS_EMACHINE. Free it in
 *          either case
 */
static int
pruning_new(struct pruning *p, const struct vs_prune *asked, double above,
	size_t n_field)
{
	int code = vs_prune_check(asked, &p->scan.window);

	if (!code && n_field >= 1 << 24)
		code = vs_fail(VS_EINPUT,
			"%zu samples: r2 is exact below 16777216", n_field);
	if (!code)
		code = vs_cpu_choose(NULL, &p->cpu);
	p->nibbles = vs_joint_moments_by_nibbles(p->cpu);
	p->prefix = asked->prefix;
	p->above = above;
	p->n_field = n_field;
	p->scan.step = asked->step ? (uint64_t)asked->step : 1;
	p->scan.find = find;
	p->scan.with = p;
	return code ? code : ring_make(p, RING_LEAST);
}

/* End: prune what is left, and write the lists. */
static int
pruning_write(struct pruning *p, const struct vs_text_pool *id)
{
	scan(p, true);
	return vs_prune_write(p->prefix, id, p->n_site, NULL, p->removed);
}

static void
pruning_free(struct pruning *p)
{
	ring_free(p);
	free(p->removed);
	free(p->ended);
}

#define BLOCK (4ull << 20) /* bytes of vectors read together */

static int
read_all(struct pruning *p, struct vs_packed *f, const struct vs_sites *sites)
{
	const uint64_t rows = BLOCK / (f->row_bytes + 1) + 1;
	struct vs_vec vec = { 0 };
	struct vs_site site;
	int code = vs_vec_new(&vec, rows, f->n_field);

	for (uint64_t lo = 0, hi; lo < f->n_vec && !code; lo = hi) {
		hi = f->n_vec - lo < rows ? f->n_vec : lo + rows;
		code = vs_packed_read(f, lo, hi, &vec, 0);
		for (uint64_t v = lo; v < hi && !code; v++) {
			vs_sites_get(sites, v, &site);
			code = add(p, &vec, v - lo, &site, sites->contig[v],
				f->ploidy);
		}
	}
	vs_vec_free(&vec);
	return code;
}

/* Take vectors from a file. */
static int
prune_file(const struct vs_prune *asked, const char *path, double above)
{
	struct pruning p = { 0 };
	struct vs_packed *f = NULL;
	struct vs_sites sites = { 0 };
	int code = vs_packed_open(&f, path, 0);

	if (!code) {
		code = vs_packed_want_genotypes(f);
		if (code)
			vs_fail_append("; of numbers give a result of vsim-run "
				       "-m r2 --merge");
	}
	if (!code)
		code = vs_packed_sites(f, &sites);
	if (!code)
		code = pruning_new(&p, asked, above, f->n_field);
	if (!code)
		code = read_all(&p, f, &sites);
	if (!code)
		code = pruning_write(&p, &sites.id);
	pruning_free(&p);
	vs_sites_free(&sites);
	vs_packed_close(f);
	return code;
}

struct input {
	struct pruning pruning;
	struct vs_sites *sites; /* ids and contigs alone */
};

static int
give(void *input, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_site *site)
{
	struct input *in = input;
	int32_t contig;
	int code = 0;

	for (; lo < hi && !code; lo++, site++) {
		code = vs_text_pool_add(&in->sites->id, site->id, site->id_len);
		if (!code)
			code = vs_sites_contig(in->sites, site->contig,
				site->contig_len, &contig);
		if (!code)
			code = add(&in->pruning, vec, lo, site, contig, 2);
	}
	return code;
}

/* Take vectors from a reader. */
static int
prune_input(const struct vs_prune *asked, struct vs_genotypes *from,
	double above)
{
	struct input in = { .sites = &from->sites };
	int code = vs_genotypes_open(from);

	from->import.give = give;
	from->import.giving = &in;
	if (!code)
		code = pruning_new(&in.pruning, asked, above, from->samples->n);
	if (!code)
		code = vs_genotypes_read(from);
	if (!code)
		code = pruning_write(&in.pruning, &from->sites.id);
	if (!code) {
		vs_genotypes_warn_of_names(from);
		vs_genotypes_warn(from);
	}
	pruning_free(&in.pruning);
	return code;
}

int
vs_prune_vectors(const struct vs_prune *asked, struct vs_genotypes *in,
	const char *path, double above, bool force)
{
	int code = vs_prune_may_write(asked->prefix, force);

	if (code)
		return code;
	return in->kind ? prune_input(asked, in, above)
			: prune_file(asked, path, above);
}
