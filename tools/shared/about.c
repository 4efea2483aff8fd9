/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of a file as lines "#key: value". */
#include <stdio.h>
#include <stdlib.h>

#include "formats/results/result_columns.h"
#include "tools/shared/about.h"

static void
key(struct vs_out *o, const char *group, const char *name)
{
	vs_out_char(o, '#');
	vs_out_text(o, group);
	vs_out_text(o, name);
	vs_out_text(o, ": ");
}

/* Text from a file as one line, whatever it contains. */
static void
say_text(struct vs_out *o, const char *group, const char *name,
	const char *text, size_t len)
{
	key(o, group, name);
	for (size_t k = 0; k < len; k++)
		vs_out_char(o, (unsigned char)text[k] < ' ' ? ' ' : text[k]);
	vs_out_char(o, '\n');
}

static void
say_row(struct vs_out *o, const char *group, const char *name,
	const struct vs_text_pool *pool, size_t row)
{
	size_t len;
	const char *text = vs_text_pool_get(pool, row, &len);

	say_text(o, group, name, text, len);
}

static void
say_words(struct vs_out *o, const char *name, const char *text)
{
	say_text(o, "", name, text, strlen(text));
}

static void
say_number(struct vs_out *o, const char *group, const char *name, int64_t v)
{
	key(o, group, name);
	vs_out_int(o, v);
	vs_out_char(o, '\n');
}

static void
say_int(struct vs_out *o, const char *name, int64_t v)
{
	say_number(o, "", name, v);
}

static void
say_sum(struct vs_out *o, const char *name, const struct vs_digest_sum *s)
{
	char text[40];

	snprintf(text, sizeof(text), "%016llx%016llx",
		(unsigned long long)s->h[0], (unsigned long long)s->h[1]);
	say_words(o, name, text);
}

/* ---- metadata of all kinds ---- */

static int
say_root(struct vs_h5_reader *r, struct vs_out *o)
{
	static const char *const names[] = { "uuid", "content_xxh128",
		"created", "generator", "required_features" };
	int32_t version[2];
	char text[32], *word = NULL;
	int code = vs_h5_reader_text(r, "/", "format", &word);

	if (!code)
		say_words(o, "format", word);
	free(word);
	if (!code)
		code = vs_h5_reader_i32(r, "/", "format_version", version, 2);
	if (!code) {
		snprintf(text, sizeof(text), "%d.%d", version[0], version[1]);
		say_words(o, "format_version", text);
	}
	for (size_t k = 0; k < sizeof(names) / sizeof(names[0]) && !code; k++) {
		word = NULL;
		code = vs_h5_reader_text(r, "/", names[k], &word);
		if (!code)
			say_words(o, names[k], word);
		free(word);
	}
	return code;
}

static void
say_field(struct vs_out *o, const char *group, const struct vs_field *f,
	const void *from)
{
	char room[VS_NUM_ROOM];
	const char *text = vs_run_field_text(f, from, room);

	say_text(o, group, f->name, text, strlen(text));
}

static void
say_step(struct vs_out *o, const struct vs_provenance *p, size_t s)
{
	const char *text, *name;
	char group[32];
	size_t len;

	snprintf(group, sizeof(group), "step%zu_", s + 1);
	for (size_t k = 0; (text = vs_provenance_text(p, s, k, &name, &len));
		k++)
		if (len)
			say_text(o, group, name, text, len);
}

static int
say_provenance(struct vs_h5_reader *r, struct vs_out *o)
{
	struct vs_provenance p = { 0 };
	int code = vs_provenance_read(&p, r);

	for (size_t s = 0; s < p.n_source && !code; s++) {
		char group[32];

		snprintf(group, sizeof(group), "source%zu_", s + 1);
		say_row(o, group, "name", &p.source_name, s);
		say_number(o, group, "size", p.source_size[s]);
		say_row(o, group, "xxh128", &p.source_xxh128, s);
	}
	for (size_t s = 0; s < p.n && !code; s++)
		say_step(o, &p, s);
	vs_provenance_free(&p);
	return code;
}

/* ---- vectors ---- */

static int
say_permutation(struct vs_h5_reader *r, struct vs_out *o)
{
	static const char *const names[] = { "algorithm", "parent_content" };
	uint64_t seed = 0;
	bool has;
	int code = vs_h5_reader_has(r, "/permutation", &has);

	if (code || !has)
		return code;
	for (int k = 0; k < 2 && !code; k++) {
		char *text = NULL;

		code = vs_h5_reader_text(r, "/permutation", names[k], &text);
		if (!code)
			say_text(o, "permutation_", names[k], text,
				strlen(text));
		free(text);
	}
	if (!code)
		code = vs_h5_reader_u64(r, "/permutation", "seed", &seed, 1);
	if (!code)
		say_int(o, "permutation_seed", (int64_t)seed);
	return code;
}

static int
say_genotypes(struct vs_packed *p, struct vs_out *out)
{
	int64_t(*count)[4] = NULL, sum[4] = { 0 };
	int code = vs_packed_counts(p, &count);

	if (code)
		return code;
	for (uint64_t v = 0; v < p->n_vec; v++)
		for (int g = 0; g < 4; g++)
			sum[g] += count[v][g];
	free(count);
	say_int(out, "ploidy", p->ploidy);
	say_words(out, "allele_rule", p->allele_rule);
	say_int(out, "n_genotype0", sum[0]);
	say_int(out, "n_genotype1", sum[1]);
	say_int(out, "n_genotype2", sum[2]);
	say_int(out, "n_missing", sum[3]);
	return 0;
}

int
vs_about_packed(struct vs_packed *p, struct vs_out *out)
{
	int code = say_root(p->file, out);

	if (code)
		return code;
	say_int(out, "n_vectors", (int64_t)p->n_vec);
	say_int(out, "n_fields", (int64_t)p->n_field);
	say_words(out, "element", vs_element_name(p->element));
	if (p->element == VS_BIT2)
		code = say_genotypes(p, out);
	if (!code)
		code = say_permutation(p->file, out);
	return code ? code : say_provenance(p->file, out);
}

/* ---- results ---- */

static int
say_shards(struct vs_h5_reader *r, struct vs_out *o)
{
	struct vs_text_pool name = { 0 };
	uint64_t n = VS_ROWS_UNKNOWN;
	int64_t *count = NULL;
	int code =
		vs_h5_reader_column(r, "/shards/n_records", VS_I64, &n, &count);

	if (!code)
		code = vs_h5_reader_strings(r, "/shards/name", n, &name);
	for (uint64_t s = 0; s < n && !code; s++) {
		char group[32];

		snprintf(group, sizeof(group), "shard%llu_",
			(unsigned long long)s + 1);
		say_row(o, group, "name", &name, s);
		say_number(o, group, "n_records", count[s]);
	}
	free(count);
	vs_text_pool_free(&name);
	return code;
}

static int
say_tiles(struct vs_result *r, struct vs_out *o)
{
	struct vs_tile_row *tile = NULL;
	char text[VS_NUM_WIDE];
	vs_wide evaluated = 0;
	size_t n = 0;
	int code = vs_result_tiles(r, &tile, &n);

	for (size_t t = 0; t < n && !code; t++)
		evaluated += (vs_wide)tile[t].evaluated;
	free(tile);
	if (code)
		return code;
	if (r->kind == VS_KIND_MERGED) {
		say_int(o, "n_tiles_missing", (int64_t)n);
	} else {
		say_int(o, "n_tiles", (int64_t)n);
		vs_num_print_wide(evaluated, text);
		say_words(o, "n_evaluated", text);
	}
	return 0;
}

int
vs_about_result(struct vs_result *r, struct vs_out *out)
{
	bool merged = r->kind == VS_KIND_MERGED;
	bool has_source = false, has_nodes = false, has_stats = false;
	struct vs_stats stats;
	int code = vs_h5_reader_has_attr(r->file, "/records", "source_sum",
		&has_source);

	if (!code)
		code = vs_h5_reader_has(r->file, "/nodes", &has_nodes);
	if (!code)
		code = vs_h5_reader_has(r->file, "/stats", &has_stats);
	if (!code)
		code = say_root(r->file, out);
	if (code)
		return code;
	for (const struct vs_field *f = vs_run_fields; f->name; f++)
		if (f->kinds & 1u << r->kind)
			say_field(out, "", f, &r->run);
	say_int(out, "n_records", (int64_t)r->n_records);
	say_sum(out, "records_sum", &r->sum);
	if (has_source)
		say_sum(out, "source_sum", &r->source_sum);
	say_words(out, "has_num", r->run.has_num ? "yes" : "no");
	say_words(out, "has_nvalid", r->run.has_nvalid ? "yes" : "no");
	if (merged)
		say_words(out, "has_nodes", has_nodes ? "yes" : "no");
	code = say_tiles(r, out);
	if (!code && merged)
		code = say_shards(r->file, out);
	if (!code)
		code = vs_result_stats(r, &stats);
	for (const struct vs_field *f = vs_stats_fields;
		f->name && !code && has_stats; f++)
		say_field(out, "stats_", f, &stats);
	return code ? code : say_provenance(r->file, out);
}
