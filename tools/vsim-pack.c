/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-pack: PLINK, VCF or text genotypes, or numbers -> NAME.vec.h5. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/in/hint.h"
#include "formats/in/import.h"
#include "formats/in/matrix.h"
#include "formats/in/readers.h"
#include "formats/in/sample_table.h"
#include "formats/vectors/packed.h"
#include "formats/vectors/synthesis.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

#define MOST_THREADS 4096

/* readers of genotypes */
enum {
#define READER(name) KIND_##name,
#define MATRIX(name)
#include "formats/in/rows.h"
#undef READER
	N_KIND
};

static struct job {
	const char *input[N_KIND];
	const char *matrix, *element, *header, *synthetic;
	int64_t vectors, fields, seed;
	double missing;
	const char *output, *label, *keep, *extract, *pheno, *codec;
	double maf, max_missing;
	int64_t level, threads, ploidy, text_columns;
	bool transpose, missing_as_zero;
	bool force, drop_monomorphic, no_host;
} job = {
	.element = "smallest",
	.header = "auto",
	.seed = 1,
	.text_columns = -1,
	.label = "minor",
	.max_missing = 1,
	.ploidy = 2,
	.codec = "zstd",
};

/* "--bfile PREFIX | --vcf FILE ...", by name_inputs(). */
static char synopsis[1024];

/* The first rows are the readers', by name_inputs(). */
static struct vs_opt opts[] = {
#define READER(name) { 0 },
#include "formats/in/rows.h"
#undef READER
#undef MATRIX
	{ 0, "matrix", "FILE", VS_OPT_TEXT, &job.matrix,
		.help = "read numbers: a table, a .npy of NumPy or a Matrix "
			"Market; rows are vectors; .gz and .zst too; - is "
			"standard input" },
	{ 0, "transpose", NULL, VS_OPT_FLAG, &job.transpose,
		.help = "of a matrix: columns are vectors, rows are fields" },
	{ 0, "element", "TYPE", VS_OPT_CHOICE, &job.element,
		.choices = "smallest|bit|u8|u16|u32|f32|f64",
		.aliases = "least=smallest", /* until 1.0 */
		.help = "of a matrix: smallest (the default), the first of u8, "
			"u16, u32 that holds all entries, else f64; bit, for "
			"0, 1 and missing; or one of the others; of "
			"--synthetic, "
			"genotypes unless given" },
	{ 0, "missing-as-zero", NULL, VS_OPT_FLAG, &job.missing_as_zero,
		.help = "of a matrix: an entry that is empty, NA or NaN is 0" },
	{ 0, "header", "WHAT", VS_OPT_CHOICE, &job.header,
		.choices = "auto|yes|no",
		.aliases = "told=auto", /* until 1.0 */
		.help = "of a table: yes, its first line names the columns, or "
			"no; auto (the default) decides by that line" },
	{ 0, "text-columns", "N", VS_OPT_INT, &job.text_columns, 0, 1e6,
		.help = "of a table: columns before the numbers; default: "
			"found from the first lines" },
	{ 0, "synthetic", "KIND", VS_OPT_CHOICE, &job.synthetic,
		.choices = "random|analytic",
		.help = "make vectors up: random, or analytic, placed so that "
			"vsim-verify --closed-form knows every value" },
	{ 0, "vectors", "N", VS_OPT_INT, &job.vectors, 1, 0x1p40,
		.help = "how many vectors to make up" },
	{ 0, "fields", "N", VS_OPT_INT, &job.fields, 1, VS_PACKED_FIELDS,
		.help = "of how many fields" },
	{ 0, "seed", "N", VS_OPT_INT, &job.seed, 0, 0x1p53,
		.help = "seed of what is made up (1)" },
	{ 0, "missing", "X", VS_OPT_REAL, &job.missing, 0, 1,
		.help = "share of genotypes made up to be missing (0)" },
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.output,
		.help = "the vectors file to write, NAME.vec.h5" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an output that exists" },
	{ 0, "label", "WHICH", VS_OPT_CHOICE, &job.label,
		.choices = "minor|alt|a1|a2|given",
		.help = "allele that gets label 1: minor (the default), alt "
			"(of a VCF or a .snp), a1 or a2 (of a .bim), given "
			"(whose copies "
			"the input counts: alt, a2, the table's)" },
	{ 0, "maf", "X", VS_OPT_REAL, &job.maf, 0, 0.5,
		.help = "drop sites whose minor allele is rarer than X" },
	{ 0, "max-missing", "X", VS_OPT_REAL, &job.max_missing, 0, 1,
		.help = "drop sites where more than this share of the calls is "
			"missing" },
	{ 0, "ploidy", "N", VS_OPT_INT, &job.ploidy, 1, 2,
		.help = "1: haploid samples or inbred lines, for binary "
			"metrics: a call is one allele, a heterozygous one is "
			"taken as missing" },
	{ 0, "drop-monomorphic", NULL, VS_OPT_FLAG, &job.drop_monomorphic,
		.help = "drop sites where one allele only was seen" },
	{ 0, "keep", "FILE", VS_OPT_TEXT, &job.keep,
		.help = "keep the samples listed: IID, or FID IID, per line" },
	{ 0, "extract", "FILE", VS_OPT_TEXT, &job.extract,
		.help = "keep the sites listed by id" },
	{ 0, "pheno", "FILE", VS_OPT_TEXT, &job.pheno,
		.help = "take phenotypes from a table with a header: FID IID "
			"or IID, then a name for each" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &job.codec,
		.choices = "zstd|deflate|none",
		.help = "packing: zstd (the default), deflate (read by every "
			"HDF5 program), none" },
	{ 0, "level", "N", VS_OPT_INT, &job.level, 1, 19,
		.help = "packing effort: 1 (the default) to 19 of zstd, to 9 "
			"of deflate" },
	{ 'j', "threads", "N", VS_OPT_INT, &job.threads, 1, MOST_THREADS,
		.help = "threads; default: the cores allowed by affinity, "
			"cgroup and Slurm" },
	{ 0, "no-host", NULL, VS_OPT_FLAG, &job.no_host,
		.help = "leave the name of this machine out of the file" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-pack",
	.purpose = "Pack genotypes as bit planes, or numbers, into a vectors "
		   "file.",
	.synopsis = synopsis,
	.lesson = "examples:\n"
		  "  vsim-pack --bfile mouse -o mouse.vec.h5\n"
		  "  vsim-pack --vcf x.vcf.gz --maf 0.05 -o x.vec.h5\n"
		  "  bcftools view -Ou x.bcf 20 | vsim-pack --vcf - -o "
		  "x.vec.h5\n"
		  "  vsim-pack --matrix counts.tsv.gz -o counts.vec.h5\n"
		  "  vsim-run -m ccc -t 0.7 -o run x.vec.h5    the next step\n",
	.opts = opts,
	.n_least = 0,
	.n_most = -1,
};

struct state {
	const struct vs_reader_kind *kind;
	const char *input;
	struct vs_reader reader;
	struct vs_samples kept;     /* samples selected by --keep */
	struct vs_samples fields;   /* fields of a matrix, or synthetic */
	struct vs_samples *samples; /* what goes into the file */
	int64_t *keep;
	struct vs_import_wanted wanted;
	struct vs_import import;
	struct vs_packed_writer *writer;
	struct vs_codec codec;
	struct vs_sites sites;
	struct vs_provenance provenance;
	struct vs_tool_progress progress;
	char started[21];
	double began;
	size_t n_repeat, first_repeat; /* ids that several sites have */
};

/* ---- options ---- */

static void
name_inputs(void)
{
	const size_t room = sizeof(synopsis);
	size_t n = 0;

	for (size_t k = 0; k < N_KIND; k++) {
		const struct vs_reader_kind *kind = vs_readers_at(k);

		opts[k] = (struct vs_opt){ .name = kind->name,
			.arg = kind->arg,
			.kind = VS_OPT_TEXT,
			.field = &job.input[k],
			.help = kind->help };
		n += (size_t)snprintf(synopsis + n, room - n, "%s--%s %s |",
			k % 4       ? " "
				: k ? "\n       "
				    : "",
			kind->name, kind->arg);
	}
	n += (size_t)snprintf(synopsis + n, room - n,
		"\n       --matrix FILE | --synthetic KIND -o X.vec.h5 "
		"[options]");
	assert(n < room);
}

/* Kinds of input. */
enum origin { GENOTYPES = 1, MATRIX = 2, SYNTHETIC = 4 };

static int
goes_with(const char *name, int origins)
{
	struct vs_text t = { 0 };
	int code = origins & GENOTYPES ? vs_readers_list(&t) : 0;

	if (!code && origins & MATRIX)
		code = vs_text_add(&t, "--matrix");
	if (!code && origins & SYNTHETIC)
		code = vs_text_add(&t, "%s--synthetic", t.len ? " and " : "");
	if (!code)
		code = vs_fail(VS_EUSAGE, "--%s goes with %s", name, t.bytes);
	vs_text_free(&t);
	return code;
}

/* Refuse options of another kind of input. */
static int
check_origin(enum origin origin)
{
	const struct {
		const char *name;
		bool given;
		int origins;
	} some[] = {
		{ "label", strcmp(job.label, "minor") != 0, GENOTYPES },
		{ "maf", job.maf > 0, GENOTYPES },
		{ "max-missing", job.max_missing < 1, GENOTYPES },
		{ "ploidy", job.ploidy != 2, GENOTYPES },
		{ "drop-monomorphic", job.drop_monomorphic, GENOTYPES },
		{ "keep", job.keep != NULL, GENOTYPES },
		{ "extract", job.extract != NULL, GENOTYPES },
		{ "pheno", job.pheno != NULL, GENOTYPES },
		{ "transpose", job.transpose, MATRIX },
		{ "element", strcmp(job.element, "smallest") != 0,
			MATRIX | SYNTHETIC },
		{ "missing-as-zero", job.missing_as_zero, MATRIX },
		{ "header", strcmp(job.header, "auto") != 0, MATRIX },
		{ "text-columns", job.text_columns >= 0, MATRIX },
		{ "vectors", job.vectors != 0, SYNTHETIC },
		{ "fields", job.fields != 0, SYNTHETIC },
		{ "seed", job.seed != 1, SYNTHETIC },
		{ "missing", job.missing > 0, SYNTHETIC },
	};

	for (size_t k = 0; k < sizeof(some) / sizeof(*some); k++)
		if (some[k].given && !(some[k].origins & (int)origin))
			return goes_with(some[k].name, some[k].origins);
	if (origin == SYNTHETIC && (!job.vectors || !job.fields))
		return vs_fail(VS_EUSAGE,
			"--synthetic needs --vectors N and --fields N");
	if (origin == SYNTHETIC && job.missing > 0 &&
		strcmp(job.element, "smallest") && strcmp(job.element, "bit"))
		return vs_fail(VS_EUSAGE,
			"--missing: no number is missing; leave --element out");
	return 0;
}

static int
no_input(void)
{
	struct vs_text t = { 0 };
	int code = vs_readers_list(&t);

	if (!code)
		code = vs_fail(VS_EUSAGE,
			"no input: one of %s, --matrix, --synthetic; --help "
			"tells more",
			t.bytes);
	vs_text_free(&t);
	return code;
}

static int
check_input(struct state *s)
{
	if (job.matrix && job.synthetic)
		return vs_fail(VS_EUSAGE,
			"--matrix and --synthetic: one input at a time");
	s->input = job.matrix ? job.matrix : job.synthetic;
	for (size_t k = 0; k < N_KIND; k++) {
		if (!job.input[k])
			continue;
		if (s->input)
			return vs_fail(VS_EUSAGE,
				"--%s and --%s: one input at a time",
				s->kind              ? s->kind->name
					: job.matrix ? "matrix"
						     : "synthetic",
				vs_readers_at(k)->name);
		s->kind = vs_readers_at(k);
		s->input = job.input[k];
	}
	if (!s->input)
		return no_input();
	return check_origin(job.matrix  ? MATRIX
			: job.synthetic ? SYNTHETIC
					: GENOTYPES);
}

static int
no_label(const struct vs_reader_kind *kind)
{
	struct vs_text t = { 0 };
	int code = vs_readers_labels(&t);

	if (!code)
		code = vs_fail(VS_EUSAGE,
			"--label %s: --%s knows no such allele; minor or given "
			"always work%s",
			job.label, kind->name, t.bytes);
	vs_text_free(&t);
	return code;
}

static int
check_label(struct state *s)
{
	const char *const *own = s->kind->label;

	s->import.ploidy = (int)job.ploidy;
	s->import.label = VS_LABEL_SECOND;
	if (!strcmp(job.label, "minor"))
		s->import.label = VS_LABEL_MINOR;
	else if (own[0] && !strcmp(job.label, own[0]))
		s->import.label = VS_LABEL_FIRST;
	else if (strcmp(job.label, "given") &&
		(!own[1] || strcmp(job.label, own[1])))
		return no_label(s->kind);
	return 0;
}

static int
check_output(void)
{
	if (!job.output)
		return vs_fail(VS_EUSAGE, "no output: -o X.vec.h5 is required");
	return vs_file_name_check(job.output);
}

static int
check_stdin(const struct state *s)
{
	const char *const name[] = { s->input, job.keep, job.extract,
		job.pheno };
	int n = 0;

	for (size_t k = 0; k < sizeof(name) / sizeof(*name); k++)
		n += name[k] && !strcmp(name[k], "-");
	return n < 2
		? 0
		: vs_fail(VS_EUSAGE, "-: standard input can be one file only");
}

/* Refuse operands; suggest the option for a file of this name. */
static int
check_operands(const struct vs_args *args)
{
	struct vs_text words = { 0 };
	bool known;
	int code = 0;

	if (!args->n_operand)
		return 0;
	code = vs_hint_of(args->operands[0], &words, &known);
	if (!code)
		code = vs_fail(VS_EUSAGE,
			"%s: what is read is named by an option%s%s",
			args->operands[0], known ? ": " : ", ",
			known ? words.bytes : "--help lists them");
	vs_text_free(&words);
	return code;
}

static int
check_options(struct state *s, const struct vs_args *args)
{
	int code = check_operands(args);

	if (!code)
		code = check_input(s);
	if (!code && s->kind)
		code = check_label(s);
	if (!code)
		code = check_output();
	if (!code)
		code = check_stdin(s);
	if (code)
		return code;
	code = vs_result_io_codec(&s->codec, job.codec, job.level);
	if (code)
		return code;
	if (!job.threads)
		job.threads = vs_mem_cores_allowed();
	vs_h5_threads((int)job.threads);
	return 0;
}

/* ---- stages ---- */

static const char *
name_of(const char *file)
{
	return strcmp(file, "-") ? file : "standard input";
}

static int
keep_samples(struct state *s)
{
	size_t n, n_unknown;
	int code = vs_sample_table_list(&s->reader.samples, job.keep,
		&s->provenance, &s->keep, &n, &n_unknown);

	if (code)
		return code;
	if (n_unknown)
		vs_tool_warn("%s: %zu of its samples are not in %s",
			name_of(job.keep), n_unknown, name_of(s->input));
	s->import.keep = s->keep;
	s->samples = &s->kept;
	return vs_sample_table_pick(&s->kept, &s->reader.samples, s->keep, n);
}

static int
read_phenotypes(struct state *s)
{
	struct vs_sample_table_said said;
	int code = vs_sample_table_pheno(s->samples, job.pheno, &s->provenance,
		&said);

	if (code)
		return code;
	if (said.n_found < s->samples->n)
		vs_tool_warn("%s: %zu of %zu samples have no line in it",
			name_of(job.pheno), s->samples->n - said.n_found,
			s->samples->n);
	vs_tool_say("%s: %zu phenotypes of %zu samples, %zu other samples",
		name_of(job.pheno), said.n_pheno, said.n_found, said.n_unknown);
	return 0;
}

static int
open_inputs(struct state *s)
{
	int code = vs_reader_open(&s->reader, s->kind, s->input,
		(int)job.ploidy, (int)job.threads, &s->provenance);

	if (code)
		return code;
	s->samples = &s->reader.samples;
	if (s->reader.n_site >= 0)
		vs_tool_say("%s: %lld sites of %zu samples", name_of(s->input),
			(long long)s->reader.n_site, s->samples->n);
	else
		vs_tool_say("%s: sites of %zu samples", name_of(s->input),
			s->samples->n);
	if (s->reader.note.len)
		vs_tool_say("%s: %s", name_of(s->input), s->reader.note.bytes);
	if (job.keep)
		code = keep_samples(s);
	if (!code && job.pheno)
		code = read_phenotypes(s);
	if (!code && job.extract) {
		s->import.wanted = &s->wanted;
		code = vs_import_wanted_read(&s->wanted, job.extract,
			&s->provenance);
	}
	return code;
}

static int
create_output(struct state *s)
{
	bool filtered = job.extract || job.drop_monomorphic || job.maf > 0 ||
		job.max_missing < 1 || s->reader.n_site < 0;
	struct vs_packed_plan plan = {
		.path = job.output,
		.n_field = s->samples->n,
		.n_vec =
			filtered ? VS_ROWS_UNKNOWN : (uint64_t)s->reader.n_site,
		.allele_rule = !strcmp(job.label, "minor") ? "minor1"
			: !strcmp(job.label, "alt")        ? "alt1"
							   : job.label,
		.codec = s->codec,
		.generator = vs_tool_generator(),
		.force = job.force,
		.ploidy = (int)job.ploidy,
	};

	return vs_packed_create(&s->writer, &plan);
}

/* Packed input: a quarter of a byte per call. */
static double
bytes_of(const struct state *s, uint64_t n_site)
{
	return (double)n_site * (double)((s->reader.samples.n + 3) / 4);
}

static void
show_progress(void *to, uint64_t n_read)
{
	struct state *s = to;
	double spent = vs_clock() - s->began;
	char note[64];

	snprintf(note, sizeof(note), "%.0f MB/s",
		bytes_of(s, n_read) / 1e6 / (spent > 0 ? spent : 1));
	vs_tool_progress_step(&s->progress, (double)n_read, note);
}

static int
convert(struct state *s)
{
	struct vs_import *in = &s->import;
	int code;

	in->reader = &s->reader;
	in->n_field = s->samples->n;
	in->maf = job.maf;
	in->max_missing = job.max_missing;
	in->drop_monomorphic = job.drop_monomorphic;
	in->threads = (int)job.threads;
	in->progress = show_progress;
	in->to = s;
	vs_tool_progress_begin(&s->progress, "sites", (double)s->reader.n_site);
	code = vs_import_run(in, s->writer, &s->sites);
	vs_tool_progress_end(&s->progress);
	return code;
}

/* Ids need not be unique, but lists by id take all that have one. */
static int
count_repeats(struct state *s)
{
	const struct vs_text_pool *id = &s->sites.id;
	struct vs_text_index index = { 0 };
	uint8_t *repeats = NULL;
	size_t len;
	int code = vs_text_index_make(&index, id);

	if (!code)
		code = vs_mem_new(&repeats, id->n, 1, "variants");
	s->first_repeat = id->n;
	for (size_t v = 0; v < id->n && !code; v++) {
		const char *name = vs_text_pool_get(id, v, &len);
		size_t k = (size_t)vs_text_index_find(&index, name, len);

		if (k == v || repeats[k])
			continue;
		repeats[k] = 1;
		s->n_repeat++;
		if (k < s->first_repeat)
			s->first_repeat = k;
	}
	free(repeats);
	vs_text_index_free(&index);
	return code;
}

static int
pack_genotypes(struct state *s)
{
	int code = open_inputs(s);

	if (!code)
		code = create_output(s);
	if (!code)
		code = convert(s);
	return code ? code : count_repeats(s);
}

/* The same three stages for numbers, whose type is known at the end only. */
static int
pack_matrix(struct state *s)
{
	struct vs_matrix_how how = {
		.transpose = job.transpose,
		.missing_as_zero = job.missing_as_zero,
		.header = !strcmp(job.header, "auto")
			? -1
			: !strcmp(job.header, "yes"),
		.text_columns = (int)job.text_columns,
		.smallest = !strcmp(job.element, "smallest"),
	};
	struct vs_packed_plan plan = {
		.path = job.output,
		.codec = s->codec,
		.generator = vs_tool_generator(),
		.force = job.force,
	};
	struct vs_matrix m;
	int code;

	/* bit and smallest are not among them: the first element serves */
	vs_element_find(job.element, &how.element);
	code = vs_matrix_open(&m, job.matrix, &how);
	if (!code)
		vs_tool_say("%s: %s", name_of(job.matrix), m.note.bytes);
	if (!code)
		code = vs_matrix_pack(&m, &plan, &s->writer, &s->sites,
			&s->fields, &s->provenance);
	s->samples = &s->fields;
	vs_matrix_close(&m);
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job.output, s->sites.n, s->fields.n,
			plan.element == VS_BIT2 ? "bits"
						: vs_element_name(plan.element),
			vs_clock() - s->began);
	return code;
}

static int
make_up(struct state *s)
{
	struct vs_synthetic how = { !strcmp(job.synthetic, "analytic"),
		(uint64_t)job.seed, job.missing };
	struct vs_packed_plan plan = {
		.path = job.output,
		.n_vec = (uint64_t)job.vectors,
		.n_field = (uint64_t)job.fields,
		.codec = s->codec,
		.generator = vs_tool_generator(),
		.force = job.force,
		.ploidy = strcmp(job.element, "bit") ? 2 : 1,
		.synthetic = &how,
	};
	int code;

	/* bit and smallest are not among them: genotypes */
	vs_element_find(job.element, &plan.element);
	code = vs_synthesis_write(&plan, &s->writer, &s->sites, &s->fields);
	s->samples = &s->fields;
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job.output, s->sites.n, s->fields.n, job.synthetic,
			vs_clock() - s->began);
	return code;
}

static void
warn_of_ids(const struct state *s)
{
	size_t len;
	const char *name;

	if (!s->n_repeat)
		return;
	name = vs_text_pool_get(&s->sites.id, s->first_repeat, &len);
	vs_tool_warn("%s: %zu variant ids occur more than once, first %.*s",
		name_of(s->input), s->n_repeat, len > 60 ? 60 : (int)len, name);
}

/* Warnings after success. */
static void
warn_of(const struct state *s)
{
	const struct vs_reader_tally *t = &s->reader.tally;
	const char *name = name_of(s->input);
	size_t missed = job.extract ? vs_import_wanted_missed(&s->wanted) : 0;

	if (t->multiallelic)
		vs_tool_warn("%s: %lld sites with more than two alleles were "
			     "left out",
			name, (long long)t->multiallelic);
	if (t->no_gt)
		vs_tool_warn("%s: %lld sites without GT were left out", name,
			(long long)t->no_gt);
	if (s->import.n_het)
		vs_tool_warn("%s: %llu heterozygous calls were taken as "
			     "missing, as --ploidy 1 has one allele a call",
			name, (unsigned long long)s->import.n_het);
	if (t->haploid && job.ploidy == 2)
		vs_tool_warn("%s: %lld haploid calls were taken as homozygous "
			     "(0 as 0/0, 1 as 1/1)",
			name, (long long)t->haploid);
	if (t->uncertain)
		vs_tool_warn("%s: %lld mean genotypes are more than 0.1 from "
			     "0, 1 and 2 and were taken as missing",
			name, (long long)t->uncertain);
	if (t->half_missing)
		vs_tool_warn("%s: %lld half-missing calls were taken as "
			     "missing",
			name, (long long)t->half_missing);
	if (missed)
		vs_tool_warn("%s: %zu of its ids are not in %s",
			name_of(job.extract), missed, name);
}

static void
say_what_was_done(const struct state *s)
{
	const struct vs_import *in = &s->import;
	double spent = vs_clock() - s->began;

	if (s->wanted.turned)
		vs_tool_say("%s: " VS_CHR_TURNED, name_of(job.extract));
	if (s->reader.tally.negative)
		vs_tool_say("%s: %lld positions are negative, taken as "
			    "unknown; PLINK leaves their sites out",
			name_of(s->input), (long long)s->reader.tally.negative);
	vs_tool_say("read %llu sites; dropped: %llu not listed, %llu with too "
		    "many missing calls, %llu monomorphic, %llu too rare",
		(unsigned long long)in->n_read,
		(unsigned long long)in->n_unwanted,
		(unsigned long long)in->n_missing,
		(unsigned long long)in->n_monomorphic,
		(unsigned long long)in->n_rare);
	vs_tool_say(
		"%s: %llu vectors of %zu fields, %.2f s, %.0f MB/s of calls "
		"at two bits",
		job.output, (unsigned long long)in->n_kept, in->n_field, spent,
		bytes_of(s, in->n_read) / 1e6 / (spent > 0 ? spent : 1));
}

static int
finish(struct state *s)
{
	struct vs_packed_writer *w = s->writer;
	int code = vs_result_io_step(&s->provenance, NULL, NULL, s->started,
		NULL, !job.no_host);

	if (code)
		return code;
	s->writer = NULL; /* freed by the next call whatever happens */
	return vs_packed_finish(w, &s->sites, s->samples, NULL, &s->provenance,
		NULL);
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	struct state s = { .began = vs_clock() };
	int code;

	name_inputs();
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (code)
		goto out;
	vs_clock_date(s.started);
	code = check_options(&s, &args);
	if (!code)
		code = job.matrix       ? pack_matrix(&s)
			: job.synthetic ? make_up(&s)
					: pack_genotypes(&s);
	if (code == VS_EINPUT && !job.synthetic)
		vs_hint_instead(code, s.input, s.kind ? s.kind->name : "matrix",
			s.kind ? s.kind->suffixes : NULL);
	if (!code)
		code = finish(&s);
	if (code)
		goto out;
	if (s.kind) {
		warn_of(&s);
		warn_of_ids(&s);
		say_what_was_done(&s);
	}
	vs_tool_close(job.output, "%zu vectors of %zu samples", s.sites.n,
		s.samples->n);
out:
	vs_packed_abandon(s.writer);
	vs_sites_free(&s.sites);
	vs_import_wanted_free(&s.wanted);
	vs_sites_samples_free(&s.kept);
	vs_sites_samples_free(&s.fields);
	free(s.keep);
	vs_reader_close(&s.reader);
	vs_provenance_free(&s.provenance);
	return vs_tool_end(code, true);
}
