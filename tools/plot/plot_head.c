/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of plots: title, and the question of the result. */
#include <stdio.h>

#include "libcore/metric/metric.h"
#include "tools/plot/plot.h"

const char *
vs_plot_count(char text[VS_PLOT_COUNT], uint64_t n)
{
	char digits[VS_PLOT_COUNT];
	int len =
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	char *to = text;

	for (int k = 0; k < len; k++) {
		if (k && (len - k) % 3 == 0)
			*to++ = ',';
		*to++ = digits[k];
	}
	*to = 0;
	return text;
}

const char *
vs_plot_query(char text[VS_PLOT_QUERY], const struct vs_run *run)
{
	static const struct {
		const char *op, *sign;
	} sign[] = {
		{ "gt", ">" },
		{ "ge", "\xe2\x89\xa5" },
		{ "lt", "<" },
		{ "le", "\xe2\x89\xa4" },
	};
	char value[VS_NUM_ROOM];
	int n = snprintf(text, VS_PLOT_QUERY, "%s", run->metric);

	vs_num_print(run->threshold, value);
	for (size_t k = 0; k < sizeof(sign) / sizeof(sign[0]); k++)
		if (!strcmp(run->threshold_op, sign[k].op))
			n += snprintf(text + n, VS_PLOT_QUERY - (size_t)n,
				" %s %s", sign[k].sign, value);
	if (*run->class_thresholds)
		n += snprintf(text + n, VS_PLOT_QUERY - (size_t)n, " > %.100s",
			run->class_thresholds);
	if (*run->selection)
		snprintf(text + n, VS_PLOT_QUERY - (size_t)n, ", %.80s",
			run->selection);
	return text;
}

void
vs_plot_begin(const struct vs_plot *p, struct vs_svg *s, const char *title,
	const char *about)
{
	char query[VS_PLOT_QUERY], vectors[VS_PLOT_COUNT],
		fields[VS_PLOT_COUNT];
	const struct vs_run *run = p->result ? &p->result->run : NULL;
	const struct vs_metric *m = run ? vs_metric_find(run->metric) : NULL;

	vs_svg_begin(s, title);
	vs_svg_words(s, 20, 26, "font-size=\"16\" font-weight=\"bold\"", "%s",
		title);
	if (run)
		vs_svg_words(s, 20, 45, VS_SVG_GREY,
			"%s of %s vectors of %s %s%s%s",
			vs_plot_query(query, run),
			vs_plot_count(vectors, (uint64_t)run->n_vectors),
			vs_plot_count(fields, (uint64_t)run->n_fields),
			m && m->family == VS_FAMILY_MINIMA ? "fields"
							   : "samples",
			*about ? "; " : "", about);
	else
		vs_svg_words(s, 20, 45, VS_SVG_GREY, "%s", about);
}
