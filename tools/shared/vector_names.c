/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and original rows of the vectors of a result. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/shared/vector_names.h"

/* The places to look for a vectors file, in order; 0: place holds a path. */
static int
place(struct vs_text *path, const struct vs_run *run, const char *result, int k)
{
	const char *recorded = run->vectors_path ? run->vectors_path : "";
	const char *name = strrchr(recorded, '/');
	const char *slash = strrchr(result, '/');

	path->len = 0;
	name = name ? name + 1 : recorded;
	if (k == 0)
		return vs_text_add(path, "%s", recorded);
	return vs_text_add(path, "%.*s%s%s",
		slash ? (int)(slash - result) + 1 : 0, result,
		k == 2 ? "../" : "", name);
}

static int
check_content(const struct vs_packed *p, const char *path,
	const struct vs_run *run, const char *result)
{
	if (strcmp(p->content, run->vectors_content))
		return vs_fail(VS_EINPUT,
			"%s: is not the vectors file of %s: content %s, not "
			"%s; give the right one with --vectors FILE",
			path, result, p->content, run->vectors_content);
	if (p->n_vec != (uint64_t)run->n_vectors ||
		p->n_field != (uint64_t)run->n_fields)
		return vs_fail(VS_EINPUT,
			"%s: %llu vectors of %llu fields, but %s says %lld of "
			"%lld",
			path, (unsigned long long)p->n_vec,
			(unsigned long long)p->n_field, result,
			(long long)run->n_vectors, (long long)run->n_fields);
	return 0;
}

int
vs_vector_names_open(struct vs_packed **out, const struct vs_run *run,
	const char *result, const char *given, const char *otherwise)
{
	struct vs_packed *p = NULL;
	struct vs_text path = { 0 };
	bool found = given != NULL;
	int code = given ? vs_text_add(&path, "%s", given) : 0;

	for (int k = 0; k < 3 && !found && !code; k++) {
		code = place(&path, run, result, k);
		found = !code && path.len && !access(path.bytes, F_OK);
	}
	if (!code && !found)
		code = vs_fail(VS_EINPUT,
			"%s: its vectors file %s not found; use --vectors "
			"FILE%s",
			result, run->vectors_path ? run->vectors_path : "",
			otherwise);
	if (!code)
		code = vs_packed_open(&p, path.bytes, 0);
	if (!code)
		code = check_content(p, path.bytes, run, result);
	vs_text_free(&path);
	if (code) {
		vs_packed_close(p);
		return code;
	}
	*out = p;
	return 0;
}

/* ---- original rows of vectors ---- */

int
vs_vector_names_map_read(struct vs_vector_names_map *m,
	struct vs_packed *vectors)
{
	memset(m, 0, sizeof(*m));
	m->n = vectors->n_vec;
	return vs_packed_source(vectors, &m->row, &m->allele1);
}

int
vs_vector_names_places(const struct vs_run *run, struct vs_packed *vectors,
	uint64_t **place)
{
	struct vs_vector_names_map map;
	int code;

	*place = NULL;
	if (strcmp(run->index_space, "source"))
		return 0;
	code = vs_vector_names_map_read(&map, vectors);
	if (code)
		return code;
	code = vs_mem_new(place, (size_t)map.n, sizeof(**place), "rows");
	for (uint64_t v = 0; v < map.n && !code; v++)
		(*place)[map.row[v]] = v;
	vs_vector_names_map_free(&map);
	return code;
}

int
vs_vector_names_map_of_names(struct vs_vector_names_map *m,
	const struct vs_vector_names *names)
{
	int code;

	memset(m, 0, sizeof(*m));
	code = vs_mem_new(&m->row, names->n_vec, sizeof(*m->row),
		"rows of the source");
	VS_MEM_NEW(&code, m->allele1, names->n_vec, "rows of the source");
	m->n = names->n_vec;
	for (uint64_t v = 0; v < m->n && !code; v++) {
		int64_t row = names->row[v];

		m->row[v] = -1;
		if (row < 0)
			continue;
		m->row[v] = names->sites.source_row[row];
		m->allele1[v] = names->sites.allele1_source[row];
	}
	if (code)
		vs_vector_names_map_free(m);
	return code;
}

void
vs_vector_names_map_free(struct vs_vector_names_map *m)
{
	free(m->row);
	free(m->allele1);
	memset(m, 0, sizeof(*m));
}

/* ---- names ---- */

static int
identity(struct vs_vector_names *names, uint64_t n_vec)
{
	int code = vs_mem_new(&names->row, n_vec, sizeof(*names->row),
		"rows of names");

	names->n_vec = n_vec;
	for (uint64_t v = 0; v < n_vec && !code; v++)
		names->row[v] = (int64_t)v;
	return code;
}

/* Label 1 becomes the source's second allele wherever that is known. */
static void
turn_labels(struct vs_sites *s)
{
	const int last = s->ploidy == 1 ? 1 : 2;

	for (size_t row = 0; row < s->n; row++) {
		int64_t m[2] = { 0 }, *n = s->count[row], c;

		if (s->allele1_source[row] != VS_ALLELE_FIRST)
			continue;
		/* haploid calls are included in those of 0 and 1 copies */
		if (s->males)
			memcpy(m, s->males[row], sizeof(m));
		c = n[0] - m[0];
		n[0] = n[last] + m[1];
		n[last] = c;
		n[1] += m[0] - m[1];
		if (s->males) {
			s->males[row][0] = m[1];
			s->males[row][1] = m[0];
		}
		s->allele1_source[row] = VS_ALLELE_SECOND;
	}
}

/* Swap the strings of a and b where label 1 is the first allele. */
static int
swap_pools(struct vs_text_pool *a, struct vs_text_pool *b,
	const uint8_t *allele1)
{
	struct vs_text_pool *from[2] = { a, b }, to[2] = { { 0 }, { 0 } };
	int code = 0;

	for (size_t row = 0; row < a->n && !code; row++)
		for (int p = 0; p < 2 && !code; p++) {
			bool other = allele1[row] == VS_ALLELE_FIRST;

			code = vs_text_pool_add_row(&to[p], from[p ^ other],
				row);
		}
	for (int p = 0; p < 2; p++) {
		vs_text_pool_free(code ? &to[p] : from[p]);
		if (!code)
			*from[p] = to[p];
	}
	return code;
}

int
vs_vector_names_of_vectors(struct vs_vector_names *names,
	struct vs_packed *vectors, bool source)
{
	struct vs_vector_names_map map = { 0 };
	struct vs_sites *s = &names->sites;
	int code;

	memset(names, 0, sizeof(*names));
	names->whole = true;
	code = vs_mem_copy_text(&names->from, vs_packed_path(vectors));
	if (!code)
		code = source ? vs_packed_sites(vectors, s)
			      : vs_packed_lend_sites(vectors, s);
	if (!code)
		code = identity(names, vectors->n_vec);
	if (!code && source) {
		code = vs_vector_names_map_read(&map, vectors);
		for (uint64_t v = 0; v < map.n && !code; v++)
			names->row[map.row[v]] = (int64_t)v;
		if (!code && s->allele[0].n == s->n && s->allele[1].n == s->n)
			code = swap_pools(&s->allele[0], &s->allele[1],
				map.allele1);
		if (!code)
			turn_labels(s);
	}
	vs_vector_names_map_free(&map);
	if (code)
		vs_vector_names_free(names);
	return code;
}

static int
from_nodes(struct vs_vector_names *names, struct vs_result *result)
{
	uint64_t n_vec = (uint64_t)result->run.n_vectors;
	struct vs_nodes nodes = { 0 };
	int code = vs_result_nodes(result, &nodes);

	if (!code)
		code = vs_mem_copy_text(&names->from,
			vs_h5_reader_path(result->file));
	VS_MEM_NEW(&code, names->row, n_vec, "rows of names");
	if (code)
		goto out;
	names->n_vec = n_vec;
	memset(names->row, 0xff, n_vec * sizeof(*names->row));
	for (size_t node = 0; node < nodes.n; node++)
		names->row[nodes.vector[node]] = (int64_t)node;
	names->sites = nodes.site;
	memset(&nodes.site, 0, sizeof(nodes.site));
out:
	vs_result_nodes_free(&nodes);
	if (code)
		vs_vector_names_free(names);
	return code;
}

int
vs_vector_names_of_result(struct vs_vector_names *names,
	struct vs_result *result, const char *given, const char *otherwise)
{
	bool source = !strcmp(result->run.index_space, "source");
	struct vs_packed *vectors = NULL;
	bool nodes = false;
	int code = 0;

	memset(names, 0, sizeof(*names));
	if (!given)
		code = vs_h5_reader_has(result->file, "/nodes", &nodes);
	if (code || nodes)
		return code ? code : from_nodes(names, result);
	code = vs_vector_names_open(&vectors, &result->run,
		vs_h5_reader_path(result->file), given, otherwise);
	if (!code)
		code = vs_vector_names_of_vectors(names, vectors, source);
	vs_packed_close(vectors);
	return code;
}

static int
add_node(struct vs_nodes *nodes, const struct vs_sites *from, size_t row)
{
	struct vs_sites *to = &nodes->site;
	struct vs_site site;
	int code;

	vs_sites_get(from, row, &site);
	code = vs_sites_add(to, &site);
	if (!code && from->contig[row] >= 0)
		to->contig_length[to->contig[to->n - 1]] =
			from->contig_length[from->contig[row]];
	return code;
}

int
vs_vector_names_nodes(const struct vs_vector_names *names, const uint8_t *used,
	struct vs_nodes *nodes)
{
	size_t n = 0, at = 0;
	int code;

	memset(nodes, 0, sizeof(*nodes));
	for (uint64_t v = 0; v < names->n_vec; v++)
		n += used[v] != 0;
	code = vs_mem_new(&nodes->vector, n, sizeof(*nodes->vector), "nodes");
	for (uint64_t v = 0; v < names->n_vec && !code; v++) {
		if (!used[v])
			continue;
		if (names->row[v] < 0) {
			code = vs_fail(VS_EINPUT,
				"%s: vector %llu has no name there",
				names->from, (unsigned long long)v);
			break;
		}
		nodes->vector[at++] = (int64_t)v;
		code = add_node(nodes, &names->sites, (size_t)names->row[v]);
	}
	nodes->n = n;
	nodes->site.ploidy = names->sites.ploidy;
	if (code)
		vs_result_nodes_free(nodes);
	return code;
}

void
vs_vector_names_free(struct vs_vector_names *names)
{
	vs_sites_free(&names->sites);
	free(names->row);
	free(names->from);
	memset(names, 0, sizeof(*names));
}
