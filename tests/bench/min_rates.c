/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Rates of the kernels of minima and of inner products on one thread, beside
 * the rate that the ports of the core allow; of as many columns as a run takes.
 *
 * With the arguments npy TYPE V F: such numbers, V vectors of F, to standard
 * output as NumPy's files have them.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/backend.h"
#include "libcore/kern/minima/minima.h"
#define SECONDS 0.03
#include "tests/bench/tries.h"

#define N_ROW 96
#define N_VEC (6 * N_ROW) /* no less than columns */
#define N_FIELD 2000

/*
 * Most elements per cycle of a core with two ports for 512-bit arithmetic and
 * three for 256-bit, one of which only adds: a minimum and an addition for a
 * register, and for integers without sums of products a multiplication.
 */
static const struct limit {
	const char *name;
	double elements;
} limits[] = {
	{ "vnni-u8", 64 },
	{ "avx512-u8", 64 / 1.5 },
	{ "avx2-u8", 32 },
	{ "vnni-u16", 32 },
	{ "avx512-u16", 32 / 1.5 },
	{ "avx2-u16", 16 },
	{ "vnni-u32", 16 },
	{ "avx512-u32", 16 },
	{ "avx2-u32", 12 },
	{ "avx512-f32", 16 },
	{ "avx2-f32", 12 },
	{ "avx512-f64", 8 },
	{ "avx2-f64", 6 },
	/* of inner products: two multiplications with addition */
	{ "inner avx512-f32", 32 },
	{ "inner avx2-f32", 16 },
	{ "inner avx512-f64", 16 },
	{ "inner avx2-f64", 8 },
};

static void *
room(size_t bytes)
{
	void *memory = NULL;

	if (vs_mem_new(&memory, bytes, 1, "numbers"))
		exit(4);
	return memory;
}

/* Counts as of reads: most of them are small. */
static struct vs_numbers
make(enum vs_element element, size_t n_vec, size_t n_field)
{
	struct vs_numbers b = { NULL, element, n_field,
		n_field * vs_element_bytes(element) };
	char *at = room(n_vec * b.stride);
	struct vs_rng rng;

	vs_rng_seed(&rng, 1);
	b.at = at;
	for (size_t v = 0; v < n_vec; v++)
		for (size_t q = 0; q < n_field; q++)
			vs_element_put(element, at + v * b.stride, q,
				(double)vs_rng_below(&rng,
					1 + vs_rng_below(&rng, 250)));
	return b;
}

/*
 * G minima a second, of all vectors with the first n_col; take: with these
 * brought into order each time.
 */
static double
rate(const struct vs_minima *k, const struct vs_numbers *b, size_t n_col,
	bool take)
{
	const size_t ld = n_col + 64;
	void *cols = room(k->col_room(n_col, N_FIELD));
	void *rows = room(k->row_room(N_ROW, N_FIELD));
	double *sum = room((N_ROW + 8) * ld * sizeof(*sum));
	struct tries t = { 0 };

	k->take_cols(b, 0, n_col, cols);
	while (again(&t)) {
		if (take)
			k->take_cols(b, 0, n_col, cols);
		for (size_t row = 0; row < N_VEC; row += N_ROW)
			k->count(&(struct vs_minima_call){ b, row, N_ROW, cols,
				0, n_col, N_ROW, rows, sum, ld });
	}
	free(cols);
	free(rows);
	free(sum);
	return 1e-9 * N_VEC * (double)n_col * N_FIELD / t.best;
}

/* Columns that a run of this kernel takes at a time. */
static size_t
columns(const struct vs_minima *k)
{
	const struct vs_query q = { .metric = vs_metric_find(
					    k->lesser ? "ps" : "r"),
		.n_field = N_FIELD,
		.element = k->element,
		.cpu = k->cpu,
		.kernel = k->name };

	return vs_backend_cpu.columns(&q, N_VEC, false);
}

static double
limit_of(const char *name)
{
	for (size_t k = 0; k < sizeof(limits) / sizeof(*limits); k++)
		if (!strcmp(limits[k].name, name))
			return limits[k].elements;
	return 0;
}

static int
write_npy(const char *type, size_t n_vec, size_t n_field)
{
	/* NumPy's names of types, after ours */
	static const char *const names[] = { "", "|u1", "<u2", "<u4", "<f4",
		"<f8" };
	char head[128], dict[118];
	enum vs_element element;
	struct vs_numbers b;

	if (!vs_element_find(type, &element) || !vs_element_is_number(element))
		return 2;
	b = make(element, n_vec, n_field);
	snprintf(dict, sizeof(dict),
		"{'descr': '%s', 'fortran_order': False, 'shape': (%zu, %zu)}",
		names[element], n_vec, n_field);
	/* what follows the ten bytes of version and length ends in a newline */
	snprintf(head, sizeof(head), "%-117s", dict);
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, stdout);
	fwrite(head, 1, 117, stdout);
	putchar('\n');
	fwrite(b.at, b.stride, n_vec, stdout);
	free((void *)b.at);
	return fflush(stdout) ? 4 : 0;
}

/* A row of the table. The clock may change: it is printed beside each
 * kernel. */
static void
print_row(const struct vs_minima *k, const struct vs_numbers *b)
{
	const size_t n_col = columns(k);
	double clock = core_clock(), most;
	char name[32];

	snprintf(name, sizeof(name), "%s%s", k->lesser ? "" : "inner ",
		k->name);
	most = limit_of(name);
	double g = rate(k, b, n_col, false);
	double taken = rate(k, b, n_col, true);

	clock = fmax(clock, core_clock());
	printf("%-16s %8zu %8.1f %8.1f %8.2f %8.1f", name, n_col, g, taken,
		clock * 1e-9, g * 1e9 / clock);
	if (most > 0)
		printf(" %8.1f %5.0f", most, 100e9 * g / clock / most);
	printf("\n");
}

/* The kernels of a list that this CPU can run. */
static void
print_rows(const struct vs_minima *const *at)
{
	const struct vs_minima *k;
	struct vs_numbers b = { 0 };

	for (int n = 0; (k = at[n]); n++) {
		if (k->cpu > vs_cpu_best())
			continue;
		if (b.element != k->element) {
			free((void *)b.at);
			b = make(k->element, N_VEC, N_FIELD);
		}
		print_row(k, &b);
	}
	free((void *)b.at);
}

int
main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "npy"))
		return write_npy(argv[2], strtoul(argv[3], NULL, 10),
			strtoul(argv[4], NULL, 10));
	printf("sums of minima and of products, 1 thread: columns of a strip, "
	       "G "
	       "comparisons/s, with\ncolumns taken once for %d rows, GHz, "
	       "elements a cycle, "
	       "their limit, share of it\n",
		N_VEC);
	printf("%-16s %8s %8s %8s %8s %8s %8s %5s\n", "kernel", "columns",
		"G/s", "taken", "GHz", "a cycle", "limit", "%");
	print_rows(vs_registry_minima);
	print_rows(vs_registry_inner);
	return 0;
}
