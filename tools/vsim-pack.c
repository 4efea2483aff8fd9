/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-pack: PLINK, VCF or text genotypes, or numbers -> NAME.vec.h5. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/hint.h"
#include "formats/in/numbers/matrix.h"
#include "formats/vectors/packed.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/text.h"
#include "libcore/bits/planted.h"
#include "tools/pack/join_parts.h"
#include "tools/pack/pack_options.h"
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

/* ---- a planted set ---- */

#define MOST_NAME 24

static int
read_two(const char *name, const char *const word[2], double most, double to[2])
{
	if (!word[0])
		return 0;
	for (int k = 0; k < 2; k++)
		if (!vs_num_real(word[k], &to[k]) || to[k] < 0 || to[k] > most)
			return vs_fail(VS_EUSAGE,
				"--%s: %.40s is not within 0 and %g", name,
				word[k], most);
	if (to[0] > to[1])
		return vs_fail(VS_EUSAGE,
			"--%s: %.40s is above %.40s; the least comes first",
			name, word[0], word[1]);
	return 0;
}

/* Number of a vector from its name, v1 and so on. */
static bool
read_vector(const char *text, size_t len, uint64_t *v)
{
	char word[MOST_NAME];
	int64_t x;

	if (len < 2 || len >= sizeof(word) || *text != 'v' || text[1] < '0' ||
		text[1] > '9')
		return false;
	memcpy(word, text + 1, len - 1);
	word[len - 1] = 0;
	if (!vs_num_int(word, &x) || x < 1 || x > job->vectors)
		return false;
	*v = (uint64_t)x - 1;
	return true;
}

static int
read_set(struct vs_planted *p)
{
	const char *at = job->planted;

	while (at) {
		size_t len = strcspn(at, ",");
		uint64_t v;

		if (!read_vector(at, len, &v))
			return vs_fail(VS_EUSAGE,
				"--planted: %.*s is not one of the vectors v1 "
				"to v%lld",
				len > 40 ? 40 : (int)len, at,
				(long long)job->vectors);
		for (size_t k = 0; k < p->n_set; k++)
			if (p->set[k] == v)
				return vs_fail(VS_EUSAGE,
					"--planted: %.*s occurs twice",
					(int)len, at);
		if (p->n_set == VS_PLANTED_MOST)
			return vs_fail(VS_EUSAGE,
				"--planted: two or three vectors, as v3,v17");
		p->set[p->n_set++] = v;
		at = at[len] ? at + len + 1 : NULL;
	}
	if (p->n_set == 1)
		return vs_fail(VS_EUSAGE,
			"--planted: two or three vectors, as v3,v17");
	return 0;
}

/* The settings, for vs_planted_begin(). 0; VS_EUSAGE */
static int
read_planted(struct vs_planted *p)
{
	double risk[2] = { 0.2, 0.6 }, frequency[2] = { 0.05, 0.5 };
	const char *name;
	int code = read_two("penetrance", job->penetrance, 1, risk);

	if (!code && (risk[0] <= 0 || risk[1] >= 1))
		code = vs_fail(VS_EUSAGE,
			"--penetrance: must be above 0 and below 1, so that "
			"all genotypes occur in both classes");
	if (!code)
		code = read_two("frequency", job->frequency, 0.5, frequency);
	if (code)
		return code;
	*p = (struct vs_planted){ .seed = (uint64_t)job->seed,
		.n_field = (uint64_t)job->fields,
		.n_case = (uint64_t)(job->cases < 0 ? job->fields / 2
						    : job->cases),
		.missing = job->missing,
		.least = frequency[0],
		.most = frequency[1],
		.low = risk[0],
		.high = risk[1] };
	for (size_t k = 0; (name = vs_planted_name(k)); k++)
		if (!strcmp(name, job->model))
			p->model = (enum vs_planted_model)k;
	if (p->n_case > p->n_field)
		return vs_fail(VS_EUSAGE, "--cases %lld: there are %lld fields",
			(long long)job->cases, (long long)job->fields);
	return read_set(p);
}

/* ---- synthetic vectors ---- */

#define BLOCK (4u << 20) /* bytes made together */

static int
add_site(struct vs_sites *to, uint64_t v, bool genotypes,
	const int64_t count[4])
{
	char id[32];
	struct vs_site site = { .id = id,
		.contig = "",
		.allele = { genotypes ? "0" : "", genotypes ? "1" : "" },
		.allele_len = { genotypes, genotypes },
		.allele1_source =
			genotypes ? VS_ALLELE_SECOND : VS_ALLELE_UNKNOWN,
		.source_row = (int64_t)v };

	site.id_len = (size_t)snprintf(id, sizeof(id), "v%llu",
		(unsigned long long)v + 1);
	for (int g = 0; g < 4; g++)
		site.count[g] = count[g];
	return vs_sites_add(to, &site);
}

static int
make_genotypes(const struct vs_packed_plan *plan,
	const struct vs_planted *planted, struct vs_packed_writer *w,
	struct vs_sites *sites)
{
	uint64_t n = 1 + BLOCK / (vs_vec_words(plan->n_field) * 16);
	struct vs_vec b = { 0 };
	int64_t count[4];
	int code = vs_vec_new(&b, n, plan->n_field);

	for (uint64_t lo = 0; lo < plan->n_vec && !code; lo += n) {
		n = plan->n_vec - lo < n ? plan->n_vec - lo : n;
		for (uint64_t k = 0; k < n && !code; k++) {
			if (planted)
				vs_planted_genotypes(planted, lo + k, &b, k);
			else
				vs_synthetic_genotypes(plan->synthetic, lo + k,
					plan->ploidy == 1 ? 1 : 2, &b, k);
			vs_vec_count(&b, k, count);
			code = add_site(sites, lo + k, true, count);
		}
		if (!code)
			code = vs_packed_add(w, &b, 0, n);
	}
	vs_vec_free(&b);
	return code;
}

static int
make_numbers(const struct vs_packed_plan *plan, struct vs_packed_writer *w,
	struct vs_sites *sites)
{
	static const int64_t none[4];
	size_t bytes = plan->n_field * vs_element_bytes(plan->element);
	uint64_t n = 1 + BLOCK / bytes;
	uint8_t *rows = NULL;
	int code = vs_mem_room(&rows, n, bytes, "vectors");

	for (uint64_t lo = 0; lo < plan->n_vec && !code; lo += n) {
		n = plan->n_vec - lo < n ? plan->n_vec - lo : n;
		for (uint64_t k = 0; k < n && !code; k++) {
			vs_synthetic_numbers(plan->synthetic, lo + k,
				plan->element, plan->n_field, rows + k * bytes);
			code = add_site(sites, lo + k, false, none);
		}
		if (!code)
			code = vs_packed_add_rows(w, rows, n);
	}
	free(rows);
	return code;
}

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
give(void *state, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_site *site)
{
	struct state *s = state;
	int code = vs_genotypes_keep(&s->in, site, hi - lo);

	return code ? code : vs_packed_add(s->writer, vec, lo, hi);
}

static int
pack_genotypes(struct state *s)
{
	int code = vs_genotypes_open(&s->in);

	s->in.import.give = give;
	s->in.import.giving = s;
	if (!code)
		code = create_output(s);
	if (!code)
		code = vs_genotypes_read(&s->in);
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

/* Make vectors, v1 and so on, of fields s1 and so on, and write all but the end
 * of the vectors file. planted: a set that was begun, or null. */
static int
write_synthetic(struct state *s, struct vs_packed_plan *plan,
	const struct vs_planted *planted)
{
	struct vs_samples *samples = &s->fields;
	int code = vs_packed_create(&s->writer, plan);

	if (!code)
		code = plan->element == VS_BIT2
			? make_genotypes(plan, planted, s->writer, &s->in.sites)
			: make_numbers(plan, s->writer, &s->in.sites);
	if (!code)
		code = vs_sites_samples_number(samples, plan->n_field);
	if (planted)
		VS_MEM_NEW(&code, samples->case_status, samples->n,
			"case status");
	if (planted && !code)
		memcpy(samples->case_status, planted->status, samples->n);
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
		.allele_rule = "given",
		.synthetic = s->asked.planted ? NULL : &how,
	};
	struct vs_planted planted = { 0 };
	int code = s->asked.planted ? read_planted(&planted) : 0;

	/* bit and smallest are not in it: genotypes */
	vs_element_find(job->element, &plan.element);
	if (!code && s->asked.planted)
		code = vs_planted_begin(&planted);
	if (!code)
		code = write_synthetic(s, &plan,
			s->asked.planted ? &planted : NULL);
	vs_planted_end(&planted);
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
