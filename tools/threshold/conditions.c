/* SPDX-License-Identifier: BSD-3-Clause */
/* Conditions on the records of a result, and the query that the remaining
 * records answer. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/num.h"
#include "tools/shared/joint.h"
#include "tools/shared/metric_options.h"
#include "tools/shared/tool.h"
#include "tools/threshold/conditions.h"

const char *
vs_conditions_above(const struct vs_conditions *c)
{
	return c->threshold ? "--threshold" : "--above";
}

/* True if the threshold names classes of cells. */
static bool
by_class(const struct vs_conditions *c)
{
	return c->above && strchr(c->above, '=');
}

static bool
is_tested(const struct vs_conditions *c)
{
	return !isinf(c->p_value) || !isinf(c->fdr);
}

/* both: the sum of the two like cells of its pair or triple passes. */
static bool
keeps(const struct vs_conditions *c, const struct vs_record *r, bool both)
{
	const unsigned last = r->k == VS_NO_VEC ? 3 : 7;

	return r->value >= c->min && r->value <= c->max &&
		r->value < c->below &&
		(vs_thresholds_exceeded(&c->thresholds, c->strong, r) ||
			(both && (!r->cell || r->cell == last))) &&
		(r->cell == VS_NO_CELL || c->cell_mask >> r->cell & 1) &&
		vs_joint_keeps(r, c->n_joint) &&
		vs_selection_includes(&c->listed, r, !c->either) &&
		(!is_tested(c) || vs_p_value_passes(&c->test, r));
}

/*
 * True if the sum of the two like cells passes for rec's pair or triple, whose
 * records follow rec, at most n.
 * returns  how many they are
 */
static size_t
group(const struct vs_conditions *c, const struct vs_record *rec, size_t n,
	bool *both)
{
	uint32_t last = rec->k == VS_NO_VEC ? 3 : 7;
	const struct vs_record *low = NULL, *high = NULL;
	size_t end = 0;

	for (; end < n && rec[end].i == rec->i && rec[end].j == rec->j &&
		rec[end].k == rec->k;
		end++) {
		low = rec[end].cell ? low : &rec[end];
		high = rec[end].cell == last ? &rec[end] : high;
	}
	*both = low && high &&
		vs_thresholds_sum(&c->thresholds, low->value, high->value);
	return end;
}

bool
vs_conditions_pass(const struct vs_conditions *c, const struct vs_record *rec,
	size_t n, size_t x, struct vs_conditions_group *g)
{
	if (x == g->end)
		g->end = x + group(c, rec + x, n - x, &g->both);
	return keeps(c, &rec[x], g->both);
}

/* ---- options ---- */

static int
parse_cells(struct vs_conditions *c)
{
	static const char *const names[] = { "00", "01", "10", "11", "000",
		"001", "010", "011", "100", "101", "110", "111" };

	c->cell_mask = c->cells ? 0 : 255;
	for (const char *p = c->cells; p; p++) {
		size_t len = strcspn(p, ",");
		int cell = -1;

		for (int n = 0; n < 12; n++)
			if (len == strlen(names[n]) &&
				!strncmp(p, names[n], len)) {
				cell = n < 4 ? n : n - 4;
				c->way = n < 4 ? 2 : 3;
			}
		if (len == 1 && *p >= '0' && *p < '8')
			cell = *p - '0';
		if (cell < 0)
			return vs_fail(VS_EUSAGE,
				"--cells %.*s: not one of 00 01 10 11 or 0 1 2 "
				"3, nor, of triples, of 000 to 111 or 0 to 7",
				(int)len, p);
		c->cell_mask |= 1 << cell;
		p += len;
		if (!*p)
			break;
	}
	return 0;
}

/* Cells of pairs do not apply to triples, and vice versa. */
static int
check_cells(const struct vs_conditions *c, const char *path,
	const struct vs_run *run)
{
	bool wrong = c->cells &&
		((c->way && c->way != run->n_way) ||
			(run->n_way == 2 && c->cell_mask > 15));

	return wrong
		? vs_fail(VS_EUSAGE, "--cells %s: %s has %s", c->cells, path,
			  run->n_way == 3 ? "triples, cells 000 to 111"
					  : "pairs, cells 00 to 11")
		: 0;
}

static int
parse_above(struct vs_conditions *c)
{
	c->least = -INFINITY;
	if (c->above && !by_class(c) && !vs_num_real(c->above, &c->least))
		return vs_opt_fail_number(vs_conditions_above(c), c->above,
			VS_OPT_FINITE);
	if (c->min > c->max || c->least >= c->max || c->min >= c->below ||
		c->least >= c->below)
		return vs_fail(VS_EUSAGE,
			"no value can pass: --max or --below is less than "
			"--min, or no more than %s",
			vs_conditions_above(c));
	return 0;
}

int
vs_conditions_read(struct vs_conditions *c)
{
	int code = parse_cells(c);

	if (c->threshold)
		c->above = c->threshold;
	return code ? code : parse_above(c);
}

/* ---- the file ---- */

/*
 * Check that the file lists everything that thresholds by class may keep. A sum
 * needs both values, all that are above 0, unless the file has all such sums.
 */
static bool
lists(const struct vs_run *run, const struct vs_thresholds *b)
{
	uint32_t ends = 1u | 1u << ((1u << run->n_way) - 1);
	bool all = !*run->selection && (run->cell_mask & ends) == ends;
	struct vs_thresholds own;

	if (!strcmp(run->threshold_op, "none"))
		vs_thresholds_all(&own, -INFINITY);
	else
		vs_thresholds_all(&own, run->threshold);
	if (!strcmp(run->threshold_op, "class") &&
		!vs_thresholds_read(run->class_thresholds, run->n_way, &own))
		return false;
	if (own.one[0] <= 0 && own.one[run->n_way] <= 0)
		own.sum = -INFINITY;
	for (int k = 0; k <= run->n_way; k++)
		if (b->one[k] < own.one[k])
			return false;
	return isinf(b->sum) || (all && b->sum >= own.sum);
}

/* Thresholds by class are for pairs or for triples. */
static int
check_classes(struct vs_conditions *c, const char *path,
	const struct vs_run *run)
{
	if (!by_class(c))
		return 0;
	if (!vs_run_has_cells(run) ||
		!vs_thresholds_read(c->above, run->n_way, &c->thresholds))
		return vs_fail(VS_EUSAGE,
			"%s %s: not thresholds by class of cell of %d-way "
			"%s in %s",
			vs_conditions_above(c), c->above, run->n_way,
			run->metric, path);
	if (!lists(run, &c->thresholds))
		return vs_fail(VS_EINPUT,
			"%s %s: %s does not list all that this keeps: "
			"lower thresholds of its own are needed, for sums 0 or "
			"less",
			vs_conditions_above(c), c->above, path);
	return 0;
}

/* --min-joint, in terms of this file's samples. */
static int
read_joint(struct vs_conditions *c, const char *path, const struct vs_run *run)
{
	int code = c->min_joint ? vs_joint_known(run, path) : 0;

	return code
		? code
		: vs_joint_read(c->min_joint, path, run->n_fields, &c->n_joint);
}

/* Some value must be able to pass the limits of the strong values. */
static int
check_passes(const struct vs_conditions *c, const struct vs_run *run)
{
	const bool lower = vs_run_strong(run) == VS_STRONG_LOW;
	int code = lower && !c->threshold
		? vs_metric_options_passes(run, "--below", c->below, true)
		: vs_metric_options_passes(run, vs_conditions_above(c),
			  c->least, true);

	return code ? code
		    : vs_metric_options_passes(run, lower ? "--max" : "--min",
			      lower ? c->max : c->min, false);
}

int
vs_conditions_check(struct vs_conditions *c, const struct vs_run *run,
	const char *path)
{
	int code = check_cells(c, path, run);

	c->strong = c->threshold ? vs_run_strong(run) : VS_STRONG_HIGH;
	vs_thresholds_all(&c->thresholds,
		vs_strength_of_threshold(c->strong, c->least));
	if (!code && !by_class(c))
		code = check_passes(c, run);
	return code ? code : check_classes(c, path, run);
}

/* Names are needed for a list; otherwise they are optional: for the sum with
 * the source's names, and for nodes. */
static int
read_names(struct vs_conditions *c, struct vs_result *first,
	struct vs_vector_names *names)
{
	int code = vs_vector_names_of_result(names, first, c->vectors, "");

	if (code && (c->keep || c->vectors || code == VS_EMACHINE))
		return code;
	if (code) {
		vs_tool_say("%s", vs_fail_text());
		vs_fail_clear();
		return 0;
	}
	return c->keep ? vs_selection_file(&c->listed, names, c->keep,
				 strcmp(c->by, "row") ? VS_SELECTION_ID
						      : VS_SELECTION_ROW)
		       : 0;
}

int
vs_conditions_open(struct vs_conditions *c, struct vs_result *first,
	const char *path, struct vs_vector_names *names)
{
	int code = read_joint(c, path, &first->run);

	if (!code)
		code = read_names(c, first, names);
	if (!code && is_tested(c))
		code = vs_p_value_open(&c->test, first, c->vectors,
			isinf(c->fdr) ? c->p_value
				      : c->fdr * (1 + 0x1p-50) *
					(vs_run_has_cells(&first->run) ? 8 : 1),
			c->bonferroni);
	return code;
}

/* ---- the query that the output answers ---- */

/* State a bound if it is stricter than the present one. */
static void
tighten(struct vs_run *run, double bound, const char *op)
{
	bool none = !strcmp(run->threshold_op, "none");
	bool strict = run->threshold_op[1] == 't';
	const enum vs_strong strong = vs_run_strong(run);

	if (isinf(bound))
		return;
	if (none ||
		vs_strength_of_threshold(strong, bound) >
			vs_strength_of_threshold(strong, run->threshold) ||
		(bound == run->threshold && !strict && op[1] == 't')) {
		run->threshold = bound;
		strcpy(run->threshold_op, op);
	}
}

/* State a condition that no attribute of its own expresses. */
static void
select_by(struct vs_run *run, const char *what, const char *how)
{
	size_t len = strlen(run->selection);

	snprintf(run->selection + len, sizeof(run->selection) - len, "%s%s %s",
		len ? ", " : "", what, how);
}

/* State the list of a selection; after an earlier list, the digest of both. */
static void
state_list(struct vs_run *run, const uint8_t digest[16])
{
	char text[2 * VS_DIGEST_TEXT];
	uint64_t both[2];

	if (!*run->kept_list) {
		vs_digest_text(digest, run->kept_list);
		return;
	}
	strcpy(text, run->kept_list);
	vs_digest_text(digest, text + strlen(text));
	vs_digest_128(text, strlen(text), both);
	snprintf(run->kept_list, sizeof(run->kept_list), "%016llx%016llx",
		(unsigned long long)both[1], (unsigned long long)both[0]);
}

/* State a bound that stronger values pass: as an additional condition with
 * thresholds by class, or if the run's values are stronger in another way. */
static void
bound(struct vs_run *run, double value, enum vs_strong strong, const char *what,
	const char *op)
{
	char text[VS_NUM_ROOM];

	if (strong == vs_run_strong(run) && !*run->class_thresholds) {
		tighten(run, value, op);
	} else if (!isinf(value)) {
		vs_num_print(value, text);
		select_by(run, what, text);
	}
}

struct vs_run
vs_conditions_query(const struct vs_conditions *c, const struct vs_run *in)
{
	const bool low = c->strong == VS_STRONG_LOW;
	struct vs_run run = *in;
	char text[VS_NUM_ROOM];

	if (by_class(c)) {
		vs_thresholds_print(&c->thresholds, run.n_way,
			run.class_thresholds);
		run.threshold = vs_thresholds_least(&c->thresholds, run.n_way);
		strcpy(run.threshold_op, "class");
	}
	bound(&run, c->min, VS_STRONG_HIGH, "min", "ge");
	bound(&run, by_class(c) ? -INFINITY : c->least, c->strong,
		low ? "below" : "above", low ? "lt" : "gt");
	run.cell_mask &= c->cell_mask;
	if (run.min_joint < c->n_joint)
		run.min_joint = c->n_joint;
	bound(&run, c->max, VS_STRONG_LOW, "max", "le");
	bound(&run, c->below, VS_STRONG_LOW, "below", "lt");
	if (c->keep) {
		select_by(&run, c->either ? "one end" : "both ends",
			"in a list");
		state_list(&run, c->listed.digest);
	}
	if (!isinf(c->fdr)) {
		vs_num_print(c->fdr, text);
		select_by(&run, "false discovery rate at most", text);
	}
	if (is_tested(c)) {
		vs_num_print(c->test.most, text);
		select_by(&run, "p at most", text);
	}
	if (c->top || c->top_each) {
		snprintf(text, sizeof(text), "%lld",
			(long long)(c->top + c->top_each));
		select_by(&run, c->top ? "top" : "top per vector", text);
	}
	return run;
}

void
vs_conditions_free(struct vs_conditions *c)
{
	vs_p_value_close(&c->test);
	vs_selection_free(&c->listed);
}
