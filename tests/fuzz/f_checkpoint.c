/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Recovery of shards from checkpoints forged under right digests: an input is
 * a list of edits of two unfinished shards of one run, with histograms, which
 * the first edit may make of different lengths. They are refused with a
 * sentence that names a file, or the shard that is made of them is read within
 * what it states.
 */
#include <glob.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/check/check.h"
#include "formats/h5/h5_saved.h"
#include "formats/results/shard_saved.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/bits/record_digest.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"
#include "tests/unit/some_run.h"

const unsigned fuzz_rounds = 150;

#define N_VEC 1000
#define N_FILE 3 /* the last one stands for the one before, if asked for */
#define N_COUNT (3 + VS_TILE_COUNTS_MORE)
#define N_SAVED 2 /* checkpoints of a file */
#define SAVED_AT 80
#define SEALED 504 /* bytes of the seal before its own digest */

static struct file {
	char path[SCRATCH_PATH];
	uint8_t *bytes, *forged;
	size_t n;
	struct vs_seal_saved saved[N_SAVED]; /* oldest first */
} file[N_FILE];
static char dir[SCRATCH_PATH], like[SCRATCH_PATH], whole[SCRATCH_PATH];

/* ---- the files ---- */

static int
add_tile(struct vs_result_writer *w, int k, uint64_t *at,
	const struct vs_result_end *end)
{
	struct vs_tile_row tile = { .bi = k, .bj = k, .first = (int64_t)*at };
	struct vs_record rec[40];
	bool done;
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
	code = vs_result_add(w, rec, 40);
	if (!code)
		code = vs_result_tile(w, &tile);
	if (!code)
		code = vs_result_save(w, end, &done);
	*at += 40;
	return code ? code : done ? 0 : VS_EMACHINE;
}

/* A shard: killed after its checkpoints, or sealed without a tile. */
static int
make_shard(const char *path, int rank, bool killed, bool longer)
{
	static vs_wide count[1000 + N_COUNT];
	static double maxima[2] = { NAN, 0.5 };
	struct vs_run run = some_run(N_VEC, 2, "f64", true, true);
	struct vs_result_plan plan = { .path = path,
		.kind = VS_KIND_SHARD,
		.codec = { VS_CODEC_ZSTD, 1 },
		.generator = "t" };
	struct vs_provenance p = { 0 };
	struct vs_digest_sum source = { { 0, 0 } };
	const int more = longer ? 1000 : 0;
	struct vs_tile_counts counts = { 1, 0, -1, 3 + more,
		(size_t)(N_COUNT + more), count };
	const struct vs_result_end end = { .provenance = &p,
		.source_sum = &source,
		.counts = &counts };
	struct vs_result_writer *w = NULL;
	uint64_t at = 0;
	int code = vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });

	run.shard = rank;
	run.permutations = 2;
	run.null_maxima = maxima;
	if (!code)
		code = vs_result_create(&w, &plan, &run);
	for (int k = 0; k < N_SAVED && killed && !code; k++)
		code = add_tile(w, N_SAVED * rank + k, &at, &end);
	if (!code && !killed)
		code = vs_result_finish(w, &end, NULL);
	else
		vs_result_abandon(w);
	vs_provenance_free(&p);
	return code;
}

static void
take_file(struct file *f)
{
	struct vs_h5_saved_head head;
	char pattern[SCRATCH_PATH];
	glob_t g;
	FILE *in;

	snprintf(pattern, sizeof(pattern), "%.580s.tmp-*", f->path);
	if (glob(pattern, 0, NULL, &g) || !(in = fopen(g.gl_pathv[0], "rb")))
		abort();
	snprintf(f->path, sizeof(f->path), "%.599s", g.gl_pathv[0]);
	globfree(&g);
	fseek(in, 0, SEEK_END);
	f->n = (size_t)ftell(in);
	rewind(in);
	f->bytes = malloc(f->n);
	f->forged = malloc(f->n);
	if (!f->bytes || !f->forged || fread(f->bytes, 1, f->n, in) != f->n)
		abort();
	fclose(in);
	memcpy(&f->saved[N_SAVED - 1], f->bytes + SAVED_AT,
		sizeof(f->saved[0]));
	for (int k = N_SAVED - 1; k > 0; k--) {
		memcpy(&head, f->bytes + f->saved[k].at, sizeof(head));
		f->saved[k - 1] = head.before;
	}
}

static void
remove_run(void)
{
	for (int k = 0; k < N_FILE; k++)
		unlink(file[k].path);
	unlink(like);
	rmdir(dir);
}

static void
make_files(void)
{
	scratch_path(dir, "run");
	if (mkdir(dir, 0777))
		abort();
	snprintf(like, sizeof(like), "%.500s/shard-00000-0000.shard.h5", dir);
	scratch_path(whole, "whole.h5");
	if (make_shard(like, 0, false, false))
		abort();
	for (int k = 0; k < N_FILE; k++) {
		snprintf(file[k].path, SCRATCH_PATH,
			"%.500s/shard-%05d-0001.shard.h5", dir, k);
		if (make_shard(file[k].path, k, true, k == N_FILE - 1))
			abort();
		take_file(&file[k]);
	}
	/* before the folder of scratch_path() goes */
	atexit(remove_run);
}

/* ---- edits ---- */

/*
 * An edit of four bytes: which file (1), a checkpoint (2), or any byte (4), how
 * (from 8 on), in the first edit the last file (LONGER); where; a value.
 */
#define EDIT 4
#define LONGER 0x80

static void
edit(const uint8_t *e, bool longer)
{
	struct file *f = &file[(e[0] & 1) * (longer ? 2 : 1)];
	const struct vs_seal_saved *s = &f->saved[e[0] >> 1 & 1];
	size_t at = e[1] | (size_t)e[2] << 8, room;
	uint64_t word;

	if (e[0] & 4)
		at = VS_SEAL_BYTES + at % (f->n - VS_SEAL_BYTES);
	else
		at = s->at + at % s->size;
	room = f->n - at;
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

/* Make the digests of checkpoints and seal right again. */
static void
seal(struct file *f)
{
	struct vs_seal_saved *named;
	uint64_t hash;

	for (int k = 0; k < N_SAVED; k++) {
		const struct vs_seal_saved *s = &f->saved[k];

		named = (void *)(k + 1 < N_SAVED
				? f->forged + f->saved[k + 1].at + 8
				: f->forged + SAVED_AT);
		hash = vs_digest_64(f->forged + s->at, s->size);
		memcpy((uint8_t *)named + offsetof(struct vs_seal_saved, hash),
			&hash, sizeof(hash));
	}
	hash = vs_digest_64(f->forged, SEALED);
	memcpy(f->forged + SEALED, &hash, sizeof(hash));
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
	code = vs_shard_saved_gather(dir, whole, "t", &made);
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

/* Each 8 bytes of a checkpoint, one more or less, all ones or none. */
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
