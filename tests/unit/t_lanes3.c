/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Kernels of triples against sums of products field by field: every genotype
 * that distinguishes both vectors, fields about each edge of a word and a
 * chunk, more than a counter holds, and ranges around the sums that occur.
 * T_INSTALL
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/rng.h"
#include "libcore/kern/kernels.h"
#include "tests/unit/panels.h"
#include "tests/unit/test.h"

#define ROWS 20
#define LD 1024
#define CALL 19       /* rows of a call: the one tested, and others */
#define FAR (1 << 29) /* no sum reaches this */

static struct vs_panel panel;
static uint8_t *genotype;
static struct vs_rng rng;
static size_t n_vec;

/*
 * Vector v has genotype v % 3 in all fields but some, of v % 5 kinds of some.
 */
static void
make(size_t n_field)
{
	static const uint64_t others[] = { 0, 5, 40, 65, 100 };

	free(genotype);
	if (panel_new(&panel, n_vec, n_field) ||
		vs_mem_new(&genotype, n_vec * n_field, 1, "data"))
		exit(4);
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < n_field; f++) {
			uint8_t g = v % 3;

			if (vs_rng_below(&rng, 100) < others[v / 3 % 5])
				g = (uint8_t)vs_rng_below(&rng, 3);
			genotype[v * n_field + f] = g;
			vs_vec_set(&panel.vec, v, f, g);
		}
	panel_make(&panel, 0, n_vec, 1);
}

/* Counts of a row and column w. */
static int32_t
sum(size_t n_field, const struct vs_triple_row row[2], size_t w)
{
	const uint8_t *u = genotype + row[0].v * n_field;
	const uint8_t *v = genotype + row[1].v * n_field;
	int32_t all = 0;

	for (size_t f = 0; f < n_field; f++)
		all += (u[f] - row[0].mode) * (v[f] - row[1].mode) *
			genotype[w * n_field + f];
	return all;
}

/* Input of a kernel; columns [col, n_vec) are packed. */
struct bench {
	const struct vs_triple *triple;
	void *dense, *cols, *firsts, *scratch;
	int32_t *want, *got;
	size_t col, n_col, n_block;
};

/* A call's rows, row[0] and others in ascending order; returns its place. */
static size_t
make_rows(const struct vs_triple_row *row, struct vs_triple_row rows[CALL])
{
	size_t n = 0, place = 0;

	for (size_t v = 0; n < CALL; v++) {
		const bool it = v == row->v;
		/* as many are left as there must be */
		const size_t need = CALL - n - (v < row->v);

		if (!it && n_vec - v > need && vs_rng_below(&rng, 2))
			continue;
		if (!it && v < row->v && n + 1 == CALL)
			continue;
		place = it ? n : place;
		rows[n] = *row;
		rows[n].v = rows[n].place = (uint32_t)v;
		n++;
	}
	return place;
}

/*
 * A row by ranges: of block `tight` what sums it has, all but one end, which
 * one it is, or none at all; of others all that can be.
 */
static int
try_ranges(const struct bench *b, const struct vs_triple_row row[2],
	size_t tight, const struct vs_range *has)
{
	const struct vs_range tried[] = { *has, { has->lo + 1, has->hi },
		{ has->lo, has->hi - 1 }, { 1, 0 } };
	int wrong = 0;

	for (int k = 0; k < 4; k++) {
		struct vs_triple_row rows[CALL];
		const size_t place = make_rows(&row[0], rows);
		struct vs_range range[CALL * 2];
		size_t lo = tight * b->triple->lanes, n = b->n_col - lo;
		int32_t *got = b->got + place * LD + lo;
		uint64_t inferred[CALL];

		for (size_t r = 0; r < CALL * 2; r++)
			range[r] = (struct vs_range){ -FAR, FAR };
		range[place * b->n_block + tight] = tried[k];
		memset(b->got, 1, CALL * LD * sizeof(*b->got));
		b->triple->count(&(struct vs_triple_call){ &panel, &row[1],
			rows, CALL, b->firsts, b->cols, b->n_col, 0, range,
			b->scratch, b->got, LD, inferred });
		/* where columns end in a block others may be found out of it */
		n = n < b->triple->lanes ? n : b->triple->lanes;
		if (!k && n < b->triple->lanes)
			inferred[place] &= ~(1ull << tight);
		for (size_t r = 0; r < CALL; r++)
			wrong += inferred[r] !=
				(k && r == place ? 1ull << tight : 0);
		if (inferred[place])
			wrong += memcmp(got, b->want + lo, n * 4) != 0;
	}
	return wrong;
}

/* A row without columns [lo, hi), which are not wanted, with ranges around the
 * sums of the others: for each block all its sums, or all but the least. */
static int
try_out(const struct bench *b, const struct vs_triple_row row[2])
{
	const size_t lo = vs_rng_below(&rng, b->n_col);
	const size_t hi = lo + vs_rng_below(&rng, b->n_col - lo + 1);
	struct vs_triple_row one = row[0];
	int wrong = 0;

	one.out = (uint32_t)hi;

	for (int narrow = 0; narrow < 2; narrow++) {
		struct vs_range range[2] = { { FAR, -FAR }, { FAR, -FAR } };
		uint64_t inferred;

		for (size_t c = 0; c < b->n_col; c++) {
			struct vs_range *has = &range[c / b->triple->lanes];

			if (c >= lo && c < hi)
				continue;
			has->lo = b->want[c] < has->lo ? b->want[c] : has->lo;
			has->hi = b->want[c] > has->hi ? b->want[c] : has->hi;
		}
		for (int k = 0; k < 2; k++)
			range[k].lo += range[k].lo < FAR ? narrow : 0;
		b->triple->count(&(struct vs_triple_call){ &panel, &row[1],
			&one, 1, b->firsts, b->cols, b->n_col, lo, range,
			b->scratch, b->got, LD, &inferred });
		for (size_t c = 0; c < b->n_col; c++) {
			bool there = inferred >> c / b->triple->lanes & 1;

			if (c >= lo && c < hi)
				continue;
			wrong += there ? b->got[c] != b->want[c] : narrow;
		}
	}
	return wrong;
}

static int
try_row(const struct bench *b, size_t n_field,
	const struct vs_triple_row row[2])
{
	size_t lanes = b->triple->lanes;
	int wrong = 0;

	for (size_t c = 0; c < b->n_col; c++)
		b->want[c] = sum(n_field, row, b->col + c);
	for (size_t block = 0; block < b->n_block; block++) {
		struct vs_range has = { INT32_MAX, INT32_MIN };

		for (size_t c = block * lanes;
			c < b->n_col && c < (block + 1) * lanes; c++) {
			has.lo = b->want[c] < has.lo ? b->want[c] : has.lo;
			has.hi = b->want[c] > has.hi ? b->want[c] : has.hi;
		}
		wrong += try_ranges(b, row, block, &has);
	}
	return wrong + try_out(b, row);
}

/* All vectors as columns, among which rows have their first ones. */
static void
take_firsts(struct bench *b, const struct vs_dense *dense, size_t n_field)
{
	void *all = NULL;

	if (vs_mem_room(&all, dense->col_room(n_vec, n_field), 1, "columns") ||
		vs_mem_room(&b->firsts, b->triple->col_room(n_vec, n_field), 1,
			"columns"))
		exit(4);
	dense->take_cols(&panel, 0, n_vec, 1, all);
	b->triple->take_cols(all, n_vec, n_field, b->firsts);
	free(all);
}

/* Rows of some pairs against columns [col, n_vec). */
static int
try(const struct vs_dense *dense, const struct vs_triple *triple,
	size_t n_field, size_t col)
{
	struct bench b = { .triple = triple, .col = col, .n_col = n_vec - col };
	int wrong = 0;
	size_t room = LD * sizeof(*b.got);

	b.n_block = (b.n_col + triple->lanes - 1) / triple->lanes;
	if (vs_mem_room((void **)&b.want, room, 1, "sums") ||
		vs_mem_room((void **)&b.got, CALL, room, "sums") ||
		vs_mem_room(&b.dense, dense->col_room(b.n_col, n_field), 1,
			"columns") ||
		vs_mem_room(&b.scratch, triple->row_room(b.n_col, n_field), 1,
			"rows"))
		exit(4);
	dense->take_cols(&panel, col, b.n_col, 1, b.dense);
	b.cols = b.dense;
	if (triple->take_cols) {
		if (vs_mem_room(&b.cols, triple->col_room(b.n_col, n_field), 1,
			    "columns"))
			exit(4);
		triple->take_cols(b.dense, b.n_col, n_field, b.cols);
		take_firsts(&b, dense, n_field);
	}
	for (size_t r = 0; r < ROWS; r++) {
		struct vs_triple_row row[2];

		/* the commonest genotype of v is v % 3 */
		for (int k = 0; k < 2; k++) {
			row[k].v = (uint32_t)vs_rng_below(&rng, n_vec);
			row[k].place = row[k].v;
			row[k].out = 0;
			row[k].mode = vs_rng_below(&rng, 2)
				? (int32_t)row[k].v % 3
				: (int32_t)vs_rng_below(&rng, 3);
		}
		wrong += try_row(&b, n_field, row);
	}
	free(b.want);
	free(b.got);
	if (b.cols != b.dense)
		free(b.cols);
	free(b.dense);
	free(b.firsts);
	free(b.scratch);
	return wrong;
}

/* ---- columns that nobody asks for ---- */

#define MANY 100 /* rows of a call */

/* All of one genotype but one vector, so that its column alone is out of what
 * the others' sums are. */
static void
make_spot(size_t n_field, size_t spot)
{
	free(genotype);
	if (panel_new(&panel, n_vec, n_field) ||
		vs_mem_new(&genotype, n_vec * n_field, 1, "data"))
		exit(4);
	memset(genotype, 1, n_vec * n_field);
	memset(genotype + spot * n_field, 2, n_field);
	for (size_t v = 0; v < n_vec; v++)
		for (size_t f = 0; f < n_field; f++)
			vs_vec_set(&panel.vec, v, f, genotype[v * n_field + f]);
	panel_make(&panel, 0, n_vec, 1);
}

/* Rows of a block with itself: in ascending places, each row except for the
 * columns from lo up to its own. */
static void
make_block(struct vs_triple_row rows[MANY], size_t lo)
{
	for (size_t n = 0, v = 0; n < MANY; v++)
		if (n_vec - v <= MANY - n ||
			!vs_rng_below(&rng, n_vec / MANY)) {
			size_t out = v + 1 > lo ? v + 1 : lo;

			rows[n++] = (struct vs_triple_row){ (uint32_t)v, 0,
				(uint32_t)v, (uint32_t)out };
		}
}

/* One of the columns next to those that rows do not ask for, or any. */
static size_t
choose_spot(const struct vs_triple_row rows[MANY], size_t lo)
{
	size_t of[] = { lo, rows[vs_rng_below(&rng, MANY)].out,
		vs_rng_below(&rng, n_vec) };
	size_t spot = of[vs_rng_below(&rng, 3)];

	spot -= spot && vs_rng_below(&rng, 2);
	return spot < n_vec ? spot : n_vec - 1;
}

/* Rows that get the spot although they do not want it, or do not get it
 * although they do, or get a wrong one. */
static int
wrong_rows(const struct bench *b, size_t n_field, size_t lo, size_t spot,
	const struct vs_triple_row rows[MANY])
{
	const struct vs_triple_row second = { (uint32_t)(spot + 1) % n_vec, 0,
		0, 0 };
	struct vs_range range[MANY * 2];
	uint64_t inferred[MANY];
	int wrong = 0;

	for (size_t r = 0; r < MANY * b->n_block; r++) {
		const struct vs_triple_row row[2] = { rows[r / b->n_block],
			second };

		range[r] =
			(struct vs_range){ -FAR, sum(n_field, row, second.v) };
	}
	b->triple->count(&(struct vs_triple_call){ &panel, &second, rows, MANY,
		b->firsts, b->cols, b->n_col, lo, range, b->scratch, b->got, LD,
		inferred });
	for (size_t r = 0; r < MANY; r++) {
		const struct vs_triple_row row[2] = { rows[r], second };
		const bool info = spot < lo || spot >= rows[r].out;

		wrong += inferred[r] !=
			(uint64_t)info << spot / b->triple->lanes;
		if (info)
			wrong += b->got[r * LD + spot] !=
				sum(n_field, row, spot);
	}
	return wrong;
}

static int
try_spot(const struct vs_dense *dense, const struct vs_triple *triple,
	size_t n_field)
{
	struct bench b = { .triple = triple, .n_col = n_vec };
	struct vs_triple_row rows[MANY];
	size_t lo = vs_rng_below(&rng, 3) ? vs_rng_below(&rng, n_vec) : 0;
	size_t spot;
	int wrong;

	make_block(rows, lo);
	spot = choose_spot(rows, lo);
	make_spot(n_field, spot);
	b.n_block = (n_vec + triple->lanes - 1) / triple->lanes;
	if (vs_mem_room((void **)&b.got, MANY * LD, sizeof(*b.got), "sums") ||
		vs_mem_room(&b.scratch, triple->row_room(n_vec, n_field), 1,
			"rows"))
		exit(4);
	take_firsts(&b, dense, n_field);
	b.cols = b.firsts;
	wrong = wrong_rows(&b, n_field, lo, spot, rows);
	free(b.got);
	free(b.firsts);
	free(b.scratch);
	vs_panel_free(&panel);
	return wrong != 0;
}

/* A kernel with columns of its own does not visit unwanted ones: for a block of
 * vectors with itself that is half of them. */
static void
try_spots(const struct vs_dense *dense, const struct vs_triple *triple)
{
	static const size_t fields[] = { 64, 130 }, vectors[] = { 1024, 777 };

	if (!triple->take_cols)
		return;
	for (int k = 0; k < 2; k++) {
		int wrong = 0;

		n_vec = vectors[k];
		for (int n = 0; n < 40; n++)
			wrong += try_spot(dense, triple, fields[k]);
		T_OK(!wrong, "%s: a block of %zu vectors with itself",
			triple->name, n_vec);
	}
}

int
main(void)
{
	static const struct {
		size_t fields, vectors, col;
	} tries[] = { { 1, 40, 0 }, { 31, 40, 1 }, { 32, 40, 2 }, { 33, 40, 3 },
		{ 63, 40, 4 }, { 64, 40, 5 }, { 65, 1024, 0 }, { 511, 40, 0 },
		{ 513, 700, 9 }, { 2000, 40, 0 }, { 2047, 40, 0 },
		{ 4063, 40, 10 }, { 4064, 40, 0 }, { 4065, 512, 0 },
		{ 6100, 40, 10 }, { 8129, 40, 20 }, { 9000, 40, 30 } };
	int tried = 0;

	vs_rng_seed(&rng, 9);
	for (int k = 0; vs_registry_triple[k]; k++) {
		const struct vs_triple *triple = vs_registry_triple[k];
		const struct vs_dense *dense =
			vs_registry_dense_pick(triple->cpu, triple->cols);

		if (triple->cpu > vs_cpu_best())
			continue;
		for (size_t f = 0; f < sizeof(tries) / sizeof(tries[0]); f++) {
			n_vec = tries[f].vectors;
			make(tries[f].fields);
			T_OK(!try(dense, triple, tries[f].fields, tries[f].col),
				"%s: %zu fields, %zu columns", triple->name,
				tries[f].fields, n_vec - tries[f].col);
			vs_panel_free(&panel);
			tried++;
		}
		try_spots(dense, triple);
	}
	if (!tried)
		T_SKIP("no kernel of triples for this processor");
	free(genotype);
	return T_DONE();
}
