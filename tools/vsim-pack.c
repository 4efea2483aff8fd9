/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-pack: PLINK, VCF or text genotypes, or numbers -> NAME.vec.h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/in/hint.h"
#include "formats/in/import.h"
#include "formats/in/matrix.h"
#include "formats/in/sample_table.h"
#include "formats/vectors/packed.h"
#include "formats/vectors/synthesis.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/pack/join_parts.h"
#include "tools/pack/pack_options.h"
#include "tools/pack/pack_selection.h"
#include "tools/pack/planted_options.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

static const struct vs_pack_options *const job = &vs_pack_options;

static struct vs_tool tool = {
	.name = "vsim-pack",
	.purpose = "Pack genotypes as bit planes, or numbers, into a vectors "
		   "file.",
	.lesson = "examples:\n"
		  "  vsim-pack --bfile mouse -o mouse.vec.h5\n"
		  "  vsim-pack --vcf x.vcf.gz --maf 0.05 -o x.vec.h5\n"
		  "  bcftools view -Ou x.bcf 20 | vsim-pack --vcf - -o "
		  "x.vec.h5\n"
		  "  vsim-pack --matrix counts.tsv.gz -o counts.vec.h5\n"
		  "  vsim-pack --vcf x.vcf.gz --part 2/4 -o x.2.vec.h5\n"
		  "  vsim-pack --parts -o x.vec.h5 x.*.vec.h5\n"
		  "  vsim-run -m ccc -t 0.7 -o run x.vec.h5    the next step\n",
	.opts = vs_pack_options_table,
	.n_least = 0,
	.n_most = -1,
};

struct state {
	struct vs_pack_wanted asked;
	struct vs_reader reader;
	struct vs_samples kept;     /* samples selected, if some are */
	struct vs_samples fields;   /* fields of a matrix, or synthetic */
	struct vs_samples *samples; /* what goes into the file */
	int64_t *keep;
	struct vs_site_choice filter;
	struct vs_import import;
	struct vs_packed_writer *writer;
	struct vs_sites sites;
	struct vs_provenance provenance;
	struct vs_tool_progress progress;
	char started[21];
	double began;
	size_t n_repeat, first_repeat; /* ids that several sites have */
	struct vs_text settings;       /* of a part */
};

/* ---- stages ---- */

static int
select_samples(struct state *s)
{
	size_t n = 0;
	int code = vs_pack_selection_samples(&s->reader.samples, s->asked.input,
		&s->provenance, &s->keep, &n);

	if (code || !s->keep)
		return code;
	s->import.keep = s->keep;
	s->samples = &s->kept;
	return vs_sample_table_pick(&s->kept, &s->reader.samples, s->keep, n);
}

static int
read_phenotypes(struct state *s)
{
	struct vs_sample_table_said said;
	int code = vs_sample_table_pheno(s->samples, job->pheno,
		job->pheno_name, &s->provenance, &said);

	if (code)
		return code;
	if (said.n_found < s->samples->n)
		vs_tool_warn("%s: %zu of %zu samples have no line in it",
			vs_pack_selection_name(job->pheno),
			s->samples->n - said.n_found, s->samples->n);
	if (said.zero_one)
		vs_tool_warn("%s: its first column of 0 and 1 is taken for the "
			     "case status; --pheno-name names another",
			vs_pack_selection_name(job->pheno));
	vs_tool_say("%s: %zu phenotypes of %zu samples, %zu other samples",
		vs_pack_selection_name(job->pheno), said.n_pheno, said.n_found,
		said.n_unknown);
	return 0;
}

static void
say_status(const struct vs_samples *samples)
{
	size_t n[2] = { 0 };

	if (!samples->case_status)
		return;
	for (size_t q = 0; q < samples->n; q++)
		if (samples->case_status[q] <= 1)
			n[samples->case_status[q]]++;
	vs_tool_say("%zu controls, %zu cases, %zu samples of unknown status",
		n[0], n[1], samples->n - n[0] - n[1]);
}

static int
open_inputs(struct state *s)
{
	int code = vs_reader_open(&s->reader, s->asked.kind, s->asked.input,
		(int)job->ploidy, (int)job->threads,
		job->pheno ? NULL : job->pheno_name, &s->provenance);
	bool filtered = false;

	if (code)
		return code;
	s->reader.multiallelic = !strcmp(job->multiallelic, "whole")
		? VS_MULTIALLELIC_WHOLE
		: !strcmp(job->multiallelic, "split") ? VS_MULTIALLELIC_SPLIT
						      : VS_MULTIALLELIC_DROP;
	s->samples = &s->reader.samples;
	if (s->asked.n_part)
		code = vs_reader_cut(&s->reader, s->asked.part,
			s->asked.n_part);
	if (code)
		return code;
	if (s->reader.n_site >= 0)
		vs_tool_say("%s: %lld sites of %zu samples",
			vs_pack_selection_name(s->asked.input),
			(long long)s->reader.n_site, s->samples->n);
	else
		vs_tool_say("%s: sites of %zu samples",
			vs_pack_selection_name(s->asked.input), s->samples->n);
	if (s->reader.note.len)
		vs_tool_say("%s: %s", vs_pack_selection_name(s->asked.input),
			s->reader.note.bytes);
	code = select_samples(s);
	if (!code && job->pheno)
		code = read_phenotypes(s);
	if (!code)
		say_status(s->samples);
	if (!code)
		code = vs_pack_selection_sites(&s->filter, &filtered,
			&s->provenance);
	s->import.filter = filtered ? &s->filter : NULL;
	return code;
}

/* Attributes of the file of a part. */
static void
describe_part(const struct state *s, const struct vs_part *part,
	struct vs_packed_plan *plan)
{
	if (!s->asked.n_part)
		return;
	plan->n_vec = VS_ROWS_UNKNOWN;
	plan->part = part;
	plan->settings = s->settings.bytes;
}

static int
create_output(struct state *s)
{
	bool filtered = vs_pack_selection_has_sites() ||
		job->drop_monomorphic || job->maf > 0 || job->max_missing < 1 ||
		s->reader.n_site < 0;
	struct vs_packed_plan plan = {
		.path = job->output,
		.n_field = s->samples->n,
		.n_vec =
			filtered ? VS_ROWS_UNKNOWN : (uint64_t)s->reader.n_site,
		.allele_rule = !strcmp(job->label, "minor") ? "minor1"
			: !strcmp(job->label, "alt")        ? "alt1"
							    : job->label,
		.codec = s->asked.codec,
		.generator = vs_tool_generator(),
		.force = job->force,
		.ploidy = (int)job->ploidy,
	};

	describe_part(s, &s->reader.part, &plan);
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
	in->ploidy = (int)job->ploidy;
	in->label = s->asked.label;
	in->n_field = s->samples->n;
	in->maf = job->maf;
	in->max_missing = job->max_missing;
	in->drop_monomorphic = job->drop_monomorphic;
	in->threads = (int)job->threads;
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
		.transpose = job->transpose,
		.missing_as_zero = job->missing_as_zero,
		.header = !strcmp(job->header, "auto")
			? -1
			: !strcmp(job->header, "yes"),
		.text_columns = (int)job->text_columns,
		.smallest = !strcmp(job->element, "smallest"),
		.field = job->format_field,
		.normalize = !strcmp(job->normalize, "sum") ? VS_NORMALIZE_SUM
			: !strcmp(job->normalize, "rank")   ? VS_NORMALIZE_RANK
			: !strcmp(job->normalize, "z")      ? VS_NORMALIZE_Z
							    : VS_NORMALIZE_NONE,
	};
	struct vs_packed_plan plan = {
		.path = job->output,
		.codec = s->asked.codec,
		.generator = vs_tool_generator(),
		.force = job->force,
	};
	struct vs_matrix m;
	int code;

	/* bit and smallest are not among them: the first element serves */
	vs_element_find(job->element, &how.element);
	if (how.field && how.smallest) {
		/* the floats of BCF, which need not be held to find a type */
		how.element = VS_NUM_F32;
		how.smallest = false;
	}
	if (how.normalize && how.smallest) {
		how.element = VS_NUM_F64;
		how.smallest = false;
	}
	code = vs_matrix_open(&m, s->asked.input, &how);
	if (!code)
		vs_tool_say("%s: %s", vs_pack_selection_name(s->asked.input),
			m.note.bytes);
	if (!code && s->asked.n_part)
		code = vs_matrix_cut(&m, s->asked.part, s->asked.n_part);
	describe_part(s, &m.part, &plan);
	if (!code)
		code = vs_matrix_pack(&m, &plan, &s->writer, &s->sites,
			&s->fields, &s->provenance);
	s->samples = &s->fields;
	s->reader.tally.multiallelic = m.n_multiallelic;
	s->reader.tally.no_gt = m.n_without;
	vs_matrix_close(&m);
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job->output, s->sites.n, s->fields.n,
			plan.element == VS_BIT2 ? "bits"
						: vs_element_name(plan.element),
			vs_clock() - s->began);
	return code;
}

static int
join(struct state *s, const struct vs_args *args)
{
	struct vs_packed_plan plan = {
		.path = job->output,
		.codec = s->asked.codec,
		.generator = vs_tool_generator(),
		.force = job->force,
	};
	bool whole;
	int code = vs_join_parts((const char *const *)args->operands,
		(size_t)args->n_operand, &plan, &s->writer, &s->sites,
		&s->fields, &s->provenance, &whole);

	s->samples = &s->fields;
	/* alleles of a site share its id */
	if (!code && !whole && plan.element == VS_BIT2)
		code = count_repeats(s);
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %d parts, %.2f s",
			job->output, s->sites.n, s->fields.n, args->n_operand,
			vs_clock() - s->began);
	return code;
}

static int
make_up_planted(struct state *s, struct vs_packed_plan *plan)
{
	struct vs_planted planted = { 0 };
	int code = vs_planted_options_read(&planted);

	if (!code)
		code = vs_planted_begin(&planted);
	if (!code)
		code = vs_synthesis_planted(plan, &planted, &s->writer,
			&s->sites, &s->fields);
	vs_planted_end(&planted);
	return code;
}

static int
make_up(struct state *s)
{
	struct vs_synthetic how = { !strcmp(job->synthetic, "analytic"),
		(uint64_t)job->seed, job->missing };
	struct vs_packed_plan plan = {
		.path = job->output,
		.n_vec = (uint64_t)job->vectors,
		.n_field = (uint64_t)job->fields,
		.codec = s->asked.codec,
		.generator = vs_tool_generator(),
		.force = job->force,
		.ploidy = strcmp(job->element, "bit") ? 2 : 1,
		.synthetic = &how,
	};
	int code;

	/* bit and smallest are not among them: genotypes */
	vs_element_find(job->element, &plan.element);
	if (s->asked.planted) {
		plan.synthetic = NULL;
		code = make_up_planted(s, &plan);
	} else {
		code = vs_synthesis_write(&plan, &s->writer, &s->sites,
			&s->fields);
	}
	s->samples = &s->fields;
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job->output, s->sites.n, s->fields.n, job->synthetic,
			vs_clock() - s->began);
	return code;
}

static void
warn_of_ids(const struct state *s)
{
	size_t len;
	const char *name;

	/* alleles of a site share its id */
	if (!s->n_repeat || s->asked.n_part ||
		s->reader.multiallelic == VS_MULTIALLELIC_WHOLE)
		return;
	name = vs_text_pool_get(&s->sites.id, s->first_repeat, &len);
	vs_tool_warn("%s: %zu variant ids occur more than once, first %.*s",
		job->parts ? job->output
			   : vs_pack_selection_name(s->asked.input),
		s->n_repeat, len > 60 ? 60 : (int)len, name);
}

/* Warnings after success. */
static void
warn_of(const struct state *s)
{
	const struct vs_reader_tally *t = &s->reader.tally;
	const char *name = vs_pack_selection_name(s->asked.input);

	if (t->multiallelic)
		vs_tool_warn("%s: %lld sites with more than two alleles were "
			     "left out",
			name, (long long)t->multiallelic);
	if (t->no_gt)
		vs_tool_warn("%s: %lld sites without %s were left out", name,
			(long long)t->no_gt,
			job->format_field ? job->format_field : "GT");
	if (s->import.n_het)
		vs_tool_warn("%s: %llu heterozygous calls were taken as "
			     "missing, as --ploidy 1 has one allele a call",
			name, (unsigned long long)s->import.n_het);
	if (t->haploid && job->ploidy == 2)
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
	/* of a part its input is not all there is */
	if (!s->asked.n_part)
		vs_pack_selection_warn(&s->filter, s->asked.input);
}

static void
say_what_was_done(const struct state *s)
{
	const struct vs_import *in = &s->import;
	double spent = vs_clock() - s->began;

	vs_pack_selection_say(&s->filter);
	if (s->reader.tally.negative)
		vs_tool_say("%s: %lld positions are negative, taken as "
			    "unknown; PLINK leaves their sites out",
			vs_pack_selection_name(s->asked.input),
			(long long)s->reader.tally.negative);
	vs_tool_say(
		"read %llu sites; dropped: %llu not selected, %llu with too "
		"many missing calls, %llu monomorphic, %llu too rare",
		(unsigned long long)in->n_read,
		(unsigned long long)in->n_unwanted,
		(unsigned long long)in->n_missing,
		(unsigned long long)in->n_monomorphic,
		(unsigned long long)in->n_rare);
	vs_tool_say(
		"%s: %llu vectors of %zu fields, %.2f s, %.0f MB/s of calls "
		"at two bits",
		job->output, (unsigned long long)in->n_kept, in->n_field, spent,
		bytes_of(s, in->n_read) / 1e6 / (spent > 0 ? spent : 1));
}

static int
finish(struct state *s)
{
	struct vs_packed_writer *w = s->writer;
	int code = vs_result_io_step(&s->provenance, NULL, NULL, s->started,
		NULL, !job->no_host);

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

	tool.synopsis = vs_pack_options_inputs();
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (code)
		goto out;
	vs_clock_date(s.started);
	code = vs_pack_options_check(&args, &s.asked);
	if (!code && s.asked.n_part)
		code = vs_join_parts_settings(&s.settings);
	if (!code)
		code = s.asked.numbers   ? pack_matrix(&s)
			: job->synthetic ? make_up(&s)
			: job->parts     ? join(&s, &args)
					 : pack_genotypes(&s);
	if (code == VS_EINPUT && s.asked.input && !job->synthetic)
		vs_hint_instead(code, s.asked.input,
			s.asked.kind ? s.asked.kind->name : "matrix",
			s.asked.kind ? s.asked.kind->suffixes : NULL);
	if (!code)
		code = finish(&s);
	if (code)
		goto out;
	if (job->parts)
		warn_of_ids(&s);
	if (s.asked.kind) {
		warn_of(&s);
		warn_of_ids(&s);
		if (!s.asked.numbers)
			say_what_was_done(&s);
	}
	vs_tool_close(job->output, "%zu vectors of %zu samples", s.sites.n,
		s.samples->n);
out:
	vs_packed_abandon(s.writer);
	vs_sites_free(&s.sites);
	vs_site_choice_free(&s.filter);
	vs_sites_samples_free(&s.kept);
	vs_sites_samples_free(&s.fields);
	free(s.keep);
	vs_text_free(&s.settings);
	vs_reader_close(&s.reader);
	vs_provenance_free(&s.provenance);
	return vs_tool_end(code, true);
}
