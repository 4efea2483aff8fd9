/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Greedy LD pruning by the rule of PLINK 1.9's --indep-pairwise: in a window,
 * from its first variant to its last, the next one that exceeds the bound with
 * it is looked for, and of the two that with the rarer allele goes, the second
 * of equals; this over again until none goes; then the window moves on.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/prune.h"

/* "50" variants, or "500kb". */
static int
read_window(const char *text, struct vs_ld_window *w)
{
	size_t n = text ? strlen(text) : 0;
	char number[32];
	double x;

	memset(w, 0, sizeof(*w));
	if (!text)
		return 0;
	if (n > 2 && n < sizeof(number) && !strcasecmp(text + n - 2, "kb")) {
		memcpy(number, text, n - 2);
		number[n - 2] = '\0';
		if (vs_num_real(number, &w->kb) && w->kb > 0)
			return 0;
	} else if (vs_num_real(text, &x) && x >= 2 && x == floor(x) &&
		x <= UINT32_MAX) {
		w->variants = (int64_t)x;
		return 0;
	}
	return vs_fail(VS_EUSAGE,
		"--window %s: a number of variants is needed, 2 or more, or a "
		"distance, 500kb",
		text);
}

int
vs_prune_check(const struct vs_prune *p)
{
	struct vs_ld_window w;
	int code = read_window(p->window, &w);

	if (!code && !p->prefix && (p->window || p->step))
		code = vs_fail(VS_EUSAGE, "%s goes with --prune",
			p->window ? "--window" : "--step");
	if (!code && p->step > 1 && !w.variants)
		code = vs_fail(VS_EUSAGE,
			"--step goes with a --window of a number of variants");
	if (!code && w.variants && p->step > w.variants)
		code = vs_fail(VS_EUSAGE,
			"--step %lld: more than the %lld variants of a window",
			(long long)p->step, (long long)w.variants);
	return code;
}

/* True if the minor allele of a is rarer than that of b. */
static bool
is_rarer(const struct vs_ld_graph *g, uint64_t a, uint64_t b)
{
	const int64_t *x = g->alleles[a], *y = g->alleles[b];

	return (vs_wide)x[0] * (vs_wide)y[1] < (vs_wide)y[0] * (vs_wide)x[1];
}

/* The first neighbour of a variant before end that is not out; end: none. */
static uint64_t
next_of(const struct vs_ld_graph *g, const uint8_t *out, uint64_t a,
	uint64_t end)
{
	for (uint64_t k = g->first[a]; k < g->first[a + 1]; k++) {
		if (g->to[k] >= end)
			break;
		if (!out[g->to[k]])
			return g->to[k];
	}
	return end;
}

static void
prune_window(const struct vs_ld_graph *g, uint8_t *out, uint64_t begin,
	uint64_t end)
{
	bool any = true;

	while (any) {
		any = false;
		for (uint64_t a = begin; a < end; a++) {
			uint64_t b = out[a] ? end : next_of(g, out, a, end);

			if (b == end)
				continue;
			out[is_rarer(g, a, b) ? a : b] = 1;
			any = true;
		}
	}
}

/* All windows; one that reaches the end of its chromosome is its last. */
static void
prune(const struct vs_ld_graph *g, const struct vs_ld_window *w, uint64_t step,
	uint8_t *out)
{
	uint64_t begin = 0, end;

	for (uint64_t a = 0; a < g->n; a++)
		out[a] = !g->alleles[a][1];
	if (!w->variants && !(w->kb > 0)) {
		prune_window(g, out, 0, g->n);
		return;
	}
	while (begin < g->n && g->contig[begin] >= 0) {
		end = vs_ld_graph_window_end(g, w, begin);
		prune_window(g, out, begin, end);
		begin = end == g->n || g->contig[end] != g->contig[begin]
			? end
			: begin + step;
	}
}

/* ---- lists ---- */

struct listed {
	int64_t source;
	uint64_t at;
};

static int
by_source(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;

	return x->source < y->source ? -1 : x->source > y->source;
}

static int
write_lists(const struct vs_ld_graph *g, const uint8_t *out,
	char *const path[2], uint64_t n[2])
{
	struct vs_text list[2] = { { 0 } };
	struct listed *order = NULL;
	int code = vs_mem_new(&order, g->n, sizeof(*order), "variants");

	for (uint64_t a = 0; a < g->n && !code; a++)
		order[a] = (struct listed){ g->source[a], a };
	if (!code)
		qsort(order, g->n, sizeof(*order), by_source);
	for (uint64_t k = 0; k < g->n && !code; k++) {
		const uint64_t a = order[k].at;
		struct vs_text *to = &list[out[a]];
		size_t len;
		const char *id = vs_text_pool_get(&g->names.sites.id,
			(size_t)g->names.row[g->vector[a]], &len);

		n[out[a]]++;
		code = vs_text_put(to, id, len);
		if (!code)
			code = vs_text_put(to, "\n", 1);
	}
	for (int k = 1; k >= 0 && !code; k--)
		code = vs_result_io_print(path[k], &list[k]);
	vs_text_free(&list[0]);
	vs_text_free(&list[1]);
	free(order);
	return code;
}

int
vs_prune_write(const struct vs_prune *p, const char *result,
	const char *vectors, double above, bool force)
{
	struct vs_text name[2] = { { 0 } };
	struct vs_ld_graph g = { 0 };
	struct vs_ld_window w;
	uint64_t n[2] = { 0 };
	uint8_t *out = NULL;
	int code = read_window(p->window, &w);

	for (int k = 0; k < 2 && !code; k++) {
		code = vs_text_add(&name[k], "%s.prune.%s", p->prefix,
			k ? "out" : "in");
		if (!code)
			code = vs_result_io_may_write(name[k].bytes, force);
	}
	if (!code)
		code = vs_ld_graph_read(&g, result, vectors, above, &w, false);
	if (!code)
		code = vs_mem_new(&out, g.n, 1, "variants");
	if (!code) {
		prune(&g, &w, p->step ? (uint64_t)p->step : 1, out);
		code = write_lists(&g, out,
			(char *const[]){ name[0].bytes, name[1].bytes }, n);
	}
	if (!code)
		vs_tool_close(p->prefix, "%llu variants kept, %llu pruned",
			(unsigned long long)n[0], (unsigned long long)n[1]);
	vs_ld_graph_free(&g);
	vs_text_free(&name[0]);
	vs_text_free(&name[1]);
	free(out);
	return code;
}
