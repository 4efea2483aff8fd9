/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/packed.h"
#include "libcore/base/err.h"
#include "libcore/base/mem.h"

/* Limits of vsim-vectors(5): 8 * n_field fits 32 bits in the kernels. */
#define MAX_FIELD ((1u << 29) - 1)
#define MAX_VEC (1ull << 40)

static const char *const content_attrs[] = {
	"/:format",
	"/vectors:element",
	"/vectors:n_vectors",
	"/vectors:n_fields",
	"/vectors:ploidy",
	"/vectors:plane_bytes",
	"/vectors:allele_rule",
	NULL,
};

static const char *const content_data[] = {
	"/vectors/planes",
	"/vectors/id",
	"/vectors/contig",
	"/vectors/pos",
	"/vectors/allele0/offset",
	"/vectors/allele0/bytes",
	"/vectors/allele1/offset",
	"/vectors/allele1/bytes",
	"/vectors/allele1_source",
	"/vectors/genotype_count",
	"/vectors/source_row",
	"/contigs/*",
	"/samples/*",
	"/phenotypes/*",
	NULL,
};

const struct vs_content vs_packed_content = { content_attrs, content_data };

/* ---- reading ---- */

static int
read_head(struct vs_packed *p)
{
	const char *path = vs_h5r_path(p->file);
	int64_t n_vec, n_field, plane_bytes;
	char *element = NULL;
	int32_t ploidy = 0;
	int code;

	if ((code = vs_h5r_text(p->file, "/vectors", "element", &element)) ||
		(code = vs_h5r_i64(p->file, "/vectors", "n_vectors", &n_vec,
			 1)) ||
		(code = vs_h5r_i64(p->file, "/vectors", "n_fields", &n_field,
			 1)) ||
		(code = vs_h5r_i64(p->file, "/vectors", "plane_bytes",
			 &plane_bytes, 1)) ||
		(code = vs_h5r_i32(p->file, "/vectors", "ploidy", &ploidy,
			 1)) ||
		(code = vs_h5r_text(p->file, "/vectors", "allele_rule",
			 &p->allele_rule)) ||
		(code = vs_h5r_text(p->file, "/", "uuid", &p->uuid)) ||
		(code = vs_h5r_text(p->file, "/", "content_xxh128",
			 &p->content)))
		goto out;
	if (strcmp(element, "bit2"))
		code = vs_fail(VS_EINPUT,
			"%s: holds vectors of %.20s, wanted are genotypes "
			"(bit2)",
			path, element);
	else if (n_vec < 1 || (uint64_t)n_vec > MAX_VEC || n_field < 1 ||
		n_field > MAX_FIELD || ploidy != 2 ||
		plane_bytes != (n_field + 63) / 64 * 8)
		code = vs_fail(VS_EINPUT,
			"%s: states sizes that do not fit each other; make it "
			"anew",
			path);
	p->n_vec = (uint64_t)n_vec;
	p->n_field = (uint64_t)n_field;
	p->plane_bytes = (uint64_t)plane_bytes;
out:
	free(element);
	return code;
}

int
vs_packed_open(struct vs_packed **p, const char *path, unsigned flags)
{
	struct vs_packed *q = NULL;
	uint64_t dim[3];
	int code = vs_new(&q, 1, sizeof(*q), path);

	if (code)
		return code;
	code = vs_h5r_open(&q->file, path, 1u << VS_KIND_VECTORS, flags, NULL);
	if (!code)
		code = read_head(q);
	if (!code) {
		dim[0] = q->n_vec;
		dim[1] = 2;
		dim[2] = q->plane_bytes;
		code = vs_h5r_data(q->file, "/vectors/planes", VS_U8, 3, dim,
			NULL, &q->planes);
	}
	if (code) {
		vs_packed_close(q);
		return code;
	}
	*p = q;
	return 0;
}

void
vs_packed_close(struct vs_packed *p)
{
	if (!p)
		return;
	vs_h5r_data_close(p->planes);
	vs_h5r_close(p->file);
	free(p->allele_rule);
	free(p->uuid);
	free(p->content);
	free(p);
}

/* The last word of a plane must be zero past the last field. */
static int
check_tail(const struct vs_packed *p, uint64_t v, const uint64_t *plane)
{
	uint64_t last = plane[p->plane_bytes / 8 - 1];

	if (p->n_field % 64 == 0 || last >> p->n_field % 64 == 0)
		return 0;
	return vs_fail(VS_EINPUT,
		"%s: vector %llu has bits past its last field; make the file "
		"anew",
		vs_h5r_path(p->file), (unsigned long long)v);
}

int
vs_packed_read(struct vs_packed *p, uint64_t lo, uint64_t hi,
	struct vs_vec *out, uint64_t at)
{
	size_t bytes = p->plane_bytes, wide = out->n_word * 8;
	uint8_t *to = (uint8_t *)vs_vec_plane(out, at, 0);
	int code = vs_h5r_rows(p->planes, lo, hi, to);

	if (code)
		return code;
	/* spread from behind, so that rows may be read in place */
	for (uint64_t k = 2 * (hi - lo); k-- > 0 && !code;) {
		if (wide != bytes) {
			memmove(to + k * wide, to + k * bytes, bytes);
			memset(to + k * wide + bytes, 0, wide - bytes);
		}
		code = check_tail(p, lo + k / 2,
			(const uint64_t *)(const void *)(to + k * wide));
	}
	return code;
}

int
vs_packed_counts(struct vs_packed *p, int64_t (**count)[4])
{
	struct vs_h5r_data *d = NULL;
	uint64_t dim[2] = { p->n_vec, 4 };
	int64_t(*c)[4] = NULL;
	int code = vs_h5r_data(p->file, "/vectors/genotype_count", VS_I64, 2,
		dim, NULL, &d);

	if (!code)
		code = vs_new(&c, p->n_vec, sizeof(*c), "genotype counts");
	if (!code)
		code = vs_h5r_rows(d, 0, p->n_vec, c);
	for (uint64_t v = 0; v < p->n_vec && !code; v++) {
		uint64_t sum = 0;

		for (int g = 0; g < 4; g++)
			sum += c[v][g] < 0 ? (uint64_t)1 << 62
					   : (uint64_t)c[v][g];
		if (sum != p->n_field)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/genotype_count: row %llu does "
				"not add up to the fields; make the file anew",
				vs_h5r_path(p->file), (unsigned long long)v);
	}
	vs_h5r_data_close(d);
	if (code) {
		free(c);
		return code;
	}
	*count = c;
	return 0;
}

int
vs_packed_source(struct vs_packed *p, int64_t **source_row,
	uint8_t **allele1_source)
{
	uint64_t n = p->n_vec;
	int64_t *row = NULL;
	uint8_t *source = NULL;
	int code = vs_h5r_column(p->file, "/vectors/source_row", VS_I64, NULL,
		&n, &row);

	if (!code)
		code = vs_h5r_column(p->file, "/vectors/allele1_source", VS_U8,
			NULL, &n, &source);
	for (uint64_t v = 0; v < n && !code; v++)
		if (row[v] < 0)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/source_row: row %llu is "
				"negative; make the file anew",
				vs_h5r_path(p->file), (unsigned long long)v);
	if (code) {
		free(row);
		free(source);
		return code;
	}
	*source_row = row;
	*allele1_source = source;
	return 0;
}

static int
read_contigs(struct vs_packed *p, struct vs_sites *s)
{
	uint64_t n = VS_ROWS_UNKNOWN, n_vec = p->n_vec;
	int code = vs_h5r_column(p->file, "/contigs/length", VS_I64, NULL, &n,
		&s->contig_length);

	if (!code)
		code = vs_h5r_strings(p->file, "/contigs/name", n,
			&s->contig_name);
	s->room[5] = n;
	if (!code)
		code = vs_h5r_column(p->file, "/vectors/contig", VS_I32, NULL,
			&n_vec, &s->contig);
	for (uint64_t v = 0; v < n_vec && !code; v++)
		if (s->contig[v] < -1 || s->contig[v] >= (int64_t)n)
			code = vs_fail(VS_EINPUT,
				"%s: /vectors/contig: row %llu names no "
				"contig; make the file anew",
				vs_h5r_path(p->file), (unsigned long long)v);
	return code;
}

int
vs_packed_sites(struct vs_packed *p, struct vs_sites *s)
{
	struct vs_sites q = { 0 };
	uint64_t n = p->n_vec;
	int code;

	if ((code = vs_h5r_strings(p->file, "/vectors/id", n, &q.id)) ||
		(code = read_contigs(p, &q)) ||
		(code = vs_h5r_column(p->file, "/vectors/pos", VS_I64, NULL, &n,
			 &q.pos)) ||
		(code = vs_h5r_pool(p->file, "/vectors/allele0", n,
			 &q.allele[0])) ||
		(code = vs_h5r_pool(p->file, "/vectors/allele1", n,
			 &q.allele[1])) ||
		(code = vs_packed_counts(p, &q.count)) ||
		(code = vs_packed_source(p, &q.source_row,
			 &q.allele1_source))) {
		vs_sites_free(&q);
		return code;
	}
	q.n = n;
	for (int k = 0; k < 5; k++)
		q.room[k] = n;
	*s = q;
	return 0;
}

static int
read_phenotypes(struct vs_packed *p, struct vs_samples *s)
{
	uint64_t n = p->n_field;
	char path[512];
	size_t len;
	int code;

	if (!vs_h5r_has(p->file, "/phenotypes"))
		return 0;
	code = vs_h5r_members(p->file, "/phenotypes", &s->phenotype_name);
	if (!code)
		code = vs_new(&s->phenotype, s->phenotype_name.n,
			sizeof(*s->phenotype), "phenotypes");
	for (size_t k = 0; k < s->phenotype_name.n && !code; k++) {
		const char *name = vs_pool_get(&s->phenotype_name, k, &len);

		snprintf(path, sizeof(path), "/phenotypes/%.*s", (int)len,
			name);
		code = vs_h5r_column(p->file, path, VS_F64, NULL, &n,
			&s->phenotype[k]);
	}
	return code;
}

int
vs_packed_samples(struct vs_packed *p, struct vs_samples *s)
{
	struct vs_samples q = { 0 };
	uint64_t n = p->n_field;
	int code = vs_h5r_strings(p->file, "/samples/id", n, &q.id);

	q.n = n;
	if (!code && vs_h5r_has(p->file, "/samples/family"))
		code = vs_h5r_strings(p->file, "/samples/family", n, &q.family);
	if (!code && vs_h5r_has(p->file, "/samples/sex"))
		code = vs_h5r_column(p->file, "/samples/sex", VS_U8, NULL, &n,
			&q.sex);
	if (!code && vs_h5r_has(p->file, "/samples/case"))
		code = vs_h5r_column(p->file, "/samples/case", VS_U8, NULL, &n,
			&q.case_status);
	if (!code)
		code = read_phenotypes(p, &q);
	if (code) {
		vs_samples_free(&q);
		return code;
	}
	*s = q;
	return 0;
}

/* ---- writing ---- */

struct vs_packed_writer {
	struct vs_h5w *file;
	struct vs_h5w_data *planes;
	char *path, *allele_rule;
	uint64_t n_field, plane_bytes, n_row;
	struct vs_codec codec;
};

/*
 * Chunks of 1 to 16 MiB; planes beyond 64 KiB are cut along the fields too, so
 * that who owns a part of the fields reads only that.
 */
static void
chunk_shape(uint64_t n_vec, uint64_t plane_bytes, uint64_t chunk[3])
{
	uint64_t parts = (plane_bytes + 65535) / 65536;
	uint64_t words = plane_bytes / 8, target = 1u << 20;

	chunk[1] = 2;
	chunk[2] = 8 * ((words + parts - 1) / parts);
	while (target < 16u << 20 &&
		(double)target * (1 << 20) <
			(double)n_vec * 2 * (double)plane_bytes)
		target *= 2;
	chunk[0] = 65536;
	while (chunk[0] > 1 && chunk[0] * 2 * chunk[2] > target)
		chunk[0] /= 2;
}

static int
begin(struct vs_packed_writer *w, const struct vs_packed_plan *plan)
{
	struct vs_h5w_shape shape = {
		.type = VS_U8,
		.n_dim = 3,
		.dim = { plan->n_vec, 2, w->plane_bytes },
		.dims = "vector,plane,byte",
		.codec = plan->codec,
	};
	const char *features = plan->codec.id == VS_CODEC_ZSTD ? "bit2 zstd"
		: plan->codec.id == VS_CODEC_DEFLATE           ? "bit2 deflate"
							       : "bit2";
	/* of an unknown number, as if there were a gigabyte of them */
	uint64_t n_vec = plan->n_vec == VS_ROWS_UNKNOWN
		? (1u << 29) / w->plane_bytes
		: plan->n_vec;
	int code = vs_h5w_create(&w->file, plan->path, VS_KIND_VECTORS,
		features, plan->generator, plan->force);

	if (!code)
		code = vs_h5w_group(w->file, "/vectors");
	chunk_shape(n_vec, w->plane_bytes, shape.chunk);
	if (!code)
		code = vs_h5w_data(w->file, "/vectors/planes", &shape,
			&w->planes);
	return code;
}

int
vs_packed_create(struct vs_packed_writer **w, const struct vs_packed_plan *plan)
{
	struct vs_packed_writer *p = NULL;
	int code;

	if (!plan->n_field || plan->n_field > MAX_FIELD)
		return vs_fail(VS_EINPUT,
			"%s: %llu fields: there must be 1 to %u", plan->path,
			(unsigned long long)plan->n_field, MAX_FIELD);
	if (plan->n_vec != VS_ROWS_UNKNOWN && plan->n_vec > MAX_VEC)
		return vs_fail(VS_EINPUT, "%s: %llu vectors: there may be %llu",
			plan->path, (unsigned long long)plan->n_vec, MAX_VEC);
	code = vs_new(&p, 1, sizeof(*p), plan->path);
	if (code)
		return code;
	p->n_field = plan->n_field;
	p->plane_bytes = (plan->n_field + 63) / 64 * 8;
	p->codec = plan->codec;
	code = vs_copy_text(&p->path, plan->path);
	if (!code)
		code = vs_copy_text(&p->allele_rule, plan->allele_rule);
	if (!code)
		code = begin(p, plan);
	if (code) {
		vs_packed_abandon(p);
		return code;
	}
	*w = p;
	return 0;
}

int
vs_packed_add(struct vs_packed_writer *w, const struct vs_vec *block,
	uint64_t lo, uint64_t hi)
{
	size_t bytes = w->plane_bytes, wide = block->n_word * 8;
	uint64_t n;
	uint8_t *to;
	int code = 0;

	w->n_row += hi - lo;
	if (bytes == wide)
		return vs_h5w_append(w->planes, vs_vec_plane(block, lo, 0),
			hi - lo);
	for (; lo < hi && !code; lo += n) {
		const uint8_t *from =
			(const uint8_t *)vs_vec_plane(block, lo, 0);

		code = vs_h5w_room(w->planes, hi - lo, &to, &n);
		if (code)
			break;
		for (uint64_t k = 0; k < 2 * n; k++)
			memcpy(to + k * bytes, from + k * wide, bytes);
		code = vs_h5w_filled(w->planes, n);
	}
	return code;
}

static int
write_head(struct vs_packed_writer *w)
{
	int64_t n_vec = (int64_t)w->n_row, n_field = (int64_t)w->n_field,
		plane_bytes = (int64_t)w->plane_bytes;
	int32_t ploidy = 2;
	int code;

	if ((code = vs_h5w_text(w->file, "/vectors", "element", "bit2")) ||
		(code = vs_h5w_i64(w->file, "/vectors", "n_vectors", &n_vec,
			 1)) ||
		(code = vs_h5w_i64(w->file, "/vectors", "n_fields", &n_field,
			 1)) ||
		(code = vs_h5w_i32(w->file, "/vectors", "ploidy", &ploidy,
			 1)) ||
		(code = vs_h5w_i64(w->file, "/vectors", "plane_bytes",
			 &plane_bytes, 1)))
		return code;
	return vs_h5w_text(w->file, "/vectors", "allele_rule", w->allele_rule);
}

static int
write_sites(struct vs_packed_writer *w, const struct vs_sites *s)
{
	struct vs_h5w_shape counts = {
		.type = VS_I64,
		.n_dim = 2,
		.dim = { s->n, 4 },
		.dims = "vector,genotype",
		.codec = w->codec,
		.shuffle = true,
	};
	struct vs_h5w_data *d = NULL;
	struct vs_h5w *f = w->file;
	struct vs_codec c = w->codec;
	int code;

	if ((code = vs_h5w_strings(f, "/vectors/id", &s->id, c)) ||
		(code = vs_h5w_column(f, "/vectors/contig", VS_I32, 0,
			 s->contig, s->n, c)) ||
		(code = vs_h5w_column(f, "/vectors/pos", VS_I64, 0, s->pos,
			 s->n, c)) ||
		(code = vs_h5w_pool(f, "/vectors/allele0", &s->allele[0], c)) ||
		(code = vs_h5w_pool(f, "/vectors/allele1", &s->allele[1], c)) ||
		(code = vs_h5w_column(f, "/vectors/allele1_source", VS_U8, 0,
			 s->allele1_source, s->n, c)) ||
		(code = vs_h5w_data(f, "/vectors/genotype_count", &counts,
			 &d)) ||
		(code = vs_h5w_append(d, s->count, s->n)) ||
		(code = vs_h5w_column(f, "/vectors/source_row", VS_I64, 0,
			 s->source_row, s->n, c)) ||
		(code = vs_h5w_group(f, "/contigs")) ||
		(code = vs_h5w_strings(f, "/contigs/name", &s->contig_name, c)))
		return code;
	return vs_h5w_column(f, "/contigs/length", VS_I64, 0, s->contig_length,
		s->contig_name.n, c);
}

/* A name as HDF5 and our profile have it: [a-z0-9_], others become _. */
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

/* An earlier phenotype has this name in the file. */
static bool
taken(const struct vs_samples *s, size_t k, const char *name)
{
	char other[64];
	size_t len;

	while (k-- > 0) {
		const char *text = vs_pool_get(&s->phenotype_name, k, &len);

		plain_name(text, len, other, sizeof(other));
		if (!strcmp(name, other))
			return true;
	}
	return false;
}

static int
write_samples(struct vs_packed_writer *w, const struct vs_samples *s)
{
	struct vs_h5w *f = w->file;
	struct vs_codec c = w->codec;
	char name[64], path[128];
	size_t len;
	int code = vs_h5w_group(f, "/samples");

	if (!code)
		code = vs_h5w_strings(f, "/samples/id", &s->id, c);
	if (!code && s->family.n)
		code = vs_h5w_strings(f, "/samples/family", &s->family, c);
	if (!code && s->sex)
		code = vs_h5w_column(f, "/samples/sex", VS_U8, 0, s->sex, s->n,
			c);
	if (!code && s->case_status)
		code = vs_h5w_column(f, "/samples/case", VS_U8, 0,
			s->case_status, s->n, c);
	if (!code && s->phenotype_name.n)
		code = vs_h5w_group(f, "/phenotypes");
	for (size_t k = 0; k < s->phenotype_name.n && !code; k++) {
		const char *text = vs_pool_get(&s->phenotype_name, k, &len);

		plain_name(text, len, name, sizeof(name));
		snprintf(path, sizeof(path), "/phenotypes/%s", name);
		if (taken(s, k, name))
			snprintf(path, sizeof(path), "/phenotypes/%s_%zu", name,
				k + 1);
		code = vs_h5w_column(f, path, VS_F64, 0, s->phenotype[k], s->n,
			c);
	}
	return code;
}

static int
write_permutation(struct vs_packed_writer *w, const struct vs_permutation *p)
{
	struct vs_h5w *f = w->file;
	int code = vs_h5w_group(f, "/permutation");

	if (!code)
		code = vs_h5w_text(f, "/permutation", "axis", "vectors");
	if (!code)
		code = vs_h5w_text(f, "/permutation", "algorithm",
			p->algorithm);
	if (!code)
		code = vs_h5w_u64(f, "/permutation", "seed", &p->seed, 1);
	if (!code)
		code = vs_h5w_text(f, "/permutation", "parent_content",
			p->parent_content);
	return code;
}

int
vs_packed_finish(struct vs_packed_writer *w, const struct vs_sites *sites,
	const struct vs_samples *samples,
	const struct vs_permutation *permutation,
	const struct vs_provenance *provenance,
	char content_hex[VS_DIGEST_TEXT])
{
	int code = 0;

	if (!w->n_row)
		code = vs_fail(VS_EINPUT,
			"%s: no vectors are left to write; loosen the filters",
			w->path);
	else if (sites->n != w->n_row || samples->n != w->n_field)
		code = vs_fail(VS_EINPUT,
			"%s: %llu vectors of %llu fields, but %zu sites and "
			"%zu samples",
			w->path, (unsigned long long)w->n_row,
			(unsigned long long)w->n_field, sites->n, samples->n);
	if (!code)
		code = write_head(w);
	if (!code)
		code = write_sites(w, sites);
	if (!code)
		code = write_samples(w, samples);
	if (!code && permutation)
		code = write_permutation(w, permutation);
	if (!code)
		code = vs_provenance_write(provenance, w->file, w->codec);
	if (!code) {
		struct vs_h5w *file = w->file;

		w->file = NULL;
		code = vs_h5w_finish(file, &vs_packed_content, content_hex);
	}
	vs_packed_abandon(w);
	return code;
}

void
vs_packed_abandon(struct vs_packed_writer *w)
{
	if (!w)
		return;
	vs_h5w_abandon(w->file);
	free(w->path);
	free(w->allele_rule);
	free(w);
}
