/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of logs forged under right hashes: an input is a list of edits of the
 * logs of two unfinished shards of one run, with histograms, which the first
 * edit may make of different lengths. Either they are refused with a sentence
 * that names a file, or the shard made from them agrees with what it states.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/check/check.h"
#include "formats/results/shard_log_inner.h"
#include "formats/results/shard_logs.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/bits/record_digest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"
#include "tests/unit/some_run.h"

const unsigned fuzz_rounds = 60;

#define N_VEC 1000
#define N_FILE 3 /* the last one stands for the one before, if asked for */
#define N_COUNT (3 + VS_TILE_COUNTS_MORE)
#define N_FRAME 2  /* commits of a file, a tile each */
#define SIZE_AT 24 /* of the head, in its seal */
#define FRAME sizeof(struct vs_shard_log_frame)

static struct file {
	char path[SCRATCH_PATH];
	uint8_t *bytes, *forged;
	size_t n, at[N_FRAME], size[N_FRAME]; /* of the bytes of frames */
} file[N_FILE];
static char dir[SCRATCH_PATH], whole[SCRATCH_PATH];

/* ---- the files ---- */

static int
add_tile(struct vs_shard_log *l, int k)
{
	static const struct vs_digest_sum source;
	struct vs_tile_row tile = { .bi = k, .bj = k };
	struct vs_record rec[40];
	int code;

	for (int r = 0; r < 40; r++)
		rec[r] = (struct vs_record){ .i = (uint32_t)(100 * k + r),
			.j = (uint32_t)(100 * k + r + 1),
			.k = VS_NO_VEC,
			.nvalid = 70,
			.num = 7,
			.value = 0.75 };
	tile.count = 40;
	tile.evaluated = 4950;
	vs_record_digest_sum(&tile.sum, rec, 40);
	code = vs_shard_log_add(l, rec, 40);
	if (!code)
		code = vs_shard_log_tile(l, &tile, &source);
	return code ? code : vs_shard_log_commit(l);
}

static int
make_log(const char *path, int rank, bool longer)
{
	static vs_wide count[1000 + N_COUNT];
	static double maxima[2] = { NAN, 0.5 };
	struct vs_run run = some_run(N_VEC, 2, "f64", true, true);
	struct vs_provenance p = { 0 };
	const int more = longer ? 1000 : 0;
	const struct vs_tile_counts counts = { 1, 0, -1, 3 + more,
		(size_t)(N_COUNT + more), count };
	const struct vs_shard_log_plan plan = { .path = path,
		.codec = { VS_CODEC_ZSTD, 1 },
		.generator = "t",
		.provenance = &p,
		.counts = &counts };
	struct vs_shard_log *l = NULL;
	int code = vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });

	run.shard = rank;
	run.permutations = 2;
	run.null_maxima = maxima;
	if (!code)
		code = vs_shard_log_new(&l, &plan, &run);
	for (int k = 0; k < N_FRAME && !code; k++)
		code = add_tile(l, N_FRAME * rank + k);
	vs_shard_log_close(l);
	vs_provenance_free(&p);
	return code;
}

static void
take_file(struct file *f)
{
	struct vs_shard_log_frame frame;
	FILE *in;
	uint64_t at;

	strcat(f->path, ".log");
	in = fopen(f->path, "rb");
	if (!in)
		abort();
	fseek(in, 0, SEEK_END);
	f->n = (size_t)ftell(in);
	rewind(in);
	f->bytes = malloc(f->n);
	f->forged = malloc(f->n);
	if (!f->bytes || !f->forged || fread(f->bytes, 1, f->n, in) != f->n)
		abort();
	fclose(in);
	memcpy(&at, f->bytes + SIZE_AT, sizeof(at));
	for (int k = 0; k < N_FRAME; k++) {
		memcpy(&frame, f->bytes + at, FRAME);
		f->at[k] = at + FRAME;
		f->size[k] = frame.n;
		at += FRAME + frame.n;
	}
	if (at != f->n)
		abort();
}

static void
remove_run(void)
{
	for (int k = 0; k < N_FILE; k++)
		unlink(file[k].path);
	rmdir(dir);
}

static void
make_files(void)
{
	scratch_path(dir, "run");
	if (mkdir(dir, 0777))
		abort();
	scratch_path(whole, "whole.h5");
	for (int k = 0; k < N_FILE; k++) {
		snprintf(file[k].path, SCRATCH_PATH,
			"%.500s/shard-%05d.shard.h5", dir, k);
		if (make_log(file[k].path, k, k == N_FILE - 1))
			abort();
		take_file(&file[k]);
	}
	/* before the folder of scratch_path() goes */
	atexit(remove_run);
}

/* ---- edits ---- */

/*
 * An edit of four bytes: which file (1), a commit (2), how (from 8 on), in the
 * first edit the last file (LONGER); where; a value.
 */
#define EDIT 4
#define LONGER 0x80

static void
edit(const uint8_t *e, bool longer)
{
	struct file *f = &file[(e[0] & 1) * (longer ? 2 : 1)];
	const int k = e[0] >> 1 & 1;
	size_t at = e[1] | (size_t)e[2] << 8, room;
	uint64_t word;

	at = f->at[k] + at % f->size[k];
	room = f->at[k] + f->size[k] - at;
	switch (e[0] >> 3 & 3) {
	case 0:
		f->forged[at] ^= (uint8_t)(1 << e[3] % 8);
		break;
	case 1:
		f->forged[at] = e[3];
		break;
	case 2: /* a number, more or less */
		if (room < sizeof(word))
			break;
		memcpy(&word, f->forged + at, sizeof(word));
		word += (uint64_t)(int64_t)(int8_t)e[3];
		memcpy(f->forged + at, &word, sizeof(word));
		break;
	default:
		memset(f->forged + at, e[3] & 1 ? 0xff : 0,
			room < 8 ? room : 8);
	}
}

/* Make the hashes of frames right again. */
static void
seal(struct file *f)
{
	struct vs_shard_log_frame frame;
	uint64_t before = 0;

	for (int k = 0; k < N_FRAME; k++) {
		uint8_t *at = f->forged + f->at[k] - FRAME;

		memcpy(&frame, at, FRAME);
		frame.before = before;
		frame.bytes = vs_digest_64(at + FRAME, f->size[k]);
		frame.hash = vs_digest_64(&frame,
			offsetof(struct vs_shard_log_frame, hash));
		before = frame.hash;
		memcpy(at, &frame, FRAME);
	}
}

static void
holds(int code)
{
	const char *said = vs_fail_text();

	FUZZ_HOLDS(code <= 0 && code != VS_EUSAGE, "code %d: %s", code, said);
	FUZZ_HOLDS(!code || *said, "code %d without a sentence", code);
	FUZZ_HOLDS(code != VS_EINPUT || strstr(said, "shard") ||
			strstr(said, "whole.h5"),
		"a sentence about no file: %s", said);
}

/* The shard that was made is read within what it states. */
static void
read_whole(void)
{
	struct vs_tile_counts counts = { 0 };
	struct vs_record rec[8];
	struct vs_result *r = NULL;
	bool has = false;
	int code = vs_result_open(&r, whole, VS_H5_TRUSTED);

	if (!code && r->n_records >= 8)
		code = vs_result_read(r, r->n_records - 8, r->n_records, rec);
	if (!code)
		code = vs_tile_counts_shape(&counts, r->file, &has);
	FUZZ_HOLDS(code || (has && counts.n == N_COUNT),
		"a histogram of %zu counters", counts.n);
	if (!code)
		code = vs_check_result(r, 1 << 20);
	holds(code);
	vs_result_close(r);
	unlink(whole);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	const bool longer = n && bytes[0] & LONGER;
	bool made = false;
	int code;

	if (!file[0].n)
		make_files();
	for (int k = 0; k < N_FILE; k++)
		memcpy(file[k].forged, file[k].bytes, file[k].n);
	for (size_t at = 0; at + EDIT <= n; at += EDIT)
		edit(bytes + at, longer);
	unlink(file[longer ? 1 : 2].path);
	for (int k = 0; k < N_FILE; k++) {
		if (k == (longer ? 1 : 2))
			continue;
		seal(&file[k]);
		scratch_file(file[k].path, file[k].forged, file[k].n);
	}
	code = vs_shard_logs_gather(dir, whole, "t", &made);
	holds(code);
	FUZZ_HOLDS(n >= EDIT || longer || (!code && made),
		"good files are refused: %s", vs_fail_text());
	FUZZ_HOLDS(code || !longer, "histograms of two lengths are added");
	FUZZ_HOLDS(!code || access(whole, F_OK), "%s is left", whole);
	vs_fail_clear();
	if (made)
		read_whole();
	vs_fail_clear();
	return 0;
}

/* Each 8 bytes of a commit, one more or less, all ones or none. */
void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	uint8_t x[EDIT] = { LONGER };

	take(x, 1);
	for (int at = 0; at < 1500; at += 8) {
		const int turn = at / 8;

		x[0] = (uint8_t)(2 + turn % 2 + (turn / 2 % 2 ? 16 : 24));
		x[1] = (uint8_t)at;
		x[2] = (uint8_t)(at >> 8);
		x[3] = turn / 4 % 2 ? 1 : 0xff;
		take(x, EDIT);
	}
}
