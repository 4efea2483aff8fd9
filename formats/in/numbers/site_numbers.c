/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers of sites, for the samples kept; sites are filtered as for calls. */
#include <math.h>
#include <string.h>

#include "formats/in/numbers/site_numbers.h"
#include "libcore/base/fail.h"

int
vs_site_numbers_open(struct vs_matrix *m)
{
	struct vs_site_numbers *s = m->state;
	int code;

	m->reader = &s->reader;
	m->site = &s->site;
	m->n_cell = s->reader.samples.n;
	m->cell_id = s->reader.samples.id;
	memset(&s->reader.samples.id, 0, sizeof(s->reader.samples.id));
	code = vs_reader_samples(&s->reader, &m->cell_id);
	return code ? code
		    : vs_text_add(&m->note, "%s of %llu samples", m->how.field,
			      (unsigned long long)m->n_cell);
}

uint64_t
vs_site_numbers_sample(const struct vs_matrix *m, uint64_t cell)
{
	return m->choice && m->choice->keep ? (uint64_t)m->choice->keep[cell]
					    : cell;
}

static int
no_dosage(const struct vs_matrix *m, uint64_t cell)
{
	char place[VS_MATRIX_PLACE];

	m->kind->place(m, cell, place, sizeof(place));
	return vs_fail(VS_EINPUT,
		"%s: %s: is not a dosage from 0 to 2, which a frequency needs; "
		"leave --maf and --drop-monomorphic out",
		vs_lines_name(m->lines), place);
}

/* Filters on dosages, in the order of those on calls. 1: passes; 0; negative */
static int
judge(const struct vs_matrix *m, const double *cell)
{
	struct vs_import *in = m->choice;
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
	struct vs_site_numbers *s = m->state;
	struct vs_import *in = m->choice;
	int code = vs_reader_site(&s->reader, &s->site);

	if (code)
		return code;
	m->line_id = s->site.id;
	m->line_id_len = s->site.id_len;
	if (in)
		in->n_read++;
	if (in && in->filter && !vs_site_choice_passes(in->filter, &s->site)) {
		in->n_unwanted++;
		return 0;
	}
	code = m->kind->values(m, cell);
	return code ? code : in ? judge(m, cell) : 1;
}

int
vs_site_numbers_next(struct vs_matrix *m, double *cell)
{
	int code, passed = 0;

	while (!passed) {
		code = m->kind->site(m);
		if (code != 1)
			return code;
		passed = read_site(m, cell);
	}
	if (passed == 1 && m->choice)
		m->choice->n_kept++;
	return passed;
}
