/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of vsim-pack: table and checks. */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "formats/in/chromosome.h"
#include "formats/in/hint.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/pack/pack_options.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/result_io.h"

struct vs_pack_options vs_pack_options = {
	.element = "smallest",
	.header = "auto",
	.separator = "auto",
	.decimal = ".",
	.normalize = "none",
	.seed = 1,
	.model = "xor",
	.cases = -1,
	.text_columns = -1,
	.label = "minor",
	.how = VS_GENOTYPES_HOW,
	.codec = "zstd",
};

#define MOST_COMMON 4 /* readers that -h shows */

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
		.common = true,
		.help = "numbers: a table, .npy, .mtx or BIOM; - is stdin" },
	{ 0, "parts", NULL, VS_OPT_FLAG, &vs_pack_options.parts,
		.help = "join the files of --part named as operands" },

	{ 0, "sample", "FILE", VS_OPT_TEXT, &vs_pack_options.how.sample,
		.help = "with --bgen: its samples, a .sample file" },
	{ 0, "label", "WHICH", VS_OPT_CHOICE, &vs_pack_options.label,
		.group = "Genotypes", .choices = "minor|alt|a1|a2|given",
		.help = "allele 1: minor, alt, a1, a2 or given [minor]" },
	{ 0, "multiallelic", "HOW", VS_OPT_CHOICE,
		&vs_pack_options.how.multiallelic,
		.choices = "drop|split|whole",
		.help = "drop, split (by ALT) or whole (all alleles) [drop]" },
	{ 0, "polyploid", "HOW", VS_OPT_CHOICE, &vs_pack_options.how.polyploid,
		.choices = "missing|drop|refuse",
		.help = "missing, drop the site or refuse [missing]" },
	{ 0, "ploidy", "N", VS_OPT_INT, &vs_pack_options.how.ploidy, 1, 2,
		.help = "1: haploid or inbred; heterozygous is missing [2]" },
	{ 0, "haplotypes", NULL, VS_OPT_FLAG, &vs_pack_options.how.haplotypes,
		.help = "the two alleles of phased calls, as ploidy 1" },
	{ 0, "sex-chromosomes", "HOW", VS_OPT_CHOICE,
		&vs_pack_options.how.sex_chromosomes,
		.choices = "plink|diploid",
		.help = "X and Y as PLINK counts them, or diploid [plink]" },
	{ 0, "split-par", "BUILD", VS_OPT_CHOICE,
		&vs_pack_options.how.split_par, .choices = VS_CHROMOSOME_BUILDS,
		.aliases = VS_CHROMOSOME_ALIASES,
		.help = "genome build of the pseudo-autosomal regions" },
	{ 0, "update-sex", "FILE", VS_OPT_TEXT, &vs_pack_options.how.update_sex,
		.help = "sexes: IID SEX or FID IID SEX per line" },
	{ 0, "autosomes", "N", VS_OPT_INT, &vs_pack_options.how.autosomes, 1,
		95,
		.help = "number of autosomes; X is N + 1, Y is N + 2 [22]" },
	{ 0, "pheno", "FILE", VS_OPT_TEXT, &vs_pack_options.how.pheno,
		.common = true,
		.help = "phenotypes: a table with header, IID or FID IID" },
	{ 0, "pheno-name", "NAME", VS_OPT_TEXT, &vs_pack_options.how.pheno_name,
		.help = "phenotype that is the case/control status" },

	VS_OPTS_LIMITS(&vs_pack_options.how, .group = "Samples and sites"),
	VS_OPTS_SAMPLES(&vs_pack_options.how),
	VS_OPTS_SITES(&vs_pack_options.how),
	VS_OPT_MAP(&vs_pack_options.how),
	{ 0, "annot", "FILE", VS_OPT_TEXT, &vs_pack_options.how.annot,
		.help = "annotations as LDSC has them, for LD scores" },

	{ 0, "transpose", NULL, VS_OPT_FLAG, &vs_pack_options.transpose,
		.group = "Numbers",
		.help = "columns are vectors, rows are fields" },
	{ 0, "element", "TYPE", VS_OPT_CHOICE, &vs_pack_options.element,
		.choices = "smallest|bit|u8|u16|u32|f32|f64",
		.aliases = "least=smallest", /* until 1.0 */
		.help = "bit, u8, u16, u32, f32, f64 [smallest that fits]" },
	{ 0, "normalize", "HOW", VS_OPT_CHOICE, &vs_pack_options.normalize,
		.choices = "none|sum|rank|z",
		.help = "each vector: by its sum, ranks or z-scores [none]" },
	{ 0, "missing-as-zero", NULL, VS_OPT_FLAG,
		&vs_pack_options.missing_as_zero,
		.help = "empty, NA and NaN are 0" },
	{ 0, "format-field", "NAME", VS_OPT_TEXT, &vs_pack_options.how.field,
		.help = "numbers of a FORMAT field, such as DS" },

	{ 0, "header", "WHAT", VS_OPT_CHOICE, &vs_pack_options.header,
		.group = "Text tables", .choices = "auto|yes|no",
		.aliases = "told=auto", /* until 1.0 */
		.help = "the first line names the columns: yes, no [auto]" },
	{ 0, "text-columns", "N", VS_OPT_INT, &vs_pack_options.text_columns, 0,
		1e6, .help = "number of leading text columns [auto]" },
	{ 0, "id-column", "NAME", VS_OPT_TEXT, &vs_pack_options.id_column,
		.help = "column of ids, by name or number" },
	{ 0, "drop-columns", "LIST", VS_OPT_TEXT, &vs_pack_options.drop_columns,
		.help = "without these columns, such as Length,Chr" },
	{ 0, "missing-word", "LIST", VS_OPT_TEXT, &vs_pack_options.missing_word,
		.help = "missing, besides NA NaN N/A #N/A null None ." },
	{ 0, "decimal", "MARK", VS_OPT_CHOICE, &vs_pack_options.decimal,
		.choices = ".|,", .help = "decimal mark, . or , [.]" },
	{ 0, "separator", "WHAT", VS_OPT_CHOICE, &vs_pack_options.separator,
		.choices = "auto|tab|comma|semicolon|pipe|blank",
		.aliases = ",=comma|;=semicolon",
		.help = "tab, comma, semicolon, pipe or blank [auto]" },

	{ 0, "synthetic", "KIND", VS_OPT_CHOICE, &vs_pack_options.synthetic,
		.group = "Synthetic data",
		.choices = "random|analytic|epistasis",
		.help = "generate vectors instead of reading them",
		.detail = "random\tindependent genotypes\n"
			  "analytic\tvalues known to vsim-verify "
			  "--closed-form\n"
			  "epistasis\tcases and controls, by --planted\n" },
	{ 0, "vectors", "N", VS_OPT_INT, &vs_pack_options.vectors, 1, 0x1p40,
		.help = "number of vectors" },
	{ 0, "fields", "N", VS_OPT_INT, &vs_pack_options.fields, 1,
		VS_PACKED_FIELDS, .help = "number of fields" },
	VS_OPT_SEED(&vs_pack_options.seed, 0x1p53, "the random numbers"),
	{ 0, "missing", "X", VS_OPT_REAL, &vs_pack_options.missing, 0, 1,
		.help = "share of missing genotypes [0]" },
	{ 0, "planted", "SET", VS_OPT_TEXT, &vs_pack_options.planted,
		.help = "two or three causal variants: v3,v17 [none]" },
	{ 0, "model", "NAME", VS_OPT_CHOICE, &vs_pack_options.model,
		.choices = "multiplicative|threshold|xor",
		.help = "multiplicative, threshold or xor [xor]" },
	{ 0, "penetrance", "LOW HIGH", VS_OPT_TWO, vs_pack_options.penetrance,
		.help = "lowest and highest probability of a case [0.2 0.6]" },
	{ 0, "frequency", "LO HI", VS_OPT_TWO, vs_pack_options.frequency,
		.help = "range of allele frequencies [0.05 0.5]" },
	{ 0, "cases", "N", VS_OPT_INT, &vs_pack_options.cases, 0,
		VS_PACKED_FIELDS, .help = "number of cases [half]" },

	{ 'o', "output", "FILE", VS_OPT_TEXT, &vs_pack_options.output,
		.group = "Output", .common = true,
		.help = "the vectors file to write, NAME.vec.h5" },
	VS_OPTS_OUTPUT(&vs_pack_options.force, &vs_pack_options.codec,
		&vs_pack_options.level, "zstd"),
	VS_OPT_PART(&vs_pack_options.part,
		"pack part K of N of the input; --parts joins them"),
	VS_OPT_NO_HOST(&vs_pack_options.no_host),

	VS_OPT_THREADS(&vs_pack_options.how.threads, "all allowed cores",
		.group = "Resources"),
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
			.group = k ? NULL : "Input",
			.common = k < MOST_COMMON,
			.elsewhere = k ? NULL
				       : "bed=--bfile PREFIX|"
					 "bim=--bfile PREFIX|fam=--bfile "
					 "PREFIX|pgen=--pfile PREFIX|"
					 "ped=--file PREFIX",
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

struct vs_table_how
vs_pack_options_table_how(void)
{
	static const struct {
		const char *name;
		char byte;
	} separators[] = { { "auto", 0 }, { "tab", '\t' }, { "comma", ',' },
		{ "semicolon", ';' }, { "pipe", '|' }, { "blank", ' ' } };
	struct vs_table_how how = {
		.decimal = *job->decimal,
		.header = !strcmp(job->header, "auto")
			? -1
			: !strcmp(job->header, "yes"),
		.text_columns = (int)job->text_columns,
		.id = job->id_column,
		.drop = job->drop_columns,
		.missing = job->missing_word,
	};

	for (size_t k = 0; k < sizeof(separators) / sizeof(*separators); k++)
		if (!strcmp(job->separator, separators[k].name))
			how.separator = separators[k].byte;
	return how;
}

#define SITES                                                               \
	"maf max-missing drop-monomorphic keep extract remove exclude chr " \
	"from-kb to-kb pheno pheno-name keep-founders"
#define CALLS "label ploidy sex-chromosomes split-par update-sex autosomes"
#define NUMBERS "transpose normalize missing-as-zero"
#define TABLE \
	"header text-columns id-column drop-columns missing-word separator"
#define MADE "vectors fields seed missing"
#define PLANTED "planted model penetrance frequency cases"

const struct vs_opt_rule vs_pack_options_rules[] = {
	VS_EXCLUDES("matrix", "synthetic parts @genotypes"),
	VS_EXCLUDES("synthetic", "parts @genotypes"),
	VS_EXCLUDES("parts", "@genotypes part"),
	VS_EXCLUDES("part", "synthetic"),
	VS_EXCLUDES("map annot", "part", .why = "give it with --parts"),
	VS_EXCLUDES("format-field", CALLS " multiallelic polyploid " TABLE,
		.why = "it reads numbers, not genotypes"),
	VS_EXCLUDES("format-field", "decimal"),
	VS_EXCLUDES("normalize",
		"element=bit element=u8 element=u16 element=u32",
		.why = "it gives fractions; use f32 or f64"),
	VS_EXCLUDES("decimal=,", "separator=comma"),
	VS_EXCLUDES("missing",
		"element=u8 element=u16 element=u32 element=f32 element=f64",
		.why = "synthetic numbers are never missing"),
	VS_EXCLUDES("haplotypes", "ploidy format-field keep-founders"),
	VS_NEEDS("multiallelic polyploid haplotypes", "vcf"),
	VS_NEEDS("format-field", "vcf bgen pfile"),
	VS_NEEDS("sample", "bgen"),
	VS_NEEDS(CALLS, "@genotypes"),
	VS_NEEDS(SITES, "@genotypes"),
	VS_NEEDS("map annot", "@genotypes parts",
		.why = "numbers have no positions"),
	VS_NEEDS(NUMBERS, "matrix format-field"),
	VS_NEEDS(TABLE, "matrix tsv"),
	VS_NEEDS("decimal", "matrix"),
	VS_NEEDS("element",
		"matrix format-field synthetic=random "
		"synthetic=analytic"),
	VS_NEEDS(MADE, "synthetic"),
	VS_NEEDS(PLANTED, "synthetic=epistasis"),
	VS_NEEDS("synthetic", "vectors"),
	VS_NEEDS("synthetic", "fields"),
	VS_NEEDS("pheno-name", "pheno", .when = "@no-phenotypes",
		.why = "the input has no phenotypes"),
	VS_EXCLUDES("part", "@stdin", .why = "name a file"),
	VS_NEEDS("", "@genotypes matrix synthetic parts"),
	VS_NEEDS("", "output", .why = "-o names the vectors file"),
	{ 0 },
};

/* Check the rules, with what the kind of input is. */
static int
check_rules(const struct vs_genotypes *in)
{
	struct vs_text all = { 0 };
	int code = vs_text_add(&all, "%s%s", in->kind ? "--" : "genotypes (",
		in->kind ? in->kind->name : "");

	if (!code && !in->kind)
		code = vs_readers_list(&all);
	if (!code && !in->kind)
		code = vs_text_put(&all, ")", 1);
	if (!code)
		code = vs_tool_check((const struct vs_opt_fact[]){
			{ "genotypes", in->kind, all.bytes },
			{ "no-phenotypes", in->kind && !in->kind->phenotypes,
				"" },
			{ "stdin", in->input && !strcmp(in->input, "-"),
				"standard input" },
			{ 0 } });
	vs_text_free(&all);
	return code;
}

static int
check_input(struct vs_pack_wanted *s, struct vs_genotypes *in)
{
	in->input = job->matrix ? job->matrix : job->synthetic;
	if (job->how.haplotypes)
		vs_pack_options.how.ploidy = 1;
	s->planted = job->synthetic && !strcmp(job->synthetic, "epistasis");
	s->numbers = job->matrix || job->how.field;
	for (size_t k = 0; k < VS_N_PACK; k++) {
		if (!job->input[k])
			continue;
		if (in->kind)
			return vs_fail(VS_EUSAGE,
				"--%s cannot be combined with --%s",
				in->kind->name, vs_readers_at(k)->name);
		in->kind = vs_readers_at(k);
		in->input = job->input[k];
	}
	return check_rules(in);
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
check_label(const struct vs_genotypes *in)
{
	const char *const *own = in->kind->label;

	vs_pack_options.how.label = VS_LABEL_SECOND;
	/* the one whose copies are given, unless another is asked for */
	if (!strcmp(job->how.multiallelic, "whole") &&
		!strcmp(job->label, "minor"))
		vs_pack_options.label = "given";
	if (!strcmp(job->label, "minor"))
		vs_pack_options.how.label = VS_LABEL_MINOR;
	else if (own[0] && !strcmp(job->label, own[0]))
		vs_pack_options.how.label = VS_LABEL_FIRST;
	else if (strcmp(job->label, "given") &&
		(!own[1] || strcmp(job->label, own[1])))
		return no_label(in->kind);
	return 0;
}

static int
check_stdin(const struct vs_genotypes *in)
{
	const char *const name[] = { in->input, job->how.keep, job->how.extract,
		job->how.remove, job->how.exclude, job->how.pheno,
		job->how.update_sex, job->how.map, job->how.annot,
		job->how.sample };
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
			"--parts: no parts given; example: vsim-pack --parts "
			"-o x.vec.h5 x.*.vec.h5");
	if (job->parts || !args->n_operand)
		return 0;
	code = vs_hint_of(args->operands[0], &words, &known);
	if (!code)
		code = vs_fail(VS_EUSAGE, "%s: inputs are named by options%s%s",
			args->operands[0], known ? ": " : ", ",
			known ? words.bytes : "--help lists them");
	vs_text_free(&words);
	return code;
}

int
vs_pack_options_check(const struct vs_args *args, struct vs_pack_wanted *s,
	struct vs_genotypes *in)
{
	int code = check_operands(args);

	if (!code)
		code = check_input(s, in);
	if (!code && in->kind && !s->numbers)
		code = check_label(in);
	if (!code)
		code = vs_file_name_check(job->output);
	if (!code)
		code = check_stdin(in);
	if (code)
		return code;
	if (job->part &&
		!vs_num_part(job->part, VS_PART_MOST, &in->part, &in->n_part))
		return vs_fail(VS_EUSAGE,
			"--part %s: expected K/N with K from 1 to N, and N up "
			"to %d",
			job->part, VS_PART_MOST);
	code = vs_result_io_codec(&s->codec, job->codec, job->level);
	if (code)
		return code;
	vs_pack_options.how.threads = vs_tool_threads(job->how.threads);
	vs_h5_threads((int)job->how.threads);
	return 0;
}
