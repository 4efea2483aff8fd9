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
	enum vs_cpu cpu;
	/* vector at place p of the scan is row p & (ring.n_vec - 1) */
	struct vs_vec ring;
	struct sums *sums; /* for each of its rows */
	/* for each place of the scan */
	int32_t *contig;
	int64_t *pos, (*alleles)[2], *site;
	struct vs_prune_place *place;
	uint8_t *out;
	size_t room[6];
	/* of all sites, so far */
	uint8_t *removed;
	size_t n_site, room_removed;
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

static bool
exceeds(const struct pruning *p, size_t a, size_t b)
{
	const size_t n_word = p->ring.n_word, n_field = p->ring.n_field;
	const uint64_t *const x = vs_vec_plane(&p->ring, a, 0);
	const uint64_t *const y = vs_vec_plane(&p->ring, b, 0);
	struct vs_joint_moments n;
	struct vs_moments m;

	if (n_word > NARROW &&
		is_below(&p->sums[a], &p->sums[b], (int64_t)n_field,
			vs_joint_moments_product(p->cpu, x, y, n_word),
			p->above))
		return false;
	vs_joint_moments(p->cpu, x, y, n_word, n_field, &n);
	m = (struct vs_moments){
		.c = n.n,
		.p = n.product,
		.si = n.sum[0],
		.sj = n.sum[1],
		.qi = n.square[0],
		.qj = n.square[1],
	};
	return vs_r2_value(&m) > p->above;
}

static uint64_t
find(void *with, uint64_t a, uint64_t from, uint64_t end)
{
	const struct pruning *p = with;
	const size_t mask = p->ring.n_vec - 1;

	while (from < end &&
		(p->out[from] || !exceeds(p, a & mask, from & mask)))
		from++;
	return from;
}

/* ---- the ring ---- */

static void
put_row(struct vs_vec *ring, uint64_t p, const struct vs_vec *from, size_t row)
{
	for (int k = 0; k < 2; k++) {
		uint64_t *plane = vs_vec_plane(ring, p & (ring->n_vec - 1), k);
		const size_t n = from->n_word < ring->n_word ? from->n_word
							     : ring->n_word;

		memcpy(plane, vs_vec_plane(from, row, k), 8 * n);
	}
}

/* Make room for the vectors from the window's first on, and one more. */
static int
ring_room(struct pruning *p)
{
	const uint64_t n = p->scan.n - p->scan.begin + 1;
	const size_t had = p->ring.n_vec, mask = 2 * had - 1;
	struct vs_vec more = { 0 };
	struct sums *sums = NULL;
	int code;

	if (n <= had)
		return 0;
	code = vs_vec_new(&more, 2 * had, p->ring.n_field);
	VS_MEM_NEW(&code, sums, 2 * had, "variants");
	if (code) {
		vs_vec_free(&more);
		return code;
	}
	for (uint64_t v = p->scan.begin; v < p->scan.n; v++) {
		put_row(&more, v, &p->ring, v & (had - 1));
		sums[v & mask] = p->sums[v & (had - 1)];
	}
	vs_vec_free(&p->ring);
	free(p->sums);
	p->ring = more;
	p->sums = sums;
	return 0;
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
check_order(struct pruning *p, const struct vs_site *site, int32_t contig,
	size_t n_contig)
{
	const int32_t last = p->scan.n ? p->contig[p->scan.n - 1] : contig;
	const size_t n_was = p->n_ended;
	int code =
		vs_mem_grow(&p->ended, &p->n_ended, n_contig, 1, "chromosomes");

	if (code)
		return code;
	memset(p->ended + n_was, 0, p->n_ended - n_was);
	if (last != contig)
		p->ended[last] = 1;
	else if (p->scan.n && site->pos < p->pos[p->scan.n - 1])
		return refuse_order(site, "its position is below the last");
	return p->ended[contig]
		? refuse_order(site, "its chromosome had ended before")
		: 0;
}

/* Room for n places. */
static int
room_of_places(struct pruning *p, uint64_t n)
{
	const struct {
		void *at;
		size_t size;
	} row[] = {
		{ &p->contig, sizeof(*p->contig) },
		{ &p->pos, sizeof(*p->pos) },
		{ &p->alleles, sizeof(*p->alleles) },
		{ &p->site, sizeof(*p->site) },
		{ &p->place, sizeof(*p->place) },
		{ &p->out, sizeof(*p->out) },
	};
	int code = 0;

	for (int k = 0; k < 6 && !code; k++)
		code = vs_mem_grow(row[k].at, &p->room[k], n, row[k].size,
			"variants");
	p->scan.contig = p->contig;
	p->scan.pos = p->pos;
	p->scan.alleles = (const int64_t(*)[2])p->alleles;
	p->scan.place = p->place;
	p->scan.out = p->out;
	return code;
}

/* A variant with a place on a chromosome. */
static int
add_place(struct pruning *p, const struct vs_vec *vec, size_t row,
	const struct vs_site *site, int32_t contig, const int64_t alleles[2])
{
	const uint64_t n = p->scan.n;
	int code = room_of_places(p, n + 1);

	if (!code)
		code = ring_room(p);
	if (code)
		return code;
	p->contig[n] = contig;
	p->pos[n] = site->pos;
	memcpy(p->alleles[n], alleles, sizeof(p->alleles[n]));
	p->site[n] = (int64_t)p->n_site;
	p->place[n] = (struct vs_prune_place){ 0 };
	p->out[n] = !alleles[1];
	put_row(&p->ring, n, vec, row);
	p->sums[n & (p->ring.n_vec - 1)] = (struct sums){ .one = site->count[1],
		.two = site->count[2],
		.missing = site->count[3],
		.s = site->count[1] + 2 * site->count[2],
		.q = site->count[1] + 4 * site->count[2] };
	p->scan.n++;
	return 0;
}

static int
add(struct pruning *p, const struct vs_vec *vec, size_t row,
	const struct vs_sites *sites, int ploidy)
{
	struct vs_site site;
	int64_t alleles[2];
	int32_t contig = sites->contig[p->n_site];
	int code = vs_mem_grow(&p->removed, &p->room_removed, p->n_site + 1, 1,
		"variants");

	if (code)
		return code;
	vs_sites_get(sites, p->n_site, &site);
	vs_prune_alleles(&site, ploidy, alleles);
	p->removed[p->n_site] = !alleles[1];
	/* variants of no chromosome are in no window */
	if (contig >= 0 && !vs_prune_is_unplaced(&site)) {
		code = check_order(p, &site, contig, sites->contig_name.n);
		if (!code)
			code = add_place(p, vec, row, &site, contig, alleles);
	}
	p->n_site++;
	return code;
}

/* ---- */

/*
 * above    r2 that a pair must exceed
 * n_field  samples
 * n_vec    variants, as far as known, or -1
 * returns  0; VS_EUSAGE; VS_EINPUT: too many samples; VS_EMACHINE. Free it in
 *          either case
 */
static int
pruning_new(struct pruning **out, const struct vs_prune *asked, double above,
	size_t n_field, int64_t n_vec)
{
	struct pruning *p;
	int code = n_field >= 1 << 24
		? vs_fail(VS_EINPUT, "%zu samples: r2 is exact below 16777216",
			  n_field)
		: vs_mem_new(&p, 1, sizeof(*p), "pruning");

	if (code)
		return code;
	*out = p;
	p->prefix = asked->prefix;
	p->above = above;
	p->scan.step = asked->step ? (uint64_t)asked->step : 1;
	p->scan.find = find;
	p->scan.with = p;
	code = vs_prune_check(asked, &p->scan.window);
	if (!code)
		code = vs_cpu_choose(NULL, &p->cpu);
	VS_MEM_NEW(&code, p->sums, RING_LEAST, "variants");
	if (!code && n_vec > 0)
		code = room_of_places(p, (uint64_t)n_vec);
	return code ? code : vs_vec_new(&p->ring, RING_LEAST, n_field);
}

/*
 * Take the next variants, rows [lo, hi) of vec, in genome order: each
 * chromosome in one piece, with ascending positions; those of chromosome 0 may
 * come anywhere.
 * sites   all variants so far, with their counts
 * ploidy  of the calls, 1 or 2
 * returns  0; VS_EINPUT: another order; VS_EMACHINE
 */
static int
pruning_add(struct pruning *p, const struct vs_vec *vec, uint64_t lo,
	uint64_t hi, const struct vs_sites *sites, int ploidy)
{
	int code = 0;

	for (uint64_t row = lo; row < hi && !code; row++) {
		code = add(p, vec, row, sites, ploidy);
		/* at once, so that the ring holds no more than a window */
		if (!code)
			vs_prune_scan(&p->scan, false);
	}
	return code;
}

/* End: prune what is left, and write the lists. */
static int
pruning_write(struct pruning *p, const struct vs_sites *sites)
{
	int64_t *row = NULL;
	int code = vs_mem_new(&row, p->n_site, sizeof(*row), "variants");

	vs_prune_scan(&p->scan, true);
	for (uint64_t v = 0; v < p->scan.n; v++)
		p->removed[p->site[v]] = p->out[v];
	for (size_t k = 0; k < p->n_site && !code; k++)
		row[k] = (int64_t)k;
	if (!code)
		code = vs_prune_write(p->prefix, &sites->id, p->n_site, row,
			p->removed);
	free(row);
	return code;
}

static void
pruning_free(struct pruning *p)
{
	if (!p)
		return;
	vs_vec_free(&p->ring);
	free(p->sums);
	free(p->contig);
	free(p->pos);
	free(p->alleles);
	free(p->site);
	free(p->place);
	free(p->out);
	free(p->removed);
	free(p->ended);
	free(p);
}

#define BLOCK (4ull << 20) /* bytes of vectors read together */

static int
read_all(struct pruning *p, struct vs_packed *f, const struct vs_sites *sites)
{
	const uint64_t rows = BLOCK / (f->row_bytes + 1) + 1;
	struct vs_vec vec = { 0 };
	int code = vs_vec_new(&vec, rows, f->n_field);

	for (uint64_t lo = 0, hi; lo < f->n_vec && !code; lo = hi) {
		hi = f->n_vec - lo < rows ? f->n_vec : lo + rows;
		code = vs_packed_read(f, lo, hi, &vec, 0);
		if (!code)
			code = pruning_add(p, &vec, 0, hi - lo, sites,
				f->ploidy);
	}
	vs_vec_free(&vec);
	return code;
}

/* Take vectors from a file. */
static int
prune_file(const struct vs_prune *asked, const char *path, double above)
{
	struct pruning *p = NULL;
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
		code = pruning_new(&p, asked, above, f->n_field,
			(int64_t)f->n_vec);
	if (!code)
		code = read_all(p, f, &sites);
	if (!code)
		code = pruning_write(p, &sites);
	pruning_free(p);
	vs_sites_free(&sites);
	vs_packed_close(f);
	return code;
}

static int
give(void *pruning, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_sites *sites)
{
	return pruning_add(pruning, vec, lo, hi, sites, 2);
}

/* Take vectors from a reader. */
static int
prune_input(const struct vs_prune *asked, struct vs_genotypes *in, double above)
{
	struct pruning *p = NULL;
	int code = vs_genotypes_open(in);

	if (!code)
		code = pruning_new(&p, asked, above, in->samples->n,
			in->import.filter ? -1 : in->reader.n_site);
	if (!code)
		code = vs_genotypes_read(in, give, p);
	if (!code)
		code = pruning_write(p, &in->sites);
	if (!code) {
		vs_genotypes_warn_of_names(in);
		vs_genotypes_warn(in);
	}
	pruning_free(p);
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
