/* SPDX-License-Identifier: BSD-3-Clause */
/* A result file, or a vectors file -> text, whole or by vector or region. */
#include <stdlib.h>
#include <string.h>

#include "formats/out/column_cache.h"
#include "formats/out/writer.h"
#include "formats/results/block_map.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "tools/shared/about.h"
#include "tools/shared/contingency.h"
#include "tools/shared/joint.h"
#include "tools/shared/result_io.h"
#include "tools/shared/selection.h"
#include "tools/shared/tool.h"
#include "tools/shared/vector_names.h"

#define RECORD_COLUMNS "id1,allele1,id2,allele2,value"
#define UNLABELLED_COLUMNS "id1,id2,value" /* of metrics without cells */
#define TRIPLE_COLUMNS "id1,allele1,id2,allele2,id3,allele3,value"
#define NUMBER_COLUMNS "id,sum"
#define VECTOR_COLUMNS "id,chrom,pos,allele0,allele1,n0,n1,n2,missing,freq1"

#define DRAWS 1000 /* of p_permuted unless given */

static struct job {
	const char *out, *columns, *region, *id, *to, *vectors, *min_joint;
	int64_t threads, permutations, seed;
	bool header, no_header, file_order, both, genotypes, fast, force;
} job = { .to = "tsv", .permutations = DRAWS, .seed = 1 };

/* Choices of --to, filled by main(). */
static char formats[VS_WRITER_WORDS], formats_help[VS_WRITER_WORDS];

static struct vs_opt opts[] = {
	{ 'c', "columns", "LIST", VS_OPT_TEXT, &job.columns,
		.help = "what to show of a record: any of i, j, a, b, cell, "
			"num, n, value, id1, chrom1, pos1, allele1, freq1, "
			"id2, chrom2, pos2, allele2, freq2, and of a triple k, "
			"c, id3, chrom3, pos3, allele3, freq3; with the "
			"case-control status, of the vectors file: controls "
			"and cases by genotypes, k2, lbf, mi, g, df, p, inter, "
			"inter_df, inter_p, alpha, beta, p_permuted; unless "
			"given " RECORD_COLUMNS "; of a vector: any of "
			"i, id, chrom, pos, allele0, allele1, n0, n1, n2, "
			"missing, freq1, or, of numbers, i, id, sum; all but i "
			"unless given" },
	{ 'i', "id", "LIST", VS_OPT_TEXT, &job.id,
		.help = "records with an end called so: names with commas "
			"between, or @FILE with one a line" },
	{ 'r', "region", "LIST", VS_OPT_TEXT, &job.region,
		.help = "records with an end there: CHROM, CHROM:POS or "
			"CHROM:FROM-TO, with commas between" },
	{ 0, "both", NULL, VS_OPT_FLAG, &job.both,
		.help = "--id and --region: all ends must be there" },
	{ 0, "min-joint", "N|SHARE", VS_OPT_TEXT, &job.min_joint,
		.help = "records that rest on N samples or more that miss no "
			"call of their vectors, or on a share of all: 0.5 or "
			"50%" },
	{ 't', "to", "FORMAT", VS_OPT_CHOICE, &job.to, .choices = formats,
		.help = formats_help },
	{ 'H', "header", NULL, VS_OPT_FLAG, &job.header,
		.help = "what is known of the file, and no records" },
	{ 0, "no-header", NULL, VS_OPT_FLAG, &job.no_header,
		.help = "no first line with the names of the columns" },
	{ 0, "file-order", NULL, VS_OPT_FLAG, &job.file_order,
		.help = "i and j as rows of the vectors file, not as rows of "
			"the input from before vsim-permute" },
	{ 'g', "genotypes", NULL, VS_OPT_FLAG, &job.genotypes,
		.help = "of a vectors file: the table of 0, 1, 2 and NA that "
			"vsim-pack --tsv reads, or of numbers" },
	{ 0, "vectors", "FILE", VS_OPT_TEXT, &job.vectors,
		.help = "take names from this vectors file of the run" },
	{ 0, "permutations", "N", VS_OPT_INT, &job.permutations, 1, INT32_MAX,
		.help = "tables of permuted cases for column p_permuted; 1000 "
			"unless given" },
	{ 0, "seed", "S", VS_OPT_INT, &job.seed, 0, INT32_MAX,
		.help = "of the permutations; 1 unless given" },
	{ 0, "fast", NULL, VS_OPT_FLAG, &job.fast,
		.help = "do not check the digest of the whole file first" },
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out,
		.help = "write there, not to stdout" },
	{ 'j', "threads", "N", VS_OPT_INT, &job.threads, 1, 4096,
		.help = "threads; the cores allowed unless given" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an output that exists" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-view",
	.purpose = "Show results or vectors as text.",
	.synopsis = "[options] E.res.h5|SHARD|X.vec.h5",
	.lesson = "examples:\n"
		  "  vsim-view e.res.h5 | sort -k5,5gr | head\n"
		  "  vsim-view -r 20:60000-90000 -c id1,id2,value e.res.h5\n"
		  "  vsim-view --to abc e.res.h5 | mcl - --abc -o clusters\n"
		  "  vsim-view -H x.vec.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = 1,
};

/* Text of a block of records, and texts to be shown again. */
struct hand {
	struct vs_out text;
	struct vs_column_cache *cache;
};

/* A file being shown. */
struct view {
	struct vs_result *result; /* or */
	struct vs_packed *vectors;
	struct vs_vector_names names; /* rows null when nothing needs them */
	struct vs_selection ids, regions;
	int64_t min_joint;
	void *sums; /* of numbers */
	struct vs_contingency tables;
	bool scored, fitted, permuted; /* columns show scores of tables */
	bool original;                 /* indices shown are the original rows */
	const struct vs_column *column[VS_COLUMNS_MOST];
	struct vs_show show;
	struct vs_writer writer;
	struct vs_out out;
	struct hand *hand; /* of each thread */
	uint64_t lo, hi;   /* first vectors that records read may have */
};

/* ---- options ---- */

static bool
is_source(const struct view *v)
{
	return v->result && !strcmp(v->result->run.index_space, "source");
}

/* Columns, or the fixed line of a format, and what they must be given. */
static int
choose_columns(struct view *v, const struct vs_writer_kind *kind,
	unsigned *needs)
{
	bool numbers = !v->result && vs_element_is_number(v->vectors->element);
	const struct vs_column *list = v->result ? vs_columns_record
		: numbers                        ? vs_columns_numbers
						 : vs_columns_vector;
	const char *words = job.columns             ? job.columns
		: numbers                           ? NUMBER_COLUMNS
		: !v->result                        ? VECTOR_COLUMNS
		: v->result->run.n_way == 3         ? TRIPLE_COLUMNS
		: vs_run_has_cells(&v->result->run) ? RECORD_COLUMNS
						    : UNLABELLED_COLUMNS;
	int code;

	*needs = kind->needs;
	if (!kind->columns) {
		if (job.columns)
			return vs_fail(VS_EUSAGE,
				"--to %s has columns of its own", kind->name);
		return 0;
	}
	code = vs_column_parse(list, words, v->column, &v->show.n_column);
	for (int c = 0; c < v->show.n_column && !code; c++)
		*needs |= v->column[c]->needs;
	return code;
}

static int
check_needs(const struct view *v, unsigned needs)
{
	const char *path = vs_h5_reader_path(v->result->file);

	if (needs & VS_NEEDS_THIRD && v->result->run.n_way != 3)
		return vs_fail(VS_EUSAGE,
			"--columns: %s is of pairs, which have no third vector",
			path);
	if (needs & VS_NEEDS_PAIRS && v->result->run.n_way != 2)
		return vs_fail(VS_EUSAGE,
			"--to: %s is of triples, which no graph format holds; "
			"--to tsv or json-lines shows them",
			path);
	if (needs & VS_NEEDS_NUM && !v->result->run.has_num)
		return vs_fail(VS_EINPUT, "%s: holds no num", path);
	return 0;
}

static int
find_joint(struct view *v)
{
	const char *path = vs_h5_reader_path(v->result->file);
	int code = job.min_joint ? vs_joint_known(&v->result->run, path) : 0;

	return code ? code
		    : vs_joint_read(job.min_joint, path,
			      v->result->run.n_fields, &v->min_joint);
}

static int
find_names(struct view *v, unsigned needs)
{
	bool order = needs & (VS_NEEDS_INDEX | VS_NEEDS_SITES) &&
		!job.file_order && !is_source(v);
	bool must = needs & VS_NEEDS_SITES || job.id || job.region ||
		job.vectors || job.genotypes || order;
	int code = 0;

	if (!must)
		return 0;
	code = v->result
		? vs_vector_names_of_result(&v->names, v->result, job.vectors,
			  ", or show numbers alone: --file-order -c "
			  "i,j,cell,value")
		: vs_vector_names_of_vectors(&v->names, v->vectors, false);
	if (!code && job.id)
		code = vs_selection_words(&v->ids, &v->names, job.id,
			VS_SELECTION_ID);
	if (!code && job.region)
		code = vs_selection_regions(&v->regions, &v->names, job.region);
	v->original = order && !code;
	return code;
}

static int
find_tables(struct view *v, unsigned needs)
{
	v->scored = true;
	v->fitted = needs & VS_NEEDS_FIT;
	v->permuted = needs & VS_NEEDS_PERMUTED;
	return vs_contingency_open(&v->tables, v->result, job.vectors);
}

/* ---- records ---- */

static bool
wanted(const struct view *v, const struct vs_record *r)
{
	return (!job.id || vs_selection_includes(&v->ids, r, job.both)) &&
		(!job.region ||
			vs_selection_includes(&v->regions, r, job.both)) &&
		vs_joint_keeps(r, v->min_joint);
}

/* A record as shown: by original rows the smaller ends come first. */
static int
make_line(const struct view *v, const struct vs_record *r, struct vs_line *line)
{
	const struct vs_vector_names *names = &v->names;
	const int n = r->k == VS_NO_VEC ? 2 : 3;
	const uint64_t end[3] = { r->i, r->j, r->k };
	uint64_t shown[3], label[3];

	line->rec = *r;
	memcpy(line->vec, end, sizeof(end));
	if (!names->row)
		return 0;
	line->rec.cell = 0;
	for (int e = 0; e < n; e++) {
		int64_t row = names->row[end[e]];
		uint64_t place, bit = r->cell >> (n - 1 - e) & 1;
		int at = e;

		if (row < 0)
			return vs_fail(VS_EINPUT,
				"%s: vector %llu has no name there",
				names->from, (unsigned long long)end[e]);
		place = v->original ? (uint64_t)names->sites.source_row[row]
				    : end[e];
		for (; at && shown[at - 1] > place; at--) {
			shown[at] = shown[at - 1];
			label[at] = label[at - 1];
			line->row[at] = line->row[at - 1];
			line->vec[at] = line->vec[at - 1];
		}
		shown[at] = place;
		label[at] = bit;
		line->row[at] = (size_t)row;
		line->vec[at] = end[e];
	}
	for (int e = 0; e < n; e++)
		line->rec.cell = 2 * line->rec.cell + (uint32_t)label[e];
	line->rec.i = shown[0];
	line->rec.j = shown[1];
	if (n == 3)
		line->rec.k = shown[2];
	return 0;
}

/* The table of a line and its scores; permutations are the same wherever the
 * line stands. */
static void
score(const struct view *v, const struct vs_line *line, struct vs_scores *s)
{
	uint64_t seed = (uint64_t)job.seed;
	int n_way = line->rec.k == VS_NO_VEC ? 2 : 3;

	vs_contingency_count(&v->tables, line->vec, n_way, s);
	vs_scores_set(s, v->tables.logs, v->fitted);
	for (int e = 0; e < n_way; e++)
		seed = vs_rng_at(seed, line->vec[e]);
	if (v->permuted)
		s->permuted = vs_scores_permute(s, v->tables.logs,
			job.permutations, seed);
}

/* Lines of records, by a writer of its own. */
static int
put_records(const struct view *v, struct vs_writer *writer,
	const struct vs_record *rec, size_t n)
{
	struct vs_scores scores;
	struct vs_line line = { .scores = &scores };
	int code = 0;

	for (size_t x = 0; x < n && !code; x++) {
		if (rec[x].i < v->lo || rec[x].i >= v->hi)
			return vs_fail(VS_EINPUT,
				"%s: is damaged: a record of vector %llu is "
				"not where the index has it; restore it or "
				"make it anew",
				vs_h5_reader_path(v->result->file),
				(unsigned long long)rec[x].i);
		if (!wanted(v, &rec[x]))
			continue;
		code = make_line(v, &rec[x], &line);
		if (!code && v->scored)
			score(v, &line, &scores);
		if (!code)
			writer->kind->line(writer, &line);
		if (!code && vs_out_closed(writer->out))
			code = writer->out->code;
	}
	return code;
}

static int
show_records(void *with, struct vs_record *rec, size_t n)
{
	struct view *v = with;

	return put_records(v, &v->writer, rec, n);
}

/* The text of a block, in the memory of a thread. */
static int
print_block(void *with, int thread, struct vs_record *rec, uint64_t lo,
	size_t n)
{
	struct view *v = with;
	struct vs_writer writer = v->writer;
	struct hand *h = &v->hand[thread];
	int code = 0;

	(void)lo;
	if (!h->text.buf)
		code = vs_out_memory(&h->text);
	if (!code && !h->cache)
		code = vs_column_cache_new(&h->cache);
	writer.out = &h->text;
	writer.cache = h->cache;
	return code ? code : put_records(v, &writer, rec, n);
}

static int
write_block(void *with, int thread)
{
	struct view *v = with;

	return vs_out_pass(&v->out, &v->hand[thread].text);
}

/* Records [0, n), by all threads. */
static int
show_first(struct view *v, uint64_t n)
{
	struct vs_block_work work = { v, print_block, write_block };
	int n_thread = vs_h5_n_thread(), code;
	struct vs_block_map *map = NULL;

	code = vs_mem_new(&v->hand, (size_t)n_thread, sizeof(*v->hand),
		"threads");
	if (!code)
		code = vs_block_map_new(&map, n_thread);
	if (!code)
		code = vs_block_map_run(map, v->result, 0, n, &work);
	vs_block_map_free(map);
	for (int t = 0; t < n_thread && v->hand; t++) {
		free(v->hand[t].text.buf);
		vs_column_cache_free(v->hand[t].cache);
	}
	free(v->hand);
	v->hand = NULL;
	return code;
}

/*
 * With both ends picked only the slices of picked first ends are read. With
 * one, its record may be under any smaller first end, and no greater one.
 */
static int
show_picked(struct view *v, const struct vs_selection *pick)
{
	int64_t *at = NULL;
	int code = vs_result_index(v->result, &at);

	if (code || !pick->n_in)
		goto out;
	v->hi = pick->last + 1;
	if (!job.both)
		code = show_first(v, (uint64_t)at[v->hi]);
	for (uint64_t lo = 0; job.both && lo < pick->n_vec && !code;) {
		uint64_t hi = lo + 1;

		while (hi < pick->n_vec && pick->in[hi] == pick->in[lo])
			hi++;
		v->lo = lo;
		v->hi = hi;
		if (pick->in[lo])
			code = vs_result_io_each(v->result, (uint64_t)at[lo],
				(uint64_t)at[hi], show_records, v);
		lo = hi;
	}
out:
	free(at);
	return code;
}

static int
show_result(struct view *v)
{
	const struct vs_selection *pick = job.id ? &v->ids
		: job.region                     ? &v->regions
						 : NULL;

	int code = vs_result_watch(v->result);

	if (code)
		return code;
	v->hi = UINT64_MAX;
	code = pick && v->result->kind == VS_KIND_MERGED
		? show_picked(v, pick)
		: show_first(v, v->result->n_records);
	return code ? code : vs_result_seen_check(v->result);
}

/* ---- vectors ---- */

static bool
wanted_vector(const struct view *v, uint64_t k)
{
	return (!job.id || v->ids.in[k]) && (!job.region || v->regions.in[k]);
}

static int
show_vectors(struct view *v)
{
	struct vs_line line = { 0 };

	for (uint64_t k = 0; k < v->vectors->n_vec; k++) {
		if (!wanted_vector(v, k))
			continue;
		line.rec.i = v->original
			? (uint64_t)v->names.sites.source_row[k]
			: k;
		line.row[0] = k;
		v->writer.kind->line(&v->writer, &line);
		if (vs_out_closed(&v->out))
			return v->out.code;
	}
	return 0;
}

static void
put_genotypes(struct vs_out *o, const struct vs_packed *p, const uint8_t *row)
{
	static const char *const cell[] = { "\t0", "\tNA", "\t1", "\t2" };
	const uint8_t *other = row + p->plane_bytes;

	for (uint64_t q = 0; q < p->n_field; q++) {
		unsigned a = row[q / 8] >> q % 8 & 1;
		unsigned b = other[q / 8] >> q % 8 & 1;

		vs_out_text(o, cell[2 * b + a]);
	}
}

static void
put_numbers(struct vs_out *o, const struct vs_packed *p, const uint8_t *row)
{
	for (uint64_t q = 0; q < p->n_field; q++) {
		double x = vs_element_get(p->element, row, q);

		vs_out_char(o, '\t');
		if (vs_element_is_integer(p->element))
			vs_out_int(o, (int64_t)x);
		else if (p->element == VS_NUM_F32)
			vs_out_f32(o, (float)x);
		else
			vs_out_real(o, x);
	}
}

static int
names_repeat(const struct vs_text_pool *names, bool *yes)
{
	struct vs_text_index index = { 0 };
	int code = vs_text_index_make(&index, names);

	*yes = !code && vs_text_index_duplicate(&index) >= 0;
	vs_text_index_free(&index);
	return code;
}

/*
 * Names of samples into empty pool: ids or, where ids repeat, FAMILY_ID as
 * PLINK does. A_B 1 and A B_1 would be one name so: then a blank stands
 * between, which neither holds.
 */
static int
name_samples(const struct vs_samples *s, struct vs_text_pool *names)
{
	static const char *const between[] = { NULL, "_", " " };
	bool again = true;
	int code = 0;

	for (int k = 0; k < (s->family.n ? 3 : 1) && again && !code; k++) {
		vs_text_pool_free(names);
		code = vs_sites_samples_join(s, between[k], names);
		if (!code)
			code = names_repeat(names, &again);
	}
	return code;
}

static int
show_heads(struct view *v)
{
	struct vs_samples samples = { 0 };
	struct vs_text_pool names = { 0 };
	const char *word;
	size_t len;
	int code = vs_packed_samples(v->vectors, &samples);

	if (!code)
		code = name_samples(&samples, &names);
	vs_out_text(&v->out, "id");
	for (size_t q = 0; q < names.n; q++) {
		vs_out_char(&v->out, '\t');
		word = vs_text_pool_get(&names, q, &len);
		vs_out_put(&v->out, word, len);
	}
	vs_out_char(&v->out, '\n');
	vs_text_pool_free(&names);
	vs_sites_samples_free(&samples);
	return code;
}

static int
show_table(struct view *v)
{
	struct vs_packed *p = v->vectors;
	uint64_t n = 1 + (4u << 20) / p->row_bytes;
	uint8_t *block = NULL;
	size_t len;
	int code = job.no_header ? 0 : show_heads(v);

	if (!code)
		code = vs_mem_room(&block, n, p->row_bytes, "vectors");
	for (uint64_t lo = 0; lo < p->n_vec && !code; lo += n) {
		uint64_t hi = p->n_vec - lo < n ? p->n_vec : lo + n;

		code = vs_packed_rows(p, lo, hi, block);
		for (uint64_t k = lo; k < hi && !code; k++) {
			const uint8_t *row = block + (k - lo) * p->row_bytes;
			const char *id =
				vs_text_pool_get(&v->names.sites.id, k, &len);

			if (!wanted_vector(v, k))
				continue;
			vs_out_put(&v->out, id, len);
			if (p->element == VS_BIT2)
				put_genotypes(&v->out, p, row);
			else
				put_numbers(&v->out, p, row);
			vs_out_char(&v->out, '\n');
			code = v->out.code;
		}
	}
	free(block);
	return code;
}

/* ---- the whole ---- */

static int
open_input(struct view *v, const char *path)
{
	unsigned all = 1u << VS_KIND_VECTORS | 1u << VS_KIND_SHARD |
		1u << VS_KIND_MERGED;
	struct vs_h5_reader *r = NULL;
	enum vs_kind kind;
	int code = vs_h5_reader_open(&r, path, all, job.fast ? VS_H5_FAST : 0,
		&kind);

	vs_h5_reader_close(r);
	if (code)
		return code;
	return kind == VS_KIND_VECTORS
		? vs_packed_open(&v->vectors, path, VS_H5_FAST)
		: vs_result_open(&v->result, path, VS_H5_FAST);
}

static int
check_options(const struct view *v, const char *path)
{
	bool pairs = vs_writer_find(job.to)->needs & VS_NEEDS_PAIRS;

	if (v->result && job.genotypes)
		return vs_fail(VS_EUSAGE,
			"--genotypes: %s holds results, not vectors", path);
	if (v->vectors && (pairs || job.vectors || job.min_joint))
		return vs_fail(VS_EUSAGE, "%s%s: %s holds vectors, not results",
			job.vectors             ? "--vectors"
				: job.min_joint ? "--min-joint"
						: "--to ",
			job.vectors || job.min_joint ? "" : job.to, path);
	if (job.genotypes && (job.columns || strcmp(job.to, "tsv")))
		return vs_fail(VS_EUSAGE,
			"--genotypes has a form of its own, without --columns "
			"or --to");
	if (job.both && !job.id && !job.region)
		return vs_fail(VS_EUSAGE, "--both goes with --id or --region");
	return 0;
}

static int
show(struct view *v)
{
	const struct vs_writer_kind *kind = vs_writer_find(job.to);
	unsigned needs = 0;
	int code;

	v->show.sites = &v->names.sites;
	v->show.column = v->column;
	v->show.head = !job.no_header;
	code = choose_columns(v, kind, &needs);
	if (!code && v->result) {
		v->show.f32 = !strcmp(v->result->run.value_type, "f32");
		v->show.n_field = v->result->run.n_fields;
		v->show.metric = v->result->run.metric;
		v->show.cells = vs_run_has_cells(&v->result->run);
		code = check_needs(v, needs);
		if (!code)
			code = find_joint(v);
	}
	if (!code && !(needs & VS_NEEDS_PERMUTED) &&
		(job.permutations != DRAWS || job.seed != 1))
		code = vs_fail(VS_EUSAGE,
			"--%s goes with column p_permuted of a result",
			job.seed != 1 ? "seed" : "permutations");
	if (!code)
		code = find_names(v, needs);
	if (!code && needs & VS_NEEDS_TABLE)
		code = find_tables(v, needs);
	if (!code && needs & VS_NEEDS_SUMS)
		code = vs_packed_sums(v->vectors, &v->sums);
	if (code)
		return code;
	v->show.sums = v->sums;
	v->show.whole_sums =
		v->vectors && vs_element_is_integer(v->vectors->element);
	if (job.genotypes) {
		code = show_table(v);
		return code ? code : vs_h5_reader_unchanged(v->vectors->file);
	}
	code = vs_writer_begin(&v->writer, kind, &v->show, &v->out);
	if (!code)
		code = v->result ? show_result(v) : show_vectors(v);
	if (!code && v->vectors)
		code = vs_h5_reader_unchanged(v->vectors->file);
	return code;
}

static int
view(const char *path)
{
	struct view v = { 0 };
	int code = open_input(&v, path);

	if (!code)
		code = check_options(&v, path);
	if (!code)
		code = vs_out_open(&v.out, job.out, job.force);
	if (code)
		goto out;
	if (!job.header)
		code = show(&v);
	else if (v.result)
		code = vs_about_result(v.result, &v.out);
	else
		code = vs_about_packed(v.vectors, &v.out);
	/* the pipe is closed: this is no failure */
	if (code == VS_DONE)
		code = 0;
	if (!code)
		code = vs_out_finish(&v.out);
	vs_out_abandon(&v.out);
out:
	vs_writer_end(&v.writer);
	vs_selection_free(&v.ids);
	vs_selection_free(&v.regions);
	vs_vector_names_free(&v.names);
	vs_contingency_close(&v.tables);
	free(v.sums);
	vs_packed_close(v.vectors);
	vs_result_close(v.result);
	return code;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code;

	vs_writer_words(formats, formats_help);
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code) {
		vs_h5_threads(job.threads ? (int)job.threads
					  : vs_mem_cores_allowed());
		code = view(args.operands[0]);
	}
	return vs_tool_end(code, true);
}
