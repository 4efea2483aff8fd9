/* SPDX-License-Identifier: BSD-3-Clause */
/* Tags of variants, from the records of a merged result. */
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/text.h"
#include "tools/shared/prune.h"
#include "tools/shared/result_io.h"
#include "tools/shared/tool.h"
#include "tools/threshold/ld_graph.h"
#include "tools/threshold/tags.h"

/* Those of one variant are within bases of it. */
struct tags {
	struct vs_ld_graph of;
	int64_t bases;
};

static bool
is_near(const struct tags *t, uint64_t a, uint64_t b)
{
	const int64_t apart = t->of.pos[a] - t->of.pos[b];

	return t->of.contig[a] >= 0 && t->of.contig[a] == t->of.contig[b] &&
		(apart < 0 ? -apart : apart) <= t->bases;
}

/* PLINK does not pad an NTAG of two digits. */
static int
put_line(const struct tags *t, uint64_t a, int width, struct vs_text *text)
{
	const struct vs_ld_graph *g = &t->of;
	int64_t left = g->pos[a], right = g->pos[a];
	unsigned long n = 0;
	struct vs_site s;
	int code;

	for (uint64_t k = g->first[a]; k < g->first[a + 1]; k++) {
		const int64_t pos = g->pos[g->to[k]];

		if (!is_near(t, a, g->to[k]))
			continue;
		left = pos < left ? pos : left;
		right = pos > right ? pos : right;
		n++;
	}
	vs_ld_graph_site(g, a, &s);
	code = vs_text_add(text, "%*.*s %4.*s %10lld %*lu %10lld %10lld %8g ",
		width, (int)s.id_len, s.id, (int)s.contig_len, s.contig,
		(long long)s.pos, n > 9 && n < 100 ? 2 : 4, n, (long long)left,
		(long long)right, vs_ld_graph_kb(right - left + 1));
	for (uint64_t k = g->first[a], is = 0; k < g->first[a + 1] && !code;
		k++) {
		if (!is_near(t, a, g->to[k]))
			continue;
		vs_ld_graph_site(g, g->to[k], &s);
		code = vs_text_add(text, "%s%.*s", is++ ? "|" : "",
			(int)s.id_len, s.id);
	}
	return code ? code : vs_text_add(text, "%s\n", n ? "" : "NONE");
}

/* PLINK's width of ids: at an id that is wider than so far, its own plus 2. */
static int
width_of(const struct tags *t)
{
	size_t width = 0;

	for (uint64_t a = 0; a < t->of.n; a++) {
		struct vs_site s;

		vs_ld_graph_site(&t->of, a, &s);
		width = s.id_len > width ? s.id_len + 2 : width;
	}
	return (int)width;
}

static int
put_lines(const struct tags *t, struct vs_text *text)
{
	const int width = width_of(t);
	int code = vs_text_add(text,
		"%*s  CHR         BP NTAG       LEFT      RIGHT   KBSPAN "
		"TAGS\n",
		width, "SNP");

	for (uint64_t a = 0; a < t->of.n && !code; a++)
		code = put_line(t, a, width, text);
	return code;
}

int
vs_tags_write(const char *window, const char *result, const char *vectors,
	double above, const char *out, bool force)
{
	struct vs_prune as = { .window = window ? window : "250kb" };
	struct vs_text text = { 0 };
	struct tags t = { .bases = 0 };
	struct vs_ld_window w;
	int code = vs_prune_check(&as, &w);

	if (!code && !w.bases)
		code = vs_fail(VS_EUSAGE, "--tags: --window needs kb");
	if (!code && strcmp(out, "-"))
		code = vs_result_io_may_write(out, force);
	t.bases = w.bases;
	if (!code)
		code = vs_ld_graph_read(&t.of, result, vectors, above, &w,
			true);
	if (!code)
		code = put_lines(&t, &text);
	if (!code)
		code = vs_result_io_print(out, &text);
	if (!code)
		vs_tool_close(out, "%llu variant%s", (unsigned long long)t.of.n,
			vs_text_s(t.of.n));
	vs_ld_graph_free(&t.of);
	vs_text_free(&text);
	return code;
}
