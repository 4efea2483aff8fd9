/* SPDX-License-Identifier: BSD-3-Clause */
/* Incremental run, --against: only pairs and triples with a new vector; an
 * earlier result has those of the other vectors. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/metric/metric.h"
#include "libcore/plan/comm.h"
#include "tools/run/against.h"
#include "tools/shared/vector_names.h"

/* Broadcast by the first rank. */
struct shared {
	char content[VS_DIGEST_TEXT]; /* of the result */
	char path[PATH_MAX];          /* of its vectors file */
	uint64_t n_old;
};

/* ---- the result ---- */

/* Refuse a result that is not whole, or answers a different question. */
static int
check_result(const struct vs_result *r, const char *path,
	const struct vs_run *run)
{
	const char *why = r->kind != VS_KIND_MERGED
		? "a shard: vsim-merge makes a result of it"
		: *r->run.part ? "a part: vsim-merge without --part makes the "
				 "whole"
		: strcmp(r->run.coverage, "full")
		? "partial: vsim-run --resume does the rest"
		: strcmp(r->run.index_space, "file")
		? "by rows of the source: merge it without --unpermute"
		: *r->run.between   ? "of some pairs or triples, not of all"
		: *r->run.selection ? "of some records, not of all"
				    : NULL;

	if (why)
		return vs_fail(VS_EINPUT, "--against %s: is %s", path, why);
	why = vs_run_differs_from_old(run, &r->run);
	return why
		? vs_fail(VS_EINPUT,
			  "--against %s: answers a different question: its %s "
			  "differs",
			  path, why)
		: 0;
}

/* ---- vectors by name ---- */

static int
not_there(const struct vs_packed *f, const struct vs_sites *old, size_t v)
{
	size_t len;
	const char *id = vs_text_pool_get(&old->id, v, &len);

	return vs_fail(VS_EINPUT,
		"%s: has no vector %.*s, which the result of --against has",
		vs_h5_reader_path(f->file), (int)(len < 60 ? len : 60), id);
}

/* now[v]: the row of vector v of old; vectors with the same id are matched in
 * order. */
static int
match_ids(const struct vs_packed *f, const struct vs_sites *old,
	const struct vs_sites *all, int64_t *now)
{
	struct vs_text_index index = { 0 };
	int64_t *next = NULL, *last = NULL, at;
	size_t len;
	int code = vs_text_index_make(&index, &all->id);

	if (!code)
		code = vs_mem_room(&next, all->n, sizeof(*next), "vectors");
	if (!code)
		code = vs_mem_room(&last, all->n, sizeof(*last), "vectors");
	/* the first row of an id links to the next one, and so on */
	for (size_t v = 0; v < all->n && !code; v++) {
		const char *id = vs_text_pool_get(&all->id, v, &len);

		at = vs_text_index_find(&index, id, len);
		next[v] = -1;
		if (at != (int64_t)v)
			next[last[at]] = (int64_t)v;
		last[at] = (int64_t)v;
	}
	/* from now on, last is the row to be taken next */
	for (size_t v = 0; v < all->n && !code; v++)
		last[v] = (int64_t)v;
	for (size_t v = 0; v < old->n && !code; v++) {
		const char *id = vs_text_pool_get(&old->id, v, &len);

		at = vs_text_index_find(&index, id, len);
		now[v] = at < 0 ? -1 : last[at];
		if (now[v] < 0)
			code = not_there(f, old, v);
		else
			last[at] = next[now[v]];
	}
	vs_text_index_free(&index);
	free(next);
	free(last);
	return code;
}

/* Compare chromosomes and positions, if pairs are chosen by them. */
static int
check_places(const struct vs_packed *f, const struct vs_sites *old,
	const struct vs_sites *all, const int64_t *now)
{
	for (size_t v = 0; v < old->n; v++) {
		struct vs_site a, b;

		vs_sites_get(old, v, &a);
		vs_sites_get(all, (size_t)now[v], &b);
		if (a.pos != b.pos || a.contig_len != b.contig_len ||
			memcmp(a.contig, b.contig, a.contig_len))
			return vs_fail(VS_EINPUT,
				"%s: vector %.*s has a different position than "
				"in the vectors of --against",
				vs_h5_reader_path(f->file),
				(int)(a.id_len < 60 ? a.id_len : 60), a.id);
	}
	return 0;
}

/* ---- samples ---- */

static bool
same_texts(const struct vs_text_pool *a, const struct vs_text_pool *b,
	size_t *at)
{
	for (*at = 0; *at < a->n && *at < b->n; ++*at) {
		size_t n, m;
		const char *x = vs_text_pool_get(a, *at, &n);
		const char *y = vs_text_pool_get(b, *at, &m);

		if (n != m || memcmp(x, y, n))
			return false;
	}
	return a->n == b->n;
}

static int
check_samples(struct vs_packed *f, struct vs_packed *old, bool status,
	bool sexes)
{
	struct vs_samples a = { 0 }, b = { 0 };
	struct vs_text_pool of_a = { 0 }, of_b = { 0 };
	const char *path = vs_h5_reader_path(f->file);
	size_t at = 0;
	int code = vs_packed_samples(f, &a);

	if (!code)
		code = vs_packed_samples(old, &b);
	if (!code)
		code = vs_sites_samples_keys(&a, &of_a);
	if (!code)
		code = vs_sites_samples_keys(&b, &of_b);
	if (!code && !same_texts(&of_a, &of_b, &at))
		code = vs_fail(VS_EINPUT,
			"%s: sample %zu differs from that in the vectors of "
			"--against",
			path, at + 1);
	for (at = 0; status && at < a.n && !code; at++)
		if ((a.case_status ? a.case_status[at] : 255) !=
			(b.case_status ? b.case_status[at] : 255))
			code = vs_fail(VS_EINPUT,
				"%s: sample %zu has a different case status "
				"than in the vectors of --against",
				path, at + 1);
	if (!code && status &&
		(!a.trait != !b.trait ||
			(a.trait &&
				memcmp(a.trait, b.trait,
					a.n * sizeof(*a.trait)))))
		code = vs_fail(VS_EINPUT,
			"%s: has a different trait than the vectors of "
			"--against",
			path);
	for (at = 0; sexes && at < a.n && !code; at++)
		if ((a.sex ? a.sex[at] : 0) != (b.sex ? b.sex[at] : 0))
			code = vs_fail(VS_EINPUT,
				"%s: sample %zu has a different sex than in "
				"the vectors of --against",
				path, at + 1);
	vs_text_pool_free(&of_a);
	vs_text_pool_free(&of_b);
	vs_sites_samples_free(&a);
	vs_sites_samples_free(&b);
	return code;
}

/* A vector that is on X in only one of the files is counted differently. */
static int
check_haploid(struct vs_packed *f, const struct vs_sites *old,
	const struct vs_sites *all, const int64_t *now)
{
	for (size_t v = 0; v < old->n; v++)
		if ((old->haploid ? old->haploid[v] : 0) !=
			(all->haploid ? all->haploid[now[v]] : 0))
			return vs_fail(VS_EINPUT,
				"%s: vector %lld is on X or Y in only one of "
				"the two files: pack both with the same "
				"--sex-chromosomes",
				vs_h5_reader_path(f->file), (long long)now[v]);
	return 0;
}

/* Find the old vectors among all by their metadata. */
static int
match(struct vs_packed *f, struct vs_packed *old, const struct vs_run *run,
	int64_t *now)
{
	const struct vs_metric *m = vs_metric_find(run->metric);
	struct vs_sites of_old = { 0 }, of_all = { 0 };
	int code = vs_packed_sites(old, &of_old);

	if (!code)
		code = vs_packed_sites(f, &of_all);
	if (!code)
		code = match_ids(f, &of_old, &of_all, now);
	if (!code && *run->pair_filter)
		code = check_places(f, &of_old, &of_all, now);
	if (!code)
		code = check_haploid(f, &of_old, &of_all, now);
	if (!code)
		code = check_samples(f, old, m->family == VS_FAMILY_TABLES,
			of_old.haploid || of_all.haploid);
	vs_sites_free(&of_old);
	vs_sites_free(&of_all);
	return code;
}

/* ---- entries ---- */

struct entries {
	uint64_t (*digest)[2]; /* of each vector */
	uint64_t row_bytes;
};

static int
digest_rows(void *ctx, uint64_t lo, uint64_t hi, const void *rows)
{
	const struct entries *e = ctx;
	const char *row = rows;

	for (uint64_t v = lo; v < hi; v++, row += e->row_bytes)
		vs_digest_128(row, e->row_bytes, e->digest[v]);
	return 0;
}

/* Digests of all vectors, each rank reading its share. */
static int
digest_vectors(struct vs_packed *f, uint64_t (**digest)[2])
{
	const uint64_t rank = (uint64_t)vs_comm_rank(),
		       size = (uint64_t)vs_comm_size(), n = f->n_vec;
	struct entries e = { .row_bytes = f->row_bytes };
	int code = vs_mem_new(&e.digest, n, sizeof(*e.digest),
		"digests of vectors");

	if (!code)
		code = vs_packed_each(f, n * rank / size, n * (rank + 1) / size,
			NULL, digest_rows, &e);
	vs_h5_reader_rest(f->file);
	code = vs_comm_agree(code);
	if (!code)
		vs_comm_sum_u64(e.digest[0], 2 * n);
	*digest = e.digest;
	return code;
}

/* Check that each old vector has the entries it had. */
static int
check_entries(struct vs_packed *f, struct vs_packed *old, const int64_t *now)
{
	uint64_t(*was)[2] = NULL, (*is)[2] = NULL;
	char id[VS_PACKED_ID];
	int code = digest_vectors(old, &was);

	if (!code)
		code = digest_vectors(f, &is);
	for (uint64_t v = 0; v < old->n_vec && !code; v++) {
		if (!memcmp(was[v], is[now[v]], sizeof(*was)))
			continue;
		code = vs_packed_id(f, (uint64_t)now[v], id);
		if (!code)
			code = vs_fail(VS_EINPUT,
				"%s: vector %s has other entries, or labels of "
				"alleles, than in %s",
				vs_h5_reader_path(f->file), id,
				vs_h5_reader_path(old->file));
	}
	free(was);
	free(is);
	return code;
}

/* ---- the whole ---- */

static int
check_shape(const struct vs_packed *f, const struct vs_packed *old)
{
	const char *path = vs_h5_reader_path(f->file);

	if (f->element != old->element || f->ploidy != old->ploidy)
		return vs_fail(VS_EINPUT,
			"%s: entries have type %s and ploidy %d, those of "
			"--against %s and ploidy %d; pack both alike with "
			"vsim-pack --element",
			path, vs_element_name(f->element), f->ploidy,
			vs_element_name(old->element), old->ploidy);
	if (f->n_vec <= old->n_vec)
		return vs_fail(VS_EINPUT,
			"%s: has %llu vectors and the result of --against "
			"%llu: there are no new ones",
			path, (unsigned long long)f->n_vec,
			(unsigned long long)old->n_vec);
	return 0;
}

/* On the first rank: open the vectors file of the result. */
static int
open_old(struct vs_packed **old, struct shared *all, const char *result,
	const char *vectors, const struct vs_run *run)
{
	struct vs_result *r = NULL;
	int code = vs_result_open(&r, result, 0);

	if (!code)
		code = check_result(r, result, run);
	if (!code)
		code = vs_vector_names_open(old, &r->run, result, vectors, "");
	if (!code) {
		snprintf(all->content, sizeof(all->content), "%s", r->content);
		snprintf(all->path, sizeof(all->path), "%s",
			vs_h5_reader_path((*old)->file));
		all->n_old = (*old)->n_vec;
	}
	vs_result_close(r);
	return code;
}

/* The sets: new vectors, and all. Those only in the second set have old
 * rows. */
static int
make_sets(struct vs_run *run, const int64_t *now, uint64_t n_old)
{
	uint64_t n_vec = (uint64_t)run->n_vectors;
	int64_t *place = NULL;
	uint8_t *in = NULL;
	int code = vs_mem_room(&in, n_vec, 1, "sets");

	if (!code)
		memset(in, 3, n_vec);
	for (uint64_t v = 0; v < n_old && !code; v++)
		in[now[v]] = 2;
	if (!code)
		code = vs_wanted_by_sets(&run->wanted, in);
	if (!code)
		code = vs_mem_room(&run->wanted.old, n_old,
			sizeof(*run->wanted.old), "sets");
	if (!code)
		code = vs_wanted_places(&run->wanted, &place);
	for (uint64_t v = 0; v < n_old && !code; v++)
		run->wanted
			.old[(uint64_t)place[now[v]] - run->wanted.of.n_both] =
			(int64_t)v;
	free(place);
	free(in);
	return code;
}

int
vs_against_begin(struct vs_between_chosen *c, const char *result,
	const char *vectors, struct vs_packed *f, struct vs_run *run)
{
	struct vs_packed *old = NULL;
	struct shared all = { .n_old = 0 };
	int64_t *now = NULL;
	bool first = !vs_comm_rank();
	int code = first ? open_old(&old, &all, result, vectors, run) : 0;

	if (!code && first)
		code = check_shape(f, old);
	code = vs_comm_agree(code);
	if (code)
		goto out;
	vs_comm_share(&all, sizeof(all));
	if (!first)
		code = vs_packed_open(&old, all.path, VS_H5_FAST);
	if (!code)
		code = vs_mem_room(&now, all.n_old, sizeof(*now), "vectors");
	if (!code && first)
		code = match(f, old, run, now);
	code = vs_comm_agree(code);
	if (code)
		goto out;
	vs_comm_share(now, all.n_old * sizeof(*now));
	code = check_entries(f, old, now);
	if (!code)
		code = make_sets(run, now, all.n_old);
	if (!code)
		code = vs_sets_against(&run->wanted, all.content, run->against);
	if (!code)
		code = vs_between_set(c, result, f, run);
out:
	free(now);
	vs_packed_close(old);
	return code;
}
