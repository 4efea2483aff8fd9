/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of sites, for the samples kept; sites are filtered as for calls. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

struct sites {
	struct vs_input_site now;
	double *value; /* of all samples */
};

static uint64_t
sample_of(const struct vs_matrix *m, uint64_t cell)
{
	const int64_t *keep = m->how.sites->keep;

	return keep ? (uint64_t)keep[cell] : cell;
}

static int
sites_open(struct vs_matrix *m)
{
	struct sites *s = m->state;
	const struct vs_reader *r = m->how.sites->reader;
	int code = vs_mem_room(&s->value, r->samples.n, sizeof(*s->value),
		"numbers");

	m->site = &s->now.site;
	m->part = r->part;
	m->n_cell = m->how.sites->n_field;
	for (uint64_t c = 0; c < m->n_cell && !code; c++)
		code = vs_text_pool_add_row(&m->cell_id, &r->samples.id,
			sample_of(m, c));
	return code ? code
		    : vs_text_add(&m->note, "%s of %llu samples", r->field,
			      (unsigned long long)m->n_cell);
}

static void
sites_place(const struct vs_matrix *m, uint64_t cell, char *text, size_t room)
{
	const struct vs_site *s = m->site;
	size_t len;
	const char *sample = vs_text_pool_get(&m->cell_id, cell, &len);

	snprintf(text, room, "%.*s (%.*s:%lld), sample %.*s",
		s->id_len < 40 ? (int)s->id_len : 40, s->id,
		s->contig_len < 20 ? (int)s->contig_len : 20, s->contig,
		(long long)s->pos, len < 60 ? (int)len : 60, sample);
}

static int
no_dosage(const struct vs_matrix *m, uint64_t cell)
{
	char place[VS_MATRIX_PLACE];

	sites_place(m, cell, place, sizeof(place));
	return vs_fail(VS_EINPUT,
		"%s: %s: is not a dosage from 0 to 2, which a frequency needs; "
		"leave --maf and --drop-monomorphic out",
		m->name, place);
}

/* Filters on dosages, in the order of those on calls. 1: passes; 0; negative */
static int
judge(const struct vs_matrix *m, const double *cell)
{
	struct vs_import *in = m->how.sites;
	const bool frequency = in->maf > 0 || in->drop_monomorphic;
	double sum = 0, rarer;
	uint64_t n = 0;

	for (uint64_t c = 0; c < m->n_cell; c++) {
		if (isnan(cell[c]))
			continue;
		if (frequency && (cell[c] < 0 || cell[c] > 2))
			return no_dosage(m, c);
		sum += cell[c];
		n++;
	}
	rarer = sum < (double)n ? sum : 2 * (double)n - sum;
	if ((double)(m->n_cell - n) / (double)m->n_cell > in->max_missing)
		in->n_missing++;
	else if (in->drop_monomorphic && rarer <= 0)
		in->n_monomorphic++;
	else if (in->maf > 0 && (!n || rarer / (2 * (double)n) < in->maf))
		in->n_rare++;
	else
		return 1;
	return 0;
}

/* Deliver the site found, and its numbers. 1: passes; 0; negative */
static int
read_site(struct vs_matrix *m, double *cell)
{
	struct sites *s = m->state;
	struct vs_import *in = m->how.sites;
	int code;

	m->line_id = s->now.site.id;
	m->line_id_len = s->now.site.id_len;
	in->n_read++;
	if (in->filter && !vs_site_choice_passes(in->filter, &s->now.site)) {
		in->n_unwanted++;
		return 0;
	}
	code = in->reader->kind->values(in->reader, s->value);
	for (uint64_t c = 0; c < m->n_cell && !code; c++)
		cell[c] = s->value[sample_of(m, c)];
	return code ? code : judge(m, cell);
}

static int
sites_next(struct vs_matrix *m, double *cell)
{
	struct sites *s = m->state;
	int code, passed = 0;

	while (!passed) {
		code = vs_reader_next(m->how.sites->reader, &s->now);
		if (code != 1)
			return code;
		passed = read_site(m, cell);
	}
	if (passed == 1)
		m->how.sites->n_kept++;
	return passed;
}

static void
sites_close(struct vs_matrix *m)
{
	struct sites *s = m->state;

	free(s->value);
}

const struct vs_matrix_kind vs_matrix_sites = {
	.state = sizeof(struct sites),
	.open = sites_open,
	.next = sites_next,
	.place = sites_place,
	.close = sites_close,
};
