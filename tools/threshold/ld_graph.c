/* SPDX-License-Identifier: BSD-3-Clause */
/* LD graph of a merged result, as rows of later neighbours of each variant. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/results/result_seen.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/threshold/ld_graph.h"

#define DOSAGE 16384        /* units of a copy of an allele */
#define BLOCK (16ull << 20) /* bytes of vectors read together */

/* ---- whether the result lists what is needed ---- */

static bool
is_wanted(const struct vs_ld_window *w)
{
	return w->variants > 0 || w->bases > 0;
}

/* Refuse a run whose rules exclude pairs of the window. */
static int
check_filter(const struct vs_run *run, const char *path,
	const struct vs_ld_window *w)
{
	struct vs_pair_rules r = { 0 };

	if (!*run->pair_filter || !is_wanted(w))
		return 0;
	if (!vs_pair_rules_read(run->pair_filter, &r))
		return vs_fail(VS_EINPUT, "%s: pair_filter %s is not known",
			path, run->pair_filter);
	if (r.inter || r.min_kb > 0 || r.max_cm > 0 ||
		(r.max_kb > 0 && !w->bases) ||
		(r.max_kb > 0 && vs_pair_rules_most(&r) < w->bases) ||
		(r.max_sites > 0 && w->bases > 0) ||
		(r.max_sites > 0 && r.max_sites < w->variants - 1))
		return vs_fail(VS_EUSAGE,
			"%s has pairs of %s alone: a smaller window is needed, "
			"or a run with a longer distance",
			path, run->pair_filter);
	return 0;
}

static int
check(const struct vs_result *r, const char *path, double *above,
	const struct vs_ld_window *w)
{
	const struct vs_run *run = &r->run;
	const bool ge = !strcmp(run->threshold_op, "ge");
	const bool all = isnan(*above);
	int code;

	if (r->kind != VS_KIND_MERGED)
		return vs_fail(VS_EUSAGE,
			"%s: not a merged result; vsim-merge or vsim-run "
			"--merge makes one",
			path);
	if (run->n_way != 2 || vs_run_has_cells(run) ||
		vs_run_strong(run) == VS_STRONG_LOW)
		return vs_fail(VS_EUSAGE,
			"%s: a result with one value per pair is required, "
			"such as of vsim-run -m r2",
			path);
	if (*run->selection || *run->between || vs_run_limit(run) ||
		strcmp(run->coverage, "full"))
		return vs_fail(VS_EUSAGE,
			"%s: a result with all pairs above its threshold is "
			"required, not %s",
			path,
			*run->selection         ? run->selection
				: *run->between ? "those between two sets"
						: "part of them");
	if ((!ge && strcmp(run->threshold_op, "gt")) ||
		(!all && *above < run->threshold)) {
		char bound[VS_NUM_ROOM];

		vs_num_print(run->threshold, bound);
		return vs_fail(VS_EUSAGE,
			"--above: %s lists values above %s: a lower bound "
			"needs another run",
			path, bound);
	}
	/* listed pairs passed, however their values were rounded */
	if (all)
		*above = -INFINITY;
	code = vs_metric_options_passes(run, "--above", *above, true);
	return code ? code : check_filter(run, path, w);
}

/* ---- order of the genome ---- */

struct site {
	int32_t contig;
	uint32_t vector;
	int64_t first, pos, source; /* first row of the chromosome */
};

static int
by_place(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->first != y->first)
		return x->first < y->first ? -1 : 1;
	if (x->pos != y->pos)
		return x->pos < y->pos ? -1 : 1;
	return x->source < y->source ? -1 : x->source > y->source;
}

/* The sites of the vectors; chromosomes are numbered by their first
 * occurrence. */
static int
list_sites(const struct vs_vector_names *names, struct site *list)
{
	const struct vs_sites *s = &names->sites;
	int64_t *begin = NULL;
	int code = vs_mem_new(&begin, s->contig_name.n + 1, sizeof(*begin),
		"chromosomes");

	if (code)
		return code;
	for (size_t c = 0; c < s->contig_name.n; c++)
		begin[c] = INT64_MAX;
	for (uint64_t v = 0; v < names->n_vec; v++) {
		struct vs_site site;

		vs_sites_get(s, (size_t)names->row[v], &site);
		list[v] = (struct site){
			.contig = vs_prune_is_unplaced(&site)
				? -1
				: s->contig[names->row[v]],
			.vector = (uint32_t)v,
			.pos = site.pos,
			.source = site.source_row,
		};
		if (list[v].contig >= 0 &&
			site.source_row < begin[list[v].contig])
			begin[list[v].contig] = site.source_row;
	}
	for (uint64_t v = 0; v < names->n_vec; v++)
		list[v].first =
			list[v].contig < 0 ? INT64_MAX : begin[list[v].contig];
	free(begin);
	return 0;
}

/* place: [n] of each vector, or null */
static int
put_in_order(struct vs_ld_graph *g, int ploidy, uint32_t *place)
{
	struct site *list = NULL;
	int code = vs_mem_new(&list, g->n, sizeof(*list), "sites");

	VS_MEM_NEW(&code, g->vector, g->n, "sites");
	VS_MEM_NEW(&code, g->contig, g->n, "sites");
	VS_MEM_NEW(&code, g->pos, g->n, "sites");
	VS_MEM_NEW(&code, g->source, g->n, "sites");
	VS_MEM_NEW(&code, g->alleles, g->n, "sites");
	if (!code)
		code = list_sites(&g->names, list);
	if (!code)
		qsort(list, g->n, sizeof(*list), by_place);
	for (uint64_t p = 0; p < g->n && !code; p++) {
		struct vs_site site;

		if (place)
			place[list[p].vector] = (uint32_t)p;
		g->vector[p] = list[p].vector;
		g->contig[p] = list[p].contig;
		g->pos[p] = list[p].pos;
		g->source[p] = list[p].source;
		vs_ld_graph_site(g, p, &site);
		vs_prune_alleles(&site, ploidy, g->alleles[p]);
	}
	free(list);
	return code;
}

/* Alleles of a vector of dosages, in units of 2^-14, as PLINK 2 counts them;
 * false: one is not a dosage. */
static bool
sum_dosages(enum vs_element e, const void *row, uint64_t n, int64_t out[2])
{
	int64_t sum = 0, all = 0, least = INT64_MAX, most = 0;

	for (uint64_t q = 0; q < n; q++) {
		double x = vs_element_get(e, row, q);
		int64_t d;

		if (isnan(x))
			continue;
		if (x < 0 || x > 2)
			return false;
		d = llround(x * DOSAGE);
		sum += d;
		all += 2 * DOSAGE;
		least = d < least ? d : least;
		most = d > most ? d : most;
	}
	if (least >= most)
		return true;
	out[0] = sum < all - sum ? sum : all - sum;
	out[1] = all;
	return true;
}

/* Count the alleles of all vectors from their dosages. */
static int
count_dosages(struct vs_ld_graph *g, struct vs_packed *f, const char *path)
{
	const uint64_t rows = BLOCK / f->row_bytes + 1;
	int64_t(*of)[2] = NULL;
	uint8_t *block = NULL;
	int code = vs_mem_new(&of, g->n, sizeof(*of), "sites");

	if (!code)
		code = vs_mem_room(&block, rows, f->row_bytes, "vectors");
	for (uint64_t lo = 0, hi; lo < f->n_vec && !code; lo = hi) {
		hi = f->n_vec - lo < rows ? f->n_vec : lo + rows;
		code = vs_packed_rows(f, lo, hi, block);
		for (uint64_t v = lo; v < hi && !code; v++)
			if (!sum_dosages(f->element,
				    block + (v - lo) * f->row_bytes, f->n_field,
				    of[v]))
				code = vs_fail(VS_EUSAGE,
					"%s: has numbers that are not dosages "
					"from 0 to 2, so frequencies are "
					"unknown",
					path);
	}
	for (uint64_t p = 0; p < g->n && !code; p++)
		memcpy(g->alleles[p], of[g->names.row[g->vector[p]]],
			sizeof(g->alleles[p]));
	free(of);
	free(block);
	return code;
}

/* ---- pairs ---- */

struct fill {
	struct vs_ld_graph *g;
	const uint32_t *place;
	double above;
	enum vs_strong strong;
	bool both, counts; /* count each variant's pairs; else store them */
	uint64_t total;
};

static int
put(const struct fill *f, uint32_t a, uint32_t b)
{
	struct vs_ld_graph *g = f->g;

	if (f->counts)
		g->first[a + 1]++;
	else if (g->first[a] < f->total)
		g->to[g->first[a]++] = b;
	else
		return vs_fail(VS_EINPUT, "changed while it was read");
	return 0;
}

static int
see(void *with, struct vs_record *rec, size_t n)
{
	const struct fill *f = with;
	int code = 0;

	for (size_t x = 0; x < n && !code; x++) {
		const uint32_t a = f->place[rec[x].i], b = f->place[rec[x].j];

		if (!(vs_strength(f->strong, rec[x].value) > f->above))
			continue;
		code = a < b || f->both ? put(f, a, b) : 0;
		if (!code && (b < a || f->both))
			code = put(f, b, a);
	}
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static int
read_pairs(struct vs_ld_graph *g, struct vs_result *r, const uint32_t *place,
	double above, bool both)
{
	struct fill f = { g, place, above, vs_run_strong(&r->run), both, true,
		0 };
	int code = vs_mem_new(&g->first, g->n + 2, sizeof(*g->first), "pairs");

	if (!code)
		code = vs_result_watch(r, false);
	if (!code)
		code = vs_result_io_each(r, 0, r->n_records, see, &f);
	if (!code)
		code = vs_result_seen_check(r);
	for (uint64_t p = 0; p < g->n && !code; p++)
		g->first[p + 1] += g->first[p];
	VS_MEM_NEW(&code, g->to, g->first[g->n] + 1, "pairs");
	f.counts = false;
	f.total = code ? 0 : g->first[g->n];
	if (!code)
		code = vs_result_io_each(r, 0, r->n_records, see, &f);
	if (code)
		return code;
	/* each start has become the end */
	for (uint64_t p = g->n; p; p--)
		g->first[p] = g->first[p - 1];
	g->first[0] = 0;
	for (uint64_t p = 0; p < g->n; p++)
		qsort(g->to + g->first[p], g->first[p + 1] - g->first[p],
			sizeof(*g->to), by_number);
	return 0;
}

int
vs_ld_graph_read(struct vs_ld_graph *g, const char *path, const char *vectors,
	double above, const struct vs_ld_window *window, bool both)
{
	struct vs_packed *packed = NULL;
	struct vs_result *r = NULL;
	uint32_t *place = NULL;
	bool numbers;
	int code = vs_result_open(&r, path, 0);

	memset(g, 0, sizeof(*g));
	if (!code)
		code = check(r, path, &above, window);
	if (!code)
		code = vs_vector_names_open(&packed, &r->run, path, vectors,
			"");
	if (!code)
		code = vs_vector_names_of_vectors(&g->names, packed,
			!strcmp(r->run.index_space, "source"));
	g->n = g->names.n_vec;
	numbers = !code && vs_element_is_number(packed->element);
	if (numbers && !packed->sited)
		code = vs_fail(VS_EUSAGE,
			"%s: has numbers; variants are required, or dosages of "
			"vsim-pack --format-field DS",
			path);
	VS_MEM_NEW(&code, place, g->n, "sites");
	if (!code)
		code = put_in_order(g, packed->ploidy, place);
	if (!code && numbers && !both)
		code = count_dosages(g, packed, path);
	if (!code)
		code = read_pairs(g, r, place, above, both);
	free(place);
	vs_packed_close(packed);
	vs_result_close(r);
	return code;
}

int
vs_ld_graph_of_vectors(struct vs_ld_graph *g, struct vs_packed *f)
{
	int code = vs_vector_names_of_vectors(&g->names, f, false);

	g->n = g->names.n_vec;
	return code ? code : put_in_order(g, f->ploidy, NULL);
}

void
vs_ld_graph_site(const struct vs_ld_graph *g, uint64_t place, struct vs_site *s)
{
	vs_sites_get(&g->names.sites, (size_t)g->names.row[g->vector[place]],
		s);
}

double
vs_ld_graph_kb(int64_t x)
{
	int64_t unit = 1, digits, twice;

	while (x / unit >= 1000000)
		unit *= 10;
	digits = x / unit;
	twice = 2 * (x % unit);
	digits += twice > unit || (twice == unit && digits % 2);
	return (double)(digits * unit) / 1000;
}

void
vs_ld_graph_free(struct vs_ld_graph *g)
{
	vs_vector_names_free(&g->names);
	free(g->vector);
	free(g->contig);
	free(g->pos);
	free(g->source);
	free(g->alleles);
	free(g->first);
	free(g->to);
	memset(g, 0, sizeof(*g));
}
