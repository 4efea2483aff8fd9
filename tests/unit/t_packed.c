/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors files: what is written is read back, in any piece. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define NAME "t.vec.h5"

static void
random_block(struct vs_vec *b, size_t n_vec, size_t n_field)
{
	struct vs_rng r;

	vs_rng_seed(&r, n_vec * 1000 + n_field);
	if (vs_vec_new(b, n_vec, n_field))
		abort();
	for (size_t v = 0; v < n_vec; v++)
		for (size_t q = 0; q < n_field; q++)
			vs_vec_set(b, v, q, (int)vs_rng_below(&r, 4));
}

static void
tables(const struct vs_vec *b, struct vs_sites *s, struct vs_samples *m)
{
	char id[32], contig[32];

	for (size_t v = 0; v < b->n_vec; v++) {
		struct vs_site site = { .id = id,
			.contig = contig,
			.allele = { "A", v % 3 ? "G" : "GATTACA" } };

		site.id_len = (size_t)snprintf(id, sizeof(id), "rs%zu", v * v);
		site.contig_len = v % 7 == 6
			? 0
			: (size_t)snprintf(contig, sizeof(contig), "chr%zu",
				  v / 5 % 3);
		site.allele_len[0] = 1;
		site.allele_len[1] = strlen(site.allele[1]);
		site.pos = (int64_t)(v * 100);
		site.allele1_source = (uint8_t)(v % 2);
		site.source_row = (int64_t)(b->n_vec - v - 1);
		vs_vec_count(b, v, site.count);
		if (vs_sites_add(s, &site))
			abort();
	}
	m->n = b->n_field;
	m->sex = calloc(b->n_field, 1);
	m->phenotype = calloc(1, sizeof(*m->phenotype));
	m->phenotype[0] = calloc(b->n_field, sizeof(double));
	vs_text_pool_add(&m->phenotype_name, "height", 6);
	for (size_t q = 0; q < b->n_field; q++) {
		vs_text_pool_add(&m->id, id,
			(size_t)snprintf(id, sizeof(id), "S%zu", q));
		m->sex[q] = (uint8_t)(q % 3);
		m->phenotype[0][q] = (double)q / 3;
	}
}

static int
write_it(const struct vs_vec *b, struct vs_codec codec, bool streamed,
	size_t step, char content[VS_DIGEST_TEXT])
{
	struct vs_packed_plan plan = {
		.path = NAME,
		.n_field = b->n_field,
		.n_vec = streamed ? VS_ROWS_UNKNOWN : b->n_vec,
		.allele_rule = "minor1",
		.codec = codec,
		.generator = "t_packed",
		.force = true,
	};
	struct vs_packed_writer *w = NULL;
	struct vs_provenance p = { 0 };
	struct vs_samples m = { 0 };
	struct vs_sites s = { 0 };
	int code;

	tables(b, &s, &m);
	vs_provenance_add(&p,
		&(struct vs_step){ .tool = "vsim-pack",
			.command = "vsim-pack --bfile x" });
	vs_provenance_source(&p, "x.bed", 17, "00", "");
	code = vs_packed_create(&w, &plan);
	for (size_t v = 0; v < b->n_vec && !code; v += step)
		code = vs_packed_add(w, b, v,
			v + step < b->n_vec ? v + step : b->n_vec);
	if (!code)
		code = vs_packed_finish(w, &s, &m, NULL, &p, content);
	vs_provenance_free(&p);
	vs_sites_samples_free(&m);
	vs_sites_free(&s);
	return code;
}

static bool
same_pool(const struct vs_text_pool *a, const struct vs_text_pool *b)
{
	size_t x, y;

	if (a->n != b->n)
		return false;
	for (size_t k = 0; k < a->n; k++) {
		const char *s = vs_text_pool_get(a, k, &x);
		const char *t = vs_text_pool_get(b, k, &y);

		if (x != y || memcmp(s, t, x))
			return false;
	}
	return true;
}

static bool
same_tables(struct vs_packed *p, const struct vs_vec *b)
{
	struct vs_sites s = { 0 }, t = { 0 };
	struct vs_samples m = { 0 }, n = { 0 };
	struct vs_provenance v = { 0 };
	bool same;
	size_t len;

	tables(b, &s, &m);
	if (vs_packed_sites(p, &t) || vs_packed_samples(p, &n) ||
		vs_provenance_read(&v, p->file))
		return false;
	same = same_pool(&s.id, &t.id) &&
		same_pool(&s.allele[0], &t.allele[0]) &&
		same_pool(&s.allele[1], &t.allele[1]) &&
		same_pool(&s.contig_name, &t.contig_name) &&
		!memcmp(s.contig, t.contig, 4 * s.n) &&
		!memcmp(s.pos, t.pos, 8 * s.n) &&
		!memcmp(s.count, t.count, 32 * s.n) &&
		!memcmp(s.source_row, t.source_row, 8 * s.n) &&
		!memcmp(s.allele1_source, t.allele1_source, s.n) &&
		same_pool(&m.id, &n.id) && !memcmp(m.sex, n.sex, m.n) &&
		!n.family.n && !n.case_status &&
		same_pool(&m.phenotype_name, &n.phenotype_name) &&
		!memcmp(m.phenotype[0], n.phenotype[0], 8 * m.n) && v.n == 1 &&
		v.n_source == 1 && v.source_size[0] == 17 &&
		!memcmp(vs_text_pool_get(&v.output_uuid, 0, &len), p->uuid,
			36) &&
		(vs_text_pool_get(&v.finished, 0, &len), len == 20);
	vs_provenance_free(&v);
	vs_sites_samples_free(&m);
	vs_sites_samples_free(&n);
	vs_sites_free(&s);
	vs_sites_free(&t);
	return same;
}

/* Rows [lo, hi) at a place in a larger block. */
static bool
same_rows(struct vs_packed *p, const struct vs_vec *b, size_t lo, size_t hi)
{
	struct vs_vec got;
	bool same;

	if (vs_vec_new(&got, hi - lo + 3, b->n_field))
		return false;
	memset(vs_vec_plane(&got, 1, 0), 0xff, (hi - lo) * 16 * got.n_word);
	same = !vs_packed_read(p, lo, hi, &got, 1) &&
		!memcmp(vs_vec_plane(&got, 1, 0), vs_vec_plane(b, lo, 0),
			(hi - lo) * 16 * b->n_word);
	for (size_t k = 0; k < 2 * got.n_word; k++)
		same = same && !vs_vec_plane(&got, 0, 0)[k] &&
			!vs_vec_plane(&got, hi - lo + 1, 0)[k];
	vs_vec_free(&got);
	return same;
}

static void
round_trip(size_t n_vec, size_t n_field)
{
	static const struct vs_codec codec[] = { { VS_CODEC_ZSTD, 1 },
		{ VS_CODEC_DEFLATE, 4 }, { VS_CODEC_NONE, 0 },
		{ VS_CODEC_ZSTD, 9 } };
	char content[VS_DIGEST_TEXT], first[VS_DIGEST_TEXT] = "";
	struct vs_vec b;
	bool same = true, rows = true, columns = true, checked = true;

	random_block(&b, n_vec, n_field);
	for (int c = 0; c < 4; c++) {
		struct vs_packed *p = NULL;
		int code = write_it(&b, codec[c], c % 2, (size_t)(c * 37 + 5),
			content);

		if (!code)
			code = vs_packed_open(&p, NAME, 0);
		if (!T_OK(!code, "%zu x %zu, codec %d: written and opened %s",
			    n_vec, n_field, c, vs_fail_text()))
			break;
		if (!*first)
			strcpy(first, content);
		same = same && !strcmp(first, content) &&
			!strcmp(first, p->content);
		rows = rows && same_rows(p, &b, 0, n_vec) &&
			same_rows(p, &b, n_vec / 3, n_vec / 2 + 1) &&
			same_rows(p, &b, n_vec - 1, n_vec);
		columns = columns && same_tables(p, &b);
		checked = checked &&
			!vs_h5_reader_check(p->file, &vs_packed_content,
				content) &&
			!strcmp(first, content);
		vs_packed_close(p);
		/* what was read is not written over */
		unlink(NAME);
	}
	if (*vs_fail_text())
		printf("# %s\n", vs_fail_text());
	T_OK(checked, "%zu x %zu: level 2 finds nothing wrong", n_vec, n_field);
	T_OK(same, "%zu x %zu: one content digest for all codecs", n_vec,
		n_field);
	T_OK(rows, "%zu x %zu: planes come back", n_vec, n_field);
	T_OK(columns, "%zu x %zu: tables come back", n_vec, n_field);
	vs_vec_free(&b);
}

int
main(void)
{
	static const size_t field[] = { 1, 63, 64, 65, 511, 512, 513, 1940 };
	char dir[] = "/tmp/t_packed.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	for (size_t k = 0; k < sizeof(field) / sizeof(field[0]); k++)
		round_trip(k % 2 ? 70 : 1, field[k]);
	round_trip(3, 600001);
	rmdir(dir);
	return T_DONE();
}
