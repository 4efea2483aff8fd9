/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit-sliced list kernel for pairs, for AVX-512. A lane is a bit of a 512-bit
 * register and stands for a column: for each field two registers hold the low
 * and the high bit of g of 512 columns. A row lists the fields in which its
 * genotype is not its commonest one, its mode; the columns' registers of those
 * fields are summed by full adders (two VPTERNLOG each) into counters that are
 * bit planes themselves, and a counter is converted to integers once in
 * thousands of fields. With y = g - mode of the row,
 *
 *   sum g g' = mode s' + sum y g'        s' the sum of the column
 *
 * and y is 0 in at least a third of the fields, so the work follows the
 * length of the list: two full adders, 2 cycles on two ports, for an entry
 * and 512 pairs. The two genotypes other than the mode make two lists:
 *
 *   mode 0: g = 1 counts 1, g = 2 counts 2
 *   mode 2: 2 - g counts instead, g = 1 for 1 and g = 0 for 2; then
 *           sum g g' = 2 s' - sum (2 - g) g'
 *   mode 1: g = 2 counts 1, g = 0 counts -1: the complement of its two bits
 *           is added, 3 - g', and 3 subtracted for each in the end
 *
 * Where a row resembles an earlier one, as neighbours on a chromosome do, that
 * base row replaces the mode, field by field: the fields in which the two
 * differ make the lists, with
 *
 *   sum g g' = (the same of the base row) + sum (g - its g) g'
 *
 * A missing call counts as genotype 0 on both sides.
 */
#if defined(__x86_64__)
#include "libcore/kern/lanes512_add.h"

/* ---- lists ---- */

/* Fields that differ from one genotype; n: fields of the chunk. */
INLINE void
from_one(const uint32_t *some, const uint32_t *two, enum base base, size_t n,
	struct words *to)
{
	for (size_t w = 0; w < (n + 31) / 32; w++) {
		uint32_t in = n - 32 * w < 32 ? (1u << (n - 32 * w)) - 1 : ~0u;

		to->one[w] = base == ALL_1 ? two[w] : some[w] & ~two[w];
		to->two[w] = base == ALL_0 ? two[w] : ~some[w] & in;
	}
	to->more = 0;
}

/* Fields with more copies, and with fewer, than in an earlier row. */
INLINE void
from_row(const uint32_t *some, const uint32_t *two, const uint32_t *old_some,
	const uint32_t *old_two, size_t n, struct words *to)
{
	uint32_t more = 0;

	for (size_t w = 0; w < (n + 31) / 32; w++) {
		uint32_t up1 = some[w] & ~old_some[w];
		uint32_t up2 = two[w] & ~old_two[w];
		uint32_t down1 = old_some[w] & ~some[w];
		uint32_t down2 = old_two[w] & ~two[w];

		to->one[w] = up1 | up2;
		to->two[w] = down1 | down2;
		to->one_more[w] = up1 & up2;
		to->two_more[w] = down1 & down2;
		more |= to->one_more[w] | to->two_more[w];
	}
	to->more = more;
}

/* Write the lists of row r for chunk c; returns the end of the entries. */
AVX512 static uint16_t *
make_lists(struct rows *s, size_t r, size_t c, uint16_t *to)
{
	struct row *row = &s->row[r];
	size_t first = c * s->chunking.chunk,
	       left = s->chunking.n_field - first;
	size_t n = left < s->chunking.chunk ? left : s->chunking.chunk;
	size_t n_word = (n + 31) / 32;
	const uint32_t *some =
		(uint32_t *)plane_of(&s->planes, r, 0) + first / 32;
	const uint32_t *two =
		(uint32_t *)plane_of(&s->planes, r, 1) + first / 32;
	enum way way = row->base == ALL_0 || row->base == ALL_2 ? TWICE : NOT;
	size_t q = (size_t)row->earlier;
	uint16_t *from = to;
	struct words words;

	if (row->base == EARLIER)
		from_row(some, two,
			(uint32_t *)plane_of(&s->planes, q, 0) + first / 32,
			(uint32_t *)plane_of(&s->planes, q, 1) + first / 32, n,
			&words);
	else
		from_one(some, two, row->base, n, &words);
	to = entries(words.one, n_word, to);
	if (words.more)
		to = entries(words.one_more, n_word, to);
	to = split_list(s, r, ONCE, from, to);
	from = to;
	to = entries(words.two, n_word, to);
	if (words.more)
		to = entries(words.two_more, n_word, to);
	to = split_list(s, r, way, from, to);
	row->n_not = way == NOT ? (int32_t)(to - from) : 0;
	return to;
}

/* Make the pieces of all rows for chunk c. */
AVX512 static void
make_pieces(struct rows *s, size_t c)
{
	uint16_t *to = s->entry;

	s->n_piece = 0;
	for (size_t r = 0; r < s->n_row; r++)
		to = make_lists(s, r, c, to);
	sort_pieces(s);
}

/* ---- counting ---- */

INLINE void
add_piece_as(__m512i c[PLANES], const struct piece *piece, const char *fields,
	const uint16_t *at, bool marks)
{
	void (*const add_all)(__m512i *, int, int, const char *,
		const uint16_t *, unsigned) = marks ? add_marks : add_piece;

	if (piece->way == ONCE)
		add_all(c, 0, 0, fields, at, piece->n_block);
	else if (piece->way == TWICE)
		add_all(c, 1, 0, fields, at, piece->n_block);
	else
		add_all(c, 0, 1, fields, at, piece->n_block);
}

/* Count all pieces against the fields of a chunk of block b; rows not null:
 * those of rows that have the bit. */
AVX512 static void
count_pieces(const struct rows *s, const char *fields, const uint64_t *rows,
	size_t b)
{
	for (size_t x = 0; x < s->n_piece; x++) {
		const struct piece *piece = &s->piece[x];
		__m512i *counter = s->row[piece->row].counter, c[PLANES];
		const uint16_t *at = s->entry + piece->at;

		if (rows && !(rows[piece->row] >> b & 1))
			continue;
		for (int k = 0; k < PLANES; k++)
			c[k] = counter[k];
		if (s->chunking.row_bytes == MARK_BYTES)
			add_piece_as(c, piece, fields, at, true);
		else
			add_piece_as(c, piece, fields, at, false);
		for (int k = 0; k < PLANES; k++)
			counter[k] = c[k];
	}
}

/* ---- counters into integers ---- */

/* Position of a flush: after the first chunk, the last one; and the most that
 * the bits of a column are, which a complement of them is too many. */
struct when {
	bool first, last;
	int32_t most;
};

static inline int32_t
most_of(const struct chunking *k)
{
	return k->row_bytes == MARK_BYTES ? 1 : 3;
}

/*
 * Add sixteen integers v of a counter to the sums p; s are the columns' sums,
 * old the base row's, which are complete after the last chunk.
 */
INLINE void
put(const enum base base, struct when when, __m512i extra, __m512i v,
	const int32_t *s, const int32_t *old, int32_t *p)
{
	__m512i sum = _mm512_load_si512(s), so_far = _mm512_setzero_si512();

	if (!when.first)
		so_far = _mm512_loadu_si512(p);
	else if (base == ALL_1)
		so_far = sum;
	else if (base == ALL_2)
		so_far = _mm512_add_epi32(sum, sum);
	if (base == EARLIER && when.last)
		so_far = _mm512_add_epi32(so_far, _mm512_loadu_si512(old));
	if (base == ALL_1 || base == EARLIER)
		v = _mm512_add_epi32(v, extra);
	_mm512_storeu_si512(p,
		base == ALL_2 ? _mm512_sub_epi32(so_far, v)
			      : _mm512_add_epi32(so_far, v));
}

INLINE void
empty_as(struct row *r, const enum base base, struct when when,
	const int32_t *s, const int32_t *old, int32_t *p)
{
	const __m512i none = _mm512_setzero_si512();
	__m512i extra = _mm512_set1_epi32(-when.most * r->n_not);
	__m512i low[8], high[8];

	counter_to_integers(r->counter, low, high);
	for (int m = 0; m < 8; m++) {
		__m512i pair[2] = { _mm512_unpacklo_epi8(low[m], high[m]),
			_mm512_unpackhi_epi8(low[m], high[m]) };

		for (int k = 0; k < 2; k++, s += 32, old += 32, p += 32) {
			put(base, when, extra,
				_mm512_unpacklo_epi16(pair[k], none), s, old,
				p);
			put(base, when, extra,
				_mm512_unpackhi_epi16(pair[k], none), s + 16,
				old + 16, p + 16);
		}
	}
}

/* Flush the counter of a row into 512 sums p. */
AVX512 static void
flush_counter(struct row *r, struct when when, const int32_t *s,
	const int32_t *old, int32_t *p)
{
	switch (r->base) {
	case ALL_0:
		empty_as(r, ALL_0, when, s, old, p);
		break;
	case ALL_1:
		empty_as(r, ALL_1, when, s, old, p);
		break;
	case ALL_2:
		empty_as(r, ALL_2, when, s, old, p);
		break;
	case EARLIER:
		empty_as(r, EARLIER, when, s, old, p);
	}
}

/* ---- blocks of columns ---- */

/*
 * True if sums of a row with a block may be out of range, by the counter alone:
 * a column's sum is within the extremes of its block.
 */
INLINE bool
row_leaves(const struct row *r, int32_t most, const struct extremes *x,
	struct vs_range in)
{
	const int32_t extra = -most * r->n_not;

	switch (r->base) {
	case ALL_0:
		return counter_leaves(r->counter, in.lo, in.hi);
	case ALL_1:
		return counter_leaves(r->counter, in.lo - x->least - extra,
			in.hi - x->most - extra);
	case ALL_2:
		return counter_leaves(r->counter, 2 * x->most - in.hi,
			2 * x->least - in.lo);
	case EARLIER:
		break;
	}
	return true;
}

#define MOST_ROWS 256

/* Rows of a block: whether they are counted, and needed for another one. */
struct chosen {
	uint64_t counted[MOST_ROWS];
	bool base[MOST_ROWS];
};

/* Bit b of the rows to be counted; those that are known need their bases. */
static void
choose_rows(const struct rows *s, size_t b, const struct vs_some *some,
	struct chosen *to)
{
	for (size_t r = 0; r < s->n_row; r++) {
		to->counted[r] = some->range || !some->block ? 1ull << b
							     : some->block[r];
		to->base[r] = false;
	}
	for (size_t r = s->n_row; r--;) {
		size_t earlier = (size_t)s->row[r].earlier;

		if (s->row[r].base != EARLIER || !(to->counted[r] >> b & 1))
			continue;
		to->counted[earlier] |= 1ull << b;
		to->base[earlier] = true;
	}
}

/* The sums of the rows chosen with block b from a counter of all fields; of
 * those with a range only what is out of it. */
AVX512 static void
flush_some(struct rows *s, size_t b, void *block, const struct vs_some *some,
	const struct chosen *chosen, int32_t *sums, size_t ld)
{
	const struct vs_range *range = some->range ? some->range + b : NULL;
	const struct when once = { true, true, most_of(&s->chunking) };

	for (size_t r = 0; r < s->n_row; r++) {
		struct row *row = &s->row[r];
		bool there = chosen->counted[r] >> b & 1;

		if (!there)
			continue;
		if (range && !chosen->base[r])
			there = row_leaves(row, once.most, extremes_of(block),
				range[r * some->n_block]);
		if (there)
			flush_counter(row, once, block,
				sums + (size_t)row->earlier * ld,
				sums + r * ld);
		else
			clear_counter(row->counter);
		if (range && there)
			some->block[r] |= 1ull << b;
		else if (range)
			some->block[r] &= ~(1ull << b);
	}
}

/* Rows of a call; their bases are searched for. */
AVX512 static void
take_rows(const struct vs_panel *a, size_t row, int label, struct rows *s)
{
	size_t n_alike = 0;

	/*
	 * earlier rows are searched only if the first rows resemble each other
	 */
	for (size_t r = 0; r < s->n_row; r++)
		n_alike +=
			take_row(a, row + r, label, s, r, r <= BACK || n_alike);
}

AVX512 static void
count(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld)
{
	struct rows s = lay_out(scratch, n_row, &a->vec, label);
	const struct chunking *chunking = &s.chunking;

	take_rows(a, row, label, &s);
	for (size_t c = 0; c < chunking->n_chunk; c++) {
		struct when when = { c == 0, c + 1 == chunking->n_chunk,
			most_of(chunking) };

		make_pieces(&s, c);
		for (size_t b = col / LANES; b < blocks(n_col); b++) {
			char *block = (char *)cols + b * block_bytes(chunking);
			int32_t *sums = p + b * LANES;

			count_pieces(&s,
				field_row(block, chunking, c * chunking->chunk),
				NULL, 0);
			for (size_t r = 0; r < n_row; r++)
				flush_counter(&s.row[r], when, (int32_t *)block,
					sums + (size_t)s.row[r].earlier * ld,
					sums + r * ld);
		}
	}
}

/* Rows whose counters take several chunks are all counted. */
AVX512 static void
count_some(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *scratch, int32_t *p,
	size_t ld, const struct vs_some *some)
{
	struct rows s = lay_out(scratch, n_row, &a->vec, label);
	struct chosen chosen;

	if (s.chunking.n_chunk > 1 || n_row > MOST_ROWS) {
		for (size_t r = 0; r < n_row && some->range; r++)
			some->block[r] = ~0ull;
		count(a, row, n_row, label, cols, col, n_col, scratch, p, ld);
		return;
	}
	if (!some->again) {
		take_rows(a, row, label, &s);
		make_pieces(&s, 0);
		*s.n_made = s.n_piece;
	}
	s.n_piece = *s.n_made;
	for (size_t b = col / LANES; b < blocks(n_col); b++) {
		char *block = (char *)cols + b * block_bytes(&s.chunking);

		choose_rows(&s, b, some, &chosen);
		count_pieces(&s, field_row(block, &s.chunking, 0),
			some->range || !some->block ? NULL : chosen.counted, b);
		flush_some(&s, b, block, some, &chosen, p + b * LANES, ld);
	}
}

extern const struct vs_dense vs_dense_lanes512;
const struct vs_dense vs_dense_lanes512 = { "lanes512", VS_CPU_AVX512ICL, LANES,
	col_room, take_cols, row_room, count, false, count_some };
#endif
