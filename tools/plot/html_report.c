/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a result: plots, the strongest records, provenance. */
#include <stdio.h>
#include <stdlib.h>

#include "formats/out/column.h"
#include "formats/out/xml.h"
#include "tools/plot/html_report.h"
#include "tools/plot/picture.h"
#include "tools/plot/strongest.h"
#include "tools/shared/about.h"

#define STRONGEST 20

static void
put(struct vs_out *o, const char *text)
{
	vs_xml_text(o, text, strlen(text));
}

static void
head(struct vs_out *o, const char *text)
{
	vs_out_text(o, "<h2>");
	put(o, text);
	vs_out_text(o, "</h2>\n");
}

/* ---- plots ---- */

static int
put_plots(const struct vs_plot *p, struct vs_out *o)
{
	static const struct vs_plot_kind *const kinds[] = {
#define PLOT(name) &vs_plot_##name,
#include "tools/plot/rows.h"
#undef PLOT
	};
	int code = 0;

	head(o, "Figures");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]) && !code; k++) {
		const bool both = p->lines->both;
		struct vs_svg s = { .out = o };

		if (!kinds[k]->result ||
			(kinds[k]->pairs && p->result->run.n_way != 2))
			continue;
		vs_out_text(o, "<figure>\n");
		code = vs_plot_draw(kinds[k], p, &s);
		vs_out_text(o, "</figure>\n");
		p->lines->both = both;
	}
	return code ? code : o->code;
}

/* ---- records ---- */

/* Id, place and, of a metric of alleles, the allele of an end. */
static void
put_end(const struct vs_plot *p, struct vs_out *o, uint32_t vector, int label)
{
	const struct vs_sites *s = &p->names->sites;
	const int64_t row = p->names->row[vector];
	const char *text;
	size_t len;

	vs_out_text(o, "<td>");
	if (row >= 0) {
		text = vs_text_pool_get(&s->id, (size_t)row, &len);
		vs_xml_text(o, text, len);
		if (label >= 0) {
			text = vs_column_allele_name(s, (size_t)row, label,
				&len);
			vs_out_char(o, ' ');
			vs_xml_text(o, text, len);
		}
	}
	vs_out_text(o, "</td><td>");
	text = row >= 0 ? vs_column_contig_name(s, (size_t)row, &len) : NULL;
	if (text) {
		vs_xml_text(o, text, len);
		vs_out_char(o, ':');
		vs_out_int(o, s->pos[row]);
	}
	vs_out_text(o, "</td>");
}

static void
put_record(const struct vs_plot *p, struct vs_out *o, const struct vs_record *r)
{
	const uint32_t end[3] = { r->i, r->j, r->k };
	const int n = r->k == VS_NO_VEC ? 2 : 3;
	const bool cells = vs_run_has_cells(&p->result->run);

	vs_out_text(o, "<tr>");
	for (int e = 0; e < n; e++)
		put_end(p, o, end[e],
			cells ? (int)(r->cell >> (n - 1 - e) & 1) : -1);
	vs_out_text(o, "<td class=\"number\">");
	if (!strcmp(p->result->run.value_type, "f32"))
		vs_out_f32(o, (float)r->value);
	else
		vs_out_real(o, r->value);
	vs_out_text(o, "</td></tr>\n");
}

static int
put_records(const struct vs_plot *p, struct vs_out *o)
{
	struct vs_record *rec = NULL;
	const int n_end = p->result->run.n_way;
	uint64_t all = 0;
	size_t n = 0;
	int code = vs_strongest_find(p, STRONGEST, &rec, &n, &all);

	if (code)
		return code;
	head(o, "Strongest records");
	if (!n)
		vs_out_text(o, "<p>There are none.</p>\n");
	else
		vs_out_text(o, "<table>\n<thead><tr>");
	for (int e = 1; e <= n_end && n; e++) {
		vs_out_text(o, "<th>id");
		vs_out_int(o, e);
		vs_out_text(o, "</th><th>place</th>");
	}
	if (n) {
		vs_out_text(o, "<th>");
		put(o, p->result->run.metric);
		vs_out_text(o, "</th></tr></thead>\n<tbody>\n");
	}
	for (size_t k = 0; k < n; k++)
		put_record(p, o, &rec[k]);
	if (n)
		vs_out_text(o, "</tbody>\n</table>\n");
	free(rec);
	return 0;
}

/* ---- what is known of the file ---- */

/* The part of the report that a key belongs to. */
enum part { QUESTION, COUNTS, SOURCES, PARTS };

static enum part
part_of(const char *key)
{
	static const struct {
		const char *begin;
		enum part part;
	} known[] = {
		{ "source_sum", COUNTS },
		{ "source", SOURCES },
		{ "step", SOURCES },
		{ "shard", SOURCES },
		{ "vectors_", SOURCES },
		{ "uuid", SOURCES },
		{ "content_", SOURCES },
		{ "created", SOURCES },
		{ "generator", SOURCES },
		{ "format", SOURCES },
		{ "required_", SOURCES },
		{ "run_uuid", SOURCES },
		{ "n_", COUNTS },
		{ "records_", COUNTS },
		{ "stats_", COUNTS },
		{ "has_", COUNTS },
	};

	if (!strncmp(key, "n_way", 5))
		return QUESTION;
	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]); k++)
		if (!strncmp(key, known[k].begin, strlen(known[k].begin)))
			return known[k].part;
	return QUESTION;
}

/* Rows of the lines "#key: value" of a part; those without a value are left
 * out. */
static void
put_part(struct vs_out *o, const struct vs_out *lines, enum part part)
{
	const char *at = lines->buf, *end = at + lines->len;

	vs_out_text(o, "<table>\n<tbody>\n");
	while (at < end) {
		const char *next = memchr(at, '\n', (size_t)(end - at));
		const char *colon = memchr(at, ':', (size_t)(end - at));

		next = next ? next : end;
		if (colon && colon + 2 < next && part_of(at + 1) == part) {
			vs_out_text(o, "<tr><th>");
			vs_xml_text(o, at + 1, (size_t)(colon - at - 1));
			vs_out_text(o, "</th><td><code>");
			vs_xml_text(o, colon + 2, (size_t)(next - colon - 2));
			vs_out_text(o, "</code></td></tr>\n");
		}
		at = next + 1;
	}
	vs_out_text(o, "</tbody>\n</table>\n");
}

static int
put_about(const struct vs_plot *p, struct vs_out *o)
{
	static const char *const name[PARTS] = { "Question", "Counts",
		"Files and commands" };
	struct vs_out lines = { 0 };
	int code = vs_out_memory(&lines);

	if (!code)
		code = vs_about_result(p->result, &lines);
	if (!code && lines.code < 0)
		code = lines.code;
	for (int part = 0; part < PARTS && !code; part++) {
		head(o, name[part]);
		put_part(o, &lines, (enum part)part);
	}
	free(lines.buf);
	return code;
}

/* ---- the page ---- */

static void
put_title(const struct vs_plot *p, struct vs_out *o)
{
	const struct vs_run *run = &p->result->run;
	const char *name = strrchr(p->path, '/');
	char text[512], query[VS_PLOT_QUERY], vectors[VS_PLOT_COUNT],
		records[VS_PLOT_COUNT];

	name = name ? name + 1 : p->path;
	vs_picture_page(o, name);
	vs_out_text(o, "<h1>");
	put(o, name);
	vs_out_text(o, "</h1>\n<p>");
	snprintf(text, sizeof(text), "%s record%s of %s: %s of %s vectors.",
		vs_plot_count(records, p->result->n_records),
		p->result->n_records == 1 ? "" : "s", vs_plot_query(query, run),
		run->n_way == 3 ? "triples" : "pairs",
		vs_plot_count(vectors, (uint64_t)run->n_vectors));
	put(o, text);
	if (p->region) {
		vs_out_text(o, " Figures and records are those of ");
		put(o, p->region);
		vs_out_char(o, '.');
	}
	vs_out_text(o, "</p>\n");
}

int
vs_html_report_write(const struct vs_plot *p, struct vs_out *o)
{
	int code;

	put_title(p, o);
	code = put_plots(p, o);
	if (!code)
		code = put_records(p, o);
	if (!code)
		code = put_about(p, o);
	vs_picture_page_end(o);
	return code ? code : o->code;
}
