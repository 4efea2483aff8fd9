/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-permute: NAME.vec.h5 -> NAME.vec.h5 in another order of vectors. */
#include <stdlib.h>
#include <string.h>

#include "formats/in/text/lines.h"
#include "formats/vectors/packed.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

static struct job {
	struct {
		const char *name, *list, *by; /* name: of --order */
		int64_t seed;
		bool reverse;
	} order;
	const char *out, *codec;
	int64_t level;
	uint64_t memory;
	bool force, no_host;
} job = { .order = { .by = "id", .seed = 1 }, .codec = "zstd" };

static struct vs_opt opts[] = {
	{ 0, "order", "ORDER", VS_OPT_CHOICE, &job.order.name, .group = "Order",
		.common = true,
		.choices = "random|frequency|sum|position|source|list",
		.help = "new order of the vectors",
		.detail = "random\tshuffled with --seed\n"
			  "frequency\tof allele 1, rarest first\n"
			  "sum\tof numbers, smallest first\n"
			  "position\tby chromosome and position\n"
			  "source\tas first packed\n"
			  "list\tas in the file of --list\n" },
	VS_OPT_SEED(&job.order.seed, 0x1p53, "the random order"),
	{ 0, "reverse", NULL, VS_OPT_FLAG, &job.order.reverse, .common = true,
		.help = "frequency, sum, position: largest first" },
	{ 0, "list", "FILE", VS_OPT_TEXT, &job.order.list, .common = true,
		.help = "one vector per line, each once; - is stdin" },
	VS_OPT_BY(&job.order.by),

	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out, .group = "Output",
		.common = true, .help = "the vectors file to write" },
	VS_OPTS_OUTPUT(&job.force, &job.codec, &job.level, "zstd"),
	VS_OPT_NO_HOST(&job.no_host),

	VS_OPT_MEMORY(&job.memory, "for vectors [half of the free memory]",
		.group = "Resources"),
	{ 0 },
};

static const struct vs_opt_rule rules[] = {
	VS_NEEDS("order=list", "list"),
	VS_NEEDS("list", "order=list"),
	VS_NEEDS("reverse", "order=frequency order=sum order=position"),
	VS_NEEDS("", "order", .why = "source restores the first order"),
	VS_NEEDS("", "output", .why = "-o names the vectors file"),
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-permute",
	.purpose = "Reorder the vectors of a vectors file; --order source "
		   "restores them.",
	.synopsis = "--order ORDER [options] -o FILE X.vec.h5",
	.lesson =
		"examples:\n"
		"  vsim-permute --order random --seed 7 -o r.vec.h5 x.vec.h5\n"
		"  vsim-permute --order source -o back.vec.h5 r.vec.h5\n",
	.opts = opts,
	.rules = rules,
	.n_least = 1,
	.n_most = 1,
};

static struct vs_codec codec;

/* ---- order ---- */

struct order {
	struct vs_packed *in;
	const struct vs_sites *sites;
	const void *sums; /* of numbers, if they are ordered by sum */
	int64_t *row;
	uint64_t n;
	bool turned; /* ids of a list that matched except for chr */
};

/* ---- comparisons ---- */

static int
signed_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Rows break ties, so that the sort is stable. */
static int
order_result(int way, int64_t a, int64_t b)
{
	if (!way)
		return signed_of(a, b);
	return job.order.reverse ? -way : way;
}

/* Exact: compare s / c of both by cross products below 2^60. */
static int
by_frequency(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int64_t s_p, c_p, s_q, c_q;
	struct vs_site p, q;

	vs_sites_get(o->sites, (size_t)a, &p);
	vs_sites_get(o->sites, (size_t)b, &q);
	vs_sites_alleles(&p, o->sites->ploidy, &s_p, &c_p);
	vs_sites_alleles(&q, o->sites->ploidy, &s_q, &c_q);

	/* if all calls are missing the frequency counts as 0 */
	c_p += !c_p;
	c_q += !c_q;
	return order_result(signed_of(s_p * c_q, s_q * c_p), a, b);
}

static int
by_sum(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	const double *s = o->sums;
	const uint64_t *n = o->sums;

	return order_result(vs_element_is_integer(o->in->element)
			? (n[a] > n[b]) - (n[a] < n[b])
			: (s[a] > s[b]) - (s[a] < s[b]),
		a, b);
}

/* Unknown places come last in either direction. */
static int
by_position(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int32_t p = o->sites->contig[a], q = o->sites->contig[b];
	int64_t u = o->sites->pos[a], w = o->sites->pos[b];

	if ((p < 0) != (q < 0))
		return p < 0 ? 1 : -1;
	if (p != q)
		return order_result(signed_of(p, q), a, b);
	if ((u <= 0) != (w <= 0))
		return u <= 0 ? 1 : -1;
	return order_result(signed_of(u, w), a, b);
}

static int
by_source(const void *x, const void *y, void *with)
{
	const struct order *o = with;
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return signed_of(o->sites->source_row[a], o->sites->source_row[b]);
}

static void
shuffle(int64_t *order, uint64_t n, uint64_t seed)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, seed);
	for (uint64_t k = n; k > 1; k--) {
		uint64_t other = vs_rng_below(&rng, k);
		int64_t t = order[k - 1];

		order[k - 1] = order[other];
		order[other] = t;
	}
}

/* ---- order of a list ---- */

/* The row named by one line of the list. */
static int
listed_row(struct order *o, const struct vs_text_index *ids,
	const uint8_t *doubled, const char *line, size_t len, int64_t *row)
{
	int64_t r;

	if (!strcmp(job.order.by, "row")) {
		if (!vs_num_int(line, &r) || r < 0 || (uint64_t)r >= o->n)
			return vs_fail(VS_EINPUT,
				"%s is not a row from 0 to %llu", line,
				(unsigned long long)o->n - 1);
	} else {
		r = vs_sites_find(ids, line, len, &o->turned);
		if (r < 0)
			return vs_fail(VS_EINPUT, "no vector has the id %s",
				line);
		if (doubled[r])
			return vs_fail(VS_EINPUT,
				"several vectors have the id %s; list rows and "
				"say --by row",
				line);
	}
	*row = r;
	return 0;
}

static int
read_lines(struct order *o, struct vs_lines *l, const struct vs_text_index *ids,
	const uint8_t *doubled, int64_t *line_of)
{
	const char *name = vs_lines_name(l);
	char *line;
	int64_t row = 0;
	uint64_t n = 0;
	size_t len;
	int code;

	while ((code = vs_lines_next_full(l, &line, &len)) == 1) {
		code = listed_row(o, ids, doubled, line, len, &row);
		if (!code && line_of[row])
			code = vs_fail(VS_EINPUT, "%s is also on line %lld",
				line, (long long)line_of[row]);
		if (code)
			return vs_fail_at(code, "%s: line %llu", name,
				(unsigned long long)vs_lines_number(l));
		line_of[row] = (int64_t)vs_lines_number(l);
		o->row[n++] = row;
	}
	if (code || n == o->n)
		return code;
	for (row = 0; line_of[row]; row++)
		;
	return vs_fail(VS_EINPUT,
		"%s: lists %llu of %llu vectors, row %lld is the first that is "
		"missing; take subsets with vsim-pack --extract",
		name, (unsigned long long)n, (unsigned long long)o->n,
		(long long)row);
}

static int
order_by_list(struct order *o)
{
	struct vs_text_index ids = { 0 };
	uint8_t *doubled = NULL;
	int64_t *line_of = NULL;
	struct vs_lines *l = NULL;
	int code = vs_mem_new(&line_of, o->n, sizeof(*line_of), "the list");

	if (!code)
		code = vs_text_index_make(&ids, &o->sites->id);
	if (!code)
		code = vs_text_index_shared(&ids, &doubled);
	if (!code)
		code = vs_lines_open(&l, job.order.list);
	if (!code)
		code = read_lines(o, l, &ids, doubled, line_of);
	if (o->turned)
		vs_tool_say("%s: " VS_CHR_TURNED, job.order.list);
	vs_lines_close(l);
	vs_text_index_free(&ids);
	free(doubled);
	free(line_of);
	return code;
}

/* Genotypes have frequencies and positions, numbers have sums. */
static int
check_order(const struct order *o)
{
	bool numbers = vs_element_is_number(o->in->element);
	bool sum = !strcmp(job.order.name, "sum");
	bool genotypes = !strcmp(job.order.name, "frequency") ||
		!strcmp(job.order.name, "position");

	if ((sum && !numbers) || (genotypes && numbers))
		return vs_fail(VS_EINPUT, "%s: holds %s: --order %s is for %s",
			vs_h5_reader_path(o->in->file),
			numbers ? "numbers" : "genotypes", job.order.name,
			numbers ? "genotypes, sum for numbers"
				: "numbers, frequency for genotypes");
	return 0;
}

static const struct {
	const char *name;
	int (*compare)(const void *, const void *, void *);
} sorted[] = {
	{ "frequency", by_frequency },
	{ "sum", by_sum },
	{ "position", by_position },
	{ "source", by_source },
};

/*
 * Order the vectors of in.
 * row      [in->n_vec] rows of in, the first vector's first; the caller frees
 * returns  0; VS_EINPUT: not applicable to these vectors, or an incomplete
 *          list; VS_EMACHINE
 */
static int
make_order(struct vs_packed *in, const struct vs_sites *sites, int64_t **row)
{
	struct order o = { in, sites, NULL, NULL, in->n_vec, false };
	void *sums = NULL;
	int code = check_order(&o);

	VS_MEM_NEW(&code, o.row, o.n, "the order");
	for (uint64_t r = 0; !code && r < o.n; r++)
		o.row[r] = (int64_t)r;
	if (!code && !strcmp(job.order.name, "sum"))
		code = vs_packed_sums(in, &sums);
	o.sums = sums;
	if (code)
		goto out;
	if (!strcmp(job.order.name, "list"))
		code = order_by_list(&o);
	else if (!strcmp(job.order.name, "random"))
		shuffle(o.row, o.n, (uint64_t)job.order.seed);
	for (size_t k = 0; k < sizeof(sorted) / sizeof(*sorted); k++)
		if (!strcmp(job.order.name, sorted[k].name))
			qsort_r(o.row, o.n, sizeof(*o.row), sorted[k].compare,
				&o);
out:
	free(sums);
	if (code)
		free(o.row);
	else
		*row = o.row;
	return code;
}

/* The vectors of the input: order[o] is the input row of output row o. */
struct plan {
	struct vs_packed *in;
	struct vs_sites sites;
	int64_t *order;
	uint64_t n;
};

/* ---- columns ---- */

static int
permute_pool(struct vs_text_pool *p, const int64_t *order)
{
	struct vs_text_pool out = { 0 };
	int code = 0;

	for (size_t o = 0; o < p->n && !code; o++)
		code = vs_text_pool_add_row(&out, p, (size_t)order[o]);
	if (code) {
		vs_text_pool_free(&out);
		return code;
	}
	vs_text_pool_free(p);
	*p = out;
	return 0;
}

/* Reorder n items of size bytes, in place; null stays null. */
static int
permute_array(void *items, size_t size, const int64_t *order, uint64_t n)
{
	uint8_t *copy = NULL;
	int code = vs_mem_copy(&copy, items, n, size, "a column");

	for (uint64_t o = 0; o < n && copy; o++)
		memcpy((uint8_t *)items + o * size,
			copy + (size_t)order[o] * size, size);
	free(copy);
	return code;
}

/* Reorder all columns but the contigs' own, including source_row, which allows
 * the order to be restored. */
static int
permute_sites(struct vs_sites *s, const int64_t *order)
{
	struct {
		void *items;
		size_t size;
	} column[] = {
		{ s->contig, sizeof(*s->contig) },
		{ s->pos, sizeof(*s->pos) },
		{ s->allele1_source, sizeof(*s->allele1_source) },
		{ s->count, sizeof(*s->count) },
		{ s->haploid, sizeof(*s->haploid) },
		{ s->males, sizeof(*s->males) },
		{ s->cm, sizeof(*s->cm) },
		{ s->annotated, vs_sites_row_bytes(s, VS_SITES_ANNOTATED) },
		{ s->source_row, sizeof(*s->source_row) },
	};
	int code = permute_pool(&s->id, order);

	for (int a = 0; a < 2 && !code; a++)
		code = permute_pool(&s->allele[a], order);
	for (size_t c = 0; c < sizeof(column) / sizeof(column[0]) && !code; c++)
		code = permute_array(column[c].items, column[c].size, order,
			s->n);
	return code;
}

/* ---- vectors as stored ---- */

/* Allocate room for n vectors. */
struct rows {
	uint8_t *at;
	uint64_t n;
};

/* Rows of input read at a time: 16 MiB or a quarter of the memory, or one. */
static uint64_t
piece_rows(uint64_t row_bytes, uint64_t allowed, uint64_t n)
{
	uint64_t bytes = allowed / 4 < 16ull << 20 ? allowed / 4 : 16ull << 20;
	uint64_t rows = bytes / row_bytes;

	rows += !rows;
	return rows < n ? rows : n;
}

/* One pass: the rows that belong to output rows [lo, lo + out->n). */
static int
gather(struct plan *plan, const int64_t *place, const struct rows *piece,
	const struct rows *out, uint64_t lo)
{
	size_t row_bytes = plan->in->row_bytes;
	int code;

	for (uint64_t at = 0; at < plan->n; at += piece->n) {
		uint64_t first = at, last = at + piece->n, o;

		if (last > plan->n)
			last = plan->n;
		while (first < last && (uint64_t)place[first] - lo >= out->n)
			first++;
		while (last > first && (uint64_t)place[last - 1] - lo >= out->n)
			last--;
		if (first == last)
			continue;
		code = vs_packed_rows(plan->in, first, last, piece->at);
		if (code)
			return code;
		for (uint64_t r = first; r < last; r++) {
			o = (uint64_t)place[r] - lo;
			if (o < out->n)
				memcpy(out->at + o * row_bytes,
					piece->at + (r - first) * row_bytes,
					row_bytes);
		}
	}
	return 0;
}

static int
permute_rows(struct plan *plan, struct vs_packed_writer *w)
{
	uint64_t row_bytes = plan->in->row_bytes;
	uint64_t allowed = job.memory ? job.memory : vs_mem_allowed() / 2;
	struct rows piece = { NULL, piece_rows(row_bytes, allowed, plan->n) };
	struct rows out = { NULL, allowed / row_bytes };
	struct vs_tool_progress progress;
	int64_t *place = NULL;
	int code;

	out.n = out.n > piece.n ? out.n - piece.n : 1;
	if (out.n > plan->n)
		out.n = plan->n;
	vs_tool_say("%llu vectors, passes over the input: %llu",
		(unsigned long long)plan->n,
		(unsigned long long)((plan->n + out.n - 1) / out.n));
	code = vs_mem_room(&piece.at, piece.n, row_bytes, "vectors");
	if (!code)
		code = vs_mem_room(&out.at, out.n, row_bytes, "vectors");
	VS_MEM_NEW(&code, place, plan->n, "the order");
	for (uint64_t o = 0; !code && o < plan->n; o++)
		place[plan->order[o]] = (int64_t)o;
	vs_tool_progress_begin(&progress, "vectors written", (double)plan->n);
	for (uint64_t lo = 0; !code && lo < plan->n; lo += out.n) {
		if (out.n > plan->n - lo)
			out.n = plan->n - lo;
		code = gather(plan, place, &piece, &out, lo);
		if (!code)
			code = vs_packed_add_rows(w, out.at, out.n);
		vs_tool_progress_step(&progress, (double)(lo + out.n), NULL);
	}
	vs_tool_progress_end(&progress);
	free(place);
	free(out.at);
	free(piece.at);
	return code;
}

/* ---- the whole ---- */

/* Group /permutation of the output. */
static struct vs_permutation
describe(const struct vs_packed *in)
{
	bool random = !strcmp(job.order.name, "random");

	return (struct vs_permutation){
		.algorithm =
			random ? "fisher-yates/xoshiro256**" : job.order.name,
		.seed = random ? (uint64_t)job.order.seed : 0,
		.parent_content = in->content,
	};
}

/* The output, of the input's kind. */
static int
create(struct vs_packed *in, struct vs_packed_writer **w)
{
	struct vs_synthetic made;
	bool synthetic;
	int code = vs_h5_reader_has(in->file, "/synthetic", &synthetic);

	if (!code && synthetic)
		code = vs_packed_synthetic(in, &made);
	if (code)
		return code;
	return vs_packed_create(w,
		&(struct vs_packed_plan){
			.path = job.out,
			.element = in->element,
			.synthetic = synthetic ? &made : NULL,
			.n_field = in->n_field,
			.n_vec = in->n_vec,
			.allele_rule = in->allele_rule,
			.codec = codec,
			.generator = vs_tool_generator(),
			.force = job.force,
			.ploidy = in->ploidy,
		});
}

static int
permute(const char *path)
{
	struct vs_packed_writer *w = NULL;
	struct vs_provenance provenance = { 0 };
	struct vs_samples samples = { 0 };
	struct vs_permutation how;
	struct plan plan = { 0 };
	char started[21], content[VS_DIGEST_TEXT];
	int code;

	vs_clock_date(started);
	code = vs_packed_open(&plan.in, path, 0);
	if (code)
		goto out;
	plan.n = plan.in->n_vec;
	code = vs_packed_sites(plan.in, &plan.sites);
	if (!code)
		code = vs_packed_samples(plan.in, &samples);
	if (!code)
		code = make_order(plan.in, &plan.sites, &plan.order);
	if (!code)
		code = create(plan.in, &w);
	if (!code)
		code = permute_rows(&plan, w);
	if (!code)
		code = permute_sites(&plan.sites, plan.order);
	if (!code)
		code = vs_h5_reader_unchanged(plan.in->file);
	if (!code)
		code = vs_result_io_step(&provenance, plan.in->file,
			plan.in->content, started, NULL, !job.no_host);
	if (code)
		goto out;
	how = describe(plan.in);
	code = vs_packed_finish(w, &plan.sites, &samples, &how, &provenance,
		content);
	w = NULL;
	if (!code)
		vs_tool_say("%s: content %s", job.out, content);
	if (!code)
		vs_tool_close(job.out, "%llu %s%s", (unsigned long long)plan.n,
			vs_packed_noun(plan.in), vs_text_s(plan.n));
	if (!code)
		vs_tool_next("vsim-run -m r2 -t 0.5 -o run %s", job.out);
out:
	vs_packed_abandon(w);
	vs_provenance_free(&provenance);
	vs_sites_samples_free(&samples);
	vs_sites_free(&plan.sites);
	free(plan.order);
	vs_packed_close(plan.in);
	return code;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code)
		code = vs_result_io_codec(&codec, job.codec, job.level);
	if (!code)
		code = permute(args.operands[0]);
	return vs_tool_end(code, true);
}
