/* SPDX-License-Identifier: BSD-3-Clause */
/* Joining of the parts that vsim-pack --part wrote into one vectors file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/pack/join_parts.h"
#include "tools/pack/pack_options.h"

#define PIECE (16u << 20) /* bytes of vectors copied at a time */

/* ---- settings ---- */

static bool
is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(name, *list))
		list++;
	return *list;
}

int
vs_join_parts_settings(struct vs_text *to)
{
	static const char *const without[] = { "output", "force", "part",
		"codec", "level", "threads", "no-host", NULL };
	static const char *const files[] = { "matrix", "keep", "extract",
		"remove", "exclude", "pheno", "update-sex", NULL };
	int code = vs_text_add(to, "%s", "");

	for (size_t k = 0; vs_pack_options_table[k].name && !code; k++) {
		struct vs_opt one[2] = { vs_pack_options_table[k] };

		if (!one->seen || is_one_of(one->name, without))
			continue;
		code = k < VS_N_PACK || is_one_of(one->name, files)
			? vs_text_add(to, "%s\n", one->name)
			: vs_opt_echo(one, to);
	}
	return code;
}

/* True if a line of settings is this one. */
static bool
has_setting(const char *settings, const char *want)
{
	size_t n = strlen(want), len;

	for (; *settings; settings += len + (settings[len] == '\n')) {
		len = strcspn(settings, "\n");
		if (len == n && !memcmp(settings, want, n))
			return true;
	}
	return false;
}

/* ---- the parts ---- */

struct part {
	const char *path;
	char content[VS_DIGEST_TEXT];
	struct vs_part is;
	uint64_t n_vec;
};

struct join {
	struct part *part; /* n parts, sorted by k once all are known */
	size_t n;
	uint64_t n_vec; /* for all parts */
	/* from the first part opened, which the others must equal: */
	const char *path;
	uint64_t n_field;
	int ploidy;
	char *allele_rule, *settings;
	struct vs_samples *samples;
	struct vs_provenance *provenance;
	enum vs_element element; /* holds those of all parts */
};

/* Refuse a part whose vectors differ in kind from those of the first one. */
static int
differs(const struct join *j, const char *path, const char *what)
{
	return vs_fail(VS_EINPUT,
		"%s and %s are not parts of one file: their %s differ; pack "
		"all parts of one input alike",
		j->path, path, what);
}

static bool
same_text(const struct vs_text_pool *a, const struct vs_text_pool *b, size_t k)
{
	size_t n_a, n_b;
	const char *x = vs_text_pool_get(a, k, &n_a);
	const char *y = vs_text_pool_get(b, k, &n_b);

	return n_a == n_b && !memcmp(x, y, n_a);
}

/* True if both have the same names in the same order. */
static bool
same_pools(const struct vs_text_pool *a, const struct vs_text_pool *b)
{
	size_t k = 0;

	while (a->n == b->n && k < a->n && same_text(a, b, k))
		k++;
	return a->n == b->n && k == a->n;
}

static bool
same_bytes(const uint8_t *a, const uint8_t *b, size_t k)
{
	return a && b ? a[k] == b[k] : !a && !b;
}

/* Check that sample q of a part is that of the first one. */
static bool
same_sample(const struct vs_samples *a, const struct vs_samples *b, size_t q)
{
	if (!same_text(&a->id, &b->id, q) ||
		(a->family.n && !same_text(&a->family, &b->family, q)) ||
		!same_bytes(a->case_status, b->case_status, q) ||
		!a->trait != !b->trait ||
		(a->trait &&
			memcmp(&a->trait[q], &b->trait[q], sizeof(double))))
		return false;
	for (size_t k = 0; k < a->phenotype_name.n; k++)
		if (memcmp(&a->phenotype[k][q], &b->phenotype[k][q],
			    sizeof(double)))
			return false;
	return true;
}

static int
compare_samples(const struct join *j, const char *path,
	const struct vs_samples *b)
{
	const struct vs_samples *a = j->samples;
	const char *name;
	size_t len;

	if (a->n != b->n || a->family.n != b->family.n)
		return differs(j, path, "samples");
	if (!same_pools(&a->phenotype_name, &b->phenotype_name))
		return differs(j, path, "phenotypes");
	for (size_t q = 0; q < a->n; q++) {
		if (same_sample(a, b, q))
			continue;
		name = vs_text_pool_get(&b->id, q, &len);
		return vs_fail(VS_EINPUT,
			"%s: sample %zu, %.*s, differs from that in %s, or its "
			"phenotypes do; pack all parts of one input",
			path, q + 1, len > 60 ? 60 : (int)len, name, j->path);
	}
	return 0;
}

/* Calls of a VCF may show the sex of a sample in some parts only. */
static int
join_sexes(struct join *j, const char *path, const struct vs_samples *b)
{
	struct vs_samples *a = j->samples;
	const char *name;
	size_t len;

	if (!b->sex)
		return 0;
	if (!a->sex) {
		int code = vs_mem_new(&a->sex, a->n, 1, "sexes");

		if (code)
			return code;
	}
	for (size_t q = 0; q < a->n; q++) {
		if (!a->sex[q])
			a->sex[q] = b->sex[q];
		if (!b->sex[q] || a->sex[q] == b->sex[q])
			continue;
		name = vs_text_pool_get(&b->id, q, &len);
		return vs_fail(VS_EINPUT,
			"%s: sample %zu, %.*s, has a different sex than in "
			"earlier parts; pack all parts with --update-sex",
			path, q + 1, len > 60 ? 60 : (int)len, name);
	}
	return 0;
}

/* Warn about probes with equal digests but different times. */
static bool
differ_in_time(const struct vs_text_pool *a, const struct vs_text_pool *b,
	size_t k)
{
	size_t n_a, n_b, n;
	const char *x = vs_text_pool_get(a, k, &n_a);
	const char *y = vs_text_pool_get(b, k, &n_b);
	const char *space = n_a ? memchr(x, ' ', n_a) : NULL;

	n = space ? (size_t)(space - x) + 1 : 0;
	return space && n <= n_b && !memcmp(x, y, n) && !same_text(a, b, k);
}

static int
compare_sources(const struct join *j, const char *path,
	const struct vs_provenance *b)
{
	const struct vs_provenance *a = j->provenance;
	size_t k = 0, len;
	const char *name;

	if (a->n_source != b->n_source)
		return differs(j, path, "inputs");
	while (k < a->n_source && a->source_size[k] == b->source_size[k] &&
		same_text(&a->source_xxh128, &b->source_xxh128, k) &&
		same_text(&a->source_probe, &b->source_probe, k))
		k++;
	if (k == a->n_source)
		return 0;
	name = vs_text_pool_get(&b->source_name, k, &len);
	if (len > 200)
		len = 200;
	if (a->source_size[k] == b->source_size[k] &&
		differ_in_time(&a->source_probe, &b->source_probe, k))
		return vs_fail(VS_EINPUT,
			"%s: %.*s has a different modification time than when "
			"%s was packed; pack all parts of one file, or of "
			"copies made by cp -p",
			path, (int)len, name, j->path);
	return vs_fail(VS_EINPUT,
		"%s: was packed from a different %.*s than %s; pack all parts "
		"of one input",
		path, (int)len, name, j->path);
}

/* Compare a part with the first one, except for the vectors. */
static int
compare(struct join *j, struct vs_packed *p, const char *path)
{
	struct vs_samples samples = { 0 };
	struct vs_provenance from = { 0 };
	const struct vs_part *a = &j->part[0].is;
	int code = 0;

	if (p->part.n != a->n)
		code = differs(j, path, "numbers of parts");
	else if (strcmp(p->settings, j->settings))
		code = differs(j, path, "options");
	else if ((p->element == VS_BIT2) != (j->element == VS_BIT2) ||
		p->ploidy != j->ploidy ||
		strcmp(p->allele_rule ? p->allele_rule : "",
			j->allele_rule ? j->allele_rule : ""))
		code = differs(j, path, "kinds of vectors");
	else if (p->part.all != a->all || p->part.bytes != a->bytes)
		code = differs(j, path, "sizes of inputs");
	if (!code)
		code = vs_packed_samples(p, &samples);
	if (!code)
		code = compare_samples(j, path, &samples);
	if (!code)
		code = join_sexes(j, path, &samples);
	if (!code)
		code = vs_provenance_read(&from, p->file);
	if (!code)
		code = compare_sources(j, path, &from);
	vs_sites_samples_free(&samples);
	vs_provenance_free(&from);
	return code;
}

/* The first part opened, with which the others are compared. */
static int
begin(struct join *j, struct vs_packed *p, const char *path)
{
	int code = vs_packed_samples(p, j->samples);

	j->path = path;
	j->n_field = p->n_field;
	j->ploidy = p->ploidy;
	j->element = p->element;
	j->part[0].is = p->part;
	if (!code && p->allele_rule)
		code = vs_mem_copy_text(&j->allele_rule, p->allele_rule);
	if (!code)
		code = vs_mem_copy_text(&j->settings, p->settings);
	return code ? code : vs_provenance_read(j->provenance, p->file);
}

static int
look(struct join *j, size_t k)
{
	struct part *x = &j->part[k];
	struct vs_packed *p = NULL;
	int code = vs_packed_open(&p, x->path, VS_PACKED_PART);

	if (code)
		return code;
	if (!p->part.n)
		code = vs_fail(VS_EINPUT,
			"%s: is not a part of a vectors file, as --part K/N "
			"writes one",
			x->path);
	if (!code)
		code = k ? compare(j, p, x->path) : begin(j, p, x->path);
	if (!code) {
		x->is = p->part;
		x->n_vec = p->n_vec;
		snprintf(x->content, sizeof(x->content), "%s", p->content);
		j->n_vec += p->n_vec;
		/* the integer or real type that --element smallest would have
		 * found for the whole */
		if (p->element > j->element)
			j->element = p->element;
	}
	vs_packed_close(p);
	return code;
}

static int
by_number(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	return (x->is.k > y->is.k) - (x->is.k < y->is.k);
}

/* Check that all parts are there, once each, and that each begins where the one
 * before ends. */
static int
check_whole(const struct join *j)
{
	const struct part *x = j->part;
	int64_t want = 1;

	for (size_t k = 0; k < j->n; k++, want++) {
		if (k && x[k].is.k == x[k - 1].is.k)
			return vs_fail(VS_EINPUT,
				"%s and %s are both part %lld of %lld; omit "
				"one",
				x[k - 1].path, x[k].path, (long long)x[k].is.k,
				(long long)x[k].is.n);
		if (x[k].is.k != want)
			break;
		if (x[k].is.lo != (k ? x[k - 1].is.hi : 0))
			return vs_fail(VS_EINPUT,
				"%s: does not begin where %s ends; pack all "
				"parts of one input",
				x[k].path, k ? x[k - 1].path : "the input");
	}
	if (want <= x->is.n)
		return vs_fail(VS_EINPUT,
			"part %lld of %lld is missing; vsim-pack --part "
			"%lld/%lld makes it",
			(long long)want, (long long)x->is.n, (long long)want,
			(long long)x->is.n);
	if (x[j->n - 1].is.hi != x->is.all)
		return vs_fail(VS_EINPUT,
			"%s: ends before the input does; recreate it",
			x[j->n - 1].path);
	if (!j->n_vec)
		return vs_fail(VS_EINPUT,
			"no site is left in any of the %zu parts; loosen the "
			"filters",
			j->n);
	if (j->n_vec > VS_PACKED_VECTORS)
		return vs_fail(VS_EINPUT,
			"%llu vectors in all parts; %llu are the most",
			(unsigned long long)j->n_vec,
			(unsigned long long)VS_PACKED_VECTORS);
	return 0;
}

/* ---- copying ---- */

static int
convert(const struct vs_packed *p, enum vs_element to, const uint8_t *from,
	uint64_t n, struct vs_packed_writer *w)
{
	uint64_t n_entry = n * p->n_field;
	uint8_t *rows = NULL;
	int code = vs_mem_room(&rows, n_entry, vs_element_bytes(to), "vectors");

	for (uint64_t k = 0; k < n_entry && !code; k++)
		vs_element_put(to, rows, k,
			vs_element_get(p->element, from, k));
	if (!code)
		code = vs_packed_add_rows(w, rows, n);
	free(rows);
	return code;
}

static int
copy_rows(const struct join *j, struct vs_packed *p, struct vs_packed_writer *w)
{
	uint64_t n = PIECE / p->row_bytes + 1, hi;
	uint8_t *rows = NULL;
	int code;

	n = n < p->n_vec ? n : p->n_vec;
	code = vs_mem_room(&rows, n + !n, p->row_bytes, "vectors");
	for (uint64_t lo = 0; lo < p->n_vec && !code; lo = hi) {
		hi = p->n_vec - lo < n ? p->n_vec : lo + n;
		code = vs_packed_rows(p, lo, hi, rows);
		if (!code)
			code = p->element == j->element
				? vs_packed_add_rows(w, rows, hi - lo)
				: convert(p, j->element, rows, hi - lo, w);
	}
	free(rows);
	return code;
}

/* The length of a site's contig, which no part may contradict. */
static int
state_length(const struct vs_sites *from, size_t v, struct vs_sites *to,
	size_t n_known, const char *path)
{
	int32_t a = from->contig[v], b = to->contig[to->n - 1];

	if (a < 0)
		return 0;
	if ((size_t)b >= n_known)
		to->contig_length[b] = from->contig_length[a];
	return to->contig_length[b] == from->contig_length[a]
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: states a different length of a chromosome than "
			  "earlier parts; pack all parts of one input",
			  path);
}

static int
copy_sites(struct vs_packed *p, struct vs_sites *to, const char *path)
{
	struct vs_sites from = { 0 };
	struct vs_site site;
	char made[32];
	int code = vs_packed_sites(p, &from);

	for (size_t v = 0; v < from.n && !code; v++) {
		size_t n_known = to->contig_name.n;

		vs_sites_get(&from, v, &site);
		if (site.source_row != (int64_t)v)
			code = vs_fail(VS_EINPUT,
				"%s: its vectors are not in the order of the "
				"input; recreate it",
				path);
		site.source_row = (int64_t)to->n;
		if (!site.id_len) {
			site.id = made;
			site.id_len = (size_t)snprintf(made, sizeof(made),
				"v%zu", to->n + 1);
		}
		if (!code)
			code = vs_sites_add(to, &site);
		if (!code)
			code = state_length(&from, v, to, n_known, path);
	}
	vs_sites_free(&from);
	return code;
}

static int
copy(const struct join *j, const struct part *x, struct vs_packed_writer *w,
	struct vs_sites *sites)
{
	struct vs_packed *p = NULL;
	int code = vs_packed_open(&p, x->path, VS_H5_FAST | VS_PACKED_PART);

	if (!code && strcmp(p->content, x->content))
		code = vs_fail(VS_EINPUT,
			"%s: was replaced while it was read; once more",
			x->path);
	if (!code)
		code = copy_rows(j, p, w);
	if (!code)
		code = copy_sites(p, sites, x->path);
	if (!code)
		code = vs_h5_reader_unchanged(p->file);
	vs_packed_close(p);
	return code;
}

static int
copy_all(struct join *j, struct vs_packed_plan *plan,
	struct vs_packed_writer **w, struct vs_sites *sites)
{
	int code;

	plan->n_field = j->n_field;
	plan->n_vec = j->n_vec;
	plan->element = j->element;
	plan->ploidy = j->ploidy;
	plan->allele_rule = j->allele_rule;
	code = vs_packed_create(w, plan);
	for (size_t k = 0; k < j->n && !code; k++)
		code = copy(j, &j->part[k], *w, sites);
	if (!code && vs_packed_kinds(*w) & VS_NUMBER_NEGATIVE &&
		vs_packed_kinds(*w) & VS_NUMBER_HUGE)
		code = vs_fail(VS_EINPUT,
			"some numbers are negative, and some are 2^990 or "
			"more, or less than -2^990, too large to compare; "
			"divide all numbers by a constant");
	return code;
}

int
vs_join_parts(const char *const *path, size_t n, struct vs_packed_plan *plan,
	struct vs_packed_writer **w, struct vs_sites *sites,
	struct vs_samples *samples, struct vs_provenance *provenance,
	bool *whole)
{
	struct join j = { .n = n,
		.samples = samples,
		.provenance = provenance };
	int code = vs_mem_new(&j.part, n, sizeof(*j.part), "parts");

	for (size_t k = 0; k < n && !code; k++) {
		j.part[k].path = path[k];
		code = look(&j, k);
	}
	if (!code) {
		qsort(j.part, n, sizeof(*j.part), by_number);
		code = check_whole(&j);
	}
	if (!code)
		code = copy_all(&j, plan, w, sites);
	*whole = !code && has_setting(j.settings, "multiallelic: 'whole'");
	free(j.part);
	free(j.allele_rule);
	free(j.settings);
	return code;
}
