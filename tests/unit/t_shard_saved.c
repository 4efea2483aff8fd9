/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records and tiles up to the last checkpoint of a shard are found after a
 * kill, and nothing behind it; a damaged one is refused.
 */
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/shard_saved.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "libcore/bits/record_digest.h"
#include "tests/unit/some_run.h"
#include "tests/unit/test.h"

#define N_VEC 100000
#define LIKE "run/shard-00003-0000.shard.h5"
#define KILLED "run/shard-00003-0001.shard.h5"

/* A shard's. */
static struct vs_run
shard_run(int n_way, const char *value_type, bool counts)
{
	struct vs_run run = some_run(N_VEC, n_way, value_type, counts, counts);

	run.n_stages = 4;
	run.shard = 3;
	return run;
}

/* Record r of all. */
static struct vs_record
record_of(uint64_t r, const struct vs_run *run)
{
	const uint64_t mix = (r + 1) * 0x9e3779b97f4a7c15u;
	const bool f32 = !strcmp(run->value_type, "f32");

	return (struct vs_record){ .i = (uint32_t)(r % 30000),
		.j = (uint32_t)(30000 + mix % 30000),
		.k = run->n_way == 3 ? (uint32_t)(60000 + (mix >> 20) % 30000)
				     : VS_NO_VEC,
		.nvalid = run->has_nvalid ? (int32_t)(mix >> 40 & 63) : -1,
		.value = f32 ? (double)(float)((double)(mix >> 11) * 0x1p-53)
			     : (double)(mix >> 11) * 0x1p-53,
		.num = run->has_num ? (int64_t)((mix >> 40 & 63) * 3) : -1,
		.cell = (uint32_t)(mix >> 33 & 3) };
}

/* Tiles of these many records, some without any, and after which of them there
 * is a checkpoint. */
struct course {
	const char *what;
	uint64_t count[6];
	bool save[6];
};

static const struct course courses[] = {
	{ "one small tile", { 10 }, { true } },
	{ "no records", { 0, 0 }, { true, true } },
	{ "a chunk", { 65536 }, { true } },
	{ "a chunk and a row", { 65536, 1 }, { true, true } },
	{ "a row less than two", { 65535, 65536, 5 }, { true, true, false } },
	{ "many chunks", { 1, 1500000, 70000, 0, 3, 200000 },
		{ true, true, false, true, true, false } },
};

struct made {
	struct vs_run run;
	struct vs_result_writer *writer;
	struct vs_tile_counts counts;
	vs_wide count[8];
	double maxima[2];
	/* up to the last checkpoint */
	uint64_t n_records, n_tile;
	vs_wide saved[8];
	bool ends; /* without a kill */
	uint8_t seal[512];
};

static struct vs_tile_row
tile_of(const struct vs_run *run, int k, uint64_t first, uint64_t n,
	const struct vs_record *rec)
{
	struct vs_tile_row tile = { .bi = k,
		.bj = k + 7,
		.stage = 2,
		.first = (int64_t)first,
		.count = (int64_t)n,
		.evaluated = some_values(run, k, k + 7),
		.seconds = 0.5f };

	vs_record_digest_sum(&tile.sum, rec, n);
	return tile;
}

static int
add_tile(struct made *m, int k, const struct course *c, uint64_t *at,
	struct vs_digest_sum *source)
{
	const uint64_t n = c->count[k];
	struct vs_record *rec = malloc((n + 1) * sizeof(*rec));
	const struct vs_result_end end = { .source_sum = source,
		.counts = &m->counts };
	struct vs_tile_row tile;
	bool done = true;
	int code;

	for (uint64_t r = 0; r < n; r++)
		rec[r] = record_of(*at + r, &m->run);
	tile = tile_of(&m->run, k, *at, n, rec);
	code = vs_result_add(m->writer, rec, n);
	if (!code)
		code = vs_result_tile(m->writer, &tile);
	free(rec);
	*at += n;
	source->h[0] += tile.sum.h[0] * 3;
	source->h[1] += (uint64_t)k;
	m->count[1] += ((vs_wide)1 << 80) + n;
	if (!code && c->save[k]) {
		code = vs_result_save(m->writer, &end, &done);
		m->n_records = *at;
		m->n_tile = (uint64_t)k + 1;
		memcpy(m->saved, m->count, sizeof(m->saved));
	}
	return code ? code : done ? 0 : VS_EMACHINE;
}

/* A sealed shard of rank 3 of the run, without tiles. */
static int
make_like(const struct vs_run *run, struct vs_codec codec)
{
	struct vs_result_plan plan = { .path = LIKE,
		.kind = VS_KIND_SHARD,
		.codec = codec,
		.generator = "t",
		.force = true };
	struct vs_provenance p = { 0 };
	struct vs_digest_sum none = { { 0, 0 } };
	const struct vs_result_end end = { .provenance = &p,
		.source_sum = &none };
	struct vs_result_writer *w = NULL;
	int code = vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });

	if (!code)
		code = vs_result_create(&w, &plan, run);
	if (!code)
		code = vs_result_finish(w, &end, NULL);
	vs_provenance_free(&p);
	return code;
}

/* Files of rank 3 that are being written. */
static size_t
n_temporary(char name[256])
{
	glob_t g;
	size_t n = 0;

	if (!glob("run/shard-00003-*.tmp-*", 0, NULL, &g)) {
		n = g.gl_pathc;
		snprintf(name, 256, "%s", g.gl_pathv[0]);
	}
	globfree(&g);
	return n;
}

/* End a shard of which there is a checkpoint; the seal before that is kept. */
static int
finish(struct made *m, const struct vs_digest_sum *source)
{
	struct vs_provenance p = { 0 };
	const struct vs_result_end end = { .provenance = &p,
		.source_sum = source,
		.counts = &m->counts };
	char name[256];
	int fd, code = vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });

	if (n_temporary(name) != 1 || (fd = open(name, O_RDONLY)) < 0)
		return VS_EMACHINE;
	if (pread(fd, m->seal, sizeof(m->seal), 0) != sizeof(m->seal))
		code = VS_EMACHINE;
	close(fd);
	if (!code)
		code = vs_result_finish(m->writer, &end, NULL);
	m->writer = NULL;
	vs_provenance_free(&p);
	return code;
}

/* Write a shard, and leave it as a kill does, or seal it. */
static int
write_run(struct made *m, const struct course *c, struct vs_codec codec,
	bool histogram)
{
	struct vs_result_plan plan = { .path = KILLED,
		.kind = VS_KIND_SHARD,
		.codec = codec,
		.generator = "t" };
	struct vs_digest_sum source = { { 0, 0 } };
	uint64_t at = 0;
	static double unknown[2] = { NAN, NAN };
	double *known = m->run.null_maxima;
	int code;

	m->run.null_maxima = known ? unknown : NULL;
	code = make_like(&m->run, codec);
	m->run.null_maxima = known;
	m->run.stage_begin = 2;
	m->run.stage_end = 3;
	if (histogram && !m->counts.n)
		m->counts = (struct vs_tile_counts){ 1, 0, -5, 2, 8, m->count };
	if (!code)
		code = vs_result_create(&m->writer, &plan, &m->run);
	for (int k = 0; k < 6 && !code; k++)
		if (k < 2 || c->count[k] || c->save[k])
			code = add_tile(m, k, c, &at, &source);
	if (!code && m->ends)
		return finish(m, &source);
	/* a tile that has begun */
	if (!code) {
		struct vs_record one = record_of(at, &m->run);

		code = vs_result_add(m->writer, &one, 1);
	}
	vs_result_abandon(m->writer);
	m->writer = NULL;
	return code;
}

static bool
same_records(struct vs_result *r, uint64_t n)
{
	struct vs_record *rec = malloc((n + 1) * sizeof(*rec));
	bool same = r->n_records == n && !vs_result_read(r, 0, n, rec);

	for (uint64_t k = 0; k < n && same; k++) {
		struct vs_record want = record_of(k, &r->run), got = rec[k];

		same = got.i == want.i && got.j == want.j && got.k == want.k &&
			got.cell == want.cell && got.num == want.num &&
			got.nvalid == want.nvalid && got.value == want.value;
	}
	free(rec);
	return same;
}

static bool
same_tiles(struct vs_result *r, const struct course *c, uint64_t n)
{
	struct vs_tile_row *tile = NULL;
	uint64_t first = 0;
	size_t n_tile = 0;
	bool same = !vs_result_tiles(r, &tile, &n_tile) && n_tile == n;

	for (size_t k = 0; k < n && same; k++) {
		same = tile[k].bi == (int)k && tile[k].stage == 2 &&
			tile[k].first == (int64_t)first &&
			tile[k].count == (int64_t)c->count[k] &&
			tile[k].evaluated ==
				some_values(&r->run, (int)k, (int)k + 7);
		first += c->count[k];
	}
	free(tile);
	return same;
}

static bool
same_counts(struct vs_result *r, const struct made *m)
{
	vs_wide none[8] = { 0 };
	struct vs_tile_counts c = { 1, 0, -5, 2, 8, none };
	bool has = false, same = true;

	if (vs_tile_counts_add_file(&c, r->file, &has))
		return false;
	for (int k = 0; k < 8 && has; k++)
		same &= none[k] == m->saved[k];
	return has == (m->counts.count != NULL) && same;
}

static void
clear(void)
{
	char name[256];

	while (n_temporary(name))
		unlink(name);
	unlink(LIKE);
	unlink(KILLED);
}

/* A shard of it beside the run, which stays as it is. */
static void
gathered(const struct course *c, const struct made *m)
{
	struct vs_result *r = NULL;
	char name[256], hex[VS_DIGEST_TEXT];
	bool made = false;
	int code = vs_shard_saved_gather("run", "gathered", "t", &made);

	T_OK(!code && made && n_temporary(name) == 1 && access(KILLED, F_OK),
		"what it has is gathered: %s", vs_fail_text());
	T_OK(!vs_result_open(&r, "gathered", 0) &&
			!vs_h5_reader_check(r->file, &vs_shard_content, hex) &&
			same_records(r, m->n_records) &&
			same_tiles(r, c, m->n_tile) && same_counts(r, m),
		"%llu records and %llu tiles of %s",
		(unsigned long long)m->n_records, (unsigned long long)m->n_tile,
		c->what);
	vs_result_close(r);
	unlink("gathered");
}

static void
recovered(const struct course *c, struct vs_codec codec, int n_way,
	const char *value_type, bool counts)
{
	struct made m = { .run = shard_run(n_way, value_type, counts),
		.maxima = { 3.5, NAN } };
	struct vs_result *r = NULL;
	char name[256], hex[VS_DIGEST_TEXT];
	size_t left;
	int code;

	/* of which the first is known when the shard is begun */
	if (n_way == 2) {
		m.run.permutations = 2;
		m.run.null_maxima = m.maxima;
	}
	code = write_run(&m, c, codec, counts);
	left = n_temporary(name);

	T_OK(!code && left == 1, "%s: a shard that was killed stays: %s",
		c->what, vs_fail_text());
	T_OK(!vs_shard_saved_recover("run", 0, 2, "t") &&
			n_temporary(name) == 1,
		"it is not of rank 0 of 2");
	gathered(c, &m);
	code = vs_shard_saved_recover("run", 1, 2, "t");
	T_OK(!code && !n_temporary(name), "but of rank 1: %s", vs_fail_text());
	code = vs_result_open(&r, KILLED, 0);
	T_OK(!code && !vs_h5_reader_check(r->file, &vs_shard_content, hex) &&
			same_records(r, m.n_records) &&
			same_tiles(r, c, m.n_tile) && same_counts(r, &m) &&
			(n_way == 3 ||
				(r->run.permutations == 2 &&
					r->run.null_maxima[0] == 3.5 &&
					isnan(r->run.null_maxima[1]))) &&
			r->run.stage_begin == 2 && r->run.stage_end == 3,
		"codec %d, %d-way, %s: %llu records and %llu tiles of %s",
		(int)codec.id, n_way, value_type,
		(unsigned long long)m.n_records, (unsigned long long)m.n_tile,
		c->what);
	vs_result_close(r);
	clear();
}

/* Killed as it ends: when HDF5 has closed the file, whose seal still names the
 * checkpoint; and when it is sealed, but has no name yet. */
static void
killed_late(const struct course *c, struct vs_codec codec, bool sealed)
{
	static const char temporary[] = KILLED ".tmp-00000007";
	struct made m = { .run = shard_run(2, "f64", true), .ends = true };
	struct vs_result *r = NULL;
	char name[256];
	uint64_t n = 0, n_tile = 0;
	int fd, code = write_run(&m, c, codec, true);

	for (int k = 0; k < 6; k++) {
		n += c->count[k];
		n_tile += k < 2 || c->count[k] || c->save[k];
	}
	if (!sealed) {
		n = m.n_records;
		n_tile = m.n_tile;
	} else {
		memcpy(m.saved, m.count, sizeof(m.saved));
	}
	T_OK(!code && !rename(KILLED, temporary), "a shard that ends: %s",
		vs_fail_text());
	fd = open(temporary, O_RDWR);
	T_OK(sealed || pwrite(fd, m.seal, sizeof(m.seal), 0) == sizeof(m.seal),
		"its seal");
	close(fd);
	code = vs_shard_saved_recover("run", 0, 1, "t");
	T_OK(!code && !n_temporary(name), "it is recovered: %s",
		vs_fail_text());
	T_OK(!vs_result_open(&r, KILLED, 0) && same_records(r, n) &&
			same_tiles(r, c, n_tile) && same_counts(r, &m),
		"%s, %s: %llu records and %llu tiles", c->what,
		sealed ? "sealed" : "closed", (unsigned long long)n,
		(unsigned long long)n_tile);
	vs_result_close(r);
	vs_fail_clear();
	clear();
}

static void
change(const char *path, off_t at, uint8_t by)
{
	int fd = open(path, O_RDWR);
	uint8_t b = 0;

	if (pread(fd, &b, 1, at) == 1) {
		b ^= by;
		T_OK(pwrite(fd, &b, 1, at) == 1, "a byte is changed");
	}
	close(fd);
}

static void
damaged(void)
{
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	const struct course *c = &courses[5];
	struct made m = { .run = shard_run(2, "f64", true) };
	char name[256];
	struct stat st;
	bool made;
	uint64_t at;
	int fd;

	T_OK(!write_run(&m, c, zstd, false) && n_temporary(name) == 1 &&
			!stat(name, &st),
		"a shard that was killed");
	fd = open(name, O_RDONLY);
	T_OK(pread(fd, &at, 8, 80) == 8, "its seal names its checkpoint");
	close(fd);
	change(name, (off_t)at + 30, 1);
	T_OK(vs_shard_saved_recover("run", 0, 1, "t") == VS_EINPUT &&
			strstr(vs_fail_text(), "is damaged") &&
			strstr(vs_fail_text(), "remove it") &&
			n_temporary(name) == 1 && access(KILLED, F_OK),
		"%s", vs_fail_text());
	vs_fail_clear();
	change(name, (off_t)at + 30, 1);
	change(name, 100000, 16);
	T_OK(vs_shard_saved_recover("run", 0, 1, "t") == VS_EINPUT &&
			n_temporary(name) == 1 && access(KILLED, F_OK),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_shard_saved_gather("run", "gathered", "t", &made) ==
				VS_EINPUT &&
			!made && access("gathered", F_OK),
		"nothing is gathered of it: %s", vs_fail_text());
	vs_fail_clear();
	change(name, 100000, 16);
	T_OK(!truncate(name, (off_t)at + 10) &&
			vs_shard_saved_recover("run", 0, 1, "t") == VS_EINPUT,
		"%s", vs_fail_text());
	vs_fail_clear();
	change(name, 300, 1);
	T_OK(!vs_shard_saved_recover("run", 0, 1, "t") &&
			n_temporary(name) == 1 && access(KILLED, F_OK),
		"without a seal that fits there is no checkpoint");
	clear();
}

/* Histograms of two shards that were killed, with as many buckets or not. */
static void
two_histograms(void)
{
	static const struct vs_tile_counts shape[] = { { 1, 0, -5, 2, 8, NULL },
		{ 1, 0, -5, 1, 7, NULL }, { 1, 0, 5, 2, 8, NULL },
		{ 1, 0, -5, 2, 9, NULL }, { 0, 0, 0, 0, 0, NULL } };
	static const char other[] =
		"run/shard-00004-0001.shard.h5.tmp-00000001";
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	char name[256];
	bool made;

	for (size_t k = 0; k < sizeof(shape) / sizeof(*shape); k++) {
		struct made m = { .run = shard_run(2, "f64", false) },
			    n = { .run = shard_run(2, "f64", false) };
		int code = write_run(&m, &courses[0], zstd, true);

		n.counts = shape[k];
		n.counts.count = shape[k].n ? n.count : NULL;
		T_OK(!code && n_temporary(name) == 1 && !rename(name, other) &&
				!write_run(&n, &courses[1], zstd, false),
			"two shards that were killed");
		code = vs_shard_saved_gather("run", "gathered", "t", &made);
		T_OK(k ? code == VS_EINPUT && !made &&
					strstr(vs_fail_text(), "is invalid") &&
					access("gathered", F_OK)
		       : !code && made && !unlink("gathered"),
			"shape %zu: %s", k, vs_fail_text());
		vs_fail_clear();
		unlink(other);
		clear();
	}
}

static void
others(void)
{
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	const struct course none = { "no checkpoint", { 100 }, { false } };
	struct made m = { .run = shard_run(2, "f64", false) };
	char name[256];
	struct stat st;
	bool made;

	T_OK(!write_run(&m, &none, zstd, false) && !n_temporary(name),
		"without a checkpoint nothing stays");
	m = (struct made){ .run = shard_run(2, "f64", false) };
	T_OK(!write_run(&m, &courses[0], zstd, false) && !link(LIKE, KILLED) &&
			!stat(KILLED, &st) &&
			!vs_shard_saved_gather("run", "gathered", "t", &made) &&
			!made,
		"of one that became a shard already nothing is gathered");
	T_OK(!vs_shard_saved_recover("run", 0, 1, "t") && !n_temporary(name),
		"one that became a shard already is removed");
	clear();
	m = (struct made){ .run = shard_run(2, "f64", false) };
	T_OK(!write_run(&m, &courses[0], zstd, false) && !unlink(LIKE) &&
			!vs_shard_saved_gather("run", "gathered", "t", &made) &&
			!made && !vs_shard_saved_recover("run", 0, 1, "t") &&
			n_temporary(name) == 1 && access(KILLED, F_OK),
		"without a shard of its run nothing is made of it");
	clear();
}

int
main(void)
{
	static const struct vs_codec codec[] = { { VS_CODEC_ZSTD, 1 },
		{ VS_CODEC_NONE, 0 }, { VS_CODEC_DEFLATE, 1 } };
	char dir[] = "/tmp/vsim-saved-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir) || mkdir("run", 0777))
		return 1;
	vs_h5_threads(2);
	for (size_t k = 0; k < sizeof(courses) / sizeof(courses[0]); k++)
		recovered(&courses[k], codec[0], 2, "f64", true);
	for (int k = 1; k < 3; k++)
		recovered(&courses[5], codec[k], 3, "f64", k == 1);
	recovered(&courses[4], codec[0], 3, "f32", false);
	recovered(&courses[4], codec[1], 2, "f32", true);
	for (size_t k = 0; k < sizeof(courses) / sizeof(courses[0]); k++)
		for (int of = T_LONG ? 0 : (int)(k % 3); of < 3;
			of += T_LONG ? 1 : 3) {
			killed_late(&courses[k], codec[of], false);
			killed_late(&courses[k], codec[of], true);
		}
	damaged();
	two_histograms();
	others();
	T_OK(!rmdir("run") && !chdir("/") && !rmdir(dir), "nothing is left");
	return T_DONE();
}
