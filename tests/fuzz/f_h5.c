/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Readers of vectors files, shards and merged results on files forged under
 * right checksums: an input is a list of edits of one of the files of
 * tests/fuzz/h5, named by its first byte. Checksums of HDF5's metadata and our
 * seal are then corrected. Either a file is refused with a sentence that names
 * it, or what is read from it agrees with what it states.
 *
 * The files are of 14 vectors of 20 genotypes, and of 9 numbers, and what
 * vsim-run -t 0.2 --tile 5, --way 3 --codec deflate, -m ps --codec none and
 * vsim-merge make of them; and what -m k2 --top 9 --permutations 5 makes of
 * 14 vectors of 40 synthetic genotypes with cases.
 */
#include <stdbool.h>
#include <string.h>

#include "formats/check/check.h"
#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 120;

#define FIRST 512      /* bytes of the seal */
#define MOST_BLOCK 256 /* blocks of metadata of a file */
#define LONGEST 1600   /* bytes of a block that is looked for */
#define MOST_ROW 4096  /* rows that are read */

/* A block of HDF5's metadata, whose checksum is behind it. */
struct block {
	size_t at, n;
};

struct source {
	uint8_t bytes[CORPUS_MOST];
	size_t n;
	struct block block[MOST_BLOCK];
	size_t n_block, n_byte; /* bytes of all blocks */
};

static struct source source[8];
static size_t n_source;

/* ---- Jenkins' hash lookup3, as HDF5's specification has it ---- */

static uint32_t
turn(uint32_t x, int k)
{
	return x << k | x >> (32 - k);
}

static uint32_t
lookup3(const uint8_t *key, size_t n)
{
	uint32_t s[3], w[3];
	uint8_t last[12] = { 0 };

	s[0] = s[1] = s[2] = 0xdeadbeef + (uint32_t)n;
	for (; n > 12; n -= 12, key += 12) {
		static const int by[6] = { 4, 6, 8, 16, 19, 4 };

		memcpy(w, key, 12);
		for (int k = 0; k < 3; k++)
			s[k] += w[k];
		for (int k = 0; k < 6; k++) {
			uint32_t *x = &s[k % 3], *y = &s[(k + 1) % 3],
				 *z = &s[(k + 2) % 3];

			*x = (*x - *z) ^ turn(*z, by[k]);
			*z += *y;
		}
	}
	if (!n)
		return s[2];
	memcpy(last, key, n);
	memcpy(w, last, 12);
	for (int k = 0; k < 3; k++)
		s[k] += w[k];
	for (int k = 0; k < 7; k++) {
		static const int by[7] = { 14, 11, 25, 16, 4, 14, 24 };
		uint32_t *x = &s[(k + 2) % 3], *y = &s[(k + 1) % 3];

		*x = (*x ^ *y) - turn(*y, by[k]);
	}
	return s[2];
}

static bool
stands_behind(const uint8_t *bytes, size_t n)
{
	uint32_t stated;

	memcpy(&stated, bytes + n, 4);
	return stated == lookup3(bytes, n);
}

/* ---- edits ---- */

static void
find_blocks(struct source *s)
{
	static const char signature[][5] = { "OHDR", "OCHK", "FADB", "FAHD",
		"EAHD", "EAIB", "BTHD", "BTLF", "FRHP", "FHDB" };

	for (size_t k = 0; k < sizeof(signature) / 5; k++)
		for (size_t at = FIRST; at + 12 < s->n; at++) {
			const uint8_t *p = s->bytes + at;

			if (memcmp(p, signature[k], 4))
				continue;
			for (size_t n = 8; n < LONGEST && at + n + 4 <= s->n;
				n++)
				if (stands_behind(p, n) &&
					s->n_block < MOST_BLOCK) {
					s->block[s->n_block++] =
						(struct block){ at, n };
					s->n_byte += n - 4;
					break;
				}
		}
}

/* The place of byte k of all blocks' bytes behind their signatures. */
static size_t
place(const struct source *s, size_t k, const struct block **block)
{
	const struct block *b = s->block;

	for (k %= s->n_byte; k >= b->n - 4; b++)
		k -= b->n - 4;
	*block = b;
	return b->at + 4 + k;
}

static void
seal(uint8_t *bytes, size_t n)
{
	struct vs_digest *d = NULL;
	uint64_t size = n, hash;

	memcpy(bytes + 24, &size, 8);
	if (vs_digest_new(&d))
		exit(4);
	vs_digest_add(d, bytes + FIRST, n - FIRST);
	vs_digest_get(d, bytes + 64);
	vs_digest_free(d);
	hash = vs_digest_64(bytes, 504);
	memcpy(bytes + 504, &hash, 8);
}

/*
 * An edit of six bytes: where, how, a value, where from. Edits of metadata go
 * by block; others touch any byte behind the seal.
 */
#define EDIT 6

static void
edit(const struct source *s, uint8_t *bytes, const uint8_t *e)
{
	const struct block *b = NULL, *other;
	size_t k = e[0] | (size_t)e[1] << 8, q = e[4] | (size_t)e[5] << 8;
	size_t at, n, room;

	if (e[2] & 0x40) {
		at = FIRST + (k | (size_t)(e[2] & 0x80) << 9) % (s->n - FIRST);
		room = s->n - at;
	} else {
		at = place(s, k, &b);
		room = b->at + b->n - at;
	}
	switch (e[2] & 3) {
	case 0:
		bytes[at] ^= (uint8_t)(1 << e[3] % 8);
		break;
	case 1:
		bytes[at] = e[3];
		break;
	case 2:
		memset(bytes + at, e[3] & 1 ? 0xff : 0, room < 8 ? room : 8);
		break;
	default:
		q = place(s, q, &other);
		n = 1 + e[3] % 16;
		n = n < room ? n : room;
		n = n < s->n - q ? n : s->n - q;
		memmove(bytes + at, bytes + q, n);
	}
	if (b) {
		uint32_t sum = lookup3(bytes + b->at, b->n);

		memcpy(bytes + b->at + b->n, &sum, 4);
	}
}

/* ---- reading ---- */

static void
holds(int code, const char *path)
{
	const char *said = vs_fail_text();

	FUZZ_HOLDS(code <= 0 && code != VS_EUSAGE, "code %d: %s", code, said);
	FUZZ_HOLDS(!code || *said, "code %d without a sentence", code);
	FUZZ_HOLDS(code != VS_EINPUT || !strncmp(said, path, strlen(path)),
		"a sentence about no file: %s", said);
}

static int
read_vectors(const char *path)
{
	struct vs_packed *p = NULL;
	struct vs_sites sites = { 0 };
	struct vs_samples samples = { 0 };
	uint8_t *rows = NULL;
	void *sums = NULL;
	uint64_t n = 0;
	int code = vs_packed_open(&p, path, 0);

	if (!code) {
		n = p->n_vec < MOST_ROW ? p->n_vec : MOST_ROW;
		FUZZ_HOLDS(p->n_field && p->n_field <= VS_PACKED_FIELDS,
			"%llu fields", (unsigned long long)p->n_field);
		if (p->row_bytes <= 1 << 20)
			rows = malloc(n * p->row_bytes + 1);
		if (rows)
			code = vs_packed_rows(p, 0, n, rows);
	}
	if (!code)
		code = vs_packed_sites(p, &sites);
	FUZZ_HOLDS(code || sites.n == p->n_vec, "%zu sites of %llu", sites.n,
		(unsigned long long)p->n_vec);
	if (!code)
		code = vs_packed_samples(p, &samples);
	FUZZ_HOLDS(code || samples.n == p->n_field, "%zu samples", samples.n);
	if (!code && p->element != VS_BIT2)
		code = vs_packed_sums(p, &sums);
	if (!code)
		code = vs_check_structure_packed(p);
	if (!code)
		code = vs_check_packed(p);
	vs_packed_close(p);
	vs_sites_free(&sites);
	vs_sites_samples_free(&samples);
	free(rows);
	free(sums);
	return code;
}

static void
see_records(const struct vs_result *r, const struct vs_record *rec, uint64_t n)
{
	uint64_t n_vec = (uint64_t)r->run.n_vectors;

	for (uint64_t k = 0; k < n; k++) {
		FUZZ_HOLDS(rec[k].i < n_vec && rec[k].j < n_vec,
			"vectors %llu, %llu of %llu",
			(unsigned long long)rec[k].i,
			(unsigned long long)rec[k].j,
			(unsigned long long)n_vec);
		FUZZ_HOLDS(r->run.n_way == 3 ? rec[k].k < n_vec
					     : rec[k].k == VS_NO_VEC,
			"k %llu", (unsigned long long)rec[k].k);
	}
}

static int
read_result(const char *path)
{
	struct vs_tile_row *tiles = NULL;
	struct vs_nodes nodes = { 0 };
	struct vs_result *r = NULL;
	struct vs_stats stats;
	struct vs_record *rec = NULL;
	int64_t *offset = NULL;
	size_t n_tile = 0;
	uint64_t n = 0;
	int code = vs_result_open_tiles(&r, path, 0, &tiles, &n_tile);

	if (!code) {
		n = r->n_records < MOST_ROW ? r->n_records : MOST_ROW;
		if (!(rec = malloc((n + 1) * sizeof(*rec))))
			exit(4);
		code = vs_result_read(r, 0, n, rec);
	}
	if (!code)
		see_records(r, rec, n);
	if (!code)
		code = vs_result_stats(r, &stats);
	if (!code && r->kind == VS_KIND_MERGED)
		code = vs_result_index(r, &offset);
	if (!code && r->kind == VS_KIND_MERGED)
		code = vs_result_nodes(r, &nodes);
	if (!code)
		code = vs_check_structure_result(r);
	if (!code)
		code = vs_check_result(r, 1 << 24);
	vs_result_close(r);
	vs_result_nodes_free(&nodes);
	free(offset);
	free(tiles);
	free(rec);
	return code;
}

static void
take_source(const char *path, void *ctx)
{
	struct source *s = &source[n_source];
	struct corpus_input x = { .n = 0 };

	(void)ctx;
	if (n_source == sizeof(source) / sizeof(*source))
		return;
	corpus_add(&x, path);
	memcpy(s->bytes, x.bytes, x.n);
	s->n = x.n;
	find_blocks(s);
	if (s->n_block < 5) {
		fprintf(stderr, "%s: %zu blocks of metadata found\n", path,
			s->n_block);
		exit(1);
	}
	n_source++;
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	static uint8_t forged[CORPUS_MOST];
	const struct source *s;
	char path[SCRATCH_PATH];
	int code;

	if (!n_source)
		corpus_each("tests/fuzz/h5/*.h5", take_source, NULL);
	if (!n || !n_source)
		return 0;
	s = &source[bytes[0] % n_source];
	memcpy(forged, s->bytes, s->n);
	for (size_t at = 1; at + EDIT <= n; at += EDIT)
		edit(s, forged, bytes + at);
	seal(forged, s->n);
	scratch_path(path, "x.h5");
	scratch_file(path, forged, s->n);
	code = s->bytes[10] == VS_KIND_VECTORS ? read_vectors(path)
					       : read_result(path);
	holds(code, path);
	FUZZ_HOLDS(n > EDIT || !code, "a good file is refused: %s",
		vs_fail_text());
	vs_fail_clear();
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	uint8_t x[1 + EDIT] = { 0 };

	for (x[0] = 0; x[0] < 8; x[0]++) {
		take(x, 1);
		/* a bit of metadata, and a byte of data, at several places */
		for (x[2] = 0; x[2] < 60; x[2] += 4) {
			x[3] = 0;
			x[4] = x[2] / 4;
			take(x, 1 + EDIT);
			x[3] = 0x41;
			x[4] = 0xff;
			take(x, 1 + EDIT);
		}
	}
}
