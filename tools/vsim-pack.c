/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-pack: PLINK, VCF or text genotypes, or numbers -> NAME.vec.h5. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/hint.h"
#include "formats/in/numbers/matrix.h"
#include "formats/vectors/packed.h"
#include "formats/vectors/synthesis.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/text.h"
#include "tools/pack/join_parts.h"
#include "tools/pack/pack_options.h"
#include "tools/pack/planted_options.h"
#include "tools/shared/genotypes.h"
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
	.rules = vs_pack_options_rules,
	.n_least = 0,
	.n_most = -1,
};

struct state {
	struct vs_pack_wanted asked;
	struct vs_genotypes in;
	struct vs_table_how table;
	struct vs_samples fields; /* fields of a matrix, or synthetic */
	struct vs_packed_writer *writer;
	struct vs_provenance provenance;
	char started[21];
	struct vs_text settings; /* for a part */
};

/* ---- stages ---- */

/* Attributes in the file of a part. */
static void
describe_part(const struct state *s, const struct vs_part *part,
	struct vs_packed_plan *plan)
{
	if (!s->in.n_part)
		return;
	plan->n_vec = VS_ROWS_UNKNOWN;
	plan->part = part;
	plan->settings = s->settings.bytes;
}

static int
create_output(struct state *s)
{
	bool filtered = vs_genotypes_has_sites(&job->how) ||
		job->how.drop_monomorphic || job->how.maf > 0 ||
		job->how.max_missing < 1 || s->in.reader.n_site < 0;
	struct vs_packed_plan plan = {
		.path = job->output,
		.n_field = s->in.samples->n,
		.n_vec = filtered ? VS_ROWS_UNKNOWN
				  : (uint64_t)s->in.reader.n_site,
		.allele_rule = !strcmp(job->label, "minor") ? "minor1"
			: !strcmp(job->label, "alt")        ? "alt1"
							    : job->label,
		.codec = s->asked.codec,
		.generator = vs_tool_generator(),
		.force = job->force,
		.ploidy = (int)job->how.ploidy,
	};

	describe_part(s, &s->in.reader.part, &plan);
	return vs_packed_create(&s->writer, &plan);
}

static int
give(void *writer, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_sites *sites)
{
	(void)sites;
	return vs_packed_add(writer, vec, lo, hi);
}

static int
pack_genotypes(struct state *s)
{
	int code = vs_genotypes_open(&s->in);

	if (!code)
		code = create_output(s);
	if (!code)
		code = vs_genotypes_read(&s->in, give, s->writer);
	return code ? code : vs_genotypes_repeats(&s->in);
}

/* The same three stages for numbers, whose type is known only at the end. */
static int
pack_matrix(struct state *s)
{
	struct vs_matrix_how how = {
		.sites = s->in.kind ? &s->in.import : NULL,
		.transpose = job->transpose,
		.missing_as_zero = job->missing_as_zero,
		.table = s->table,
		.smallest = !strcmp(job->element, "smallest"),
		.provenance = &s->provenance,
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
	struct vs_matrix m = { 0 };
	int code = how.sites ? vs_genotypes_open(&s->in) : 0;

	/* bit and smallest are not in it: the first element is used */
	vs_element_find(job->element, &how.element);
	if (how.sites && how.smallest) {
		/* the floats of BCF, which need not be held to find a type */
		how.element = VS_NUM_F32;
		how.smallest = false;
	}
	if (how.normalize && how.smallest) {
		how.element = VS_NUM_F64;
		how.smallest = false;
	}
	if (!code)
		code = vs_matrix_open(&m, s->in.input, &how);
	if (!code)
		vs_tool_say("%s: %s", vs_genotypes_name(s->in.input),
			m.note.bytes);
	if (!code)
		vs_genotypes_guesses(&s->in, &m.guess);
	if (!code && s->in.n_part && !how.sites)
		code = vs_matrix_cut(&m, s->in.part, s->in.n_part);
	describe_part(s, &m.part, &plan);
	if (!code)
		code = vs_matrix_pack(&m, &plan, &s->writer, &s->in.sites,
			&s->fields, &s->provenance);
	if (!how.sites || job->transpose)
		s->in.samples = &s->fields;
	if (!how.sites)
		s->in.reader.tally.names = m.names;
	if (!code)
		code = vs_genotypes_repeats(&s->in);
	if (!code)
		vs_genotypes_warn_of_rounded(&s->in, m.n_rounded,
			m.rounded.bytes);
	vs_matrix_close(&m);
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job->output, s->in.sites.n, s->in.samples->n,
			plan.element == VS_BIT2 ? "bits"
						: vs_element_name(plan.element),
			vs_clock() - s->in.began);
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
		(size_t)args->n_operand, &plan, &s->writer, &s->in.sites,
		&s->fields, &s->provenance, &whole);

	s->in.samples = &s->fields;
	/* alleles of a site share its id */
	if (!code && !whole)
		code = vs_genotypes_repeats(&s->in);
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %d parts, %.2f s",
			job->output, s->in.sites.n, s->fields.n,
			args->n_operand, vs_clock() - s->in.began);
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
			&s->in.sites, &s->fields);
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

	/* bit and smallest are not in it: genotypes */
	vs_element_find(job->element, &plan.element);
	if (s->asked.planted) {
		plan.synthetic = NULL;
		code = make_up_planted(s, &plan);
	} else {
		code = vs_synthesis_write(&plan, &s->writer, &s->in.sites,
			&s->fields);
	}
	s->in.samples = &s->fields;
	if (!code)
		vs_tool_say("%s: %zu vectors of %zu fields, %s, %.2f s",
			job->output, s->in.sites.n, s->fields.n, job->synthetic,
			vs_clock() - s->in.began);
	return code;
}

static void
say_what_was_done(const struct vs_genotypes *in)
{
	const double spent = vs_clock() - in->began;

	vs_genotypes_say(in);
	if (job->how.field)
		return;
	vs_tool_say(
		"%s: %llu vectors of %zu fields, %.2f s, %.0f MB/s of calls "
		"at two bits",
		job->output, (unsigned long long)in->import.n_kept,
		in->import.n_field, spent,
		vs_genotypes_bytes(in, in->import.n_read) / 1e6 /
			(spent > 0 ? spent : 1));
}

static int
finish(struct state *s)
{
	struct vs_packed_writer *w = s->writer;
	int code = vs_result_io_step(&s->provenance, NULL, NULL, s->started,
		NULL, !job->no_host);

	if (code)
		return code;
	s->writer = NULL; /* freed by the next call in either case */
	return vs_packed_finish(w, &s->in.sites, s->in.samples, NULL,
		&s->provenance, NULL);
}

static void
say_next(const struct state *s)
{
	if (s->in.n_part)
		vs_tool_next("vsim-pack --parts -o X.vec.h5 %s ... (all parts)",
			job->output);
	else if (s->asked.numbers)
		vs_tool_next("vsim-run -m r -t 0.8 -o run %s", job->output);
	else
		vs_tool_next("vsim-run -m r2 -t 0.5 -o run %s", job->output);
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	struct state s = { .in = { .how = &job->how,
				   .provenance = &s.provenance,
				   .table = &s.table,
				   .began = vs_clock() } };
	int code;

	tool.synopsis = vs_pack_options_inputs();
	code = vs_tool_begin(&tool, argc, argv, &args);
	if (code)
		goto out;
	vs_clock_date(s.started);
	code = vs_pack_options_check(&args, &s.asked, &s.in);
	s.table = vs_pack_options_table_how();
	if (!code && s.in.n_part)
		code = vs_join_parts_settings(&s.settings);
	if (!code)
		code = s.asked.numbers   ? pack_matrix(&s)
			: job->synthetic ? make_up(&s)
			: job->parts     ? join(&s, &args)
					 : pack_genotypes(&s);
	if (code == VS_EINPUT && s.in.input && !job->synthetic)
		vs_hint_instead(code, s.in.input,
			s.in.kind ? s.in.kind->name : "matrix",
			s.in.kind ? s.in.kind->suffixes : NULL);
	if (!code)
		code = vs_genotypes_annotate(&s.in);
	if (!code)
		code = finish(&s);
	if (code)
		goto out;
	if (s.in.input && !job->synthetic)
		vs_genotypes_warn_of_names(&s.in);
	if (job->parts)
		s.in.input = job->output;
	if (s.in.kind)
		vs_genotypes_warn(&s.in);
	if (!job->synthetic)
		vs_genotypes_warn_of_ids(&s.in);
	if (s.in.kind)
		say_what_was_done(&s.in);
	vs_tool_close(job->output, "%zu %s%s of %zu sample%s", s.in.sites.n,
		s.asked.numbers ? "vector" : "variant", vs_text_s(s.in.sites.n),
		s.in.samples->n, vs_text_s(s.in.samples->n));
	say_next(&s);
out:
	vs_packed_abandon(s.writer);
	vs_sites_samples_free(&s.fields);
	vs_text_free(&s.settings);
	vs_genotypes_close(&s.in);
	vs_provenance_free(&s.provenance);
	return vs_tool_end(code, true);
}
