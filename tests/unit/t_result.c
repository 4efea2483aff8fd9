/* SPDX-License-Identifier: BSD-3-Clause */
/* Shards and merged results: what is written is read back. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/result.h"
#include "formats/results/result_columns.h"
#include "formats/results/shard_writer.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/some_run.h"
#include "tests/unit/test.h"

#define N_VEC 1000

/* Records in rising order, at most n. */
static size_t
some_records(struct vs_record *rec, size_t n, const struct vs_run *run)
{
	struct vs_rng r;
	size_t at = 0;

	vs_rng_seed(&r, n);
	for (uint64_t i = 0; i < N_VEC && at < n; i++)
		for (uint64_t j = i + 1; j < N_VEC - 1 && at < n; j++) {
			struct vs_record *x = &rec[at];

			if (vs_rng_below(&r, 3))
				continue;
			*x = vs_record_pair(i, j);
			x->value =
				(double)vs_rng_below(&r, 1 << 30) / (1 << 30);
			if (!strcmp(run->value_type, "f32"))
				x->value = (double)(float)x->value;
			x->cell = vs_rng_below(&r, run->n_way == 3 ? 8 : 4) & 7;
			if (run->n_way == 3)
				x->k = (uint32_t)(j + 1 +
					vs_rng_below(&r, N_VEC - j - 1));
			if (run->has_nvalid)
				x->nvalid = (int32_t)vs_rng_below(&r, 78);
			if (run->has_num)
				x->num = (int64_t)vs_rng_below(&r,
					x->nvalid < 0 ? 309
						      : x->nvalid * 4 + 1);
			at++;
		}
	return at;
}

static bool
same_record(const struct vs_record *a, const struct vs_record *b)
{
	return a->i == b->i && a->j == b->j && a->k == b->k &&
		!memcmp(&a->value, &b->value, 8) && a->num == b->num &&
		a->nvalid == b->nvalid && a->cell == b->cell;
}

static const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };

/* Values computed: few of pairs, more than 64 bits hold of triples. */
static vs_wide
values_of(const struct vs_run *run)
{
	return run->n_way == 3 ? ((vs_wide)1 << 66) + 5 : 7;
}

static int
write_it(const char *path, enum vs_kind kind, const struct vs_run *run,
	const struct vs_record *rec, size_t n, struct vs_codec codec,
	char content[VS_DIGEST_TEXT])
{
	struct vs_result_plan plan = { .path = path,
		.kind = kind,
		.codec = codec,
		.generator = "t_result",
		.force = true };
	struct vs_digest_sum source = { { 3, 4 } };
	struct vs_stats stats = { .seconds_total = 1.5, .device = "none" };
	struct vs_provenance p = { 0 };
	struct vs_nodes nodes = { 0 };
	struct vs_shard_row rows[2] = { { .name = "a", .n_records = 1 },
		{ .name = "bb", .uuid = "u" } };
	struct vs_result_end end = { &p, &stats, NULL, rows, 2, &source, NULL };
	struct vs_result_writer *w = NULL;
	int64_t vector[2] = { 5, 6 };
	int code = vs_result_create(&w, &plan, run);

	vs_run_stats_set_values(&stats, values_of(run));
	for (size_t at = 0; at < n && !code; at += 777)
		code = vs_result_add(w, rec + at, n - at < 777 ? n - at : 777);
	for (int t = 0; t < 3 && !code && kind == VS_KIND_SHARD; t++)
		code = vs_result_tile(w,
			&(struct vs_tile_row){ .bi = t,
				.bj = 2 * t,
				.first = t * ((int64_t)n / 3),
				.count = t < 2 ? (int64_t)n / 3
					       : (int64_t)(n - n / 3 * 2),
				.evaluated = some_values(run, t, 2 * t),
				.sum = { { 1, 2 } },
				.seconds = 0.5 });
	if (kind == VS_KIND_MERGED) {
		nodes.n = 2;
		nodes.vector = vector;
		for (int k = 0; k < 2; k++)
			vs_sites_add(&nodes.site,
				&(struct vs_site){ .id = "rs",
					.id_len = 2,
					.contig = "X",
					.contig_len = 1,
					.allele = { "A", "C" },
					.allele_len = { 1, 1 } });
		end.nodes = &nodes;
	}
	vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });
	if (!code)
		code = vs_result_finish(w, &end, content);
	else
		vs_result_abandon(w);
	vs_sites_free(&nodes.site);
	vs_provenance_free(&p);
	return code;
}

static void
round_trip(enum vs_kind kind, size_t n, const struct vs_run *run)
{
	struct vs_record *rec = calloc(n + 1, sizeof(*rec)),
			 *got = calloc(n + 1, sizeof(*rec));
	char name[128], content[VS_DIGEST_TEXT] = "";
	struct vs_result *r = NULL;
	struct vs_tile_row *tile = NULL;
	struct vs_nodes nodes = { 0 };
	struct vs_stats stats;
	int64_t *offset = NULL;
	struct vs_digest_sum sum = { { 0, 0 } };
	size_t n_tile = 0;
	bool same = true;

	snprintf(name, sizeof(name), "kind %d, %d-way, %s, %zu records", kind,
		run->n_way, run->value_type, n);
	n = some_records(rec, n, run);
	for (size_t k = 0; k < n; k++)
		vs_digest_sum_record(&sum, rec[k].i, rec[k].j, rec[k].k,
			rec[k].cell, rec[k].value);
	if (kind == VS_KIND_SHARD) /* what its three tiles say */
		sum = (struct vs_digest_sum){ { 3, 6 } };
	if (!T_OK(!write_it("t.h5", kind, run, rec, n, zstd, content) &&
			    !vs_result_open(&r, "t.h5", 0),
		    "%s: written and opened %s", name, vs_fail_text()))
		goto out;
	T_OK(r->kind == kind && r->n_records == n &&
			!memcmp(&sum, &r->sum, sizeof(sum)) &&
			r->source_sum.h[1] == 4 && !strcmp(r->content, content),
		"%s: head", name);
	T_OK(r->run.has_num == run->has_num &&
			r->run.has_nvalid == run->has_nvalid &&
			r->run.threshold == 0.7 &&
			!strcmp(r->run.vectors_path, run->vectors_path) &&
			(kind == VS_KIND_MERGED ||
				!vs_run_differs(&r->run, run)),
		"%s: run", name);
	same = !vs_result_read(r, 0, n, got);
	for (size_t k = 0; k < n && same; k++)
		same = same_record(&rec[k], &got[k]);
	T_OK(same, "%s: records", name);
	same = !vs_result_read(r, n / 3, n / 2, got) &&
		(n < 3 || same_record(&rec[n / 3], &got[0]));
	T_OK(same, "%s: a part of the records", name);
	T_OK(vs_result_read(r, n, n + 1, got) == VS_EINPUT,
		"%s: a record past the end is refused", name);
	vs_fail_clear();
	T_OK(!vs_result_tiles(r, &tile, &n_tile) &&
			n_tile == (kind == VS_KIND_SHARD ? 3 : 0) &&
			(!n_tile ||
				(tile[2].bj == 4 && tile[1].sum.h[1] == 2 &&
					tile[0].seconds == 0.5f)),
		"%s: tiles", name);
	T_OK(!vs_result_stats(r, &stats) &&
			vs_run_stats_values(&stats) == values_of(run) &&
			stats.metrics == (run->n_way == 3 ? INT64_MAX : 7) &&
			!strcmp(stats.device, "none"),
		"%s: stats", name);
	if (kind == VS_KIND_MERGED) {
		same = !vs_result_index(r, &offset);
		for (size_t k = 0; k < n && same; k++)
			same = offset[rec[k].i] <= (int64_t)k &&
				(int64_t)k < offset[rec[k].i + 1];
		T_OK(same, "%s: index", name);
		T_OK(!vs_h5_reader_check(r->file, &vs_merged_content,
			     content) &&
				!strcmp(r->content, content),
			"%s: level 2 finds nothing wrong", name);
		T_OK(!vs_result_nodes(r, &nodes) && nodes.n == 2 &&
				nodes.vector[1] == 6,
			"%s: nodes", name);
	}
out:
	if (*vs_fail_text())
		printf("# %s\n", vs_fail_text());
	vs_fail_clear();
	vs_result_nodes_free(&nodes);
	vs_result_close(r);
	free(offset);
	free(tile);
	free(rec);
	free(got);
	unlink("t.h5");
}

static void
order(void)
{
	struct vs_run run = some_run(N_VEC, 2, "f64", true, false);
	struct vs_record one = { 1, 3, VS_NO_VEC, -1, 0.5, 1, 2 },
			 rec[2] = { one, one };

	T_OK(write_it("o.h5", VS_KIND_MERGED, &run, rec, 2, zstd, NULL) ==
				VS_EINPUT &&
			access("o.h5", F_OK),
		"a record that comes twice is refused: %s", vs_fail_text());
	vs_fail_clear();
}

/* The content digest of a merged result does not depend on the machine that
 * computed it. */
static void
content(void)
{
	struct vs_run a = some_run(N_VEC, 2, "f64", true, false), b = a;
	static struct vs_record rec[5000];
	char one[VS_DIGEST_TEXT], two[VS_DIGEST_TEXT];
	size_t n = some_records(rec, 5000, &a);

	strcpy(b.compute, "cpu-lanes512");
	strcpy(b.vectors_uuid, "11111111-0000-4000-8000-000000000001");
	b.vectors_path = "/elsewhere";
	b.n_shards = 9;
	b.tile = 7;
	T_OK(!write_it("a.h5", VS_KIND_MERGED, &a, rec, n, zstd, one) &&
			!write_it("a.h5", VS_KIND_MERGED, &b, rec, n,
				(struct vs_codec){ VS_CODEC_DEFLATE, 4 },
				two) &&
			!strcmp(one, two),
		"content of a merged file: not who computed it, nor packing");
	b.threshold = 0.6;
	T_OK(!write_it("a.h5", VS_KIND_MERGED, &b, rec, n, zstd, two) &&
			strcmp(one, two),
		"content of a merged file: the question");
	rec[n - 1].value += 1e-9;
	T_OK(!write_it("a.h5", VS_KIND_MERGED, &a, rec, n, zstd, two) &&
			strcmp(one, two),
		"content of a merged file: the values");
	unlink("a.h5");
}

/* vsim-results(5) gives these numbers. */
static void
sums(void)
{
	struct vs_digest_sum s = { { 0, 0 } }, t = { { 0, 0 } };

	vs_digest_sum_record(&s, 1, 2, VS_NO_VEC, 3, 0.75);
	T_OK(s.h[0] == 0x2f8fb52f1f19fb4f && s.h[1] == 0xa0fbd1e1fbb4ad08,
		"sum of the first test record");
	vs_digest_sum_record(&t, 5, 9, VS_NO_VEC, 0, (double)0.8f);
	T_OK(t.h[0] == 0x0c893b9f87bd9df2 && t.h[1] == 0x6be9d576ef0f13c0,
		"sum of the second test record");
	vs_digest_sum_add(&s, &t);
	T_OK(s.h[0] == 0x3c18f0cea6d79941 && s.h[1] == 0x0ce5a758eac3c0c8,
		"sum of both");
}

static void
renamed(void)
{
	static const int64_t source[4] = { 7, 3, 5, 1 };
	static const uint8_t label[4] = { VS_ALLELE_SECOND, VS_ALLELE_FIRST,
		VS_ALLELE_UNKNOWN, VS_ALLELE_SECOND };
	struct vs_record a = { 0, 1, VS_NO_VEC, 2, 0.5, 1, 2 };
	struct vs_record b = { 0, 1, 3, 2, 0.5, 1, 4 };

	/* (0: label 1, 1: label 0) is (7: second, 3: second) */
	vs_run_record_to_source(&a, source, label);
	T_OK(a.i == 3 && a.j == 7 && a.k == VS_NO_VEC && a.cell == 3,
		"a pair as its source names it");
	vs_run_record_to_source(&b, source, label);
	T_OK(b.i == 1 && b.j == 3 && b.k == 7 && b.cell == 3,
		"a triple as its source names it");
}

/* Ranks beyond 256 have a directory of their own, and none is there for few. */
static void
directories(void)
{
	static const struct {
		int rank, n_rank;
		const char *path;
	} want[] = { { 255, 256, "run/shard-00255.shard.h5" },
		{ 0, 257, "run/000/shard-00000.shard.h5" },
		{ 256, 257, "run/001/shard-00256.shard.h5" },
		{ 9215, 9216, "run/035/shard-09215.shard.h5" } };
	const size_t n = sizeof(want) / sizeof(want[0]);
	struct vs_run run = some_run(N_VEC, 2, "f64", false, false);
	struct vs_provenance p = { 0 };
	struct vs_text_pool files = { 0 };

	vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });
	T_OK(!mkdir("run", 0777) && !vs_run_shards_make_dirs("run", 256) &&
			access("run/000", F_OK),
		"256 ranks have one directory");
	T_OK(!vs_run_shards_make_dirs("run", 9216) &&
			!access("run/035", F_OK) && access("run/036", F_OK) &&
			!vs_run_shards_make_dirs("run", 9216),
		"9216 ranks have 36, which may be there already");
	for (size_t k = 0; k < n; k++) {
		struct vs_shard_writer_plan plan = { .dir = "run",
			.rank = want[k].rank,
			.n_rank = want[k].n_rank,
			.codec = zstd,
			.generator = "t",
			.commit_seconds = 1,
			.provenance = &p };
		struct vs_shard_writer *w = NULL;

		T_OK(!vs_shard_writer_new(&w, &plan, &run) &&
				!vs_shard_writer_finish(w, NULL) &&
				!access(want[k].path, F_OK),
			"rank %d of %d writes %s", want[k].rank, want[k].n_rank,
			want[k].path);
	}
	T_OK(!vs_run_shards("run", &files) && files.n == n,
		"all of them are listed");
	vs_text_pool_free(&files);
	T_OK(!vs_run_shards_remove("run") && access("run/000", F_OK),
		"and removed with their directories");
	T_OK(!symlink(".", "run/000") &&
			vs_run_shards_make_dirs("run", 257) == VS_EUSAGE &&
			!unlink("run/000") && !rmdir("run"),
		"a link in place of one is refused");
	vs_fail_clear();
	vs_provenance_free(&p);
}

/* Tiles of more than two chunks; the k-th is a formula. */
#define N_TILE 150001u

static struct vs_tile_row
tile_of(uint64_t k)
{
	return (struct vs_tile_row){ .bi = (int32_t)(k % 3),
		.bj = (int32_t)(3 + k * 11 % 7),
		.phase = (int32_t)(k % 3),
		.stage = (int32_t)(k % 5),
		.first = k < 2000 ? (int64_t)(k / 2) : 1000,
		.count = k < 2000 ? (int64_t)(k % 2) : 0,
		.evaluated = 40000,
		.sum = { { k * 11, ~k } },
		.seconds = (float)k / 8 };
}

static bool
same_tile(const struct vs_tile_row *a, uint64_t k)
{
	const struct vs_tile_row b = tile_of(k);

	return a->bi == b.bi && a->bj == b.bj && a->phase == b.phase &&
		a->stage == b.stage && a->first == b.first &&
		a->count == b.count && a->evaluated == b.evaluated &&
		a->sum.h[0] == b.sum.h[0] && a->sum.h[1] == b.sum.h[1] &&
		a->seconds == b.seconds;
}

struct seen {
	uint64_t n, n_same, most;
};

static int
see_tiles(void *ctx, const struct vs_tile_row *tile, size_t n)
{
	struct seen *s = ctx;

	s->most = n > s->most ? n : s->most;
	for (size_t k = 0; k < n; k++)
		s->n_same += same_tile(&tile[k], s->n++);
	return 0;
}

static int
stop_at_once(void *ctx, const struct vs_tile_row *tile, size_t n)
{
	(void)tile;
	++*(int *)ctx;
	return n ? 7 : 0;
}

/* bad: number of a tile that has a record too many */
static void
write_tiles(const char *path, const struct vs_run *run, uint64_t bad)
{
	static struct vs_record rec[1000];
	struct vs_result_plan plan = { .path = path,
		.kind = VS_KIND_SHARD,
		.codec = zstd,
		.generator = "t_result",
		.force = true };
	struct vs_result_writer *w = NULL;
	struct vs_digest_sum source = { { 3, 4 } };
	struct vs_provenance p = { 0 };
	struct vs_result_end end = { .provenance = &p, .source_sum = &source };
	size_t n = some_records(rec, 1000, run);
	int code = vs_result_create(&w, &plan, run);

	if (!code)
		code = vs_result_add(w, rec, n);
	for (uint64_t k = 0; k < N_TILE && !code; k++) {
		struct vs_tile_row t = tile_of(k);

		if (k == bad) {
			t.first = (int64_t)n;
			t.count = 1;
		}
		code = vs_result_tile(w, &t);
	}
	if (code)
		vs_result_abandon(w);
	else
		code = vs_result_finish(w, &end, NULL);
	T_OK(!code && n == 1000, "many tiles: written %s", vs_fail_text());
}

static void
many_tiles(void)
{
	struct vs_run run = some_run(N_VEC, 2, "f64", true, false);
	struct vs_result *r = NULL;
	struct vs_tile_row *tile = NULL;
	struct seen seen = { 0 };
	uint64_t n_same = 0, n_each = 0;
	size_t n = 0;
	int calls = 0, code;

	write_tiles("m.h5", &run, N_TILE);
	if (!T_OK(!vs_result_open(&r, "m.h5", 0), "many tiles: opened"))
		return;
	T_OK(!vs_result_tiles(r, &tile, &n) && n == N_TILE, "all at once");
	for (uint64_t k = 0; k < n; k++)
		n_same += same_tile(&tile[k], k);
	T_OK(n_same == N_TILE, "all at once: %llu right",
		(unsigned long long)n_same);
	code = vs_result_tiles_each(r, see_tiles, &seen, &n_each);
	T_OK(!code && n_each == N_TILE && seen.n == N_TILE &&
			seen.n_same == N_TILE && seen.most < N_TILE,
		"some at a time: %llu of %llu right",
		(unsigned long long)seen.n_same, (unsigned long long)seen.n);
	T_OK(!vs_result_tiles_each(r, NULL, NULL, &n_each) && n_each == N_TILE,
		"counted alone");
	T_OK(vs_result_tiles_each(r, stop_at_once, &calls, &n_each) == 7 &&
			calls == 1,
		"stopped by the one who takes them");
	vs_result_close(r);
	free(tile);
	write_tiles("b.h5", &run, 140000);
	if (!T_OK(!vs_result_open(&r, "b.h5", 0), "many tiles: opened"))
		return;
	T_OK(vs_result_tiles(r, &tile, &n) == VS_EINPUT &&
			strstr(vs_fail_text(), "row 140000 "),
		"a bad tile, all at once: %s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_result_tiles_each(r, NULL, NULL, &n_each) == VS_EINPUT &&
			strstr(vs_fail_text(), "row 140000 "),
		"a bad tile, counted alone: %s", vs_fail_text());
	vs_fail_clear();
	vs_result_close(r);
	unlink("m.h5");
	unlink("b.h5");
}

/* Change a member of a run. */
static void
change(const struct vs_field *f, struct vs_run *run)
{
	char *at = (char *)run + f->offset;

	if (f->type == VS_FIELD_ROOM)
		strcpy(at, *at == '9' ? "8" : "9");
	else if (f->type == VS_FIELD_LIMIT)
		*(struct vs_limit *)at = (struct vs_limit){ true, 0 };
	else if (f->type != VS_FIELD_TEXT)
		at[f->size - 1] ^= 1;
}

/* Two runs that differ in one row of the table, for each row. */
static void
compared(void)
{
	const struct vs_run run = some_run(N_VEC, 2, "f64", true, true);
	int n = 0, missed = 0, refused = 0;

	for (const struct vs_field *f = vs_run_fields; f->name; f++) {
		struct vs_run other = run;
		const char *why, *of_old;

		change(f, &other);
		why = vs_run_differs(&run, &other);
		of_old = vs_run_differs_from_old(&run, &other);
		n += f->agree == VS_AGREE_ASKED;
		refused += f->agree <= VS_AGREE_DERIVED && why;
		missed += f->agree > VS_AGREE_DERIVED &&
			(!why || strcmp(why, f->words));
		missed += f->agree == VS_AGREE_ASKED &&
			(!of_old || strcmp(of_old, f->words));
	}
	T_OK(n > 10 && !missed && !refused,
		"of %d rows that are asked %d are not compared, of others %d "
		"are",
		n, missed, refused);
}

int
main(void)
{
	static const size_t n[] = { 0, 1, 1000, 65536, 140000 };
	char dir[] = "/tmp/t_result.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	for (size_t k = 0; k < sizeof(n) / sizeof(n[0]); k++)
		for (int v = 0; v < 4; v++) {
			struct vs_run run = some_run(N_VEC, 2 + v % 2,
				v / 2 ? "f32" : "f64", v % 3, v == 1);

			round_trip(v % 2 ? VS_KIND_SHARD : VS_KIND_MERGED, n[k],
				&run);
		}
	order();
	compared();
	many_tiles();
	content();
	sums();
	renamed();
	directories();
	rmdir(dir);
	return T_DONE();
}
