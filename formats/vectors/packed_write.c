/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of vectors files, NAME.vec.h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed.h"
#include "formats/vectors/site_columns.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/bits/numbers.h"

struct vs_packed_writer {
	struct vs_h5_writer *file;
	struct vs_h5_writer_data *rows;
	char *path, *allele_rule;
	enum vs_element element;
	int32_t ploidy;
	uint64_t n_field, plane_bytes, row_bytes, n_row;
	union {
		uint64_t u;
		double f;
	} * sum; /* sums of the rows of numbers so far */
	size_t room_sum;
	unsigned kinds; /* kinds of the numbers */
	bool part;
	struct vs_codec codec;
};

/*
 * Chunks of 1 to 16 MiB; planes or rows of numbers beyond 64 KiB are also cut
 * along the fields, so that a reader of some fields reads only those chunks.
 *
 * n_unit  number of units along the fields, of unit bytes: a chunk must not cut
 *         these
 * n_side  planes, or 1
 */
static void
chunk_shape(uint64_t n_vec, uint64_t n_unit, uint64_t unit, uint64_t n_side,
	uint64_t *chunk_vec, uint64_t *chunk_unit)
{
	uint64_t parts = (n_unit * unit + 65535) / 65536;
	uint64_t target = 1u << 20;
	double all = (double)n_vec * (double)(n_side * n_unit * unit);

	*chunk_unit = (n_unit + parts - 1) / parts;
	while (target < 16u << 20 && (double)target * (1 << 20) < all)
		target *= 2;
	*chunk_vec = 65536;
	while (*chunk_vec > 1 &&
		*chunk_vec * n_side * *chunk_unit * unit > target)
		*chunk_vec /= 2;
}

/* The planes or the values; nothing is written yet. */
static int
begin_rows(struct vs_packed_writer *w, uint64_t n_vec)
{
	/* if their number is unknown, as if there were a gigabyte of them */
	uint64_t n =
		n_vec == VS_ROWS_UNKNOWN ? (1u << 30) / w->row_bytes : n_vec;
	uint64_t bytes = vs_element_bytes(w->element);
	struct vs_h5_writer_shape planes = {
		.type = VS_U8,
		.n_dim = 3,
		.dim = { n_vec, 2, w->plane_bytes },
		.chunk = { 0, 2 },
		.dims = "vector,plane,byte",
		.codec = w->codec,
	};
	struct vs_h5_writer_shape values = {
		.type = vs_packed_type(w->element),
		.n_dim = 2,
		.dim = { n_vec, w->n_field },
		.dims = "vector,field",
		.codec = w->codec,
		.shuffle = bytes > 1,
	};

	if (w->element == VS_BIT2) {
		chunk_shape(n, w->plane_bytes / 8, 8, 2, &planes.chunk[0],
			&planes.chunk[2]);
		planes.chunk[2] *= 8;
		return vs_h5_writer_data(w->file, "/vectors/planes", &planes,
			&w->rows);
	}
	chunk_shape(n, w->n_field, bytes, 1, &values.chunk[0],
		&values.chunk[1]);
	return vs_h5_writer_data(w->file, "/vectors/values", &values, &w->rows);
}

static void
write_part(struct vs_h5_writer *f, const struct vs_part *p,
	const char *settings)
{
	vs_h5_writer_group(f, "/part");
	vs_h5_writer_i64(f, "/part", "k", &p->k, 1);
	vs_h5_writer_i64(f, "/part", "n", &p->n, 1);
	vs_h5_writer_u64(f, "/part", "lo", &p->lo, 1);
	vs_h5_writer_u64(f, "/part", "hi", &p->hi, 1);
	vs_h5_writer_u64(f, "/part", "all", &p->all, 1);
	vs_h5_writer_text(f, "/part", "unit", p->bytes ? "byte" : "row");
	vs_h5_writer_text(f, "/part", "settings", settings);
}

static void
write_synthetic(struct vs_h5_writer *f, const struct vs_synthetic *s)
{
	vs_h5_writer_group(f, "/synthetic");
	vs_h5_writer_text(f, "/synthetic", "kind",
		s->analytic ? "analytic" : "random");
	vs_h5_writer_u64(f, "/synthetic", "seed", &s->seed, 1);
	vs_h5_writer_f64(f, "/synthetic", "missing", &s->missing, 1);
}

static int
begin(struct vs_packed_writer *w, const struct vs_packed_plan *plan)
{
	/* the required features are known only at the end */
	int code = vs_h5_writer_create(&w->file, plan->path, VS_KIND_VECTORS,
		NULL, plan->generator, plan->force);

	if (code)
		return code;
	vs_h5_writer_group(w->file, "/vectors");
	w->part = plan->part;
	if (plan->part)
		write_part(w->file, plan->part, plan->settings);
	if (plan->synthetic)
		write_synthetic(w->file, plan->synthetic);
	return begin_rows(w, plan->n_vec);
}

int
vs_packed_create(struct vs_packed_writer **w, const struct vs_packed_plan *plan)
{
	struct vs_packed_writer *p = NULL;
	int code;

	if (!plan->n_field || plan->n_field > VS_PACKED_FIELDS)
		return vs_fail(VS_EINPUT,
			"%s: %llu fields: there must be 1 to %u", plan->path,
			(unsigned long long)plan->n_field, VS_PACKED_FIELDS);
	if (plan->n_vec != VS_ROWS_UNKNOWN && plan->n_vec > VS_PACKED_VECTORS)
		return vs_fail(VS_EINPUT, "%s: %llu vectors: there may be %llu",
			plan->path, (unsigned long long)plan->n_vec,
			VS_PACKED_VECTORS);
	code = vs_mem_new(&p, 1, sizeof(*p), plan->path);
	if (code)
		return code;
	p->part = plan->part;
	p->element = plan->element;
	p->ploidy = plan->ploidy ? plan->ploidy : 2;
	p->n_field = plan->n_field;
	p->row_bytes = plan->n_field * vs_element_bytes(plan->element);
	if (plan->element == VS_BIT2) {
		p->plane_bytes = (plan->n_field + 63) / 64 * 8;
		p->row_bytes = 2 * p->plane_bytes;
	}
	p->codec = plan->codec;
	code = vs_mem_copy_text(&p->path, plan->path);
	if (!code && plan->element == VS_BIT2)
		code = vs_mem_copy_text(&p->allele_rule, plan->allele_rule);
	if (!code)
		code = begin(p, plan);
	if (code) {
		vs_packed_abandon(p);
		return code;
	}
	*w = p;
	return 0;
}

/* Exact: at most 2^29 fields of 32 bits. */
static uint64_t
whole_sum(const struct vs_numbers *b, size_t v)
{
	const void *row = vs_numbers_of(b, v);
	uint64_t sum = 0;

	for (size_t q = 0; q < b->n_field; q++)
		sum += (uint64_t)vs_element_get(b->element, row, q);
	return sum;
}

/* Sums of n rows of numbers, kept until the end. */
static int
add_sums(struct vs_packed_writer *w, const void *rows, uint64_t n)
{
	struct vs_numbers b = { rows, w->element, w->n_field, w->row_bytes };
	int code = vs_mem_grow(&w->sum, &w->room_sum, w->n_row + n,
		sizeof(*w->sum), "sums of vectors");

	w->kinds |= vs_element_kinds(w->element, rows, n * w->n_field);
	for (uint64_t v = 0; v < n && !code; v++)
		if (vs_element_is_integer(w->element))
			w->sum[w->n_row + v].u = whole_sum(&b, v);
		else
			w->sum[w->n_row + v].f = vs_numbers_total(&b, v);
	return code;
}

double
vs_packed_sum(const struct vs_packed_writer *w, uint64_t v)
{
	return vs_element_is_integer(w->element) ? (double)w->sum[v].u
						 : w->sum[v].f;
}

unsigned
vs_packed_kinds(const struct vs_packed_writer *w)
{
	return w->kinds;
}

int
vs_packed_add_rows(struct vs_packed_writer *w, const void *rows, uint64_t n)
{
	int code = w->element == VS_BIT2 ? 0 : add_sums(w, rows, n);

	w->n_row += n;
	return code ? code : vs_h5_writer_append(w->rows, rows, n);
}

int
vs_packed_add(struct vs_packed_writer *w, const struct vs_vec *block,
	uint64_t lo, uint64_t hi)
{
	size_t bytes = w->plane_bytes, wide = block->n_word * 8;
	uint64_t n;
	uint8_t *to;
	int code = 0;

	if (bytes == wide)
		return vs_packed_add_rows(w, vs_vec_plane(block, lo, 0),
			hi - lo);
	w->n_row += hi - lo;
	for (; lo < hi && !code; lo += n) {
		const uint8_t *from =
			(const uint8_t *)vs_vec_plane(block, lo, 0);

		code = vs_h5_writer_room(w->rows, hi - lo, &to, &n);
		if (code)
			break;
		for (uint64_t k = 0; k < 2 * n; k++)
			memcpy(to + k * bytes, from + k * wide, bytes);
		code = vs_h5_writer_filled(w->rows, n);
	}
	return code;
}

static void
write_features(struct vs_packed_writer *w, const struct vs_sites *sites)
{
	static const char *const packing[] = {
		[VS_CODEC_NONE] = "",
		[VS_CODEC_ZSTD] = " zstd",
		[VS_CODEC_DEFLATE] = " deflate",
	};
	char features[80];

	snprintf(features, sizeof(features), "%s%s%s%s%s%s%s%s%s",
		vs_element_name(w->element), w->ploidy == 1 ? " ploidy1" : "",
		sites->haploid ? " haploid" : "", sites->cm ? " cm" : "",
		sites->annotated ? " annotations" : "",
		w->kinds & VS_NUMBER_NEGATIVE ? " signed" : "",
		w->kinds & VS_NUMBER_MISSING ? " missing" : "",
		w->part ? " part" : "", packing[w->codec.id]);
	vs_h5_writer_text(w->file, "/", "required_features", features);
}

static void
write_head(struct vs_packed_writer *w)
{
	int64_t n_vec = (int64_t)w->n_row, n_field = (int64_t)w->n_field;
	int64_t plane_bytes = (int64_t)w->plane_bytes;
	struct vs_h5_writer *f = w->file;

	vs_h5_writer_text(f, "/vectors", "element",
		vs_element_name(w->element));
	vs_h5_writer_i64(f, "/vectors", "n_vectors", &n_vec, 1);
	vs_h5_writer_i64(f, "/vectors", "n_fields", &n_field, 1);
	if (w->element != VS_BIT2)
		return;
	vs_h5_writer_i32(f, "/vectors", "ploidy", &w->ploidy, 1);
	vs_h5_writer_i64(f, "/vectors", "plane_bytes", &plane_bytes, 1);
	vs_h5_writer_text(f, "/vectors", "allele_rule", w->allele_rule);
}

static void
write_sites(struct vs_packed_writer *w, const struct vs_sites *s)
{
	struct vs_h5_writer *f = w->file;
	const bool genotypes = w->element == VS_BIT2;

	/* numbers with sites, such as dosages, have their columns, too */
	vs_site_columns_write(s, f, "/vectors", genotypes || s->contig_name.n,
		genotypes, w->codec);
	if (!genotypes)
		vs_h5_writer_column(f, "/vectors/value_sum",
			vs_element_is_integer(w->element) ? VS_U64 : VS_F64,
			w->sum, s->n, w->codec);
}

/* Name of a data set in our profile: [a-z0-9_] are kept, other bytes become
 * _. */
static void
plain_name(const char *text, size_t len, char *out, size_t room)
{
	size_t n = len < room - 1 ? len : room - 1;

	for (size_t k = 0; k < n; k++) {
		char c = text[k];

		if (c >= 'A' && c <= 'Z')
			c = (char)(c - 'A' + 'a');
		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9'))
			c = '_';
		out[k] = c;
	}
	out[n] = 0;
}

/* True if an earlier phenotype has this name in the file. */
static bool
taken(const struct vs_samples *s, size_t k, const char *name)
{
	char other[64];
	size_t len;

	while (k-- > 0) {
		const char *text =
			vs_text_pool_get(&s->phenotype_name, k, &len);

		plain_name(text, len, other, sizeof(other));
		if (!strcmp(name, other))
			return true;
	}
	return false;
}

static void
write_samples(struct vs_packed_writer *w, const struct vs_samples *s)
{
	struct vs_h5_writer *f = w->file;
	struct vs_codec c = w->codec;
	char name[64], path[128];
	size_t len;

	vs_h5_writer_group(f, "/samples");
	vs_h5_writer_strings(f, "/samples/id", &s->id, c);
	if (s->family.n)
		vs_h5_writer_strings(f, "/samples/family", &s->family, c);
	if (s->sex)
		vs_h5_writer_column(f, "/samples/sex", VS_U8, s->sex, s->n, c);
	if (s->case_status)
		vs_h5_writer_column(f, "/samples/case", VS_U8, s->case_status,
			s->n, c);
	if (s->trait)
		vs_h5_writer_column(f, "/samples/trait", VS_F64, s->trait, s->n,
			c);
	if (s->phenotype_name.n)
		vs_h5_writer_group(f, "/phenotypes");
	for (size_t k = 0; k < s->phenotype_name.n; k++) {
		const char *text =
			vs_text_pool_get(&s->phenotype_name, k, &len);

		plain_name(text, len, name, sizeof(name));
		snprintf(path, sizeof(path), "/phenotypes/%s", name);
		if (taken(s, k, name))
			snprintf(path, sizeof(path), "/phenotypes/%s_%zu", name,
				k + 1);
		vs_h5_writer_column(f, path, VS_F64, s->phenotype[k], s->n, c);
	}
}

static void
write_permutation(struct vs_h5_writer *f, const struct vs_permutation *p)
{
	vs_h5_writer_group(f, "/permutation");
	vs_h5_writer_text(f, "/permutation", "axis", "vectors");
	vs_h5_writer_text(f, "/permutation", "algorithm", p->algorithm);
	vs_h5_writer_u64(f, "/permutation", "seed", &p->seed, 1);
	vs_h5_writer_text(f, "/permutation", "parent_content",
		p->parent_content);
}

int
vs_packed_finish(struct vs_packed_writer *w, const struct vs_sites *sites,
	const struct vs_samples *samples,
	const struct vs_permutation *permutation,
	const struct vs_provenance *provenance,
	char content_hex[VS_DIGEST_TEXT])
{
	int code = 0;

	if (!w->n_row && !w->part)
		code = vs_fail(VS_EINPUT,
			"%s: no vectors are left to write; loosen the filters",
			w->path);
	else if (sites->n != w->n_row || samples->n != w->n_field)
		code = vs_fail(VS_EINPUT,
			"%s: %llu vectors of %llu fields, but %zu sites and "
			"%zu samples",
			w->path, (unsigned long long)w->n_row,
			(unsigned long long)w->n_field, sites->n, samples->n);
	if (!code) {
		write_features(w, sites);
		write_head(w);
		write_sites(w, sites);
		write_samples(w, samples);
		if (permutation)
			write_permutation(w->file, permutation);
		code = vs_provenance_write(provenance, w->file, w->codec);
	}
	if (!code)
		code = vs_h5_writer_finish(&w->file, &vs_packed_content,
			content_hex);
	vs_packed_abandon(w);
	return code;
}

void
vs_packed_abandon(struct vs_packed_writer *w)
{
	if (!w)
		return;
	vs_h5_writer_abandon(w->file);
	free(w->path);
	free(w->allele_rule);
	free(w->sum);
	free(w);
}
