/* SPDX-License-Identifier: BSD-3-Clause */
/* Setup of a run: query, options, vectors file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vectors/packed_held.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/metric/inner.h"
#include "libcore/plan/comm.h"
#include "tools/run/options.h"
#include "tools/run/setup.h"
#include "tools/shared/joint.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/result_io.h"
#include "tools/shared/site_filter.h"
#include "tools/shared/tool.h"

#define MOST_FIELDS (1ull << 24)

/* Genotype vectors known only by number and length: --shape. */
static int
shape(struct vs_setup *s)
{
	const char *x = strchr(vs_options.shape, 'x');
	char text[VS_NUM_ROOM] = "";
	int64_t n_vec = 0, n_field = 0;
	int code;

	if (x && (size_t)(x - vs_options.shape) < sizeof(text))
		memcpy(text, vs_options.shape, (size_t)(x - vs_options.shape));
	if (!x || !vs_num_int(text, &n_vec) || !vs_num_int(x + 1, &n_field) ||
		n_vec < 1 || n_field < 1 || n_vec > (int64_t)UINT32_MAX ||
		n_field >= (int64_t)MOST_FIELDS)
		return vs_fail(VS_EUSAGE,
			"--shape %s: expected VECTORSxSAMPLES, such as "
			"1000000x2504, with fewer than 2^32 vectors and 2^24 "
			"samples",
			vs_options.shape);
	code = vs_mem_copy_text(&s->input, vs_options.shape);
	VS_MEM_NEW(&code, s->packed, 1, "shape");
	if (code)
		return code;
	s->packed->element = VS_BIT2;
	s->packed->ploidy =
		vs_metric_find(vs_options.metric)->ploidy == 1 ? 1 : 2;
	s->packed->n_vec = (uint64_t)n_vec;
	s->packed->n_field = (uint64_t)n_field;
	s->packed->plane_bytes = 8 * (((uint64_t)n_field + 63) / 64);
	s->packed->row_bytes = 2 * s->packed->plane_bytes;
	s->query.least_present = n_field;
	return 0;
}

static int
give(void *setup, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_site *site)
{
	struct vs_setup *s = setup;
	int code = vs_genotypes_keep(&s->in, site, hi - lo);

	return code ? code : vs_packed_held_add(s->packed, vec, lo, hi);
}

/* Read an input of genotypes into memory. */
static int
read_genotypes(struct vs_setup *s)
{
	struct vs_genotypes *in = &s->in;
	int code = vs_genotypes_open(in);

	in->import.give = give;
	in->import.giving = s;
	if (!code)
		code = vs_packed_held_new(&s->packed, s->input, in->samples->n,
			in->reader.n_site > 0 ? (uint64_t)in->reader.n_site
					      : 0);
	if (!code)
		code = vs_genotypes_read(in);
	if (!code)
		code = vs_genotypes_annotate(in);
	if (!code) {
		vs_genotypes_warn_of_names(in);
		vs_genotypes_warn(in);
		/* takes the sites */
		code = vs_packed_held_end(s->packed, &in->sites, in->samples);
	}
	return code;
}

void
vs_setup_ask(struct vs_setup *s)
{
#define ASK_APART(name)
#define ASK_CUDA(name) s->query.name = s->run.name;
#define ASK_CPU(name) ASK_CUDA(name)
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	ASK_##engine(name)
#include "libcore/metric/query_rows.h"
}

/* Interaction in a quantitative trait, if the file has that and no case
 * status. */
static int
choose_of_trait(struct vs_setup *s)
{
	uint8_t *status = NULL;
	double *trait = NULL;
	int code = vs_packed_status(s->packed, &status);

	if (!code && !status)
		code = vs_packed_trait(s->packed, &trait);
	if (trait) {
		vs_options.metric = "f";
		s->query.metric = vs_metric_find(vs_options.metric);
		snprintf(s->run.metric, sizeof(s->run.metric), "%s",
			vs_options.metric);
		vs_tool_warn("%s: has a quantitative trait, so --metric f, F "
			     "of interaction",
			s->input);
	}
	free(status);
	free(trait);
	return code;
}

int
vs_setup_open(struct vs_setup *s)
{
	/* a process that reads the whole file first checks its digest; one that
	 * reads a part relies on the checksums of its chunks */
	const bool all = vs_comm_size() == 1 && s->run.n_stages == 1;
	unsigned flags = all ? 0 : VS_H5_FAST;
	int code = vs_options.shape ? shape(s)
		: s->in.kind        ? read_genotypes(s)
			     : vs_packed_open(&s->packed, s->input, flags);

	if (!code && !strcmp(vs_options.metric, "inter"))
		code = choose_of_trait(s);
	if (!code)
		code = vs_load_vectors_check(s->packed, s->input,
			vs_options.metric);
	if (!code && !vs_comm_rank() && !vs_options.dry_run)
		code = vs_result_io_side(vs_options.stats);
	if (!code && !vs_comm_rank() && !vs_options.dry_run)
		code = vs_result_io_side(vs_options.histogram);
	if (code)
		return code;
	s->query.element =
		vs_load_vectors_element(s->packed, vs_options.metric);
	s->query.bits = s->way.n == 3 && s->packed->zeroed;
	if (s->query.bits)
		s->query.element = VS_NUM_U8;
	s->query.whole = !s->packed->ranked &&
		(s->packed->element == VS_NUM_U8 ||
			(s->packed->element == VS_NUM_U16 &&
				s->packed->n_field <= VS_INNER_WORDS));
	if (vs_query_family(&s->query) == VS_FAMILY_INNER &&
		!(s->packed->kinds & VS_NUMBER_MISSING) && vs_options.min_joint)
		return vs_fail(VS_EUSAGE,
			"--min-joint: no numbers of %s are missing: omit it",
			s->input);
	if (!vs_devices_have_kernel(&s->query))
		return vs_fail(VS_EUSAGE,
			"--kernel %s: not among the kernels of --version, or "
			"not for %s of %s",
			vs_options.kernel, vs_cpu_name(s->query.cpu),
			vs_element_name(s->query.element));
	if (s->packed->n_field >= MOST_FIELDS)
		return vs_fail(VS_EINPUT,
			"%s: %llu samples: values are exact below %llu "
			"samples; more are refused",
			s->input, (unsigned long long)s->packed->n_field,
			MOST_FIELDS);
	code = vs_metric_options_check(&s->alleles, &s->run, s->input,
		s->packed->n_field);
	if (code)
		return code;
	s->query.n_field = s->packed->n_field;
	if (vs_options.shape)
		return 0;
	code = vs_case_control_read(&s->cases, s->packed, s->input,
		s->query.metric, s->run.case_seed);
	if (code)
		return code;
	vs_case_control_ask(&s->cases, &s->query);
	code = vs_joint_read(vs_options.min_joint, s->input,
		(int64_t)s->packed->n_field, &s->run.min_joint);
	if (code)
		return code;
	vs_setup_ask(s);
	return 0;
}

void
vs_setup_say_cases(const struct vs_setup *ask)
{
	const int64_t *n = ask->cases.classes.n;
	int64_t left = (int64_t)ask->packed->n_field - n[0] - n[1];

	if (ask->cases.value && left)
		vs_tool_warn("%s: %lld samples have the trait; %lld are left "
			     "out",
			ask->input, (long long)n[0], (long long)left);
	else if (ask->cases.status && left)
		vs_tool_warn("%s: %lld controls and %lld cases; %lld samples "
			     "of unknown status are left out",
			ask->input, (long long)n[0], (long long)n[1],
			(long long)left);
}

int
vs_setup_scan(struct vs_setup *s)
{
	int code;

	if (vs_options.shape)
		return 0;
	code = vs_load_vectors_scan(s->packed, &s->query, &s->dead);
	/* these count all values */
	if (code || vs_options.histogram || vs_options.summary)
		return code;
	code = vs_metric_options_reach(&s->query, s->packed->n_vec, s->dead,
		&s->run);
	if (!code || !vs_options.allow_empty) {
		vs_fail_append("; --allow-empty runs all the same");
		return code;
	}
	/* none by the data: a valid answer */
	if (code == VS_EUSAGE)
		vs_tool_warn("%s", vs_fail_text());
	vs_fail_clear();
	return 0;
}

int
vs_setup_places(struct vs_setup *s, struct vs_job *pairs)
{
	const struct vs_pair_rules *rules = &vs_options.rules;
	struct vs_wanted *w = &s->run.wanted;
	int code;

	w->n_vec = s->packed->n_vec;
	w->n_way = s->way.n;
	pairs->wanted = w;
	pairs->unsorted = vs_options.to;
	if (!vs_pair_rules_any(rules))
		return 0;
	code = vs_site_filter_make(w, rules, s->packed);
	if (code)
		return code;
	if (w->n_unplaced)
		vs_tool_warn("%s: %llu vector%s without a known %s %s in no %s",
			s->input, (unsigned long long)w->n_unplaced,
			vs_text_s(w->n_unplaced),
			vs_pair_rules_need_positions(rules) ? "position"
							    : "chromosome",
			w->n_unplaced == 1 ? "is" : "are",
			s->way.n == 3 ? "triple" : "pair");
	vs_pair_rules_print(rules, s->run.pair_filter);
	/* in a band, bounds of blocks would need another order of the vectors;
	 * metrics of tables have none for blocks */
	if (s->way.n == 2 && vs_wanted_is_band(w) && !s->query.classes)
		s->query.prune = false;
	return 0;
}

int
vs_setup_describe(struct vs_setup *s)
{
	struct vs_run *run = &s->run;
	uint8_t uuid[16];
	int code = vs_digest_uuid_make(uuid);

	if (!code && !vs_options.shape)
		code = vs_load_vectors_describe(s->packed, s->input, &s->query,
			run);
	if (!code && vs_options.shape) {
		run->n_vectors = (int64_t)s->packed->n_vec;
		run->n_fields = (int64_t)s->packed->n_field;
		snprintf(run->missing, sizeof(run->missing), "none");
	}
	if (code)
		return code;
	vs_digest_uuid_text(uuid, run->run_uuid);
	snprintf(run->value_type, sizeof(run->value_type), "%s",
		vs_options.value);
	run->cell_mask = (1 << vs_run_kind_cells(&s->way)) - 1;
	run->n_phases = run->phase_end = 1;
	run->n_proc = vs_comm_size();
	return run->permutations
		? vs_null_maxima_new(&run->null_maxima, run->permutations)
		: 0;
}

void
vs_setup_free(struct vs_setup *s)
{
	free(s->dead);
	free(s->summed);
	vs_summary_plan_free(&s->summary);
	vs_case_control_free(&s->cases);
	vs_run_free(&s->run);
	vs_packed_close(s->packed);
	vs_genotypes_close(&s->in);
	free(s->input);
}
