/* SPDX-License-Identifier: BSD-3-Clause */
/* NAME.vec.h5 -> NAME.vec.h5 in another vector order, the way back kept. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/vectors/packed.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rng.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"

static struct job {
	const char *out, *order, *list, *by, *codec;
	int64_t seed, level;
	uint64_t memory;
	bool reverse, force, no_host;
} job = { .by = "id", .codec = "zstd", .seed = 1 };

static struct vs_opt opts[] = {
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out,
		.help = "the vectors file to write" },
	{ 0, "order", "ORDER", VS_OPT_CHOICE, &job.order,
		.choices = "random|frequency|sum|position|source|list",
		.help = "random, frequency (of allele 1, rarest first), sum "
			"(of numbers, smallest first), position, source (as "
			"first packed) or list" },
	{ 0, "seed", "N", VS_OPT_INT, &job.seed, .lo = 0, .hi = 0x1p53,
		.help = "seed of random (1)" },
	{ 0, "reverse", NULL, VS_OPT_FLAG, &job.reverse,
		.help = "frequency, sum and position: largest first" },
	{ 0, "list", "FILE", VS_OPT_TEXT, &job.list,
		.help = "a vector per line, each vector once; - is stdin" },
	{ 0, "by", "KEY", VS_OPT_CHOICE, &job.by, .choices = "id|row",
		.help = "what the list holds: id (unless given) or 0-based "
			"row" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &job.codec,
		.choices = "zstd|deflate|none",
		.help = "packing: zstd (the default), deflate (read by every "
			"HDF5 program), none" },
	{ 0, "level", "N", VS_OPT_INT, &job.level, .lo = 1, .hi = 19,
		.help = "packing effort: 1 (the default) to 19 of zstd, to 9 "
			"of deflate" },
	{ 0, "memory", "SIZE", VS_OPT_SIZE, &job.memory,
		.help = "room for vectors, such as 2G (half of what is free); "
			"less means more passes over the input" },
	{ 0, "no-host", NULL, VS_OPT_FLAG, &job.no_host,
		.help = "leave the name of this machine out of the file" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an output that exists" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-permute",
	.purpose = "Reorder the vectors of a vectors file; the way back "
		   "stays in it.",
	.synopsis = "--order ORDER [options] -o FILE X.vec.h5",
	.lesson =
		"examples:\n"
		"  vsim-permute --order random --seed 7 -o r.vec.h5 x.vec.h5\n"
		"  vsim-permute --order source -o back.vec.h5 r.vec.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = 1,
};

static struct vs_codec codec;

/* The vectors of the input: order[o] is the input row of output row o. */
struct plan {
	struct vs_packed *in;
	struct vs_sites sites;
	void *sums; /* of numbers, when they are ordered by it */
	int64_t *order;
	uint64_t n;
	bool turned; /* ids of a list matched but for chr */
};

/* ---- orders ---- */

/* what qsort's functions look at */
static const struct vs_sites *by_sites;
static const void *by_sums;

static int
signed_of(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Row decides between equals, so that qsort() is stable. */
static int
order_result(int way, int64_t a, int64_t b)
{
	if (!way)
		return signed_of(a, b);
	return job.reverse ? -way : way;
}

/* Exact: s / 2c of one against the other by cross products below 2^60. */
static int
by_frequency(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	const int64_t *p = by_sites->count[a], *q = by_sites->count[b];
	int64_t s_p = p[1] + 2 * p[2], c_p = p[0] + p[1] + p[2];
	int64_t s_q = q[1] + 2 * q[2], c_q = q[0] + q[1] + q[2];

	/* all missing counts as frequency 0 */
	c_p += !c_p;
	c_q += !c_q;
	return order_result(signed_of(s_p * c_q, s_q * c_p), a, b);
}

static int
by_whole_sum(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	const uint64_t *s = by_sums;

	return order_result((s[a] > s[b]) - (s[a] < s[b]), a, b);
}

static int
by_real_sum(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	const double *s = by_sums;

	return order_result((s[a] > s[b]) - (s[a] < s[b]), a, b);
}

/* Unknown places come last, whichever way the known ones go. */
static int
by_position(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
	int32_t p = by_sites->contig[a], q = by_sites->contig[b];
	int64_t u = by_sites->pos[a], w = by_sites->pos[b];

	if ((p < 0) != (q < 0))
		return p < 0 ? 1 : -1;
	if (p != q)
		return order_result(signed_of(p, q), a, b);
	if ((u <= 0) != (w <= 0))
		return u <= 0 ? 1 : -1;
	return order_result(signed_of(u, w), a, b);
}

static int
by_source(const void *x, const void *y)
{
	int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;

	return signed_of(by_sites->source_row[a], by_sites->source_row[b]);
}

static void
shuffle(int64_t *order, uint64_t n)
{
	struct vs_rng rng;

	vs_rng_seed(&rng, (uint64_t)job.seed);
	for (uint64_t k = n; k > 1; k--) {
		uint64_t other = vs_rng_below(&rng, k);
		int64_t t = order[k - 1];

		order[k - 1] = order[other];
		order[other] = t;
	}
}

/* Row that one line of the list names. */
static int
listed_row(struct plan *plan, const struct vs_text_index *ids,
	const uint8_t *doubled, const char *line, size_t len, int64_t *row)
{
	int64_t r;

	if (!strcmp(job.by, "row")) {
		if (!vs_num_int(line, &r) || r < 0 || (uint64_t)r >= plan->n)
			return vs_fail(VS_EINPUT, "%s is no row from 0 to %llu",
				line, (unsigned long long)plan->n - 1);
	} else {
		r = vs_sites_find(ids, line, len, &plan->turned);
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
read_lines(struct plan *plan, FILE *f, const struct vs_text_index *ids,
	const uint8_t *doubled, int64_t *line_of)
{
	const char *name = strcmp(job.list, "-") ? job.list : "stdin";
	char *line = NULL;
	size_t room = 0;
	int64_t n_line = 0, row = 0;
	uint64_t n = 0;
	ssize_t len;
	int code = 0;

	while (!code && (len = getline(&line, &room, f)) >= 0) {
		n_line++;
		while (len && strchr("\r\n", line[len - 1]))
			line[--len] = 0;
		if (!len)
			continue;
		code = listed_row(plan, ids, doubled, line, (size_t)len, &row);
		if (!code && line_of[row])
			code = vs_fail(VS_EINPUT, "%s stands at line %lld too",
				line, (long long)line_of[row]);
		if (code) {
			vs_fail_at(code, "%s: line %lld", name,
				(long long)n_line);
			break;
		}
		line_of[row] = n_line;
		plan->order[n++] = row;
	}
	if (!code && ferror(f))
		code = vs_fail_input(name, "read");
	free(line);
	if (code || n == plan->n)
		return code;
	for (row = 0; line_of[row]; row++)
		;
	return vs_fail(VS_EINPUT,
		"%s: lists %llu of %llu vectors, row %lld is the first that is "
		"missing; take subsets with vsim-pack --extract",
		name, (unsigned long long)n, (unsigned long long)plan->n,
		(long long)row);
}

static int
order_by_list(struct plan *plan)
{
	struct vs_text_index ids = { 0 };
	uint8_t *doubled = NULL;
	int64_t *line_of = NULL;
	FILE *f = NULL;
	size_t len;
	int code;

	code = vs_mem_new(&line_of, plan->n, sizeof(*line_of), "the list");
	if (!code)
		code = vs_mem_new(&doubled, plan->n, 1, "the list");
	if (!code)
		code = vs_text_index_make(&ids, &plan->sites.id);
	if (code)
		goto out;
	for (uint64_t r = 0; r < plan->n; r++) {
		const char *id = vs_text_pool_get(&plan->sites.id, r, &len);
		int64_t first = vs_text_index_find(&ids, id, len);

		if (first != (int64_t)r)
			doubled[first] = 1;
	}
	f = strcmp(job.list, "-") ? fopen(job.list, "r") : stdin;
	if (!f)
		code = vs_fail_input(job.list, "open");
	else
		code = vs_file_note_input(fileno(f), job.list);
	if (!code)
		code = read_lines(plan, f, &ids, doubled, line_of);
	if (plan->turned)
		vs_tool_say("%s: " VS_CHR_TURNED, job.list);
out:
	if (f && f != stdin)
		fclose(f);
	vs_text_index_free(&ids);
	free(doubled);
	free(line_of);
	return code;
}

/* Frequencies and places are of genotypes, sums of numbers. */
static int
check_order(const struct plan *plan)
{
	bool numbers = vs_element_is_number(plan->in->element);
	bool sum = !strcmp(job.order, "sum");
	bool genotypes = !strcmp(job.order, "frequency") ||
		!strcmp(job.order, "position");

	if ((sum && !numbers) || (genotypes && numbers))
		return vs_fail(VS_EINPUT, "%s: holds %s: --order %s is for %s",
			vs_h5_reader_path(plan->in->file),
			numbers ? "numbers" : "genotypes", job.order,
			numbers ? "genotypes, sum for numbers"
				: "numbers, frequency for genotypes");
	return 0;
}

static int
choose_order(struct plan *plan)
{
	int (*compare)(const void *, const void *) = NULL;
	int code = check_order(plan);

	if (!code)
		code = vs_mem_new(&plan->order, plan->n, sizeof(*plan->order),
			"the order");
	if (code)
		return code;
	for (uint64_t r = 0; r < plan->n; r++)
		plan->order[r] = (int64_t)r;
	if (!strcmp(job.order, "list"))
		return order_by_list(plan);
	if (!strcmp(job.order, "random"))
		shuffle(plan->order, plan->n);
	else if (!strcmp(job.order, "frequency"))
		compare = by_frequency;
	else if (!strcmp(job.order, "source"))
		compare = by_source;
	else if (!strcmp(job.order, "position"))
		compare = by_position;
	else
		compare = vs_element_is_integer(plan->in->element)
			? by_whole_sum
			: by_real_sum;
	if (!strcmp(job.order, "sum"))
		code = vs_packed_sums(plan->in, &plan->sums);
	by_sites = &plan->sites;
	by_sums = plan->sums;
	if (compare && !code)
		qsort(plan->order, plan->n, sizeof(*plan->order), compare);
	return code;
}

/* ---- columns ---- */

static int
permute_pool(struct vs_text_pool *p, const int64_t *order)
{
	struct vs_text_pool out = { 0 };
	size_t len;
	int code = 0;

	for (size_t o = 0; o < p->n && !code; o++) {
		const char *text = vs_text_pool_get(p, (size_t)order[o], &len);

		code = vs_text_pool_add(&out, text, len);
	}
	if (code) {
		vs_text_pool_free(&out);
		return code;
	}
	vs_text_pool_free(p);
	*p = out;
	return 0;
}

/* n items of size bytes, in place; null stays null. */
static int
permute_array(void *items, size_t size, const int64_t *order, uint64_t n)
{
	uint8_t *copy = NULL;
	int code;

	if (!items)
		return 0;
	code = vs_mem_new(&copy, n, size, "a column");
	if (code)
		return code;
	memcpy(copy, items, n * size);
	for (uint64_t o = 0; o < n; o++)
		memcpy((uint8_t *)items + o * size,
			copy + (size_t)order[o] * size, size);
	free(copy);
	return 0;
}

/* All columns but the contigs' own, source_row too: that is the way back. */
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

/* ---- vectors as they are stored ---- */

/* Room for n vectors. */
struct rows {
	uint8_t *at;
	uint64_t n;
};

/* Rows of input read at a time: 16 MiB or a quarter of the room, or one. */
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
	if (!code)
		code = vs_mem_new(&place, plan->n, sizeof(*place), "the order");
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

static int
check_options(void)
{
	bool list = job.order && !strcmp(job.order, "list");

	if (!job.out)
		return vs_fail(VS_EUSAGE, "no output: -o FILE names it");
	if (!job.order)
		return vs_fail(VS_EUSAGE,
			"no order: --order random, frequency, sum, position, "
			"source or list");
	if (list != (job.list != NULL))
		return vs_fail(VS_EUSAGE,
			list ? "--order list needs --list FILE"
			     : "--list goes with --order list");
	if (job.reverse && strcmp(job.order, "frequency") &&
		strcmp(job.order, "sum") && strcmp(job.order, "position"))
		return vs_fail(VS_EUSAGE,
			"--reverse goes with --order frequency, sum or "
			"position");
	return vs_result_io_codec(&codec, job.codec, job.level);
}

/* Group /permutation of the output. */
static struct vs_permutation
describe(const struct vs_packed *in)
{
	bool random = !strcmp(job.order, "random");

	return (struct vs_permutation){
		.algorithm = random ? "fisher-yates/xoshiro256**" : job.order,
		.seed = random ? (uint64_t)job.seed : 0,
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
		code = choose_order(&plan);
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
		vs_tool_close(job.out, "%llu vectors",
			(unsigned long long)plan.n);
out:
	vs_packed_abandon(w);
	vs_provenance_free(&provenance);
	vs_sites_samples_free(&samples);
	vs_sites_free(&plan.sites);
	free(plan.order);
	free(plan.sums);
	vs_packed_close(plan.in);
	return code;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code)
		code = check_options();
	if (!code)
		code = permute(args.operands[0]);
	return vs_tool_end(code, true);
}
