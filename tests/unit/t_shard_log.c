/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records and tiles up to the last commit of a log are found after a kill, and
 * nothing behind it; the log is gone on with; a forged one is refused.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/shard_log_inner.h"
#include "formats/results/shard_logs.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "libcore/bits/record_digest.h"
#include "tests/unit/some_run.h"
#include "tests/unit/test.h"

#define N_VEC 100000
#define KILLED "run/shard-00003.shard.h5"
#define LOG KILLED ".log"

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
 * is a commit. */
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
	struct vs_shard_log *log;
	struct vs_provenance provenance;
	struct vs_tile_counts counts; /* what tiles have */
	vs_wide count[8];
	double maxima[2];
	struct vs_digest_sum source;
	uint64_t at; /* records so far */
	/* up to the last commit */
	uint64_t n_records, n_tile;
	vs_wide saved[8];
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
add_tile(struct made *m, int k, const struct course *c, bool commit)
{
	const uint64_t n = c->count[k];
	struct vs_record *rec = malloc((n + 1) * sizeof(*rec));
	const vs_wide more[8] = { 0, ((vs_wide)1 << 80) + n };
	const struct vs_counted list[2] = { { more, 0, 8 } };
	struct vs_tile_row tile;
	struct vs_digest_sum source;
	int code;

	for (uint64_t r = 0; r < n; r++)
		rec[r] = record_of(m->at + r, &m->run);
	tile = tile_of(&m->run, k, m->at, n, rec);
	source = (struct vs_digest_sum){ { tile.sum.h[0] * 3, (uint64_t)k } };
	code = vs_shard_log_add(m->log, rec, n);
	if (!code)
		code = vs_shard_log_tile(m->log, &tile, &source);
	vs_shard_log_counts(m->log, list);
	free(rec);
	m->at += n;
	m->count[1] += more[1];
	if (!code && commit) {
		code = vs_shard_log_commit(m->log);
		m->n_records = m->at;
		m->n_tile = (uint64_t)k + 1;
		memcpy(m->saved, m->count, sizeof(m->saved));
	}
	return code;
}

static bool
has_tile(const struct course *c, int k)
{
	return k < 2 || c->count[k] || c->save[k];
}

static struct vs_shard_log_plan
plan_of(struct made *m, struct vs_codec codec)
{
	return (struct vs_shard_log_plan){ .path = KILLED,
		.codec = codec,
		.generator = "t",
		.provenance = &m->provenance,
		.counts = &m->counts };
}

/* Write a log, and leave it as a kill does amid a tile. */
static int
write_run(struct made *m, const struct course *c, struct vs_codec codec,
	bool histogram)
{
	struct vs_shard_log_plan plan;
	struct vs_record one;
	int code = vs_provenance_add(&m->provenance,
		&(struct vs_step){ .tool = "t" });

	m->run.stage_begin = 2;
	m->run.stage_end = 3;
	if (histogram && !m->counts.n)
		m->counts = (struct vs_tile_counts){ 1, 0, -5, 2, 8, m->count };
	plan = plan_of(m, codec);
	if (!code)
		code = vs_shard_log_new(&m->log, &plan, &m->run);
	for (int k = 0; k < 6 && !code; k++)
		if (has_tile(c, k))
			code = add_tile(m, k, c, c->save[k]);
	one = record_of(m->at, &m->run);
	if (!code)
		code = vs_shard_log_add(m->log, &one, 1);
	vs_shard_log_close(m->log);
	m->log = NULL;
	vs_provenance_free(&m->provenance);
	return code;
}

/* Recover as rank `part` of n_part, in the stages of the log or others. */
static int
recover(const struct made *m, int part, int n_part, int stage)
{
	struct vs_run run = m->run;
	const struct vs_shard_logs of = { .dir = "run",
		.generator = "t",
		.run = &run,
		.counts = &m->counts,
		.part = part,
		.n_part = n_part };

	run.stage_begin = stage;
	run.stage_end = stage + 1;
	return vs_shard_logs_recover(&of);
}

static bool
has_log(void)
{
	return !access(LOG, F_OK);
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
	unlink(LOG);
	unlink(KILLED);
}

/* A shard of it beside the run, which stays as it is. */
static void
gathered(const struct course *c, const struct made *m)
{
	struct vs_result *r = NULL;
	char hex[VS_DIGEST_TEXT];
	bool made = false;
	int code = vs_shard_logs_gather("run", "gathered", "t", &made);

	T_OK(!code && made && has_log() && access(KILLED, F_OK),
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

/* Whether the shard has the first records and tiles, and counts. */
static bool
is_shard(const struct course *c, const struct made *m)
{
	struct vs_result *r = NULL;
	char hex[VS_DIGEST_TEXT];
	bool same = !vs_result_open(&r, KILLED, 0) &&
		!vs_h5_reader_check(r->file, &vs_shard_content, hex) &&
		same_records(r, m->n_records) && same_tiles(r, c, m->n_tile) &&
		same_counts(r, m) && r->run.stage_begin == 2 &&
		r->run.stage_end == 3 &&
		(!r->run.permutations ||
			(r->run.null_maxima[0] == 3.5 &&
				isnan(r->run.null_maxima[1])));

	vs_result_close(r);
	return same;
}

static struct made
made_of(int n_way, const char *value_type, bool counts)
{
	return (struct made){ .run = shard_run(n_way, value_type, counts),
		.maxima = { 3.5, NAN } };
}

static void
recovered(const struct course *c, struct vs_codec codec, int n_way,
	const char *value_type, bool counts)
{
	struct made m = made_of(n_way, value_type, counts);
	int code;

	/* of which the first is known when the log is begun */
	if (n_way == 2) {
		m.run.permutations = 2;
		m.run.null_maxima = m.maxima;
	}
	code = write_run(&m, c, codec, counts);
	T_OK(!code && has_log() && access(KILLED, F_OK), "%s: a log stays: %s",
		c->what, vs_fail_text());
	gathered(c, &m);
	T_OK(!recover(&m, 0, 2, 2) && has_log(), "it is not of rank 0 of 2");
	T_OK(!recover(&m, 3, 4, 2) && has_log(), "rank 3 of 4 goes on with it");
	code = recover(&m, 1, 2, 2);
	T_OK(!code && !has_log(), "it is of rank 1 of 2: %s", vs_fail_text());
	T_OK(is_shard(c, &m),
		"codec %d, %d-way, %s: %llu records and %llu tiles of %s",
		(int)codec.id, n_way, value_type,
		(unsigned long long)m.n_records, (unsigned long long)m.n_tile,
		c->what);
	clear();
}

/* Another process goes on, with another codec in mind, and seals. */
static void
gone_on(const struct course *c, struct vs_codec codec, int n_way)
{
	struct made m = made_of(n_way, "f64", true);
	struct vs_shard_log_plan plan;
	int code = write_run(&m, c, codec, true);

	plan = plan_of(&m, (struct vs_codec){ VS_CODEC_ZSTD, 7 });
	if (!code)
		code = vs_provenance_add(&m.provenance,
			&(struct vs_step){ .tool = "t" });
	if (!code)
		code = vs_shard_log_open(&m.log, LOG);
	if (!code)
		code = vs_shard_log_each(m.log, NULL, NULL);
	if (!code)
		code = vs_shard_log_go_on(m.log, &plan, &m.run);
	m.at = m.n_records;
	memcpy(m.count, m.saved, sizeof(m.count));
	for (int k = (int)m.n_tile; k < 6 && !code; k++)
		code = add_tile(&m, k, c, true);
	if (!code)
		code = vs_shard_log_seal(m.log, "t", NULL);
	vs_shard_log_close(m.log);
	vs_provenance_free(&m.provenance);
	T_OK(!code && !has_log() && is_shard(c, &m),
		"codec %d: %s is gone on with: %s", (int)codec.id, c->what,
		vs_fail_text());
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

/* Tiles and records that the log has by now; -1: it is refused. */
static int64_t
n_found(uint64_t *n_records)
{
	struct vs_shard_log *l = NULL;
	int64_t n = -1;

	*n_records = 0;
	if (!vs_shard_log_open(&l, LOG) && !vs_shard_log_each(l, NULL, NULL)) {
		n = (int64_t)vs_shard_log_state(l).n_tile;
		*n_records = vs_shard_log_state(l).n_records;
	}
	vs_shard_log_close(l);
	return n;
}

/* Places of frames and of commits, oldest first. */
struct places {
	off_t at[600], commit[8];
	struct vs_shard_log_frame frame[600];
	size_t n, n_commit;
};

static void
find_places(struct places *p)
{
	struct vs_shard_log_frame f;
	uint64_t at = 0;
	int fd = open(LOG, O_RDONLY);

	memset(p, 0, sizeof(*p));
	T_OK(pread(fd, &at, 8, 24) == 8, "the size of its head");
	for (; p->n < 600 && pread(fd, &f, sizeof(f), (off_t)at) == sizeof(f);
		at += sizeof(f) + f.n) {
		p->frame[p->n] = f;
		p->at[p->n++] = (off_t)at;
		if (f.kind == VS_SHARD_LOG_COMMIT)
			p->commit[p->n_commit++] = (off_t)at;
	}
	close(fd);
}

/* A log ends behind the last commit before a change, or a cut. */
static void
torn(void)
{
	static const uint64_t tiles[] = { 0, 1, 2, 4, 5 };
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	const struct course c = { "three chunks", { 1, 130000, 70000, 0, 3, 5 },
		{ true, true, false, true, true, false } };
	struct made m = made_of(2, "f64", true);
	struct places p;
	uint64_t n_records;
	size_t n = 0;

	T_OK(!write_run(&m, &c, zstd, true), "%s", vs_fail_text());
	find_places(&p);
	T_OK(p.n_commit == 4 && p.n > 20, "%zu frames, %zu commits", p.n,
		p.n_commit);
	for (size_t k = 0; k < p.n; k++) {
		const off_t in[] = { 0, 8, 16, 24, 32, 40,
			40 + (off_t)p.frame[k].n - 1 };

		for (size_t x = T_LONG ? 0 : k % 3; x < 7;
			x += T_LONG ? 1 : 3) {
			change(LOG, p.at[k] + in[x], 0x10);
			T_OK(n_found(&n_records) == (int64_t)tiles[n],
				"frame %zu, byte %lld: %llu tiles", k,
				(long long)in[x], (unsigned long long)tiles[n]);
			change(LOG, p.at[k] + in[x], 0x10);
		}
		n += p.frame[k].kind == VS_SHARD_LOG_COMMIT;
	}
	while (p.n-- > 0) {
		n -= p.frame[p.n].kind == VS_SHARD_LOG_COMMIT;
		T_OK(!truncate(LOG, p.at[p.n] + 41 - (off_t)(p.n % 2) * 7) &&
				n_found(&n_records) == (int64_t)tiles[n],
			"cut in frame %zu: %s", p.n, vs_fail_text());
	}
	T_OK(!recover(&m, 3, 4, 2) && !has_log() && access(KILLED, F_OK),
		"a log without a commit is removed");
	clear();
}

/* The last commit with one of its words changed, under a hash that is right. */
static void
forge(const struct places *p, size_t word, uint64_t by)
{
	struct vs_shard_log_frame f = p->frame[p->n - 1];
	uint8_t *bytes = malloc(f.n);
	uint64_t x;
	int fd = open(LOG, O_RDWR);
	const off_t at = p->at[p->n - 1];

	T_OK(pread(fd, bytes, f.n, at + 40) == (ssize_t)f.n, "its bytes");
	memcpy(&x, bytes + word * 8, 8);
	x += by;
	memcpy(bytes + word * 8, &x, 8);
	f.bytes = vs_digest_64(bytes, f.n);
	f.hash = vs_digest_64(&f, 32);
	T_OK(pwrite(fd, &f, sizeof(f), at) == sizeof(f) &&
			pwrite(fd, bytes, f.n, at + 40) == (ssize_t)f.n,
		"are forged");
	free(bytes);
	close(fd);
}

static void
forged(void)
{
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	const size_t words = sizeof(struct vs_shard_log_words) / 8;
	struct made m = made_of(2, "f64", true);
	const struct course c = { "two tiles", { 70000, 5 }, { true, true } };
	struct places p;
	uint64_t n_records;
	bool made;

	T_OK(!write_run(&m, &c, zstd, true), "%s", vs_fail_text());
	find_places(&p);
	while (p.frame[p.n - 1].kind != VS_SHARD_LOG_COMMIT)
		p.n--;
	/* all words but the sum by the source, codec and level; of the tile
	 * place, first, count and sum, where vsim-merge finds another place
	 * within the grid */
	for (size_t w = 0; w < words + 7; w++) {
		const bool free_word = w == 1 || w == 2 || w == 3 ||
			w == words + 1 || w == words + 4;
		const bool column = w > 6 && w < words &&
			!vs_run_has_column(&m.run, (int)w - 7);

		if (free_word)
			continue;
		for (int k = w == words  ? 2
				: T_LONG ? 0
					 : (int)(w % 3);
			k < 3; k += T_LONG ? 1 : 3) {
			const uint64_t by = k ? k > 1 ? 1ull << 63 : -1ull : 1;

			forge(&p, w, by);
			T_OK(n_found(&n_records) < 0 &&
					strstr(vs_fail_text(), "is damaged"),
				"word %zu%s: %s", w, column ? ", none" : "",
				vs_fail_text());
			vs_fail_clear();
			forge(&p, w, -by);
		}
	}
	forge(&p, 0, 1);
	T_OK(recover(&m, 3, 4, 2) == VS_EINPUT && has_log() &&
			strstr(vs_fail_text(), "remove it"),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_shard_logs_gather("run", "gathered", "t", &made) == VS_EINPUT &&
			!made && access("gathered", F_OK),
		"nothing is gathered of it: %s", vs_fail_text());
	vs_fail_clear();
	clear();
}

static void
others(void)
{
	const struct vs_codec zstd = { VS_CODEC_ZSTD, 1 };
	const struct course none = { "no commit", { 100 }, { false } };
	const struct vs_tile_counts no_counts = { 0 };
	struct made m = made_of(2, "f64", false);
	bool made;

	T_OK(!write_run(&m, &none, zstd, false) && !has_log(),
		"without a commit nothing stays");
	m = made_of(2, "f64", false);
	T_OK(!write_run(&m, &courses[0], zstd, false) && !link(LOG, KILLED) &&
			!vs_shard_logs_gather("run", "gathered", "t", &made) &&
			!made,
		"of one that became a shard already nothing is gathered");
	T_OK(!recover(&m, 3, 4, 2) && !has_log(), "it is removed");
	clear();
	m = made_of(2, "f64", false);
	T_OK(!write_run(&m, &courses[0], zstd, false) &&
			!recover(&m, 3, 4, 1) && !has_log() &&
			is_shard(&courses[0], &m),
		"one of another stage becomes a shard");
	clear();
	m = made_of(2, "f64", false);
	T_OK(!write_run(&m, &courses[0], zstd, true), "one with a histogram");
	m.counts = no_counts;
	T_OK(!recover(&m, 3, 4, 2) && !has_log() && !access(KILLED, F_OK),
		"becomes a shard before a run without one");
	clear();
}

/* The seal of a shard with a checkpoint inside HDF5. */
static void
earlier(void)
{
	static const char path[] = KILLED ".tmp-00000007";
	uint8_t seal[512] = { 0x89, 'V', 'S', 'I', 'M', '\r', '\n', 0x1a };
	struct made m = made_of(2, "f64", false);
	bool made;

	memcpy(seal + 16, "OPEN    ", 8);
	for (int k = 0; k < 2; k++) {
		FILE *f = fopen(path, "wb");

		seal[80] = (uint8_t)k;
		T_OK(f && fwrite(seal, 1, 512, f) == 512 && !fclose(f),
			"a shard that is written");
		T_OK(recover(&m, 3, 4, 2) == (k ? VS_EINPUT : 0) &&
				(!k || strstr(vs_fail_text(), "earlier")),
			"with %d checkpoints: %s", k, vs_fail_text());
		vs_fail_clear();
		T_OK(vs_shard_logs_gather("run", "gathered", "t", &made) ==
					(k ? VS_EINPUT : 0) &&
				!made,
			"nothing is gathered");
		vs_fail_clear();
	}
	unlink(path);
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
			of += T_LONG ? 1 : 3)
			gone_on(&courses[k], codec[of], 2 + (int)(k % 2));
	torn();
	forged();
	others();
	earlier();
	T_OK(!rmdir("run") && !chdir("/") && !rmdir(dir), "nothing is left");
	return T_DONE();
}
