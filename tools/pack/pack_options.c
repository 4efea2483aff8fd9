/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of vsim-pack: table and checks. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "formats/in/hint.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/pack/pack_options.h"
#include "tools/shared/result_io.h"

#define MOST_THREADS 4096

struct vs_pack_options vs_pack_options = {
	.element = "smallest",
	.header = "auto",
	.normalize = "none",
	.multiallelic = "drop",
	.seed = 1,
	.model = "xor",
	.cases = -1,
	.text_columns = -1,
	.label = "minor",
	.max_missing = 1,
	.from_kb = -1,
	.to_kb = -1,
	.ploidy = 2,
	.codec = "zstd",
};

static const struct vs_pack_options *const job = &vs_pack_options;

/* "--bfile PREFIX | --vcf FILE ...", by vs_pack_options_inputs(). */
static char synopsis[1024];

/* The first rows are the readers', by vs_pack_options_inputs(). */
struct vs_opt vs_pack_options_table[] = {
#define READER(name) { 0 },
#define MATRIX(name)
#include "formats/in/rows.h"
#undef READER
#undef MATRIX
	{ 0, "matrix", "FILE", VS_OPT_TEXT, &vs_pack_options.matrix,
		.help = "read numbers: a table, a .npy of NumPy or a Matrix "
			"Market; rows are vectors; .gz and .zst too; - is "
			"standard input" },
	{ 0, "transpose", NULL, VS_OPT_FLAG, &vs_pack_options.transpose,
		.help = "of a matrix: columns are vectors, rows are fields" },
	{ 0, "element", "TYPE", VS_OPT_CHOICE, &vs_pack_options.element,
		.choices = "smallest|bit|u8|u16|u32|f32|f64",
		.aliases = "least=smallest", /* until 1.0 */
		.help = "of a matrix: smallest (the default), the first of u8, "
			"u16, u32 that holds all entries, else f64; bit, for "
			"0, 1 and missing; or one of the others; of "
			"--synthetic, "
			"genotypes unless given" },
	{ 0, "normalize", "HOW", VS_OPT_CHOICE, &vs_pack_options.normalize,
		.choices = "none|sum|rank|z",
		.help = "of a matrix: each vector's numbers become shares of "
			"their sum, ranks from 1, or z-scores, in f64 or as "
			"--element says" },
	{ 0, "missing-as-zero", NULL, VS_OPT_FLAG,
		&vs_pack_options.missing_as_zero,
		.help = "of a matrix: an entry that is empty, NA or NaN is 0" },
	{ 0, "header", "WHAT", VS_OPT_CHOICE, &vs_pack_options.header,
		.choices = "auto|yes|no",
		.aliases = "told=auto", /* until 1.0 */
		.help = "of a table: yes, its first line names the columns, or "
			"no; auto (the default) decides by that line" },
	{ 0, "text-columns", "N", VS_OPT_INT, &vs_pack_options.text_columns, 0,
		1e6,
		.help = "of a table: columns before the numbers; default: "
			"found from the first lines" },
	{ 0, "format-field", "NAME", VS_OPT_TEXT, &vs_pack_options.format_field,
		.help = "of --vcf: numbers in place of calls, this field of "
			"FORMAT, as DS; f32 unless --element says otherwise" },
	{ 0, "synthetic", "KIND", VS_OPT_CHOICE, &vs_pack_options.synthetic,
		.choices = "random|analytic|epistasis",
		.help = "make vectors up: random; analytic, placed so that "
			"vsim-verify --closed-form knows every value; or "
			"epistasis, of cases and controls" },
	{ 0, "vectors", "N", VS_OPT_INT, &vs_pack_options.vectors, 1, 0x1p40,
		.help = "how many vectors to make up" },
	{ 0, "fields", "N", VS_OPT_INT, &vs_pack_options.fields, 1,
		VS_PACKED_FIELDS, .help = "of how many fields" },
	{ 0, "seed", "N", VS_OPT_INT, &vs_pack_options.seed, 0, 0x1p53,
		.help = "seed of what is made up (1)" },
	{ 0, "missing", "X", VS_OPT_REAL, &vs_pack_options.missing, 0, 1,
		.help = "share of genotypes made up to be missing (0)" },
	{ 0, "planted", "SET", VS_OPT_TEXT, &vs_pack_options.planted,
		.help = "of epistasis: two or three vectors that make cases "
			"together, as v3,v17; none unless given" },
	{ 0, "model", "NAME", VS_OPT_CHOICE, &vs_pack_options.model,
		.choices = "multiplicative|threshold|xor",
		.help = "how they do: xor (the default), no vector alone "
			"tells anything; multiplicative or threshold" },
	{ 0, "penetrance", "LOW HIGH", VS_OPT_TWO, vs_pack_options.penetrance,
		.help = "lowest and highest probability of a case (0.2 0.6)" },
	{ 0, "frequency", "LO HI", VS_OPT_TWO, vs_pack_options.frequency,
		.help = "of epistasis: range of allele frequencies (0.05 0.5); "
			"planted vectors have HI, or 0.5 with xor" },
	{ 0, "cases", "N", VS_OPT_INT, &vs_pack_options.cases, 0,
		VS_PACKED_FIELDS,
		.help = "of epistasis: how many of the fields are cases; half "
			"unless given" },
	{ 'o', "output", "FILE", VS_OPT_TEXT, &vs_pack_options.output,
		.help = "the vectors file to write, NAME.vec.h5" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &vs_pack_options.force,
		.help = "replace an output that exists" },
	{ 0, "label", "WHICH", VS_OPT_CHOICE, &vs_pack_options.label,
		.choices = "minor|alt|a1|a2|given",
		.help = "allele that gets label 1: minor (the default), alt "
			"(of a VCF or a .snp), a1 or a2 (of a .bim), given "
			"(whose copies "
			"the input counts: alt, a2, the table's)" },
	{ 0, "multiallelic", "HOW", VS_OPT_CHOICE,
		&vs_pack_options.multiallelic, .choices = "drop|split|whole",
		.help = "of --vcf: sites with more than two alleles are left "
			"out (drop, the default) or make a vector for each "
			"ALT (split); whole: every site makes one for each "
			"allele, REF too" },
	{ 0, "maf", "X", VS_OPT_REAL, &vs_pack_options.maf, 0, 0.5,
		.help = "drop sites whose minor allele is rarer than X" },
	{ 0, "max-missing", "X", VS_OPT_REAL, &vs_pack_options.max_missing, 0,
		1,
		.help = "drop sites where more than this share of the calls is "
			"missing" },
	{ 0, "ploidy", "N", VS_OPT_INT, &vs_pack_options.ploidy, 1, 2,
		.help = "1: haploid samples or inbred lines, for binary "
			"metrics: a call is one allele, a heterozygous one is "
			"taken as missing" },
	{ 0, "drop-monomorphic", NULL, VS_OPT_FLAG,
		&vs_pack_options.drop_monomorphic,
		.help = "drop sites where one allele only was seen" },
	{ 0, "keep", "FILE", VS_OPT_TEXT, &vs_pack_options.keep,
		.help = "keep the samples listed: IID, or FID IID, per line" },
	{ 0, "extract", "FILE", VS_OPT_TEXT, &vs_pack_options.extract,
		.help = "keep the sites listed by id" },
	{ 0, "remove", "FILE", VS_OPT_TEXT, &vs_pack_options.remove,
		.help = "leave the samples listed out" },
	{ 0, "exclude", "FILE", VS_OPT_TEXT, &vs_pack_options.exclude,
		.help = "leave the sites listed by id out" },
	{ 0, "keep-founders", NULL, VS_OPT_FLAG, &vs_pack_options.keep_founders,
		.help = "keep the samples of which the input names no parent" },
	{ 0, "chr", "LIST", VS_OPT_TEXT, &vs_pack_options.chr,
		.help = "keep the sites on these chromosomes, as 1-4,X; a "
			"leading chr does not count" },
	{ 0, "from-kb", "X", VS_OPT_REAL, &vs_pack_options.from_kb, 0, 1e12,
		.help = "with one chromosome: keep the sites from X on, in "
			"thousands of bases" },
	{ 0, "to-kb", "X", VS_OPT_REAL, &vs_pack_options.to_kb, 0, 1e12,
		.help = "the same up to X" },
	{ 0, "pheno", "FILE", VS_OPT_TEXT, &vs_pack_options.pheno,
		.help = "take phenotypes from a table with a header: FID IID "
			"or IID, then a name for each" },
	{ 0, "pheno-name", "NAME", VS_OPT_TEXT, &vs_pack_options.pheno_name,
		.help = "the phenotype that is the case status, of 1 and 2 or "
			"of 0 and 1: a column of --pheno, or of a .fam pheno, "
			"pheno2 and so on" },
	{ 0, "part", "K/N", VS_OPT_TEXT, &vs_pack_options.part,
		.help = "pack the K-th of N parts of the input, so that N "
			"processes share the work; --parts puts them "
			"together" },
	{ 0, "parts", NULL, VS_OPT_FLAG, &vs_pack_options.parts,
		.help = "put the parts named together into one vectors file, "
			"that of a single process" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &vs_pack_options.codec,
		.choices = "zstd|deflate|none",
		.help = "packing: zstd (the default), deflate (read by every "
			"HDF5 program), none" },
	{ 0, "level", "N", VS_OPT_INT, &vs_pack_options.level, 1, 19,
		.help = "packing effort: 1 (the default) to 19 of zstd, to 9 "
			"of deflate" },
	{ 'j', "threads", "N", VS_OPT_INT, &vs_pack_options.threads, 1,
		MOST_THREADS,
		.help = "threads; default: the cores allowed by affinity, "
			"cgroup and Slurm" },
	{ 0, "no-host", NULL, VS_OPT_FLAG, &vs_pack_options.no_host,
		.help = "leave the name of this machine out of the file" },
	{ 0 },
};

const char *
vs_pack_options_inputs(void)
{
	const size_t room = sizeof(synopsis);
	size_t n = 0;

	for (size_t k = 0; k < VS_N_PACK; k++) {
		const struct vs_reader_kind *kind = vs_readers_at(k);

		vs_pack_options_table[k] = (struct vs_opt){ .name = kind->name,
			.arg = kind->arg,
			.kind = VS_OPT_TEXT,
			.field = &vs_pack_options.input[k],
			.help = kind->help };
		n += (size_t)snprintf(synopsis + n, room - n, "%s--%s %s |",
			k % 4       ? " "
				: k ? "\n       "
				    : "",
			kind->name, kind->arg);
	}
	n += (size_t)snprintf(synopsis + n, room - n,
		"\n       --matrix FILE | --synthetic KIND | --parts "
		"PART... -o X.vec.h5 [options]");
	assert(n < room);
	return synopsis;
}

/* Kinds of input. */
enum origin {
	GENOTYPES = 1,
	MATRIX = 2,
	SYNTHETIC = 4,
	EPISTASIS = 8,
	PARTS = 16
};

static int
goes_with(const char *name, int origins)
{
	struct vs_text t = { 0 };
	int code = origins & GENOTYPES ? vs_readers_list(&t) : 0;

	if (!code && origins & MATRIX)
		code = vs_text_add(&t, "--matrix");
	if (!code && origins & (SYNTHETIC | EPISTASIS))
		code = vs_text_add(&t, "%s--synthetic%s", t.len ? " and " : "",
			!(origins & SYNTHETIC)           ? " epistasis"
				: !(origins & EPISTASIS) ? " random or analytic"
							 : "");
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
#define MADE (SYNTHETIC | EPISTASIS)
		{ "label", strcmp(job->label, "minor") != 0, GENOTYPES },
		{ "multiallelic", strcmp(job->multiallelic, "drop") != 0,
			GENOTYPES },
		{ "maf", job->maf > 0, GENOTYPES },
		{ "max-missing", job->max_missing < 1, GENOTYPES },
		{ "ploidy", job->ploidy != 2, GENOTYPES },
		{ "drop-monomorphic", job->drop_monomorphic, GENOTYPES },
		{ "keep", job->keep != NULL, GENOTYPES },
		{ "extract", job->extract != NULL, GENOTYPES },
		{ "remove", job->remove != NULL, GENOTYPES },
		{ "exclude", job->exclude != NULL, GENOTYPES },
		{ "keep-founders", job->keep_founders, GENOTYPES },
		{ "chr", job->chr != NULL, GENOTYPES },
		{ "from-kb", job->from_kb >= 0, GENOTYPES },
		{ "to-kb", job->to_kb >= 0, GENOTYPES },
		{ "pheno", job->pheno != NULL, GENOTYPES },
		{ "pheno-name", job->pheno_name != NULL, GENOTYPES },
		{ "transpose", job->transpose, MATRIX },
		{ "element", strcmp(job->element, "smallest") != 0,
			MATRIX | SYNTHETIC },
		{ "normalize", strcmp(job->normalize, "none") != 0, MATRIX },
		{ "missing-as-zero", job->missing_as_zero, MATRIX },
		{ "header", strcmp(job->header, "auto") != 0, MATRIX },
		{ "text-columns", job->text_columns >= 0, MATRIX },
		{ "vectors", job->vectors != 0, MADE },
		{ "fields", job->fields != 0, MADE },
		{ "seed", job->seed != 1, MADE },
		{ "missing", job->missing > 0, MADE },
		{ "planted", job->planted != NULL, EPISTASIS },
		{ "model", strcmp(job->model, "xor") != 0, EPISTASIS },
		{ "penetrance", job->penetrance[0] != NULL, EPISTASIS },
		{ "frequency", job->frequency[0] != NULL, EPISTASIS },
		{ "cases", job->cases >= 0, EPISTASIS },
		{ "part", job->part != NULL, GENOTYPES | MATRIX },
#undef MADE
	};

	for (size_t k = 0; k < sizeof(some) / sizeof(*some); k++)
		if (some[k].given && !(some[k].origins & (int)origin))
			return job->format_field
				? vs_fail(VS_EUSAGE,
					  "--%s does not go with "
					  "--format-field",
					  some[k].name)
				: goes_with(some[k].name, some[k].origins);
	if (job->synthetic && (!job->vectors || !job->fields))
		return vs_fail(VS_EUSAGE,
			"--synthetic needs --vectors N and --fields N");
	if (strcmp(job->normalize, "none") &&
		strcmp(job->element, "smallest") && *job->element != 'f')
		return vs_fail(VS_EUSAGE,
			"--normalize gives fractions: --element f32 or f64");
	if (origin == SYNTHETIC && job->missing > 0 &&
		strcmp(job->element, "smallest") && strcmp(job->element, "bit"))
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
			"no input: one of %s, --matrix, --synthetic, --parts; "
			"--help tells more",
			t.bytes);
	vs_text_free(&t);
	return code;
}

static int
check_input(struct vs_pack_wanted *s)
{
	if (job->matrix && job->synthetic)
		return vs_fail(VS_EUSAGE,
			"--matrix and --synthetic: one input at a time");
	s->input = job->matrix ? job->matrix : job->synthetic;
	s->planted = job->synthetic && !strcmp(job->synthetic, "epistasis");
	for (size_t k = 0; k < VS_N_PACK; k++) {
		if (!job->input[k])
			continue;
		if (s->input)
			return vs_fail(VS_EUSAGE,
				"--%s and --%s: one input at a time",
				s->kind               ? s->kind->name
					: job->matrix ? "matrix"
						      : "synthetic",
				vs_readers_at(k)->name);
		s->kind = vs_readers_at(k);
		s->input = job->input[k];
	}
	if (job->parts && s->input)
		return vs_fail(VS_EUSAGE,
			"--parts: parts hold what %s has; leave it out",
			s->input);
	if (job->parts)
		return check_origin(PARTS);
	if (!s->input)
		return no_input();
	if (s->kind && !s->kind->splits && strcmp(job->multiallelic, "drop"))
		return vs_fail(VS_EUSAGE, "--multiallelic goes with --vcf");
	if (job->format_field && (!s->kind || s->kind != &vs_reader_vcf))
		return vs_fail(VS_EUSAGE, "--format-field goes with --vcf");
	s->numbers = job->matrix || job->format_field;
	return check_origin(s->numbers   ? MATRIX
			: s->planted     ? EPISTASIS
			: job->synthetic ? SYNTHETIC
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
			job->label, kind->name, t.bytes);
	vs_text_free(&t);
	return code;
}

static int
check_label(struct vs_pack_wanted *s)
{
	const char *const *own = s->kind->label;

	s->label = VS_LABEL_SECOND;
	/* the one whose copies are given, unless another is asked for */
	if (!strcmp(job->multiallelic, "whole") && !strcmp(job->label, "minor"))
		vs_pack_options.label = "given";
	if (!strcmp(job->label, "minor"))
		s->label = VS_LABEL_MINOR;
	else if (own[0] && !strcmp(job->label, own[0]))
		s->label = VS_LABEL_FIRST;
	else if (strcmp(job->label, "given") &&
		(!own[1] || strcmp(job->label, own[1])))
		return no_label(s->kind);
	return 0;
}

static int
check_output(void)
{
	if (!job->output)
		return vs_fail(VS_EUSAGE, "no output: -o X.vec.h5 is required");
	return vs_file_name_check(job->output);
}

/* Only a .fam has phenotypes of its own. */
static int
check_pheno_name(const struct vs_pack_wanted *s)
{
	if (!job->pheno_name || job->pheno || !s->kind || s->kind->phenotypes)
		return 0;
	return vs_fail(VS_EUSAGE,
		"--pheno-name: --%s has no phenotypes: --pheno FILE gives them",
		s->kind->name);
}

static int
check_stdin(const struct vs_pack_wanted *s)
{
	const char *const name[] = { s->input, job->keep, job->extract,
		job->remove, job->exclude, job->pheno };
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

	if (job->parts && !args->n_operand)
		return vs_fail(VS_EUSAGE,
			"--parts: no parts are named; as in: vsim-pack --parts "
			"-o x.vec.h5 x.*.vec.h5");
	if (job->parts || !args->n_operand)
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

int
vs_pack_options_check(const struct vs_args *args, struct vs_pack_wanted *s)
{
	int code = check_operands(args);

	if (!code)
		code = check_input(s);
	if (!code && s->kind && !s->numbers)
		code = check_label(s);
	if (!code)
		code = check_output();
	if (!code)
		code = check_pheno_name(s);
	if (!code)
		code = check_stdin(s);
	if (code)
		return code;
	if (job->part &&
		!vs_num_part(job->part, VS_PART_MOST, &s->part, &s->n_part))
		return vs_fail(VS_EUSAGE,
			"--part %s: K/N is wanted, with K from 1 to N, and N "
			"to %d",
			job->part, VS_PART_MOST);
	if (job->part && !strcmp(s->input, "-"))
		return vs_fail(VS_EUSAGE,
			"--part: standard input cannot be cut into parts; name "
			"a file");
	code = vs_result_io_codec(&s->codec, job->codec, job->level);
	if (code)
		return code;
	if (!job->threads)
		vs_pack_options.threads = vs_mem_cores_allowed();
	vs_h5_threads((int)job->threads);
	return 0;
}
