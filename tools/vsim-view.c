/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-view: a result or a vectors file -> text, whole, by vector or region. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "formats/out/column.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/shared/about.h"
#include "tools/shared/joint.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/record_line.h"
#include "tools/shared/result_io.h"
#include "tools/shared/selection.h"
#include "tools/shared/tool.h"
#include "tools/view/matrix_rows.h"
#include "tools/view/refit.h"
#include "tools/view/result_lines.h"

#define NUMBER_COLUMNS "id,sum"
#define SITE_COLUMNS "id,chrom,pos,allele0,allele1,sum"
#define VECTOR_COLUMNS "id,chrom,pos,allele0,allele1,n0,n1,n2,missing,freq1"

#define MOST_MEMORY (1ull << 30) /* default of --sort */
#define DRAWS 1000               /* default of p_permuted */

static struct job {
	const char *out, *columns, *region, *id, *to, *vectors, *min_joint,
		*absent, *sort, *threshold, *header_prefix, *undefined, *covar,
		*covar_name;
	uint64_t memory;
	int64_t threads, permutations, seed, head, top, neighbors;
	bool header, no_header, file_order, both, genotypes, fast, force;
} job = { .permutations = DRAWS, .seed = 1 };

/* Choices of --to, filled by main(). */
static char formats[VS_WRITER_WORDS], formats_detail[VS_WRITER_WORDS];

static struct vs_opt opts[] = {
	{ 'i', "id", "LIST", VS_OPT_TEXT, &job.id, .group = "Which records",
		.common = true,
		.help = "with a variant named in LIST: a,b,c or @FILE" },
	{ 'r', "region", "LIST", VS_OPT_TEXT, &job.region, .common = true,
		.help = "with a variant there: CHROM[:POS|:FROM-TO],..." },
	{ 0, "both", NULL, VS_OPT_FLAG, &job.both,
		.help = "all variants must be in the list or region" },
	{ 't', "threshold", "T", VS_OPT_TEXT, &job.threshold, .common = true,
		.help = "values stronger than T, as vsim-run" },
	VS_OPT_MIN_JOINT(&job.min_joint),
	VS_OPT_UNDEFINED(&job.undefined, "0; matrices: NA"),
	{ 0, "sort", "KEY", VS_OPT_CHOICE, &job.sort, .choices = "value",
		.help = "value: strongest record first" },
	{ 0, "top", "N", VS_OPT_INT, &job.top, 1, 1e15, .common = true,
		.help = "the N strongest, strongest first" },
	{ 0, "head", "N", VS_OPT_INT, &job.head, 1, 1e15,
		.help = "the first N" },

	{ 'c', "columns", "LIST", VS_OPT_TEXT, &job.columns, .group = "Columns",
		.common = true, .help = "columns to show, separated by commas",
		.detail =
			"records\ti j a b cell num n value p q r chi2 chi2_p\n"
			"\tid1 chrom1 pos1 allele1 freq1\n"
			"\tid2 chrom2 pos2 allele2 freq2\n"
			"\t[id1,allele1,id2,allele2,value]\n"
			"triples\talso k c id3 chrom3 pos3 allele3 freq3\n"
			"case/control\tcontrols cases k2 lbf mi g df p inter "
			"inter_df inter_p\n"
			"\talpha beta p_permuted; p_family after "
			"--permutations\n"
			"trait\tdf df2 p p_family\n"
			"regression\teffect effect_se effect_p effect_or "
			"effect_n effect_note\n"
			"genotypes\ti id chrom pos allele0 allele1 n0 n1 n2 "
			"missing freq1\n"
			"numbers\ti id chrom pos allele0 allele1 sum\n" },
	{ 'H', "header", NULL, VS_OPT_FLAG, &job.header, .common = true,
		.help = "describe the file; show no records" },
	{ 0, "no-header", NULL, VS_OPT_FLAG, &job.no_header,
		.help = "omit the header line" },
	{ 0, "header-prefix", "TEXT", VS_OPT_TEXT, &job.header_prefix,
		.help = "begin the header line with TEXT, such as #" },
	{ 0, "file-order", NULL, VS_OPT_FLAG, &job.file_order,
		.help = "i and j as rows of the file, not of the first input" },
	{ 'g', "genotypes", NULL, VS_OPT_FLAG, &job.genotypes, .common = true,
		.help = "print the genotypes or numbers of a vectors file" },
	VS_OPT_VECTORS(&job.vectors, "run"),
	{ 0, "permutations", "N", VS_OPT_INT, &job.permutations, 1, INT32_MAX,
		.help = "permuted tables for column p_permuted [1000]" },
	VS_OPT_SEED(&job.seed, INT32_MAX, "these permutations"),
	{ 0, "covar", "FILE", VS_OPT_TEXT, &job.covar,
		.help = "covariates for column effect: FID IID and columns" },
	{ 0, "covar-name", "LIST", VS_OPT_TEXT, &job.covar_name,
		.help = "only these covariates: a,b,c [all]" },

	{ 0, "to", "FORMAT", VS_OPT_CHOICE, &job.to, .group = "Formats",
		.common = true, .choices = formats, .detail = formats_detail,
		.elsewhere = "plot=vsim-plot KIND -o FILE.svg E.res.h5|"
			     "report=vsim-plot report -o FILE.html E.res.h5|"
			     "format=--to FORMAT",
		.words_elsewhere =
			"parquet=--to csv, and DuckDB, vsim-results(5)",
		.help = "output format [tsv]" },
	{ 0, "neighbors", "K", VS_OPT_INT, &job.neighbors, 1, INT32_MAX,
		.help = "with --to knn: at most K of each variant [all]" },
	{ 0, "absent", "WHAT", VS_OPT_CHOICE, &job.absent, .choices = "NA|0",
		.help = "in a matrix, pairs without a record: NA or 0 [NA]" },

	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out, .group = "Output",
		.common = true, .help = "write to FILE, not to stdout" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an existing output" },

	VS_OPT_THREADS(&job.threads, "all allowed cores", .group = "Resources"),
	VS_OPT_MEMORY(&job.memory, "for --sort [1G at most]"),
	{ 0, "fast", NULL, VS_OPT_FLAG, &job.fast,
		.help = "do not check the digest of the whole file first" },
	{ 0 },
};

#define MATRICES "to=matrix to=npy to=dist"

static const struct vs_opt_rule rules[] = {
	VS_EXCLUDES("genotypes", "columns @not-tsv",
		.why = "this table has a form of its own"),
	VS_EXCLUDES("columns", "@fixed", .why = "it has columns of its own"),
	VS_EXCLUDES("header-prefix", "no-header genotypes @not-tsv",
		.why = "it begins the header line of tsv"),
	VS_EXCLUDES("sort top head", MATRICES,
		.why = "it has an order of its own"),
	VS_EXCLUDES("top", "head", .why = "give one number"),
	VS_EXCLUDES("head", "genotypes", .why = "pipe the table to head"),
	VS_EXCLUDES("undefined=omit", MATRICES,
		.why = "a matrix has all pairs; use NA or 0"),
	VS_EXCLUDES("undefined=NA", "@numbers",
		.why = "it holds numbers only; use omit or 0"),
	VS_NEEDS("absent", MATRICES),
	VS_NEEDS("neighbors", "to=knn"),
	VS_EXCLUDES("sort top head", "to=knn",
		.why = "it ranks by vector; --neighbors K keeps K of each"),
	VS_NEEDS("memory", "sort top"),
	VS_NEEDS("both", "id region"),
	VS_NEEDS("permutations seed", "@permuted"),
	VS_NEEDS("covar", "@effects"),
	VS_NEEDS("covar-name", "covar"),
	VS_NEEDS("genotypes", "@vectors"),
	VS_NEEDS("min-joint threshold vectors undefined sort top @fixed",
		"@result"),
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-view",
	.purpose = "Show results or vectors as text.",
	.synopsis = "[options] E.res.h5|SHARD|X.vec.h5",
	.lesson = "examples:\n"
		  "  vsim-view --top 10 e.res.h5\n"
		  "  vsim-view -r 20:60000-90000 -c id1,id2,value e.res.h5\n"
		  "  vsim-view --to abc e.res.h5 | mcl - --abc -o clusters\n"
		  "  vsim-view -H x.vec.h5\n",
	.opts = opts,
	.rules = rules,
	.n_least = 1,
	.n_most = 1,
};

/* A file being shown. */
struct view {
	struct vs_result *result; /* or */
	struct vs_packed *vectors;
	struct vs_vector_names names; /* rows null if no column needs them */
	struct vs_selection ids, regions;
	int64_t min_joint;
	bool limited; /* by these: */
	struct vs_thresholds thresholds;
	void *sums; /* sums of numbers */
	struct vs_contingency tables;
	struct vs_refit refit;
	struct vs_matrix_rows matrix;
	struct vs_undefined undefined;
	bool omit;                     /* detects records that are 0/0 */
	bool scored, fitted, permuted; /* columns show scores of tables */
	bool paired;                   /* or r of genotypes */
	bool by_family;
	struct vs_p_value test; /* of column q */
	bool original;          /* indices shown are the original rows */
	const struct vs_column *column[VS_COLUMNS_MOST];
	struct vs_show show;
	struct vs_writer writer;
	struct vs_out out;
};

/* ---- options ---- */

static bool
is_source(const struct view *v)
{
	return v->result && !strcmp(v->result->run.index_space, "source");
}

/* Columns, or the fixed line of a format, and what they need. */
static int
choose_columns(struct view *v, const struct vs_writer_kind *kind,
	unsigned *needs)
{
	const bool numbers =
		!v->result && vs_element_is_number(v->vectors->element);
	const char *words = job.columns        ? job.columns
		: numbers && v->vectors->sited ? SITE_COLUMNS
		: numbers                      ? NUMBER_COLUMNS
					       : VECTOR_COLUMNS;
	int code;

	if (v->result)
		return vs_record_line_columns(&v->result->run, kind,
			job.columns, v->column, &v->show.n_column, needs);
	*needs = kind->needs;
	if (!kind->columns)
		return 0;
	code = vs_column_parse(vs_columns_vector, words,
		numbers ? VS_NEEDS_COUNTS : VS_NEEDS_SUMS, v->column,
		&v->show.n_column);
	for (int c = 0; c < v->show.n_column && !code; c++)
		*needs |= v->column[c]->needs;
	return code;
}

static int
check_needs(const struct view *v, const struct vs_writer_kind *kind,
	unsigned needs)
{
	const char *path = vs_h5_reader_path(v->result->file);
	int code = vs_record_line_check(&v->result->run, kind, needs, path);

	if (code)
		return code;
	if (needs & VS_NEEDS_NULL && !v->result->run.permutations)
		return vs_fail(VS_EINPUT,
			"--columns p_family: %s has no permutations; use "
			"vsim-run --permutations N",
			path);
	if (needs & VS_NEEDS_NULL &&
		!vs_null_maxima_complete(v->result->run.null_maxima,
			v->result->run.permutations))
		return vs_fail(VS_EINPUT,
			"--columns p_family: %s lacks some permutations of its "
			"run; merge all stages first",
			path);
	return 0;
}

/* One threshold, or thresholds by class of cell. */
static int
read_threshold(struct view *v)
{
	const char *text = job.threshold;
	struct vs_run asked;
	double x;

	if (!text)
		return 0;
	v->limited = true;
	if (strchr(text, '=')) {
		if (strchr(text, '+'))
			return vs_fail(VS_EUSAGE,
				"--threshold %s: a sum needs two records; "
				"vsim-threshold -t keeps them",
				text);
		asked = v->result->run;
		return vs_metric_options_thresholds(text,
			vs_run_has_cells(&asked), &v->thresholds, &asked);
	}
	if (!vs_num_real(text, &x))
		return vs_opt_fail_number("--threshold", text,
			"a number; --to names the format");
	vs_thresholds_all(&v->thresholds,
		vs_strength_of_threshold(vs_run_strong(&v->result->run), x));
	return vs_metric_options_passes(&v->result->run, "--threshold", x,
		true);
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
	int code;

	v->scored = true;
	v->fitted = needs & VS_NEEDS_FIT;
	v->permuted = needs & VS_NEEDS_PERMUTED;
	code = vs_contingency_open(&v->tables, v->result, job.vectors);
	return code || !(needs & VS_NEEDS_REFIT)
		? code
		: vs_refit_open(&v->refit, &v->tables, v->result, job.vectors,
			  job.covar, job.covar_name);
}

static int
see_records(void *with, struct vs_record *rec, size_t n)
{
	int code = 0;

	for (size_t x = 0; x < n && !code; x++)
		code = vs_p_value_see(with, &rec[x]);
	return code;
}

static int
find_rates(struct view *v)
{
	int code = vs_p_value_open(&v->test, v->result, job.vectors, INFINITY,
		false);

	if (!code)
		code = vs_result_io_each(v->result, 0, v->result->n_records,
			see_records, &v->test);
	return code ? code : vs_p_value_rank(&v->test);
}

/* Select the vectors of a matrix. */
static int
find_rows(struct view *v)
{
	int code = vs_matrix_rows_make(&v->matrix, &v->names, &v->ids,
		&v->regions, v->original);

	v->show.row = v->matrix.row;
	v->show.vec = v->matrix.vec;
	v->show.itself = v->matrix.itself;
	v->show.n_row = v->matrix.n;
	v->show.absent_zero = job.absent && !strcmp(job.absent, "0");
	return code;
}

/* Read what identifies 0/0, for the vectors of a matrix or for all. */
static int
find_undefined(struct view *v, bool matrix)
{
	const bool zero = job.undefined && !strcmp(job.undefined, "0");
	int code = 0;

	if (matrix || (job.undefined && !zero))
		code = vs_undefined_open(&v->undefined, v->result, job.vectors,
			&v->names, matrix ? v->matrix.vec : NULL, v->matrix.n);
	if (matrix && !code)
		vs_matrix_rows_itself(&v->matrix, v->result->run.metric,
			&v->undefined, zero);
	v->omit = job.undefined && !strcmp(job.undefined, "omit");
	if ((matrix || job.undefined) && !zero)
		v->show.undefined = vs_undefined_is;
	v->show.undefined_with = &v->undefined;
	return code;
}

/* ---- what is shown ---- */

/* Collect the wanted records. */
static struct vs_result_lines
wanted_lines(struct view *v)
{
	const uint64_t quarter = vs_mem_allowed() / 4;

	return (struct vs_result_lines){
		.result = v->result,
		.names = &v->names,
		.ids = &v->ids,
		.regions = &v->regions,
		.both = job.both ||
			(v->writer.kind &&
				v->writer.kind->needs & VS_NEEDS_MATRIX),
		.min_joint = v->min_joint,
		.omit = v->omit ? &v->undefined : NULL,
		.original = v->original,
		.tables = v->scored ? &v->tables : NULL,
		.pairs = v->paired ? &v->tables : NULL,
		.fitted = v->fitted,
		.permuted = v->permuted,
		.refit = v->refit.y ? &v->refit : NULL,
		.by_family = v->by_family,
		.test = v->test.q ? &v->test : NULL,
		.permutations = job.permutations,
		.seed = (uint64_t)job.seed,
		.writer = &v->writer,
		.by_value = job.sort || job.top,
		.head = job.head + job.top,
		.thresholds = v->limited ? &v->thresholds : NULL,
		.memory = job.memory            ? job.memory
			: quarter < MOST_MEMORY ? quarter
						: MOST_MEMORY,
		.beside = job.out,
	};
}

static int
show_result(struct view *v)
{
	struct vs_result_lines lines = wanted_lines(v);

	return vs_result_lines_write(&lines);
}

/* ---- genotypes or numbers, as vsim-pack reads them: a row per vector ---- */

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
		if (isnan(x))
			vs_out_text(o, "NA");
		else if (vs_element_is_integer(p->element))
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
 * Names of samples into the empty pool: ids or, if ids repeat, FAMILY_ID as in
 * PLINK. A_B 1 and A B_1 would give the same name: then a blank separates them.
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
put_heads(struct vs_packed *vectors, struct vs_out *o)
{
	struct vs_samples samples = { 0 };
	struct vs_text_pool names = { 0 };
	const char *word;
	size_t len;
	int code = vs_packed_samples(vectors, &samples);

	if (!code)
		code = name_samples(&samples, &names);
	vs_out_text(o, "id");
	for (size_t q = 0; q < names.n; q++) {
		vs_out_char(o, '\t');
		word = vs_text_pool_get(&names, q, &len);
		vs_out_put(o, word, len);
	}
	vs_out_char(o, '\n');
	vs_text_pool_free(&names);
	vs_sites_samples_free(&samples);
	return code;
}

static int
show_table(struct view *v)
{
	struct vs_out *o = &v->out;
	struct vs_packed *p = v->vectors;
	uint64_t n = 1 + (4u << 20) / p->row_bytes;
	uint8_t *block = NULL;
	size_t len;
	int code = job.no_header ? 0 : put_heads(p, o);

	if (!code)
		code = vs_mem_room(&block, n, p->row_bytes, "vectors");
	for (uint64_t lo = 0; lo < p->n_vec && !code; lo += n) {
		uint64_t hi = p->n_vec - lo < n ? p->n_vec : lo + n;

		code = vs_packed_rows(p, lo, hi, block);
		for (uint64_t k = lo; k < hi && !code; k++) {
			const uint8_t *row = block + (k - lo) * p->row_bytes;
			const char *id =
				vs_text_pool_get(&v->names.sites.id, k, &len);

			if (!vs_selection_has(&v->ids, k) ||
				!vs_selection_has(&v->regions, k))
				continue;
			vs_out_put(o, id, len);
			if (p->element == VS_BIT2)
				put_genotypes(o, p, row);
			else
				put_numbers(o, p, row);
			vs_out_char(o, '\n');
			code = o->code;
		}
	}
	free(block);
	return code;
}

static int
show_vectors(struct view *v)
{
	uint64_t left = job.head ? (uint64_t)job.head : UINT64_MAX;
	struct vs_line line = { 0 };

	for (uint64_t k = 0; k < v->vectors->n_vec && left; k++) {
		if (!vs_selection_has(&v->ids, k) ||
			!vs_selection_has(&v->regions, k))
			continue;
		line.rec.i = v->original
			? (uint64_t)v->names.sites.source_row[k]
			: k;
		line.row[0] = k;
		left--;
		v->writer.kind->line(&v->writer, &line);
		if (vs_out_closed(&v->out))
			return v->out.code;
	}
	return 0;
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
		? vs_packed_open(&v->vectors, path, VS_H5_FAST | VS_PACKED_PART)
		: vs_result_open(&v->result, path, VS_H5_FAST);
}

/* Check the rules, with what the input and the format are. */
static int
check_rules(const struct view *v, const char *path)
{
	const struct vs_writer_kind *kind =
		job.to ? vs_writer_find(job.to) : NULL;
	const unsigned needs = kind ? kind->needs : 0;
	const bool text = kind && kind != &vs_writer_tsv;
	struct vs_text result = { 0 }, vectors = { 0 }, to = { 0 };
	int code = vs_text_add(&result, "a result, which %s is not", path);

	if (!code)
		code = vs_text_add(&vectors, "a vectors file, which %s is not",
			path);
	if (!code)
		code = vs_text_add(&to, "--to %s", job.to ? job.to : "");
	if (!code)
		code = vs_tool_check((const struct vs_opt_fact[]){
			{ "result", v->result, result.bytes },
			{ "vectors", v->vectors, vectors.bytes },
			{ "not-tsv", text, to.bytes },
			{ "fixed", text && !kind->columns, to.bytes },
			{ "numbers",
				text && !kind->columns &&
					!(needs & VS_NEEDS_MATRIX),
				to.bytes },
			{ "permuted",
				job.columns &&
					strstr(job.columns, "p_permuted"),
				"--columns p_permuted" },
			{ "effects",
				job.columns && strstr(job.columns, "effect"),
				"--columns effect" },
			{ 0 } });
	vs_text_free(&result);
	vs_text_free(&vectors);
	vs_text_free(&to);
	return code;
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
	v->show.head_prefix = job.header_prefix;
	v->show.neighbors = job.neighbors;
	code = choose_columns(v, kind, &needs);
	if (!code && v->result) {
		vs_record_line_show(&v->result->run, &v->show);
		code = check_needs(v, kind, needs);
		v->by_family = needs & VS_NEEDS_NULL;
		if (!code && v->by_family)
			vs_null_maxima_sort(v->result->run.null_maxima,
				v->result->run.permutations);
		if (!code)
			code = find_joint(v);
	}
	if (!code)
		code = find_names(v, needs);
	if (!code && needs & (VS_NEEDS_TABLE | VS_NEEDS_TRAIT | VS_NEEDS_REFIT))
		code = find_tables(v, needs);
	v->paired = needs & VS_NEEDS_R;
	if (!code && v->paired)
		code = vs_contingency_open_pairs(&v->tables, v->result,
			job.vectors);
	if (!code && needs & VS_NEEDS_Q)
		code = find_rates(v);
	if (!code && needs & VS_NEEDS_MATRIX)
		code = find_rows(v);
	if (!code && v->result)
		code = find_undefined(v, needs & VS_NEEDS_MATRIX);
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
		code = check_rules(&v, path);
	if (!code)
		code = read_threshold(&v);
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
	/* a closed pipe is not a failure */
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
	vs_refit_close(&v.refit);
	vs_contingency_close(&v.tables);
	vs_p_value_close(&v.test);
	vs_matrix_rows_free(&v.matrix);
	vs_undefined_close(&v.undefined);
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

	vs_writer_words(formats, formats_detail, false);
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code) {
		if (!job.to)
			job.to = "tsv";
		vs_h5_threads(vs_tool_threads(job.threads));
		code = view(args.operands[0]);
	}
	return vs_tool_end(code, true);
}
