/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-view: a result or a vectors file -> text or pictures, whole, by vector
 * or region. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/plot/html_report.h"
#include "tools/plot/picture.h"
#include "tools/shared/about.h"
#include "tools/shared/joint.h"
#include "tools/shared/tool.h"
#include "tools/view/genotype_table.h"
#include "tools/view/matrix_rows.h"
#include "tools/view/result_lines.h"

#define RECORD_COLUMNS "id1,allele1,id2,allele2,value"
#define UNLABELLED_COLUMNS "id1,id2,value" /* of metrics without cells */
#define TRIPLE_COLUMNS "id1,allele1,id2,allele2,id3,allele3,value"
#define NUMBER_COLUMNS "id,sum"
#define VECTOR_COLUMNS "id,chrom,pos,allele0,allele1,n0,n1,n2,missing,freq1"

#define MOST_MEMORY (1ull << 30) /* of --sort unless given */
#define DRAWS 1000               /* of p_permuted unless given */

static struct job {
	const char *out, *columns, *region, *id, *to, *vectors, *min_joint,
		*absent, *sort, *plot, *report;
	uint64_t memory;
	int64_t threads, permutations, seed;
	bool header, no_header, file_order, both, genotypes, fast, force;
} job = { .permutations = DRAWS, .seed = 1 };

/* Choices of --to and --plot, filled by main(). */
static char formats[VS_WRITER_WORDS + 32], formats_help[VS_WRITER_WORDS + 64],
	plots[VS_PLOT_WORDS], plots_help[VS_PLOT_WORDS];

static struct vs_opt opts[] = {
	{ 'c', "columns", "LIST", VS_OPT_TEXT, &job.columns,
		.help = "what to show of a record: any of i, j, a, b, cell, "
			"num, n, value, id1, chrom1, pos1, allele1, freq1, "
			"id2, chrom2, pos2, allele2, freq2, and of a triple k, "
			"c, id3, chrom3, pos3, allele3, freq3; with the "
			"case-control status, of the vectors file: controls "
			"and cases by genotypes, k2, lbf, mi, g, df, p, inter, "
			"inter_df, inter_p, alpha, beta, p_permuted; of a run "
			"with --permutations p_family; unless "
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
	{ 0, "absent", "WHAT", VS_OPT_CHOICE, &job.absent, .choices = "NA|0",
		.help = "of a matrix: a pair without a record is NA (unless "
			"given) or 0" },
	{ 0, "plot", "KIND", VS_OPT_CHOICE, &job.plot, .choices = plots,
		.help = plots_help },
	{ 0, "report", "FILE", VS_OPT_TEXT, &job.report,
		.help = "a page of HTML there: figures, the strongest records, "
			"settings, counts and commands" },
	{ 'H', "header", NULL, VS_OPT_FLAG, &job.header,
		.help = "what is known of the file, and no records" },
	{ 0, "no-header", NULL, VS_OPT_FLAG, &job.no_header,
		.help = "no first line with the names of the columns" },
	{ 0, "file-order", NULL, VS_OPT_FLAG, &job.file_order,
		.help = "i and j as rows of the vectors file, not as rows of "
			"the input from before vsim-permute" },
	{ 0, "sort", "KEY", VS_OPT_CHOICE, &job.sort, .choices = "value",
		.help = "value: the strongest record first, of equal ones in "
			"the order of the file" },
	{ 0, "memory", "SIZE", VS_OPT_SIZE, &job.memory,
		.help = "--sort: for records, before they go to a temporary "
			"file; default: a quarter of what is allowed, 1G at "
			"most" },
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
	.purpose = "Show results or vectors as text, or as pictures.",
	.synopsis = "[options] E.res.h5|SHARD|X.vec.h5",
	.lesson = "examples:\n"
		  "  vsim-view e.res.h5 | sort -k5,5gr | head\n"
		  "  vsim-view -r 20:60000-90000 -c id1,id2,value e.res.h5\n"
		  "  vsim-view --to abc e.res.h5 | mcl - --abc -o clusters\n"
		  "  vsim-view --plot ld -r 20:60000-90000 -o ld.svg "
		  "e.res.h5\n"
		  "  vsim-view -H x.vec.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = 1,
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
	struct vs_matrix_rows matrix;
	bool scored, fitted, permuted; /* columns show scores of tables */
	bool by_family;
	bool original; /* indices shown are the original rows */
	const struct vs_column *column[VS_COLUMNS_MOST];
	struct vs_show show;
	struct vs_writer writer;
	const struct vs_plot_kind *plot; /* or null: text */
	enum vs_picture_form form;
	struct vs_out out;
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
			"--to %s: %s is of triples, and this format of pairs "
			"alone; --to tsv, csv or json-lines shows them",
			job.to, path);
	if (needs & VS_NEEDS_MATRIX && v->show.cells)
		return vs_fail(VS_EUSAGE,
			"--to %s has one value of a pair; %s is of %s, one for "
			"each choice of alleles, which --to tsv or abc shows",
			job.to, path, v->show.metric);
	if (needs & VS_NEEDS_NULL && !v->result->run.permutations)
		return vs_fail(VS_EINPUT,
			"--columns p_family: %s is of a run without "
			"permutations: vsim-run --permutations N",
			path);
	if (needs & VS_NEEDS_NULL &&
		!vs_null_maxima_complete(v->result->run.null_maxima,
			v->result->run.permutations))
		return vs_fail(VS_EINPUT,
			"--columns p_family: %s has not all permutations of "
			"its run: vsim-merge puts its stages together",
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

/* The vectors of a matrix. */
static int
find_rows(struct view *v)
{
	int code = vs_matrix_rows_make(&v->matrix, &v->result->run, &v->names,
		&v->ids, &v->regions, v->original);

	v->show.row = v->matrix.row;
	v->show.itself = v->matrix.itself;
	v->show.n_row = v->matrix.n;
	v->show.absent_zero = job.absent && !strcmp(job.absent, "0");
	return code;
}

/* ---- what is shown ---- */

/* Sorted runs are unnamed files beside the output. */
static int
find_beside(struct vs_text *beside)
{
	const char *dir = getenv("TMPDIR");

	if (job.out && strcmp(job.out, "-"))
		return vs_text_add(beside, "%s", job.out);
	return vs_text_add(beside, "%s/vsim-view", dir && *dir ? dir : "/tmp");
}

/* Records that are wanted. */
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
		.original = v->original,
		.tables = v->scored ? &v->tables : NULL,
		.fitted = v->fitted,
		.permuted = v->permuted,
		.by_family = v->by_family,
		.permutations = job.permutations,
		.seed = (uint64_t)job.seed,
		.writer = &v->writer,
		.by_value = job.sort,
		.memory = job.memory            ? job.memory
			: quarter < MOST_MEMORY ? quarter
						: MOST_MEMORY,
	};
}

static int
show_result(struct view *v)
{
	struct vs_result_lines lines = wanted_lines(v);
	struct vs_text beside = { 0 };
	int code = find_beside(&beside);

	lines.beside = beside.bytes;
	if (!code)
		code = vs_result_lines_write(&lines);
	vs_text_free(&beside);
	return code;
}

static int
show_table(struct view *v)
{
	struct vs_genotype_table table = {
		.vectors = v->vectors,
		.names = &v->names.sites.id,
		.ids = &v->ids,
		.regions = &v->regions,
		.head = !job.no_header,
	};

	return vs_genotype_table_write(&table, &v->out);
}

static int
show_vectors(struct view *v)
{
	struct vs_line line = { 0 };

	for (uint64_t k = 0; k < v->vectors->n_vec; k++) {
		if (!vs_selection_has(&v->ids, k) ||
			!vs_selection_has(&v->regions, k))
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

static int
show_plot(struct view *v, const char *path)
{
	struct vs_result_lines lines = wanted_lines(v);
	struct vs_plot plot = { path, v->result, &v->names, &lines,
		job.region };
	unsigned needs = !v->plot || v->plot->places
		? VS_NEEDS_SITES | VS_NEEDS_INDEX
		: 0;
	int code = 0;

	if (v->result) {
		code = find_joint(v);
		lines.min_joint = v->min_joint;
		if (!code)
			code = find_names(v, needs);
		lines.original = v->original;
	}
	if (code)
		return code;
	return v->plot ? vs_picture_write(v->form, v->plot, &plot, &v->out)
		       : vs_html_report_write(&plot, &v->out);
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

static int
check_plot(struct view *v, const char *path)
{
	const char *option = job.plot ? "plot" : "report";

	if (v->vectors)
		return vs_fail(VS_EUSAGE, "--%s: %s holds vectors, not results",
			option, path);
	if (job.report && (job.plot || job.out || job.to))
		return vs_fail(VS_EUSAGE,
			"--report names its own output, and goes with neither "
			"--plot, --output nor --to");
	if (job.columns || job.genotypes || job.header || job.no_header ||
		job.absent || job.sort || job.memory || job.file_order ||
		job.permutations != DRAWS || job.seed != 1)
		return vs_fail(VS_EUSAGE,
			"--%s goes with --id, --region, --both, --min-joint, "
			"--vectors and options of the output, and no others",
			option);
	if (!v->result && (job.id || job.region || job.min_joint))
		return vs_fail(VS_EUSAGE,
			"--id, --region and --min-joint pick records of a "
			"result, and %s is none",
			path);
	return job.plot ? vs_picture_form(job.to, job.out, &v->form) : 0;
}

static int
check_options(const struct view *v, const char *path)
{
	const struct vs_writer_kind *kind = vs_writer_find(job.to);
	bool pairs = kind && kind->needs & VS_NEEDS_PAIRS;

	if (!kind)
		return vs_fail(VS_EUSAGE, "--to %s goes with --plot", job.to);
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
	if (job.absent && !(kind->needs & VS_NEEDS_MATRIX))
		return vs_fail(VS_EUSAGE,
			"--absent goes with --to matrix or --to npy");
	if (job.memory && !job.sort)
		return vs_fail(VS_EUSAGE, "--memory goes with --sort");
	if (job.sort && !v->result)
		return vs_fail(VS_EUSAGE,
			"--sort: %s holds vectors, not results", path);
	if (job.sort && kind->needs & VS_NEEDS_MATRIX)
		return vs_fail(VS_EUSAGE,
			"--sort: --to %s has an order of its own", job.to);
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
		v->by_family = needs & VS_NEEDS_NULL;
		if (!code && v->by_family)
			vs_null_maxima_sort(v->result->run.null_maxima,
				v->result->run.permutations);
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
	if (!code && needs & VS_NEEDS_MATRIX)
		code = find_rows(v);
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
	struct view v = { .plot = job.plot ? vs_plot_find(job.plot) : NULL };
	int code = !v.plot || vs_plot_is_result(v.plot, path)
		? open_input(&v, path)
		: 0;

	if (!code)
		code = job.plot || job.report ? check_plot(&v, path)
					      : check_options(&v, path);
	if (!code)
		code = vs_out_open(&v.out, job.report ? job.report : job.out,
			job.force);
	if (code)
		goto out;
	if (job.plot || job.report)
		code = show_plot(&v, path);
	else if (!job.header)
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
	vs_matrix_rows_free(&v.matrix);
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
	strcat(formats, "|" VS_PICTURE_FORMS);
	strcat(formats_help, "; svg, html and png, of --plot");
	vs_plot_words(plots, plots_help);
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code) {
		if (!job.to && !job.plot && !job.report)
			job.to = "tsv";
		vs_h5_threads(job.threads ? (int)job.threads
					  : vs_mem_cores_allowed());
		code = view(args.operands[0]);
	}
	return vs_tool_end(code, true);
}
