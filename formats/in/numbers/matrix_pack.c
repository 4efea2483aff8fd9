/* SPDX-License-Identifier: BSD-3-Clause */
/* Writing of a matrix, as it is or transposed, into a vectors file. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/bits/numbers.h"

#define BLOCK (4u << 20) /* bytes written together */
#define MISSING 3        /* of bits, as vs_vec_set() has it */

/* Lines read so far, in an element that holds them all. */
struct store {
	enum vs_element element;
	uint8_t *rows;
	size_t room, n;
	uint64_t n_cell;
	uint64_t most; /* bytes it may take */
};

/* ---- elements ---- */

/*
 * Element that numbers are held in: presence is a byte until it is packed as a
 * bit.
 */
static enum vs_element
kept_as(enum vs_element e)
{
	return e == VS_BIT2 ? VS_NUM_U8 : e;
}

static bool
fits(enum vs_element e, double x)
{
	return e == VS_BIT2 ? x == 0 || x == 1 || isnan(x)
			    : isnan(x) || vs_element_fits(e, x);
}

/* A number as it is held: a missing bit is the code of genotypes. */
static double
to_keep(enum vs_element e, double x)
{
	return e == VS_NUM_U8 && isnan(x) ? MISSING : x;
}

/* Smallest integer type from e on that holds a line, or f64. */
static enum vs_element
least(enum vs_element e, const double *cell, uint64_t n)
{
	for (uint64_t c = 0; c < n && e != VS_NUM_F64; c++)
		while (e != VS_NUM_F64 && !vs_element_fits(e, cell[c]))
			e = e == VS_NUM_U32 ? VS_NUM_F64
					    : (enum vs_element)(e + 1);
	return e;
}

static int
check_fits(const struct vs_matrix *m, const double *cell)
{
	enum vs_element e = m->how.element;
	char place[VS_MATRIX_PLACE], text[VS_NUM_ROOM];

	for (uint64_t c = 0; c < m->n_cell; c++) {
		if (fits(e, cell[c]))
			continue;
		m->kind->place(m, c, place, sizeof(place));
		vs_num_print(cell[c], text);
		return vs_fail(VS_EINPUT,
			"%s: %s: %s does not fit %s; without --element the "
			"type is chosen to hold all entries",
			m->name, place, text,
			e == VS_BIT2 ? "a bit" : vs_element_name(e));
	}
	return 0;
}

/* ---- lines held in memory ---- */

static int
make_room(const struct vs_matrix *m, struct store *s, enum vs_element e)
{
	size_t bytes = vs_element_bytes(e);
	double need = (double)(s->n + 1) * (double)s->n_cell * (double)bytes;
	int code;

	if (need > (double)s->most)
		return vs_fail(VS_EMACHINE,
			"%s: takes more than the %llu MiB of memory there are; "
			"state --element, and give vectors as lines, to have "
			"it read piece by piece",
			m->name, (unsigned long long)(s->most >> 20));
	code = vs_mem_grow(&s->rows, &s->room,
		(s->n + 1) * (size_t)s->n_cell * bytes, 1, "the matrix");
	if (code || e == s->element)
		return code;
	for (size_t k = s->n * s->n_cell; k-- > 0;)
		vs_element_put(e, s->rows, k,
			vs_element_get(s->element, s->rows, k));
	s->element = e;
	return 0;
}

static int
keep_line(const struct vs_matrix *m, struct store *s, const double *cell)
{
	enum vs_element e = m->how.smallest ? least(s->element, cell, s->n_cell)
					    : s->element;
	int code = make_room(m, s, e);

	if (code)
		return code;
	for (uint64_t c = 0; c < s->n_cell; c++)
		vs_element_put(e, s->rows, s->n * s->n_cell + c,
			to_keep(e, cell[c]));
	s->n++;
	return 0;
}

/* ---- names ---- */

/* Name of a line or cell, else made from a letter and its number from 0. */
static int
add_name(struct vs_matrix *m, struct vs_text_pool *to, const char *name,
	size_t len, char letter, uint64_t k)
{
	char made[32];

	if (len)
		return vs_names_add(to, name, len,
			m->how.sites ? NULL : &m->names);
	return vs_text_pool_add(to, made,
		(size_t)snprintf(made, sizeof(made), "%c%llu", letter,
			(unsigned long long)k + 1));
}

static int
name_cells(struct vs_matrix *m, struct vs_text_pool *to, char letter)
{
	int code = 0;

	for (uint64_t c = 0; c < m->n_cell && !code; c++) {
		size_t len = 0;
		const char *name = m->cell_id.n
			? vs_text_pool_get(&m->cell_id, c, &len)
			: "";

		code = add_name(m, to, name, len, letter, c);
	}
	return code;
}

static int
check_fields(const struct vs_matrix *m, const struct vs_text_pool *id)
{
	struct vs_text_index index = { 0 };
	int code = vs_text_index_make(&index, id);
	int64_t row = code ? -1 : vs_text_index_duplicate(&index);
	size_t len;

	if (row >= 0) {
		const char *name = vs_text_pool_get(id, (size_t)row, &len);

		code = vs_fail(VS_EINPUT,
			"%s: field %.*s occurs twice; rename or drop one",
			m->name, len > 60 ? 60 : (int)len, name);
	}
	vs_text_index_free(&index);
	return code;
}

/* ---- writing ---- */

struct packing {
	struct vs_matrix *m;
	struct vs_packed_plan *plan;
	struct vs_packed_writer **w;
	struct store store;
	double *cell;
	struct vs_normalize_item *item; /* room to normalize a vector */
	struct vs_text_pool vector, field;
	struct vs_sites *sites;
	bool turned; /* lines are fields */
	uint8_t *block;
	uint64_t n_block, room_block; /* vectors in block */
	uint64_t n_flushed;           /* vectors before it */
	int64_t (*count)[4];          /* of each vector of bits: genotypes */
	size_t n_count, room_count;
};

static int
create(struct packing *p, enum vs_element e, uint64_t n_vec, uint64_t n_field)
{
	uint64_t bytes = n_field * vs_element_bytes(kept_as(e));

	p->plan->element = e;
	p->plan->n_vec = n_vec;
	p->plan->n_field = n_field;
	p->plan->ploidy = 1;
	p->plan->allele_rule = "given";
	p->room_block = bytes ? BLOCK / bytes + 1 : 1;
	return vs_packed_create(p->w, p->plan);
}

/* Turn bytes of presence into genotypes of one allele. */
static int
flush_bits(struct packing *p)
{
	struct vs_vec b = { 0 };
	uint64_t n = p->plan->n_field;
	int code = vs_vec_new(&b, p->n_block, n);

	if (!code)
		code = vs_mem_grow(&p->count, &p->room_count,
			p->n_count + p->n_block, sizeof(*p->count), "counts");
	for (uint64_t v = 0; v < p->n_block && !code; v++) {
		for (uint64_t q = 0; q < n; q++)
			if (p->block[v * n + q])
				vs_vec_set(&b, v, q, p->block[v * n + q]);
		vs_vec_count(&b, v, p->count[p->n_count++]);
	}
	if (!code)
		code = vs_packed_add(*p->w, &b, 0, p->n_block);
	vs_vec_free(&b);
	return code;
}

static int
wrong_vector(const struct packing *p, uint64_t v, const char *why)
{
	size_t len;
	const char *name = vs_text_pool_get(&p->vector, v, &len);

	return vs_fail(VS_EINPUT, "%s: %s %llu, %.*s: %s", p->m->name,
		p->m->how.transpose ? "column" : "row",
		(unsigned long long)v + 1, len > 60 ? 60 : (int)len, name, why);
}

/* Refuse the first vector of a block with a sum too large for any program. */
static int
check_sums(const struct packing *p)
{
	enum vs_element e = p->plan->element;
	uint64_t hi = p->n_flushed + p->n_block;
	unsigned kinds = vs_packed_kinds(*p->w);

	if (kinds & VS_NUMBER_NEGATIVE && kinds & VS_NUMBER_HUGE)
		return vs_fail(VS_EINPUT,
			"%s: some numbers are negative, and some are 2^990 or "
			"more, or less than -2^990, too large to compare; "
			"divide all numbers by a constant",
			p->m->name);
	for (uint64_t v = p->n_flushed; v < hi; v++)
		if (!vs_numbers_total_fits(e, vs_packed_sum(*p->w, v)))
			return wrong_vector(p, v, vs_numbers_too_much(e));
	return 0;
}

static int
flush(struct packing *p)
{
	bool bits = p->plan->element == VS_BIT2;
	int code = 0;

	if (p->n_block)
		code = bits ? flush_bits(p)
			    : vs_packed_add_rows(*p->w, p->block, p->n_block);
	if (!code && !bits)
		code = check_sums(p);
	p->n_flushed += p->n_block;
	p->n_block = 0;
	return code;
}

/* Room for one more vector in the block. */
static int
next_vector(struct packing *p, uint8_t **at)
{
	size_t bytes =
		p->plan->n_field * vs_element_bytes(kept_as(p->plan->element));
	int code = 0;

	if (p->n_block == p->room_block)
		code = flush(p);
	if (!code && !p->block)
		code = vs_mem_room(&p->block, p->room_block, bytes, "vectors");
	*at = p->block + p->n_block++ * bytes;
	return code;
}

/* n_field numbers of the vector begun last, in place. 0; VS_EINPUT;
 * VS_EMACHINE */
static int
normalize(struct packing *p, double *x)
{
	enum vs_normalization how = p->m->how.normalize;
	size_t n = p->plan->n_field;
	const char *why = NULL;
	int code = 0;

	if (how && !p->item)
		code = vs_mem_room(&p->item, 2 * n, sizeof(*p->item),
			"a vector");
	if (!code && how)
		why = vs_normalize(x, n, how, p->item);
	return why ? wrong_vector(p, p->n_flushed + p->n_block - 1, why) : code;
}

static int
write_line(struct packing *p)
{
	const enum vs_element e = kept_as(p->m->how.element);
	uint8_t *at;
	int code = next_vector(p, &at);

	if (!code)
		code = normalize(p, p->cell);

	for (uint64_t c = 0; c < p->m->n_cell && !code; c++)
		vs_element_put(e, at, c, to_keep(e, p->cell[c]));
	return code;
}

/* Vector v of those held, normalized. */
static int
write_normalized(struct packing *p, uint64_t v, uint64_t step_v,
	uint64_t step_q, double *x)
{
	const struct store *s = &p->store;
	uint8_t *at;
	int code = next_vector(p, &at);

	if (code)
		return code;
	for (uint64_t q = 0; q < p->plan->n_field; q++)
		x[q] = vs_element_get(s->element, s->rows,
			v * step_v + q * step_q);
	code = normalize(p, x);
	for (uint64_t q = 0; q < p->plan->n_field && !code; q++)
		vs_element_put(p->plan->element, at, q, x[q]);
	return code;
}

static int
write_store(struct packing *p)
{
	const struct store *s = &p->store;
	enum vs_element e = s->element;
	uint64_t n_vec = p->turned ? s->n_cell : s->n;
	uint64_t n_field = p->turned ? s->n : s->n_cell;
	uint64_t step_v = p->turned ? 1 : n_field;
	uint64_t step_q = p->turned ? n_vec : 1;
	uint8_t *at;
	double *x = NULL;
	int code = create(p, p->m->how.smallest ? e : p->m->how.element, n_vec,
		n_field);

	if (p->m->how.normalize) {
		VS_MEM_ROOM(&code, x, n_field, "a vector");
		for (uint64_t v = 0; v < n_vec && !code; v++)
			code = write_normalized(p, v, step_v, step_q, x);
		free(x);
		return code;
	}
	for (uint64_t v = 0; v < n_vec && !code; v++) {
		code = next_vector(p, &at);
		for (uint64_t q = 0; q < n_field && !code; q++)
			vs_element_put(e, at, q,
				vs_element_get(e, s->rows,
					v * step_v + q * step_q));
	}
	return code;
}

/*
 * The first line has proved that there are as many cells as stated; a few bytes
 * could claim any number.
 */
static int
begin(struct packing *p, bool keep)
{
	struct vs_matrix *m = p->m;
	int code = name_cells(m, p->turned ? &p->vector : &p->field,
		p->turned ? 'v' : 's');

	return code || keep
		? code
		: create(p, m->how.element, VS_ROWS_UNKNOWN, m->n_cell);
}

/* A site of a VCF: the numbers refer to its second allele, ALT. */
static int
add_site(struct packing *p)
{
	struct vs_site s = *p->m->site;

	s.allele1_source = VS_ALLELE_SECOND;
	s.source_row = (int64_t)p->sites->n;
	return vs_sites_add(p->sites, &s);
}

/* Read all lines, which are held or written at once. */
static int
read_lines(struct packing *p, bool keep)
{
	struct vs_matrix *m = p->m;
	struct vs_text_pool *names = p->turned ? &p->field : &p->vector;
	int code;

	while ((code = vs_matrix_next(m, p->cell)) == 1) {
		code = names->n ? 0 : begin(p, keep);
		if (!code && !m->how.smallest && !m->how.normalize)
			code = check_fits(m, p->cell);
		if (!code)
			code = m->part.n && !m->line_id_len
				? vs_text_pool_add(names, "", 0)
				: add_name(m, names, m->line_id, m->line_id_len,
					  p->turned ? 's' : 'v', names->n);
		if (!code && m->site && !p->turned)
			code = add_site(p);
		if (!code)
			code = keep ? keep_line(m, &p->store, p->cell)
				    : write_line(p);
		if (code)
			return code;
	}
	if (!code && !names->n && m->part.n)
		return begin(p, keep);
	if (!code && !names->n)
		code = m->how.sites
			? vs_import_none_left(m->how.sites, m->name)
			: vs_fail(VS_EINPUT, "%s: holds no rows", m->name);
	return code;
}

/* Write the columns of the vectors, except for sites, which have theirs. */
static int
make_sites(const struct packing *p, struct vs_sites *s)
{
	bool bits = p->plan->element == VS_BIT2;
	int code = 0;

	if (p->m->how.sites && !p->turned) {
		for (size_t v = 0; bits && v < s->n; v++)
			memcpy(s->count[v], p->count[v], sizeof(s->count[v]));
		return vs_reader_contigs(p->m->how.sites->reader, s);
	}
	for (size_t v = 0; v < p->vector.n && !code; v++) {
		struct vs_site site = { .contig = "",
			.allele = { bits ? "0" : "", bits ? "1" : "" },
			.allele_len = { bits, bits },
			.allele1_source =
				bits ? VS_ALLELE_SECOND : VS_ALLELE_UNKNOWN,
			.source_row = (int64_t)v };

		site.id = vs_text_pool_get(&p->vector, v, &site.id_len);
		if (bits)
			memcpy(site.count, p->count[v], sizeof(site.count));
		code = vs_sites_add(s, &site);
	}
	return code;
}

int
vs_matrix_pack(struct vs_matrix *m, struct vs_packed_plan *plan,
	struct vs_packed_writer **w, struct vs_sites *sites,
	struct vs_samples *samples, struct vs_provenance *provenance)
{
	struct packing p = { .m = m,
		.plan = plan,
		.w = w,
		.sites = sites,
		.turned = m->by_column != m->how.transpose,
		.store = { .n_cell = m->n_cell, .most = vs_mem_allowed() } };
	bool keep = m->how.smallest || p.turned;
	int code = vs_mem_room(&p.cell, m->n_cell, sizeof(*p.cell), "a line");

	p.store.element = m->how.smallest ? VS_NUM_U8 : kept_as(m->how.element);
	/* rounded once, when they are normalized */
	if (m->how.normalize)
		p.store.element = VS_NUM_F64;
	if (!code)
		code = read_lines(&p, keep);
	if (!code && m->lines)
		code = vs_lines_note(m->lines, provenance);
	if (!code && keep)
		code = write_store(&p);
	if (!code)
		code = flush(&p);
	if (!code)
		code = check_fields(m, &p.field);
	if (!code)
		code = make_sites(&p, sites);
	if (!code) {
		samples->n = p.field.n;
		samples->id = p.field;
		memset(&p.field, 0, sizeof(p.field));
	}
	vs_text_pool_free(&p.field);
	vs_text_pool_free(&p.vector);
	free(p.block);
	free(p.cell);
	free(p.item);
	free(p.store.rows);
	free(p.count);
	return code;
}
