/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bytes of numbers of any sign: inner products of vectors lie within the bound
 * that their dot products give, on every CPU level, with and without outliers.
 */
#include <math.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/dots/layers.h"
#include "libcore/kern/dots/signed_bytes.h"
#include "tests/unit/test.h"

#define N 40
#define MOST 700
#define PADDED 64

static double number[N][MOST], y[N][MOST];
static float single[N][MOST];

static void *
room(size_t bytes)
{
	void *memory = NULL;

	if (vs_mem_room(&memory, bytes, 1, "bytes"))
		exit(4);
	return memory;
}

/* Nearly normal numbers; some are far out, and some vectors constant. */
static void
fill(size_t n, struct vs_rng *rng, struct vs_signed_vector *x)
{
	for (size_t v = 0; v < N; v++) {
		double norm = 0, scale = ldexp(1, (int)v % 9 - 4);

		for (size_t k = 0; k < n; k++) {
			double sum = -6;

			for (int t = 0; t < 12; t++)
				sum += (double)(vs_rng_next(rng) >> 11) *
					0x1p-53;
			sum *= v % 5 == 1 && !vs_rng_below(rng, 50) ? 30 : 1;
			single[v][k] = (float)(v == 7 ? 3 : scale * sum);
			number[v][k] = (double)single[v][k];
			norm += number[v][k] * number[v][k];
		}
		x[v] = (struct vs_signed_vector){ 0 };
		x[v].factor = v == 9 ? 0 : 1 / sqrt(norm);
		x[v].shift = v % 3 ? 0 : 0.3 / sqrt((double)n);
		norm = 0;
		for (size_t k = 0; k < n; k++) {
			y[v][k] = number[v][k] * x[v].factor - x[v].shift;
			norm += y[v][k] * y[v][k];
		}
		/* at most 1, as it has to be */
		norm = norm > 1 ? sqrt(norm) : 1;
		x[v].factor /= norm;
		x[v].shift /= norm;
		for (size_t k = 0; k < n; k++)
			y[v][k] /= norm;
	}
}

static int
outside(size_t n, double step, const struct vs_signed_vector *row,
	const struct vs_signed_vector *col, const uint32_t *dot)
{
	const double m = VS_SIGNED_MIDDLE;
	int wrong = 0;

	for (size_t i = 0; i < N; i++)
		for (size_t j = 0; j < N; j++) {
			double p = 0,
			       bound = col[j].error * (1 + row[i].error) +
				row[i].error;
			double b = dot[i * PADDED + j] -
				m * (row[i].sum + col[j].sum) -
				(double)n * m * m;

			for (size_t k = 0; k < n; k++)
				p += y[i][k] * y[j][k];
			wrong += !(fabs(p - step * step * b) <= bound);
		}
	return wrong;
}

/* Errors are bounds of the true ones, and near them. */
static int
loose(size_t n, double step, const struct vs_signed_vector *x,
	const uint8_t *rows)
{
	const size_t block = vs_layers_lines(n, 1) * VS_DOTS_TILE;
	int wrong = 0;

	for (size_t v = 0; v < N; v++) {
		double error = 0;

		for (size_t k = 0; k < n; k++) {
			int byte = rows[v / 16 * block + k / 64 * VS_DOTS_TILE +
				v % 16 * 64 + k % 64];
			double e = y[v][k] - step * (byte - VS_SIGNED_MIDDLE);

			error += e * e;
		}
		error = sqrt(error);
		wrong += !(x[v].error >= error &&
			x[v].error <= 1.01 * error + 1e-5);
	}
	return wrong;
}

static void
try(enum vs_cpu cpu, const struct vs_dots *dots, bool f32)
{
	static const size_t fields[] = { 1, 5, 63, 64, 65, 128, 300, MOST };
	const size_t bytes = 64 * (MOST + 64);
	uint8_t *rows = room(bytes), *cols = room(bytes), *block = room(bytes);
	uint32_t *dot = room(PADDED * PADDED * sizeof(*dot));
	int wrong = 0, far = 0;
	struct vs_rng rng;

	vs_rng_seed(&rng, 18);
	for (size_t t = 0; t < sizeof(fields) / sizeof(*fields); t++)
		for (int reach = 2; reach < 20; reach *= 2) {
			const size_t n = fields[t];
			const double step =
				(double)(float)(reach / 63.0 / sqrt((double)n));
			const struct vs_numbers b = { f32 ? (void *)single
							  : (void *)number,
				f32 ? VS_NUM_F32 : VS_NUM_F64, n,
				MOST * (f32 ? 4 : 8) };
			struct vs_signed_vector x[N], z[N];

			fill(n, &rng, x);
			memcpy(z, x, sizeof(z));
			vs_signed_bytes_rows(cpu, step, &b, 0, N, rows, x);
			vs_signed_bytes_cols(cpu, step, &b, 0, N, cols, z,
				block);
			dots->count(&(struct vs_dots_call){ rows, cols, PADDED,
				PADDED, vs_layers_lines(n, 1), dot, PADDED,
				false });
			wrong += outside(n, step, x, z, dot);
			far += loose(n, step, x, rows);
		}
	T_OK(!wrong,
		"%s with %s, %s: inner products within their bounds: %d "
		"not",
		vs_cpu_name(cpu), dots->name, f32 ? "f32" : "f64", wrong);
	T_OK(!far, "%s, %s: errors as they are: %d not", vs_cpu_name(cpu),
		f32 ? "f32" : "f64", far);
	free(rows);
	free(cols);
	free(block);
	free(dot);
}

int
main(void)
{
	const struct vs_dots *dots;

	for (enum vs_cpu cpu = VS_CPU_SCALAR; cpu <= vs_cpu_best(); cpu++)
		for (int k = 0; (dots = vs_registry_dots[k]); k++)
			if (dots->cpu <= vs_cpu_best())
				for (int f32 = 0; f32 < 2; f32++)
					try(cpu, dots, f32);
	if (!vs_registry_dots_pick(vs_cpu_best()))
		T_SKIP("no kernel of dot products on this CPU");
	return T_DONE();
}
