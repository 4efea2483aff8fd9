/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds by products of bytes: each kernel's products against plain ones of the
 * bytes that rows hold; and half + half + unit * products never below the sum
 * of minima, taken field by field in long doubles, nor above it by more than
 * layers may lose. Vectors end where a page that must not be touched begins;
 * some are alike, empty, or the same number all along.
 *
 * With an argument: few shapes, for machines that are slow to emulate.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/engine/prune/byte_edges.h"
#include "libcore/kern/dots/layers.h"
#include "tests/unit/fence.h"
#include "tests/unit/test.h"

#define N_VEC 37
#define MOST_FIELD 192
#define LD 64

enum kind { SMALL, ANY, MOST, TINY, FAR, N_KIND };
static const char *const how[] = { "small", "of any size", "the largest",
	"the smallest", "far apart" };

static double
most_of(enum vs_element e)
{
	return e == VS_NUM_U8     ? UINT8_MAX
		: e == VS_NUM_U16 ? UINT16_MAX
		: e == VS_NUM_U32 ? UINT32_MAX
		: e == VS_NUM_F32 ? (double)FLT_MAX / 1024
				  : 1e300;
}

static double
some(enum vs_element e, enum kind kind, struct vs_rng *rng)
{
	bool whole = vs_element_is_integer(e);
	double share = (double)vs_rng_below(rng, 1u << 30) / (1 << 30);
	double few = e == VS_NUM_F32 ? 30 : 250;

	switch (kind) {
	case SMALL:
		return whole ? (double)vs_rng_below(rng, 5) : share;
	case ANY:
		return whole ? floor(share * most_of(e))
			     : exp(4 * share) * (double)vs_rng_below(rng, 3);
	case MOST:
		return vs_rng_below(rng, 3) ? most_of(e) : 0;
	case TINY:
		return whole
			? (double)vs_rng_below(rng, 2)
			: share * 16 * (e == VS_NUM_F32 ? 0x1p-149 : 0x1p-1074);
	default:
		return whole ? floor(most_of(e) * pow(share, 12))
			     : pow(10, (2 * share - 1) * few);
	}
}

/*
 * Vectors alike, more or less; every seventh is constant, one of those empty.
 */
static struct vs_numbers
make(enum vs_element e, enum kind kind, size_t n_field, char **fence,
	struct vs_rng *rng)
{
	struct vs_numbers b = { NULL, e, n_field,
		n_field * vs_element_bytes(e) };
	char *at;

	*fence = fence_new(N_VEC * b.stride);
	b.at = at = *fence - N_VEC * b.stride;
	for (size_t v = 0; v < N_VEC; v++) {
		double one = v ? some(e, kind, rng) : 0;

		for (size_t q = 0; q < n_field; q++)
			if (v % 3 == 1 && vs_rng_below(rng, 10))
				memcpy(at + v * b.stride +
						q * vs_element_bytes(e),
					at + (v - 1) * b.stride +
						q * vs_element_bytes(e),
					vs_element_bytes(e));
			else
				vs_element_put(e, at + v * b.stride, q,
					v % 7 ? some(e, kind, rng) : one);
	}
	return b;
}

static long double
least(const struct vs_numbers *b, size_t u, size_t v)
{
	long double sum = 0;

	for (size_t q = 0; q < b->n_field; q++)
		sum += (long double)fmin(
			vs_element_get(b->element, vs_numbers_of(b, u), q),
			vs_element_get(b->element, vs_numbers_of(b, v), q));
	return sum;
}

static uint8_t *rows, *cols, *block;
static uint32_t *dot;
static double half[2][N_VEC];

struct tally {
	int products, below, above, halves;
};

/* Rows u and columns v, of which the first is vector `first`. */
static void
judge_pair(const struct vs_layers *l, const struct vs_numbers *b, size_t u,
	size_t v, size_t first, struct tally *t)
{
	size_t n_line = vs_layers_lines(b->n_field, l->n), col = v - first;
	long double bound, sum = least(b, u, v) * (long double)l->scale;
	long double lost = 0, top = (long double)l->top;
	uint64_t want = 0;

	for (size_t k = 0; k < n_line; k++)
		for (size_t x = 0; x < 64; x++)
			want += (uint64_t)rows[u / 16 * n_line * 1024 +
					k * 1024 + u % 16 * 64 + x] *
				rows[v / 16 * n_line * 1024 + k * 1024 +
					v % 16 * 64 + x];
	t->products += dot[u * LD + col] != want;
	if (!isfinite(half[0][u]) || !isfinite(half[1][col]))
		return;
	t->halves += !(fabs(half[0][v] - half[1][col]) <= 1e-5 * half[0][v]);
	bound = (long double)half[0][u] + (long double)half[1][col] +
		(long double)l->unit * dot[u * LD + col];
	t->below += bound * VS_LAYERS_SLACK < sum;
	/* a field loses an eighth of a layer, and a step; above the top half */
	for (int k = 0; k < l->n; k++) {
		long double end =
			k + 1 < l->n ? (long double)l->from[k + 1] : top;
		long double step = (end - l->from[k]) / l->most[k];

		step = step < l->unit ? l->unit : step;
		lost += (end - l->from[k]) / 8 + 2 * step;
	}
	for (size_t q = 0; q < b->n_field; q++) {
		long double x =
			vs_element_get(b->element, vs_numbers_of(b, u), q) *
			l->scale;
		long double y =
			vs_element_get(b->element, vs_numbers_of(b, v), q) *
			l->scale;

		x = x > top ? x - top : 0;
		y = y > top ? y - top : 0;
		sum += lost + fabsl(x - y) / 2;
	}
	t->above += bound > sum * (1 + 0x1p-12L) + 0x1p-100L;
}

/* n_layer layers for the numbers, or between edges anywhere. */
static bool
make_layers(const struct vs_numbers *b, const struct vs_dots *d, int n_layer,
	struct vs_layers *l, struct vs_rng *rng)
{
	struct vs_byte_edges e;
	double edge[VS_LAYERS + 1];
	unsigned most = vs_layers_most(vs_layers_lines(b->n_field, n_layer),
		d->most, d->limit);

	if (!vs_byte_edges_find(&e, b, N_VEC))
		return false;
	n_layer = vs_byte_edges_get(&e, n_layer, edge);
	if (vs_rng_below(rng, 3) == 0)
		edge[n_layer] = edge[n_layer - 1] +
			(edge[n_layer] - edge[n_layer - 1]) / 3;
	vs_layers_make(l, edge, n_layer,
		vs_rng_below(rng, 2) ? most : 1 + vs_rng_below(rng, most),
		b->element);
	return true;
}

static void
try(enum vs_element e, enum kind kind, const struct vs_dots *d, size_t n_field,
	int n_layer, struct tally *t, struct vs_rng *rng)
{
	char *fence;
	struct vs_numbers b = make(e, kind, n_field, &fence, rng);
	size_t first = vs_rng_below(rng, N_VEC);
	struct vs_layers l;

	if (make_layers(&b, d, n_layer, &l, rng)) {
		size_t n_line = vs_layers_lines(n_field, l.n);
		enum vs_cpu cpu = vs_rng_below(rng, 2) ? d->cpu : VS_CPU_SCALAR;

		memset(rows, 255, 64 * 64 * n_line);
		memset(cols, 255, 64 * 64 * n_line);
		vs_layers_rows(cpu, &l, &b, 0, N_VEC, rows, half[0]);
		vs_layers_cols(d->cpu, &l, &b, first, N_VEC - first, cols,
			half[1], block);
		d->count(&(struct vs_dots_call){ rows, cols, 64,
			(N_VEC - first + 31) / 32 * 32, n_line, dot, LD,
			false });
		for (size_t u = 0; u < N_VEC; u++)
			for (size_t v = first; v < N_VEC; v++)
				judge_pair(&l, &b, u, v, first, t);
	}
	fence_free(fence, N_VEC * b.stride);
}

static void
try_element(enum vs_element e, const struct vs_dots *d, bool quick,
	struct vs_rng *rng)
{
	static const size_t fields[] = { 1, 15, 63, 64, 65, 127, 129 };
	static const int layers[] = { 1, 3, VS_LAYERS };

	for (enum kind kind = 0; kind < N_KIND; kind++) {
		struct tally t = { 0 };

		for (size_t f = 0; f < sizeof(fields) / sizeof(*fields); f++)
			for (size_t n = 0;
				n < (quick ? 2 : sizeof(layers) / sizeof(int));
				n++)
				try(e, kind, d, fields[f], layers[n], &t, rng);
		T_OK(!t.products && !t.halves && !t.below && !t.above,
			"%s, %s, numbers %s: %d products and %d halves wrong, "
			"%d bounds below, %d far above",
			d->name, vs_element_name(e), how[kind], t.products,
			t.halves, t.below, t.above);
	}
}

/* Whole numbers in layers a byte can count lose nothing where vectors agree. */
static void
test_whole(const struct vs_dots *d)
{
	const double edge[] = { 0, 1, 2, 100 };
	uint8_t x[N_VEC * 64] = { 0 };
	struct vs_numbers b = { x, VS_NUM_U8, 64, 64 };
	double sum = 0, bound;
	struct vs_layers l;

	for (size_t q = 0; q < 64; q++)
		sum += x[q] = (uint8_t)(q * q % 100);
	vs_layers_make(&l, edge, 3, 98 < d->most ? 98 : d->most, VS_NUM_U8);
	vs_layers_rows(d->cpu, &l, &b, 0, 1, rows, half[0]);
	vs_layers_cols(d->cpu, &l, &b, 0, 1, cols, half[1], block);
	d->count(&(
		struct vs_dots_call){ rows, cols, 32, 32, 3, dot, 32, false });
	bound = (half[0][0] + half[1][0] + l.unit * dot[0]) / l.scale;
	T_OK(fabs(bound - sum) < 1e-5 * sum,
		"%s: whole numbers are bounded exactly: %g of %g", d->name,
		bound, sum);
}

/* Edges are numbers of the sample, rising, also where these add up to more than
 * a double holds. */
static void
test_edges(void)
{
	static double x[32][64];
	const struct vs_numbers b = { x, VS_NUM_F64, 64, sizeof(*x) };
	int wrong = 0;

	/* few large numbers, many lesser ones: no edge is far from any */
	for (size_t k = 0; k < 32 * 64; k++)
		x[k % 32][k / 32] = 0x1p1022 / (double)(k + 8) * 8;
	for (int n = 1; n <= VS_LAYERS; n++) {
		struct vs_byte_edges e;
		double edge[VS_LAYERS + 1];

		memset(&e, 63, sizeof(e));
		wrong += !vs_byte_edges_find(&e, &b, 32) ||
			vs_byte_edges_get(&e, n, edge) != n || edge[0] != 0;
		for (int k = 1; k <= n; k++)
			wrong += !(edge[k] > edge[k - 1]) || edge[k] > x[0][0];
	}
	T_OK(!wrong, "edges of the largest numbers rise");
}

/* No sum may exceed what holds it, however long vectors are. */
static void
test_most(void)
{
	int wrong = 0;

	for (size_t n = 1; n < (size_t)1 << 23; n = n * 3 / 2 + 1) {
		unsigned most = vs_layers_most(n, 255, UINT32_MAX);

		wrong += most < 1 || most > 255 ||
			(uint64_t)most * most * n * 64 > UINT32_MAX;
		wrong += most < 255 &&
			(uint64_t)(most + 1) * (most + 1) * n * 64 <=
				UINT32_MAX;
	}
	T_OK(!wrong, "bytes are as large as their sums allow");
}

int
main(int argc, char **argv)
{
	size_t bytes = (size_t)64 * MOST_FIELD * VS_LAYERS;
	const struct vs_dots *d;
	struct vs_rng rng;

	(void)argv;
	vs_rng_seed(&rng, 7);
	if (vs_mem_room(&rows, bytes, 1, "rows") ||
		vs_mem_room(&cols, bytes, 1, "columns") ||
		vs_mem_room(&block, bytes, 1, "a block") ||
		vs_mem_room(&dot, 64 * 64, sizeof(*dot), "sums"))
		return 4;
	for (int k = 0; (d = vs_registry_dots[k]); k++) {
		if (d->cpu > vs_cpu_best()) {
			T_SKIP("products of bytes: not all on this CPU");
			continue;
		}
		for (enum vs_element e = VS_NUM_U8; e <= VS_NUM_F64; e++)
			try_element(e, d, argc > 1, &rng);
		test_whole(d);
	}
	test_edges();
	test_most();
	free(rows);
	free(cols);
	free(block);
	free(dot);
	return T_DONE();
}
