/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bit-sliced list kernel for triples, for AVX-512, on the counters of
 * pair_lanes.c: columns are bits of registers, and a row, which is a pair of
 * vectors, is lists of fields. With y = g - mode of each of the two vectors,
 *
 *   sum g g' g'' = sum y y' g'' + mode sum g' g'' + mode' sum g g'' -
 *                  mode mode' sum g''
 *
 * and y y' is 0 wherever either vector has its commonest genotype: in
 * Hardy-Weinberg proportions at most three fields in ten are left, and one in
 * thirty at a minor allele frequency of 0.1.
 *
 * All rows of a call share their second vector. The columns' fields in which
 * its y is not 0 are copied and compacted, complemented where that y is -1 if
 * it is 1 elsewhere. A row lists those of these fields in which its first
 * vector's y is not 0 either. If the first vector's mode is not 1, its y are 1
 * and 2, of one sign: a list of fields that count once, and one of those that
 * count twice. Else they are 1 and -1: a list for each, the latter's registers
 * being complemented as they are added. A field in which the second vector's y
 * is 2 moves from the first list to the second, or is in its list twice.
 */
#if defined(__x86_64__)
#include "libcore/kern/lanes512_add.h"
#include "libcore/kern/triple/shared_fields.h"

_Static_assert(8 * PART + 3 * BLOCK < 1 << PLANES, "what a counter holds");

/*
 * Copy the part's fields of a block of columns, and a row of zeros after them.
 */
AVX512 static void
copy_part(const struct part *s, const struct vs_panel *a,
	const struct vs_triple_row *v, const char *block,
	const struct chunking *chunking, char *to)
{
	const __m512i none = _mm512_setzero_si512();

	for (size_t w = 0; w < s->n_word; w++) {
		size_t field = 64 * (s->first + w), c = field / chunking->chunk;
		/* a chunk may end within a word */
		size_t next = (c + 1) * chunking->chunk;
		const char *from = block + BLOCK_HEAD + c * ROW_BYTES;
		uint64_t mask[3];

		take_word(a, v, s->first + w, mask);
		for (uint64_t left = s->field[w]; left;
			left &= left - 1, to += ROW_BYTES) {
			size_t k = (size_t)__builtin_ctzll(left), f = field + k;
			const char *row = from + (f + (f >= next)) * ROW_BYTES;
			__m512i turn =
				_mm512_set1_epi64(-(int64_t)(mask[2] >> k & 1));

			_mm512_store_si512(to,
				_mm512_xor_si512(turn, _mm512_load_si512(row)));
			_mm512_store_si512(to + 64,
				_mm512_xor_si512(turn,
					_mm512_load_si512(row + 64)));
		}
	}
	_mm512_store_si512(to, none);
	_mm512_store_si512(to + 64, none);
}

/* ---- rows ---- */

/* A row of a call. */
struct row3 {
	__m512i counter[PLANES];
	struct vs_range in; /* range of the current block */
	int32_t *sums;
	int32_t extra; /* to be added to the counter */
	bool minus;    /* sign in the sums */
	bool begun;    /* the counter was flushed to the sums before */
};

/*
 * A piece of a list: 16, 32 or 64 entries. The pieces of some rows are
 * processed in the order of their fields, which keeps the fields' registers in
 * L1, and within the same 256 fields by kind, which keeps branches predictable.
 */
#define SIZES 3
#define KINDS (3 * SIZES)
#define KIND(way, size) ((way)*SIZES + (size))
#define STRETCH (256 << 4)
#define BUCKETS (((PART << 4) / STRETCH + 1) * KINDS)
struct piece3 {
	uint32_t at;  /* index into the entries of all rows */
	uint16_t row; /* index within the batch */
	uint16_t bucket;
};

/* Rows of a batch, and the most entries and pieces of one. */
#define BATCH 16
#define ENTRIES (2 * PART + 2 * BLOCK)
#define PIECES (ENTRIES / PIECE + 2 * SIZES)

struct rows3 {
	struct row3 row[BATCH];
	struct part part;
	size_t n_row, n_piece;
	uint32_t end[BUCKETS]; /* end of each bucket of the sorted pieces */
	struct piece3 made[BATCH * PIECES], piece[BATCH * PIECES];
	/* written a register at a time */
	uint16_t entry[BATCH * ENTRIES + 64];
	_Alignas(64) char fields[]; /* of all blocks */
};

static size_t
part_bytes(size_t n_field)
{
	return ((n_field < PART ? n_field : PART) + 1) * ROW_BYTES;
}

static size_t
row_room3(size_t n_col, size_t n_field)
{
	return sizeof(struct rows3) + blocks(n_col) * part_bytes(n_field);
}

/* ---- lists ---- */

/*
 * Lists of a row, as bits by group: entries counted once, and again; the
 * others, counted twice, or as complements.
 */
struct masks {
	uint64_t one[PART_WORDS], one_more[PART_WORDS];
	uint64_t two[PART_WORDS], two_more[PART_WORDS];
};

/* Groups from g on of a vector with planes h and p and mode 0 or 2. */
INLINE void
split_even(const struct part *s, size_t g, __m512i h, __m512i p, int mode,
	struct masks *to)
{
	const __m512i turn = _mm512_set1_epi64(mode == 2 ? -1 : 0);
	const __m512i v_two = _mm512_loadu_si512(s->two + g);
	__m512i one = _mm512_andnot_si512(h, _mm512_loadu_si512(s->all + g));
	/* h & (p ^ turn) */
	__m512i two = _mm512_ternarylogic_epi64(h, p, turn, 0x60);

	_mm512_storeu_si512(to->one + g, _mm512_andnot_si512(v_two, one));
	/* two | one & v_two */
	_mm512_storeu_si512(to->two + g,
		_mm512_ternarylogic_epi64(two, one, v_two, 0xf8));
	_mm512_storeu_si512(to->two_more + g, _mm512_and_si512(two, v_two));
}

/* Like split_even(), for mode 1: y is 1 and -1. */
INLINE void
split_odd(const struct part *s, size_t g, __m512i h, __m512i p,
	struct masks *to)
{
	const __m512i v_two = _mm512_loadu_si512(s->two + g);
	__m512i one = _mm512_and_si512(h, p), less = _mm512_andnot_si512(p, h);

	_mm512_storeu_si512(to->one + g, one);
	_mm512_storeu_si512(to->one_more + g, _mm512_and_si512(one, v_two));
	_mm512_storeu_si512(to->two + g, less);
	_mm512_storeu_si512(to->two_more + g, _mm512_and_si512(less, v_two));
}

/* Turned fields: those of `one` plus n_two times those of `two`. */
INLINE int32_t
sum_turned(const struct part *s, const struct masks *m, int n_two)
{
	__m512i one = _mm512_setzero_si512(), two = one;

	for (size_t g = 0; g < s->n_group; g += 8) {
		const __m512i in = _mm512_loadu_si512(s->turned + g);

		one = _mm512_add_epi64(one,
			_mm512_popcnt_epi64(_mm512_and_si512(in,
				_mm512_loadu_si512(m->one + g))));
		two = _mm512_add_epi64(two,
			_mm512_popcnt_epi64(_mm512_and_si512(in,
				_mm512_loadu_si512(m->two + g))));
	}
	return (int32_t)(_mm512_reduce_add_epi64(one) +
		n_two * _mm512_reduce_add_epi64(two));
}

/* Lists of vector u in the fields of a part. */
INLINE void
split(const struct part *s, const struct vs_panel *a,
	const struct vs_triple_row *u, struct masks *to)
{
	uint64_t plane[2][PART_WORDS];

	take_planes_of(s, a, u->v, plane);
	for (size_t g = 0; g < s->n_group; g += 8) {
		const __m512i in[2] = { _mm512_loadu_si512(plane[0] + g),
			_mm512_loadu_si512(plane[1] + g) };

		if (u->mode == 1)
			split_odd(s, g, in[0], in[1], to);
		else
			split_even(s, g, in[0], in[1], u->mode, to);
	}
}

/* Write the offsets of the set bits of all groups; returns their end. */
INLINE uint16_t *
offsets(const struct part *s, const uint64_t *word, uint16_t *to)
{
	const __m512i bytes = _mm512_set_epi8(63, 62, 61, 60, 59, 58, 57, 56,
		55, 54, 53, 52, 51, 50, 49, 48, 47, 46, 45, 44, 43, 42, 41, 40,
		39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24,
		23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7,
		6, 5, 4, 3, 2, 1, 0);

	for (size_t g = 0; g < s->n_group; g++) {
		__m512i base = _mm512_set1_epi16((short)s->offset[g]);
		__m512i v = _mm512_maskz_compress_epi8(word[g], bytes);
		int n = __builtin_popcountll(word[g]);
		__m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(v));

		_mm512_storeu_si512(to,
			_mm512_add_epi16(_mm512_slli_epi16(low, 4), base));
		if (__builtin_expect(n > 32, 0)) {
			low = _mm512_cvtepu8_epi16(
				_mm512_extracti64x4_epi64(v, 1));
			_mm512_storeu_si512(to + 32,
				_mm512_add_epi16(_mm512_slli_epi16(low, 4),
					base));
		}
		to += n;
	}
	return to;
}

/* Like offsets(), for few set bits. */
INLINE uint16_t *
few_offsets(const struct part *s, const uint64_t *word, uint16_t *to)
{
	for (size_t g = 0; g < s->n_group; g++)
		for (uint64_t left = word[g]; left; left &= left - 1)
			*to++ = (uint16_t)(s->offset[g] +
				(__builtin_ctzll(left) << 4));
	return to;
}

/*
 * Pad the list [from, to) of a row to whole blocks with the row of zeros, and
 * split it into pieces. returns  its end
 */
INLINE uint16_t *
split_list3(struct rows3 *s, size_t r, enum way way, uint16_t *from,
	uint16_t *to)
{
	const uint16_t zero = (uint16_t)(s->part.n_field << 4);
	size_t left = (size_t)(to - from + BLOCK - 1) / BLOCK;

	_mm256_storeu_si256((__m256i *)to, _mm256_set1_epi16((short)zero));
	while (left) {
		unsigned size = left >= 4 ? 2 : left >= 2;
		unsigned stretch = *from / STRETCH;

		s->made[s->n_piece++] =
			(struct piece3){ (uint32_t)(from - s->entry),
				(uint16_t)r,
				(uint16_t)(stretch * KINDS + KIND(way, size)) };
		left -= 1u << size;
		from += BLOCK << size;
	}
	return from;
}

/* Write the lists of row r; returns the end of the entries. */
AVX512 static uint16_t *
make_lists3(struct rows3 *s, size_t r, const struct vs_panel *a,
	const struct vs_triple_row *u, uint16_t *to)
{
	const struct part *part = &s->part;
	uint16_t *from = to;
	bool even = u->mode != 1;
	struct masks m;

	split(part, a, u, &m);
	/* a complement is 3 too many */
	s->row[r].extra =
		part->turns ? -3 * sum_turned(part, &m, even ? 2 : -1) : 0;
	to = offsets(part, m.one, to);
	if (!even && part->twos)
		to = offsets(part, m.one_more, to);
	to = split_list3(s, r, ONCE, from, to);
	from = to;
	to = offsets(part, m.two, to);
	if (part->twos)
		to = even ? few_offsets(part, m.two_more, to)
			  : offsets(part, m.two_more, to);
	to = split_list3(s, r, even ? TWICE : NOT, from, to);
	if (!even)
		s->row[r].extra -= 3 * (int32_t)(to - from);
	return to;
}

/* Counting sort of the pieces by bucket. */
static inline void
sort_pieces3(struct rows3 *s)
{
	uint32_t at = 0;

	memset(s->end, 0, sizeof(s->end));
	for (size_t k = 0; k < s->n_piece; k++)
		s->end[s->made[k].bucket]++;
	for (size_t b = 0; b < BUCKETS; b++) {
		uint32_t n = s->end[b];

		s->end[b] = at;
		at += n;
	}
	for (size_t k = 0; k < s->n_piece; k++)
		s->piece[s->end[s->made[k].bucket]++] = s->made[k];
}

/* ---- counters into sums ---- */

/* sums +- counter, 512 columns */
INLINE void
flush_counter(__m512i counter[PLANES], bool minus, int32_t *sums)
{
	const __m512i none = _mm512_setzero_si512();
	/* (v ^ -1) - -1 is -v */
	const __m512i sign = _mm512_set1_epi32(minus ? -1 : 0);
	__m512i low[8], high[8];

	counter_to_integers(counter, low, high);
	for (int m = 0; m < 8; m++) {
		__m512i pair[2] = { _mm512_unpacklo_epi8(low[m], high[m]),
			_mm512_unpackhi_epi8(low[m], high[m]) };

		for (int k = 0; k < 4; k++, sums += 16) {
			__m512i v = k % 2
				? _mm512_unpackhi_epi16(pair[k / 2], none)
				: _mm512_unpacklo_epi16(pair[k / 2], none);

			v = _mm512_sub_epi32(_mm512_xor_si512(v, sign), sign);
			_mm512_storeu_si512(sums,
				_mm512_add_epi32(v, _mm512_loadu_si512(sums)));
		}
	}
}

/* Like counter_leaves(), for n sums. */
INLINE bool
sums_leave(const int32_t *sums, size_t n, const struct vs_range *in)
{
	const __m512i lo = _mm512_set1_epi32(in->lo);
	const __m512i hi = _mm512_set1_epi32(in->hi);

	for (size_t k = 0; k < n; k += 16) {
		__m512i v = _mm512_loadu_si512(sums + k);

		if (_mm512_cmplt_epi32_mask(v, lo) |
			_mm512_cmpgt_epi32_mask(v, hi))
			return true;
	}
	return false;
}

/* ---- counting ---- */

/* Flush the counter of a row: set its sums, or add to them. */
__attribute__((noinline)) AVX512 static void
flush_row(struct row3 *row)
{
	if (!row->begun)
		memset(row->sums, 0, LANES * sizeof(*row->sums));
	flush_counter(row->counter, row->minus, row->sums);
	row->begun = true;
}

/* Add pieces up to `end`, all of one kind. */
INLINE size_t
add_pieces(struct rows3 *s, size_t x, size_t end, const char *fields,
	const int k, const int not, const unsigned n_block)
{
	for (; x < end; x++) {
		const struct piece3 *piece = &s->piece[x];
		struct row3 *row = &s->row[piece->row];
		__m512i c[PLANES];

		UNROLL
		for (int y = 0; y < PLANES; y++)
			c[y] = row->counter[y];
		add_piece(c, k, not, fields, s->entry + piece->at, n_block);
		UNROLL
		for (int y = 0; y < PLANES; y++)
			row->counter[y] = c[y];
	}
	return x;
}

/* Count all pieces against the fields of a block of columns. */
AVX512 static void
count_pieces3(struct rows3 *s, const char *fields)
{
	size_t x = 0;

	for (size_t b = 0; b < BUCKETS; b++) {
		size_t end = s->end[b];

		switch (b % KINDS) {
		case KIND(ONCE, 0):
			x = add_pieces(s, x, end, fields, 0, 0, 1);
			break;
		case KIND(ONCE, 1):
			x = add_pieces(s, x, end, fields, 0, 0, 2);
			break;
		case KIND(ONCE, 2):
			x = add_pieces(s, x, end, fields, 0, 0, 4);
			break;
		case KIND(TWICE, 0):
			x = add_pieces(s, x, end, fields, 1, 0, 1);
			break;
		case KIND(TWICE, 1):
			x = add_pieces(s, x, end, fields, 1, 0, 2);
			break;
		case KIND(TWICE, 2):
			x = add_pieces(s, x, end, fields, 1, 0, 4);
			break;
		case KIND(NOT, 0):
			x = add_pieces(s, x, end, fields, 0, 1, 1);
			break;
		case KIND(NOT, 1):
			x = add_pieces(s, x, end, fields, 0, 1, 2);
			break;
		case KIND(NOT, 2):
			x = add_pieces(s, x, end, fields, 0, 1, 4);
			break;
		}
	}
}

/* Finish a row at the end of a part; true if its sums are wanted. */
AVX512 static bool
end_row(struct row3 *row, bool last)
{
	const struct vs_range *in = &row->in;
	int32_t extra = row->extra;
	__m512i more;

	if (last && !row->begun &&
		!(row->minus ? counter_leaves(row->counter, -in->hi - extra,
				       -in->lo - extra)
			     : counter_leaves(row->counter, in->lo - extra,
				       in->hi - extra)))
		return false;
	flush_row(row);
	more = _mm512_set1_epi32(row->minus ? -extra : extra);
	for (size_t k = 0; k < LANES; k += 16)
		_mm512_storeu_si512(row->sums + k,
			_mm512_add_epi32(more,
				_mm512_loadu_si512(row->sums + k)));
	return last && sums_leave(row->sums, LANES, in);
}

/* Count rows [lo, lo + s->n_row) in the fields of a part. */
AVX512 static void
count_batch(struct rows3 *s, const struct vs_triple_call *call, size_t lo,
	bool last)
{
	const struct part *part = &s->part;
	const size_t n_block = blocks(call->n_col);
	const char *fields = s->fields;
	uint16_t *to = s->entry;

	s->n_piece = 0;
	for (size_t r = 0; r < s->n_row; r++)
		to = make_lists3(s, r, call->a, &call->first[lo + r], to);
	sort_pieces3(s);
	for (size_t k = 0; k < n_block; k++) {
		for (size_t r = 0; r < s->n_row; r++) {
			struct row3 *row = &s->row[r];

			UNROLL
			for (int x = 0; x < PLANES; x++)
				row->counter[x] = _mm512_setzero_si512();
			row->in = call->range[(lo + r) * n_block + k];
			row->sums = call->d + (lo + r) * call->ld + k * LANES;
			row->minus = (call->first[lo + r].mode == 2) !=
				(call->second->mode == 2);
			row->begun = part->first > 0;
		}
		count_pieces3(s, fields);
		for (size_t r = 0; r < s->n_row; r++)
			call->wanted[lo + r] |=
				(uint64_t)end_row(&s->row[r], last) << k;
		fields += part_bytes(call->a->vec.n_field);
	}
}

AVX512 static void
count3(const struct vs_triple_call *call)
{
	const size_t n_field = call->a->vec.n_field;
	const struct chunking chunking = chunk_fields(n_field, 1);
	const size_t n_word = (n_field + 63) / 64;
	struct rows3 *s = call->scratch;

	memset(call->wanted, 0, call->n_row * sizeof(*call->wanted));
	for (size_t w = 0; w < n_word; w += s->part.n_word) {
		take_part(&s->part, call->a, call->second, w);
		for (size_t k = 0; k < blocks(call->n_col); k++)
			copy_part(&s->part, call->a, call->second,
				(const char *)call->cols +
					k * block_bytes(&chunking),
				&chunking, s->fields + k * part_bytes(n_field));
		for (size_t lo = 0; lo < call->n_row; lo += BATCH) {
			s->n_row = call->n_row - lo < BATCH ? call->n_row - lo
							    : BATCH;
			count_batch(s, call, lo, w + s->part.n_word == n_word);
		}
	}
}

extern const struct vs_triple vs_triple_lanes512;
const struct vs_triple vs_triple_lanes512 = { "lanes512", "lanes512",
	VS_CPU_AVX512ICL, LANES, NULL, NULL, row_room3, count3,
	{ 400, 90, 0, 2.9f, 11 } };
#endif
