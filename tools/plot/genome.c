/* SPDX-License-Identifier: BSD-3-Clause */
/* Order of vectors along the genome, by chromosome and position. */
#include <stdlib.h>

#include "libcore/base/mem.h"
#include "tools/plot/genome.h"

struct place {
	int32_t contig;
	uint32_t vector;
	int64_t pos, source;
	size_t row;
};

static int
order(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	/* what is unknown, -1 and 0, is the greatest */
	if (x->contig != y->contig)
		return (uint32_t)x->contig > (uint32_t)y->contig ? 1 : -1;
	if (x->pos != y->pos)
		return (uint64_t)x->pos - 1 > (uint64_t)y->pos - 1 ? 1 : -1;
	return (x->source > y->source) - (x->source < y->source);
}

/* Those that are picked, or their number alone where place is null. */
static size_t
pick(const struct vs_plot *p, struct place *place)
{
	const struct vs_sites *s = &p->names->sites;
	size_t n = 0;

	for (uint64_t v = 0; v < p->names->n_vec; v++) {
		int64_t row = p->names->row[v];

		if (row < 0 || !vs_selection_has(p->lines->ids, v) ||
			!vs_selection_has(p->lines->regions, v))
			continue;
		if (place)
			place[n] = (struct place){ s->contig[row], (uint32_t)v,
				s->contig[row] < 0 || s->pos[row] < 1
					? 0
					: s->pos[row],
				s->source_row[row], (size_t)row };
		n++;
	}
	return n;
}

static int
add_segments(struct vs_genome *g, const struct place *place)
{
	struct vs_genome_segment *s = NULL;
	size_t n = 0;
	int code;

	for (size_t k = 0; k < g->n; k++)
		n += !k || place[k].contig != place[k - 1].contig;
	code = vs_mem_new(&g->segment, n, sizeof(*g->segment), "chromosomes");
	for (size_t k = 0; k < g->n && !code; k++) {
		if (!k || place[k].contig != place[k - 1].contig) {
			s = &g->segment[g->n_segment++];
			s->lo = k;
			s->contig = place[k].contig;
		}
		s->hi = k + 1;
		s->to = place[k].pos ? place[k].pos : s->to;
		s->from = s->from ? s->from : place[k].pos;
	}
	return code;
}

int
vs_genome_make(struct vs_genome *g, const struct vs_plot *p)
{
	const uint64_t n_vec = p->names->n_vec;
	struct place *place = NULL;
	int code;

	g->sites = &p->names->sites;
	g->n = pick(p, NULL);
	code = vs_mem_room(&place, g->n, sizeof(*place), "places");
	if (!code)
		code = vs_mem_new(&g->vector, g->n, sizeof(*g->vector),
			"places");
	if (!code)
		code = vs_mem_new(&g->row, g->n, sizeof(*g->row), "places");
	if (!code)
		code = vs_mem_new(&g->pos, g->n, sizeof(*g->pos), "places");
	if (!code)
		code = vs_mem_room(&g->place, n_vec, sizeof(*g->place),
			"places");
	if (code)
		goto out;
	pick(p, place);
	if (g->n)
		qsort(place, g->n, sizeof(*place), order);
	memset(g->place, 0xff, n_vec * sizeof(*g->place));
	for (size_t k = 0; k < g->n; k++) {
		g->vector[k] = place[k].vector;
		g->row[k] = place[k].row;
		g->pos[k] = place[k].pos;
		g->place[place[k].vector] = (uint32_t)k;
	}
	code = add_segments(g, place);
out:
	free(place);
	return code;
}

void
vs_genome_free(struct vs_genome *g)
{
	free(g->vector);
	free(g->row);
	free(g->pos);
	free(g->place);
	free(g->segment);
	memset(g, 0, sizeof(*g));
}

const char *
vs_genome_name(const struct vs_genome *g, size_t segment, size_t *len)
{
	const int32_t contig = g->segment[segment].contig;

	*len = 0;
	return contig < 0
		? ""
		: vs_text_pool_get(&g->sites->contig_name, (size_t)contig, len);
}

const char *
vs_genome_unit(int64_t range, double *bases)
{
	*bases = range < 2000000 ? 1e3 : 1e6;
	return range < 2000000 ? "kb" : "Mb";
}
