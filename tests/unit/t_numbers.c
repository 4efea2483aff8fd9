/* SPDX-License-Identifier: BSD-3-Clause */
/* Vectors files of numbers: what is written is read back, sums and all. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "libcore/bits/panel.h"
#include "libcore/metric/plain.h"
#include "tests/unit/test.h"

#define NAME "t.vec.h5"

static const struct {
	const char *name;
	size_t bytes;
	double most;
} known[] = { { 0 }, { "u8", 1, 255 }, { "u16", 2, 65535 },
	{ "u32", 4, 4294967295.0 }, { "f32", 4, 0 }, { "f64", 8, 0 } };

/* Rows of any bits that the element may have, extremes among them. */
static void
fill(enum vs_element e, uint8_t *rows, size_t n)
{
	struct vs_rng r;

	vs_rng_seed(&r, n + (unsigned)e);
	for (size_t q = 0; q < n; q++) {
		uint64_t x = vs_rng_next(&r);
		float f = (float)(x >> 40) / 3.0f;
		double d = (double)(x >> 11) / 3.0;

		if (x % 5 == 0)
			x = x % 2 ? 0 : UINT64_MAX;
		if (e == VS_NUM_F32)
			memcpy(rows + 4 * q, &f, 4);
		else if (e == VS_NUM_F64)
			memcpy(rows + 8 * q, &d, 8);
		else
			memcpy(rows + known[e].bytes * q, &x, known[e].bytes);
	}
}

static int
write_it(enum vs_element e, const uint8_t *rows, size_t n_vec, size_t n_field,
	struct vs_codec codec, size_t step, char content[VS_DIGEST_TEXT])
{
	struct vs_packed_plan plan = {
		.path = NAME,
		.element = e,
		.n_field = n_field,
		.n_vec = step % 2 ? VS_ROWS_UNKNOWN : n_vec,
		.codec = codec,
		.generator = "t_numbers",
		.force = true,
	};
	struct vs_packed_writer *w = NULL;
	struct vs_provenance p = { 0 };
	struct vs_samples m = { .n = n_field };
	struct vs_sites s = { 0 };
	char id[32];
	int code = vs_packed_create(&w, &plan);

	for (size_t v = 0; v < n_vec && !code; v += step)
		code = vs_packed_add_rows(w,
			rows + v * n_field * known[e].bytes,
			v + step < n_vec ? step : n_vec - v);
	for (size_t v = 0; v < n_vec && !code; v++) {
		struct vs_site site = { .id = id,
			.contig = "",
			.allele = { "", "" } };

		site.id_len = (size_t)snprintf(id, sizeof(id), "g%zu", v);
		site.source_row = (int64_t)(n_vec - 1 - v);
		code = vs_sites_add(&s, &site);
	}
	for (size_t q = 0; q < n_field && !code; q++)
		code = vs_text_pool_add(&m.id, id,
			(size_t)snprintf(id, sizeof(id), "S%zu", q));
	if (!code)
		code = vs_packed_finish(w, &s, &m, NULL, &p, content);
	vs_sites_samples_free(&m);
	vs_sites_free(&s);
	return code;
}

/* Integer sums in integers; real ones in long double, which must be near. */
static bool
sums_are_right(struct vs_packed *p, enum vs_element e, const uint8_t *rows)
{
	void *sums = NULL;
	bool right = !vs_packed_sums(p, &sums);

	for (size_t v = 0; v < p->n_vec && right; v++) {
		uint64_t whole = 0;
		long double real = 0;

		for (size_t q = 0; q < p->n_field; q++) {
			const uint8_t *at =
				rows + (v * p->n_field + q) * known[e].bytes;
			uint64_t x = 0;
			float f;
			double d;

			memcpy(&x, at, known[e].bytes);
			memcpy(&f, at, 4);
			whole += x;
			if (e == VS_NUM_F64)
				memcpy(&d, at, 8);
			else
				d = (double)f;
			real += (long double)d;
		}
		right = known[e].most > 0
			? ((uint64_t *)sums)[v] == whole
			: fabsl((long double)((double *)sums)[v] - real) <=
				real * (e == VS_NUM_F32 ? 1e-5L : 1e-12L);
	}
	free(sums);
	return right;
}

static bool
rows_are_right(struct vs_packed *p, const uint8_t *rows, size_t lo, size_t hi)
{
	size_t bytes = (hi - lo) * p->row_bytes;
	uint8_t *got = malloc(bytes);
	bool right = got && !vs_packed_rows(p, lo, hi, got) &&
		!memcmp(got, rows + lo * p->row_bytes, bytes);

	free(got);
	return right;
}

static bool
columns_are_right(struct vs_packed *p)
{
	struct vs_sites s = { 0 };
	size_t len, last = p->n_vec - 1;
	char id[32];
	bool right = !vs_packed_sites(p, &s);

	snprintf(id, sizeof(id), "g%zu", last);
	right = right && s.n == p->n_vec && s.contig[last] == -1 &&
		!s.pos[last] && s.source_row[last] == 0 &&
		s.allele1_source[last] == VS_ALLELE_UNKNOWN &&
		s.allele[1].n == s.n &&
		!memcmp(vs_text_pool_get(&s.id, last, &len), id, strlen(id));
	vs_sites_free(&s);
	return right;
}

static void
round_trip(enum vs_element e, size_t n_vec, size_t n_field)
{
	static const struct vs_codec codec[] = { { VS_CODEC_ZSTD, 1 },
		{ VS_CODEC_DEFLATE, 4 }, { VS_CODEC_NONE, 0 } };
	char content[VS_DIGEST_TEXT], first[VS_DIGEST_TEXT] = "";
	uint8_t *rows = calloc(n_vec * n_field + 8, known[e].bytes);
	bool right = true;

	fill(e, rows, n_vec * n_field);
	for (size_t c = 0; c < 3 && right; c++) {
		struct vs_packed *p = NULL;
		struct vs_vec v;

		right = !write_it(e, rows, n_vec, n_field, codec[c], 3 * c + 2,
				content) &&
			!vs_packed_open(&p, NAME, 0) && p->element == e &&
			p->row_bytes == n_field * known[e].bytes &&
			sums_are_right(p, e, rows) &&
			rows_are_right(p, rows, 0, n_vec) &&
			rows_are_right(p, rows, n_vec / 3, n_vec / 2 + 1) &&
			columns_are_right(p) &&
			!vs_h5_reader_check(p->file, &vs_packed_content,
				content) &&
			!strcmp(p->content, content) &&
			(c ? !strcmp(first, content) : 1);
		strcpy(first, content);
		if (!right)
			printf("# %s\n", vs_fail_text());
		if (right && !vs_vec_new(&v, 1, n_field)) {
			right = vs_packed_read(p, 0, 1, &v, 0) == VS_EINPUT &&
				strstr(vs_fail_text(), known[e].name);
			vs_fail_clear();
			vs_vec_free(&v);
		}
		vs_packed_close(p);
		/* what was read is not written over */
		unlink(NAME);
	}
	T_OK(right, "%s: %zu x %zu come back, in each packing", known[e].name,
		n_vec, n_field);
	free(rows);
}

/* A number fits if it comes back the same, or rounded once. */
static void
elements(void)
{
	enum vs_element e;

	for (int k = VS_NUM_U8; k <= VS_NUM_F64; k++) {
		double most = known[k].most, got[2] = { 0 };
		bool whole = most > 0;

		e = (enum vs_element)k;
		T_OK(!strcmp(vs_element_name(e), known[k].name) &&
				vs_element_bytes(e) == known[k].bytes,
			"%s: name and size", known[k].name);
		T_OK(vs_element_fits(e, 0) && vs_element_fits(e, -0.0) &&
				vs_element_fits(e, 255) &&
				vs_element_fits(e, -1) == !whole &&
				!vs_element_fits(e, NAN) &&
				!vs_element_fits(e, INFINITY) &&
				vs_element_fits(e, 0.5) == !whole &&
				vs_element_fits(e, 1e300) ==
					(e == VS_NUM_F64) &&
				(!whole ||
					(vs_element_fits(e, most) &&
						!vs_element_fits(e, most + 1))),
			"%s: what fits", known[k].name);
		vs_element_put(e, got, 1, whole ? most : 0.25);
		T_OK(vs_element_get(e, got, 1) == (whole ? most : 0.25),
			"%s: put and got", known[k].name);
		vs_element_put(e, got, 0, -0.0);
		T_OK(!signbit(vs_element_get(e, got, 0)), "%s: no -0",
			known[k].name);
	}
	T_OK(!vs_element_find("u7", &e) && vs_element_find("bit2", &e) &&
			e == VS_BIT2,
		"elements are found by name");
}

/* Numbers of these kinds are odd unless they are allowed. */
static void
try_odd(unsigned allowed, const double *good, const double *bad)
{
	int wrong = 0;

	for (enum vs_element e = VS_NUM_F32; e <= VS_NUM_F64; e++)
		for (size_t n = 1; n < 70; n++)
			for (size_t at = 0; at <= n; at++) {
				float f[70];
				double d[70];

				for (size_t q = 0; q < n; q++)
					d[q] = q < at ? good[(q + n) % 5]
						      : bad[(q + n) % 5];
				for (size_t q = 0; q < n; q++)
					f[q] = (float)d[q];
				wrong += vs_element_odd(e,
						 e == VS_NUM_F32 ? (void *)f
								 : (void *)d,
						 n, allowed) != at;
			}
	T_OK(!wrong, "the first number of a kind not in %u: %d wrong", allowed,
		wrong);
}

/* One number that is not allowed, anywhere among others; and none. */
static void
kinds(void)
{
	const double huge = -0x1p990, less = 0x1.fffffffffffffp989;

	try_odd(VS_NUMBER_HUGE, (double[]){ 0, -0.0, 1e-45, 1, 3e38 },
		(double[]){ -1e-45, -1, -INFINITY, INFINITY, NAN });
	try_odd(VS_NUMBER_NEGATIVE, (double[]){ -1e-45, -0.0, -3e38, 1, 3e38 },
		(double[]){ -NAN, 1e300, -INFINITY, INFINITY, NAN });
	try_odd(VS_NUMBER_NEGATIVE | VS_NUMBER_MISSING,
		(double[]){ -1, -NAN, NAN, 1, 0 },
		(double[]){ 1e300, -INFINITY, INFINITY, -1e300, -INFINITY });
	T_OK(vs_element_kinds(VS_NUM_F64, &huge, 1) ==
				(VS_NUMBER_NEGATIVE | VS_NUMBER_HUGE) &&
			!vs_element_kinds(VS_NUM_F64, &less, 1),
		"huge is from 2^990 on");
}

/* Numbers times a power of two have the same correlation, bit for bit, whether
 * that makes them subnormal or huge; cosines too. */
static void
powers(void)
{
	enum { N = 300 };
	static const int power[] = { -1074, -1060, -1000, -700, 300, 900 };
	static double x[2][N], y[2][N], plain[2][N];
	struct vs_rng r;

	vs_rng_seed(&r, 3);
	for (int c = 0; c < 2; c++)
		for (size_t q = 0; q < N; q++)
			x[c][q] = (double)(c * 8000 + vs_rng_below(&r, 900)) -
				400;
	for (size_t k = 0; k < 2 * sizeof(power) / sizeof(*power); k++) {
		const bool centred = k % 2;
		bool same = true;
		double value[2];

		for (int c = 0; c < 2; c++) {
			struct vs_panel p;

			for (size_t q = 0; q < N; q++)
				plain[c][q] = ldexp(x[c][q], power[k / 2]);
			if (vs_panel_room_of(&p, VS_NUM_F64, 2, N))
				exit(1);
			p.n_vec = 2;
			memcpy((void *)p.number.at, x[c], sizeof(*x));
			memcpy((char *)(uintptr_t)p.number.at + sizeof(*x),
				plain[c], sizeof(*x));
			for (size_t v = 0; v < 2; v++) {
				same &= !vs_panel_total(&p, v, v, "x");
				vs_panel_centre(&p, v, centred, false);
				memcpy(y[v], vs_numbers_of(&p.number, v),
					sizeof(*y));
			}
			same &= !memcmp(y[0], y[1], sizeof(*y));
			vs_panel_free(&p);
		}
		value[0] = vs_plain_inner(VS_NUM_F64, centred, x[0], x[1], N);
		value[1] = vs_plain_inner(VS_NUM_F64, centred, plain[0],
			plain[1], N);
		T_OK(same && value[0] == value[1],
			"numbers times 2^%d, %scentred: %.17g and %.17g",
			power[k / 2], centred ? "" : "not ", value[0],
			value[1]);
	}
}

int
main(void)
{
	kinds();
	powers();
	static const size_t field[] = { 1, 7, 64, 1940 };
	char dir[] = "/tmp/t_numbers.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	elements();
	for (int e = VS_NUM_U8; e <= VS_NUM_F64; e++) {
		for (size_t k = 0; k < sizeof(field) / sizeof(field[0]); k++)
			round_trip((enum vs_element)e, k % 2 ? 70 : 1,
				field[k]);
		round_trip((enum vs_element)e, 3, 70001);
	}
	rmdir(dir);
	return T_DONE();
}
