/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Damaged files: whatever happens to a sealed file, it is refused with one
 * sentence that names it. Without the check of the payload digest, so that HDF5
 * sees the damage, what is read is right or refused, and nothing crashes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/results/result.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define N 40 /* vectors */
#define F 70 /* fields */

static const char good[] = "good.h5", bad[] = "bad.h5";
static uint8_t *whole;
static size_t size;
static char content[VS_DIGEST_TEXT];
static bool vectors; /* what good is: a vectors file or a shard */

static int
make_vectors(struct vs_codec codec)
{
	struct vs_packed_plan plan = { .path = good,
		.n_field = F,
		.n_vec = N,
		.allele_rule = "minor1",
		.codec = codec,
		.generator = "t",
		.force = true };
	struct vs_packed_writer *w = NULL;
	struct vs_provenance p = { 0 };
	struct vs_samples m = { .n = F };
	struct vs_sites s = { 0 };
	struct vs_rng r;
	struct vs_vec b;
	int code = vs_vec_new(&b, N, F);

	vs_rng_seed(&r, 3);
	for (size_t q = 0; q < F; q++)
		vs_text_pool_add(&m.id, "sample", 6);
	for (size_t v = 0; v < N; v++) {
		struct vs_site site = { .id = "rs17",
			.contig = "X",
			.allele = { "A", "C" },
			.id_len = 4,
			.contig_len = 1,
			.allele_len = { 1, 1 } };

		for (size_t q = 0; q < F; q++)
			vs_vec_set(&b, v, q, (int)vs_rng_below(&r, 4));
		vs_vec_count(&b, v, site.count);
		site.source_row = (int64_t)v;
		vs_sites_add(&s, &site);
	}
	vs_provenance_add(&p, &(struct vs_step){ .tool = "t" });
	if (!code)
		code = vs_packed_create(&w, &plan);
	if (!code)
		code = vs_packed_add(w, &b, 0, N);
	if (!code)
		code = vs_packed_finish(w, &s, &m, NULL, &p, content);
	vs_provenance_free(&p);
	vs_sites_samples_free(&m);
	vs_sites_free(&s);
	vs_vec_free(&b);
	return code;
}

static int
make_shard(struct vs_codec codec)
{
	struct vs_run run = { .metric = "ccc",
		.n_way = 2,
		.n_vectors = N,
		.n_fields = F,
		.value_type = "f64",
		.tile = N,
		.n_blocks = 1,
		.n_stages = 1,
		.stage_end = 1,
		.has_num = true };
	struct vs_result_plan plan = { .path = good,
		.kind = VS_KIND_SHARD,
		.codec = codec,
		.generator = "t",
		.force = true };
	struct vs_provenance p = { 0 };
	struct vs_result_end end = { .provenance = &p };
	struct vs_result_writer *w = NULL;
	struct vs_record rec;
	int code = vs_result_create(&w, &plan, &run);

	for (uint64_t i = 0; i < N && !code; i++)
		for (uint64_t j = i + 1; j < N && !code; j++) {
			rec = vs_record_pair(i, j);
			rec.value = 1.0 / (double)(i + j);
			rec.num = (int64_t)(i * j);
			rec.cell = j % 4;
			code = vs_result_add(w, &rec, 1);
		}
	if (!code)
		code = vs_result_tile(w, &(struct vs_tile_row){ 0 });
	return code ? code : vs_result_finish(w, &end, content);
}

/* Read the good file into memory. */
static void
load(void)
{
	struct stat st;
	int fd = open(good, O_RDONLY);

	if (fd < 0 || fstat(fd, &st))
		abort();
	size = (size_t)st.st_size;
	whole = malloc(size);
	if (!whole || read(fd, whole, size) != (ssize_t)size)
		abort();
	close(fd);
}

/* Write n bytes as the bad file. */
static void
cache(const uint8_t *bytes, size_t n)
{
	int fd = open(bad, O_WRONLY | O_CREAT, 0600);

	/* truncating to nothing first would wait for the disk each time */
	if (fd < 0 || write(fd, bytes, n) != (ssize_t)n ||
		ftruncate(fd, (off_t)n))
		abort();
	close(fd);
}

/* Open the bad file and read all of it; content is its digest. */
static int
read_all(unsigned flags, char digest[VS_DIGEST_TEXT])
{
	int code;

	if (vectors) {
		struct vs_packed *p = NULL;
		struct vs_sites s = { 0 };
		struct vs_samples m = { 0 };
		struct vs_vec b = { 0 };

		code = vs_packed_open(&p, bad, flags);
		if (!code)
			code = vs_vec_new(&b, p->n_vec, p->n_field);
		if (!code)
			code = vs_packed_read(p, 0, p->n_vec, &b, 0);
		if (!code)
			code = vs_packed_sites(p, &s);
		if (!code)
			code = vs_packed_samples(p, &m);
		if (!code)
			code = vs_h5_reader_check(p->file, &vs_packed_content,
				digest);
		vs_packed_close(p);
		vs_sites_free(&s);
		vs_sites_samples_free(&m);
		vs_vec_free(&b);
	} else {
		struct vs_result *r = NULL;
		struct vs_record *rec = NULL;
		struct vs_tile_row *tile = NULL;
		size_t n;

		code = vs_result_open(&r, bad, flags);
		if (!code && r->n_records < 100000)
			rec = malloc((r->n_records + 1) * sizeof(*rec));
		if (rec)
			code = vs_result_read(r, 0, r->n_records, rec);
		if (!code)
			code = vs_result_tiles(r, &tile, &n);
		if (!code)
			code = vs_h5_reader_check(r->file, &vs_shard_content,
				digest);
		vs_result_close(r);
		free(tile);
		free(rec);
	}
	return code;
}

static bool
one_sentence(int code)
{
	const char *t = vs_fail_text();
	bool one = code == VS_EINPUT && !strncmp(t, bad, strlen(bad)) &&
		!strchr(t, '\n') && strlen(t) > strlen(bad) + 10;

	if (!one)
		printf("# code %d: %s\n", code, t);
	vs_fail_clear();
	return one;
}

/* The seal and the payload digest catch it before HDF5 sees it. */
static bool
refused(void)
{
	char digest[VS_DIGEST_TEXT];

	return one_sentence(read_all(0, digest));
}

/* Without the payload digest: refused, or what is read is right. */
static bool
harmless(void)
{
	char digest[VS_DIGEST_TEXT];
	int status, code;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(60);
		code = read_all(VS_H5_FAST, digest);
		if (!code)
			_exit(strcmp(digest, content) ? 1 : 0);
		_exit(one_sentence(code) ? 0 : 2);
	}
	if (waitpid(child, &status, 0) != child)
		return false;
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return true;
	printf("# status %x\n", status);
	return false;
}

static void
flips(const char *name, size_t n_random, size_t step)
{
	struct vs_rng r;
	bool all = true, fast = true;

	vs_rng_seed(&r, 11);
	for (size_t bit = 0; bit < 8 * 512 && all; bit += step) {
		whole[bit / 8] ^= (uint8_t)(1 << bit % 8);
		cache(whole, size);
		all = refused();
		whole[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	T_OK(all, "%s: one of %zu bits of the seal turned: refused", name,
		step);
	for (size_t k = 0; k < n_random && all && fast; k++) {
		size_t bit = 8 * 512 + vs_rng_below(&r, 8 * (size - 512));

		whole[bit / 8] ^= (uint8_t)(1 << bit % 8);
		cache(whole, size);
		all = refused();
		if (k % 4 == 0)
			fast = harmless();
		if (!all || !fast)
			printf("# bit %zu\n", bit);
		whole[bit / 8] ^= (uint8_t)(1 << bit % 8);
	}
	T_OK(all, "%s: %zu bits turned anywhere: refused", name, n_random);
	T_OK(fast, "%s: the same bits, seen by HDF5: refused or harmless",
		name);
}

static void
smears(const char *name, size_t n)
{
	uint8_t *copy = malloc(size + 9);
	bool all = true, fast = true;
	struct vs_rng r;

	vs_rng_seed(&r, 12);
	for (size_t k = 0; k < n && all && fast; k++) {
		size_t at = 512 + vs_rng_below(&r, size - 512 - 8);

		memcpy(copy, whole, size);
		for (int b = 0; b < 8; b++)
			copy[at + (size_t)b] = (uint8_t)vs_rng_next(&r);
		cache(copy, size);
		all = refused();
		fast = harmless();
		if (!all || !fast)
			printf("# at %zu\n", at);
	}
	T_OK(all, "%s: eight bytes overwritten: refused", name);
	T_OK(fast, "%s: the same, seen by HDF5: refused or harmless", name);
	all = fast = true;
	for (size_t k = 0; k < 100 && all && fast; k++) {
		size_t at = 512 + vs_rng_below(&r, size - 512 - 8);

		memcpy(copy, whole, size);
		memset(copy + at, 0, size - at);
		cache(copy, size);
		all = !memcmp(copy, whole, size) || refused();
		fast = harmless();
	}
	T_OK(all, "%s: the tail zeroed: refused", name);
	T_OK(fast, "%s: the same, seen by HDF5: refused or harmless", name);
	all = true;
	for (size_t n_left = 0; n_left < size && all;
		n_left += n_left < 600 ? 1 : size / 97) {
		cache(whole, n_left);
		all = refused();
	}
	T_OK(all, "%s: cut short anywhere: refused", name);
	memcpy(copy, whole, size);
	memset(copy + size, 'x', 9);
	cache(copy, size + 9);
	T_OK(refused(), "%s: with bytes behind its end: refused", name);
	free(copy);
}

static void
says(int code, const char *words, const char *what)
{
	bool said = strstr(vs_fail_text(), words);

	T_OK(code == VS_EINPUT && said, "%s: %s", what, vs_fail_text());
	vs_fail_clear();
}

/* Files of other programs. */
static void
strangers(void)
{
	struct vs_packed *p = NULL;
	struct vs_result *r = NULL;
	static const uint8_t text[] = "#CHROM POS ID\n";
	static const uint8_t hdf5[600] = "\x89HDF\r\n\x1a\n";

	says(vs_packed_open(&p, "nowhere.h5", 0), "No such file", "missing");
	mkdir("directory.h5", 0700);
	says(vs_packed_open(&p, "directory.h5", 0), "is a directory",
		"a directory");
	rmdir("directory.h5");
	if (!mkfifo("fifo.h5", 0600))
		says(vs_packed_open(&p, "fifo.h5", 0), "not a regular file",
			"a pipe");
	unlink("fifo.h5");
	cache(text, sizeof(text));
	says(vs_packed_open(&p, bad, 0), "is not a vsim file", "a text");
	cache(text, 0);
	says(vs_packed_open(&p, bad, 0), "is empty", "nothing");
	cache(hdf5, sizeof(hdf5));
	says(vs_packed_open(&p, bad, 0), "is HDF5 but has no vsim seal",
		"HDF5 of others");
	says(vs_packed_open(&p, bad, VS_H5_UNSEALED), "is damaged",
		"HDF5 of others, damaged, unsealed allowed");
	says(vs_result_open(&r, good, 0), "expected a shard or a merged",
		"another kind");
}

int
main(void)
{
	static const struct vs_codec codec[] = { { VS_CODEC_ZSTD, 1 },
		{ VS_CODEC_DEFLATE, 4 }, { VS_CODEC_NONE, 0 } };
	static const char *const name[] = { "zstd", "deflate", "unpacked" };
	char dir[] = "/tmp/t_damage.XXXXXX", what[64];

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	for (int c = 0; c < 3; c++)
		for (int k = 0; k < 2; k++) {
			vectors = k;
			snprintf(what, sizeof(what), "%s, %s",
				vectors ? "vectors" : "shard", name[c]);
			if (!T_OK(!(vectors ? make_vectors(codec[c])
					    : make_shard(codec[c])),
				    "%s: made %s", what, vs_fail_text()))
				continue;
			load();
			cache(whole, size);
			T_OK(harmless(), "%s: whole: accepted", what);
			/* the seal knows no codec */
			flips(what,
				T_LONG      ? c ? 400 : 2000
					: c ? 100
					    : 500,
				c && !T_LONG ? 11 : 1);
			smears(what, (c ? 50 : 200) / (T_LONG ? 1 : 2));
			if (vectors && !c)
				strangers();
			free(whole);
			unlink(good);
			unlink(bad);
		}
	rmdir(dir);
	return T_DONE();
}
