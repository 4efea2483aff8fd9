/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * How fast vectors files are written and read: MB/s of planes, and of the
 * .bed they came from, which is as large. Genotypes of rare alleles in runs,
 * so that they pack about as real ones do.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "formats/vectors/packed.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"

#define NAME "plane_files.vec.h5"

/* Frequencies as 1/x from 0.0005 to 0.5; neighbours in linkage. */
static void
fill(struct vs_vec *b)
{
	struct vs_rng r;

	vs_rng_seed(&r, 1);
	for (size_t v = 0; v < b->n_vec; v++) {
		double u = (double)(vs_rng_next(&r) >> 11) * 0x1p-53;
		uint64_t gap = (uint64_t)(1 / (0.0005 * pow(1000, u))) + 1;

		/* half of the vectors nearly repeat the one before */
		if (v && vs_rng_below(&r, 2)) {
			memcpy(vs_vec_plane(b, v, 0), vs_vec_plane(b, v - 1, 0),
				16 * b->n_word);
			gap *= 16;
		}
		for (size_t q = vs_rng_below(&r, 2 * gap); q < b->n_field;
			q += 1 + vs_rng_below(&r, 2 * gap))
			vs_vec_set(b, v, q,
				vs_rng_below(&r, 4) ? 1
						    : (int)vs_rng_below(&r, 3));
	}
}

/* Seconds this process has computed, on all cores together. */
static double
computed(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static int
write_it(const struct vs_vec *b, struct vs_codec codec)
{
	struct vs_packed_plan plan = { .path = NAME,
		.n_field = b->n_field,
		.n_vec = b->n_vec,
		.allele_rule = "minor1",
		.codec = codec,
		.generator = "plane_files",
		.force = true };
	struct vs_packed_writer *w = NULL;
	struct vs_provenance p = { 0 };
	struct vs_samples m = { .n = b->n_field };
	struct vs_sites s = { 0 };
	int code;

	for (size_t v = 0; v < b->n_vec; v++)
		vs_sites_add(&s,
			&(struct vs_site){ .id = "rs",
				.id_len = 2,
				.contig = "1",
				.contig_len = 1,
				.allele = { "A", "C" },
				.allele_len = { 1, 1 } });
	for (size_t q = 0; q < b->n_field; q++)
		vs_text_pool_add(&m.id, "s", 1);
	code = vs_packed_create(&w, &plan);
	for (size_t v = 0; v < b->n_vec && !code; v += 256)
		code = vs_packed_add(w, b, v,
			v + 256 < b->n_vec ? v + 256 : b->n_vec);
	if (!code)
		code = vs_packed_finish(w, &s, &m, NULL, &p, NULL);
	vs_sites_samples_free(&m);
	vs_sites_free(&s);
	return code;
}

int
main(int argc, char **argv)
{
	static const struct vs_codec codec[] = { { VS_CODEC_ZSTD, 1 },
		{ VS_CODEC_ZSTD, 3 }, { VS_CODEC_DEFLATE, 4 },
		{ VS_CODEC_NONE, 0 } };
	static const char *const name[] = { "zstd1", "zstd3", "deflate4",
		"none" };
	struct vs_vec b, got;
	double bytes;

	if (vs_vec_new(&b, 50000, 20000) || vs_vec_new(&got, 50000, 20000))
		return 4;
	bytes = (double)b.n_vec * 16 * (double)((b.n_field + 63) / 64);
	fill(&b);
	puts("codec     write MB/s  per core  open s  read MB/s  per core  "
	     "ratio");
	for (int c = 0; c < 4; c++) {
		double t[4], cpu[4];
		struct vs_packed *p = NULL;
		struct stat st;
		int code;

		if (argc > 1 && strcmp(argv[1], name[c]))
			continue;
		t[0] = vs_clock();
		cpu[0] = computed();
		code = write_it(&b, codec[c]);
		t[1] = vs_clock();
		cpu[1] = computed();
		if (!code)
			code = vs_packed_open(&p, NAME, 0);
		t[2] = vs_clock();
		cpu[2] = computed();
		if (!code)
			code = vs_packed_read(p, 0, b.n_vec, &got, 0);
		t[3] = vs_clock();
		cpu[3] = computed();
		if (code || stat(NAME, &st)) {
			fprintf(stderr, "plane_files: %s\n", vs_fail_text());
			return 4;
		}
		printf("%-10s %9.0f %9.0f %7.3f %10.0f %9.0f %6.2f\n", name[c],
			bytes / (t[1] - t[0]) / 1e6,
			bytes / (cpu[1] - cpu[0]) / 1e6, t[2] - t[1],
			bytes / (t[3] - t[2]) / 1e6,
			bytes / (cpu[3] - cpu[2]) / 1e6,
			bytes / (double)st.st_size);
		vs_packed_close(p);
		unlink(NAME);
	}
	vs_vec_free(&b);
	vs_vec_free(&got);
	return 0;
}
