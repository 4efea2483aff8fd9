/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Population-count pair kernel for VPOPCNTD, sixteen columns to a register: a
 * 32-bit lane holds 32 fields of one column, a row's word is broadcast, and no
 * sum has to be reduced across lanes. Columns are converted beforehand to
 * groups of 16, in a group field word after field word: 16 words of one plane,
 * 16 words of the other; before them the columns' sums. Two counts and 6
 * instructions on two ports for 512 fields take 3 cycles, 170.7 fields a cycle,
 * the limit of this method.
 */
#if defined(__x86_64__)
#include <immintrin.h>

#include "libcore/base/inline.h"
#include "libcore/kern/pair/by_row.h"

#define TARGET target("avx512f,avx512bw,avx512vl,avx512vpopcntdq,popcnt,bmi2")
#define AVX512 __attribute__((TARGET))
#define INLINE __attribute__((TARGET)) VS_INLINE

#define GROUP 16
#define ROWS 4
/* field words of 32 columns that fit L1: 32 KB of two planes */
#define WORDS 128

static size_t
field_words(size_t n_field)
{
	return (n_field + 31) / 32;
}

static size_t
room(size_t n_col, size_t n_field)
{
	return BY_ROW_HEAD +
		by_row_padded(n_col) *
		(sizeof(int32_t) + field_words(n_field) * 8);
}

/* Groups start after the sums of the columns. */
static inline uint32_t *
groups(const void *cols)
{
	return by_row_body(cols);
}

/* Planes of the converted columns: h | p, and h & p or h & ~p by the label. */
enum plane { BIG, SIGN1, SIGN0 };

INLINE __m512i
make(enum plane plane, __m512i h, __m512i p)
{
	return plane == BIG      ? _mm512_or_si512(h, p)
		: plane == SIGN1 ? _mm512_and_si512(h, p)
				 : _mm512_andnot_si512(p, h);
}

/* Transpose 16 words of 16 columns into 16 words x 16 columns. */
INLINE void
transpose(const uint32_t *const h[GROUP], const uint32_t *const p[GROUP],
	size_t w, __mmask16 in, enum plane plane, uint32_t *to)
{
	__m512i r[16], t[16];

	for (int k = 0; k < 16; k++) {
		__m512i a = h[k] ? _mm512_maskz_loadu_epi32(in, h[k] + w)
				 : _mm512_setzero_si512();
		__m512i b = h[k] ? _mm512_maskz_loadu_epi32(in, p[k] + w)
				 : _mm512_setzero_si512();

		r[k] = make(plane, a, b);
	}
	for (int k = 0; k < 16; k += 2) {
		t[k] = _mm512_unpacklo_epi32(r[k], r[k + 1]);
		t[k + 1] = _mm512_unpackhi_epi32(r[k], r[k + 1]);
	}
	for (int k = 0; k < 16; k += 4) {
		r[k] = _mm512_unpacklo_epi64(t[k], t[k + 2]);
		r[k + 1] = _mm512_unpackhi_epi64(t[k], t[k + 2]);
		r[k + 2] = _mm512_unpacklo_epi64(t[k + 1], t[k + 3]);
		r[k + 3] = _mm512_unpackhi_epi64(t[k + 1], t[k + 3]);
	}
	for (int k = 0; k < 4; k++) {
		t[k] = _mm512_shuffle_i32x4(r[k], r[k + 4], 0x88);
		t[k + 4] = _mm512_shuffle_i32x4(r[k], r[k + 4], 0xdd);
		t[k + 8] = _mm512_shuffle_i32x4(r[k + 8], r[k + 12], 0x88);
		t[k + 12] = _mm512_shuffle_i32x4(r[k + 8], r[k + 12], 0xdd);
	}
	for (int k = 0; k < 4; k++) {
		r[k] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0x88);
		r[k + 8] = _mm512_shuffle_i32x4(t[k], t[k + 8], 0xdd);
		r[k + 4] = _mm512_shuffle_i32x4(t[k + 4], t[k + 12], 0x88);
		r[k + 12] = _mm512_shuffle_i32x4(t[k + 4], t[k + 12], 0xdd);
	}
	for (int k = 0; k < 16 && (in >> k & 1); k++)
		_mm512_store_si512(to + 2 * GROUP * (w + (size_t)k), r[k]);
}

INLINE void
take(const struct vs_panel *b, size_t lo, size_t n_col, enum plane sign,
	void *cols)
{
	size_t n32 = field_words(b->vec.n_field);
	size_t n_group = by_row_padded(n_col) / GROUP;

	by_row_begin(cols, n_col);
	for (size_t v = 0; v < n_col; v++)
		by_row_sums(cols)[v] = vs_panel_sum(b, lo + v, sign == SIGN1);
	for (size_t g = 0; g < n_group; g++) {
		uint32_t *to = groups(cols) + g * n32 * 2 * GROUP;
		const uint32_t *h[GROUP], *p[GROUP];

		for (size_t k = 0; k < GROUP; k++) {
			size_t v = g * GROUP + k;

			h[k] = p[k] = NULL;
			if (v >= n_col)
				continue;
			h[k] = (const uint32_t *)vs_vec_plane(&b->vec, lo + v,
				0);
			p[k] = (const uint32_t *)vs_vec_plane(&b->vec, lo + v,
				1);
		}
		for (size_t w = 0; w < n32; w += 16) {
			size_t left = n32 - w;
			__mmask16 in = (__mmask16)(left < 16 ? (1u << left) - 1
							     : 0xffff);

			transpose(h, p, w, in, BIG, to);
			transpose(h, p, w, in, sign, to + GROUP);
		}
	}
}

AVX512 static void
take_dense(const struct vs_panel *b, size_t lo, size_t n_col, int label,
	void *cols)
{
	if (label)
		take(b, lo, n_col, SIGN1, cols);
	else
		take(b, lo, n_col, SIGN0, cols);
}

INLINE __m512i
load(const uint32_t *p)
{
	return _mm512_load_si512(p);
}

/*
 * Count n rows x 32 columns over n_word field words. The first words of a row
 * start from the rows' and columns' sums (shift holds s_i - n; null later).
 */
INLINE void
dense_rows(const int n, const uint32_t *const h[ROWS],
	const uint32_t *const p[ROWS], const uint32_t *b0, const uint32_t *b1,
	size_t n_word, const int32_t *shift, const int32_t *col_sum,
	int32_t *out, size_t ld)
{
	__m512i u[ROWS][2], t[ROWS][2];

	for (int r = 0; r < n; r++)
		u[r][0] = u[r][1] = t[r][0] = t[r][1] = _mm512_setzero_si512();
	for (size_t w = 0; w < n_word; w++) {
		__m512i hb0 = load(b0 + 2 * GROUP * w);
		__m512i pb0 = load(b0 + 2 * GROUP * w + GROUP);
		__m512i hb1 = load(b1 + 2 * GROUP * w);
		__m512i pb1 = load(b1 + 2 * GROUP * w + GROUP);

		for (int r = 0; r < n; r++) {
			__m512i ha = _mm512_set1_epi32((int)h[r][w]);
			__m512i pa = _mm512_set1_epi32((int)p[r][w]);
			__m512i both0 = _mm512_and_si512(ha, hb0);
			__m512i both1 = _mm512_and_si512(ha, hb1);
			/* 0x60: a & (b ^ c) */
			__m512i odd0 =
				_mm512_ternarylogic_epi32(both0, pa, pb0, 0x60);
			__m512i odd1 =
				_mm512_ternarylogic_epi32(both1, pa, pb1, 0x60);

			u[r][0] = _mm512_add_epi32(u[r][0],
				_mm512_popcnt_epi32(both0));
			u[r][1] = _mm512_add_epi32(u[r][1],
				_mm512_popcnt_epi32(both1));
			t[r][0] = _mm512_add_epi32(t[r][0],
				_mm512_popcnt_epi32(odd0));
			t[r][1] = _mm512_add_epi32(t[r][1],
				_mm512_popcnt_epi32(odd1));
		}
	}
	for (int r = 0; r < n; r++)
		for (int g = 0; g < 2; g++) {
			int32_t *to = out + (size_t)r * ld + g * GROUP;
			__m512i v = _mm512_sub_epi32(u[r][g],
				_mm512_slli_epi32(t[r][g], 1));

			if (shift)
				v = _mm512_add_epi32(v,
					_mm512_add_epi32(
						_mm512_set1_epi32(shift[r]),
						_mm512_load_si512(
							col_sum + g * GROUP)));
			else
				v = _mm512_add_epi32(v, _mm512_load_si512(to));
			_mm512_store_si512(to, v);
		}
}

AVX512 static void
dense(const struct vs_panel *a, size_t row, size_t n_row, int label,
	const void *cols, size_t col, size_t n_col, void *rows, int32_t *out,
	size_t ld)
{
	size_t n_word = a->vec.n_word, n32 = field_words(a->vec.n_field);
	size_t group = n32 * 2 * GROUP;
	int32_t *shift = by_row_sums(rows);

	by_row_take_dense(a, row, n_row, label, rows);
	for (size_t r = 0; r < n_row; r++)
		shift[r] -= (int32_t)a->vec.n_field;
	for (size_t w = 0; w < n32; w += WORDS)
		for (size_t c = col; c < n_col; c += VS_COLS) {
			const uint32_t *b0 = groups(cols) + c / GROUP * group +
				2 * GROUP * w;
			size_t k_word = n32 - w < WORDS ? n32 - w : WORDS;

			for (size_t r = 0; r < n_row; r += ROWS) {
				int32_t *to = out + r * ld + c;
				const int32_t *from = w ? NULL : shift + r;
				const int32_t *s = by_row_sums(cols) + c;
				const uint32_t *h[ROWS], *p[ROWS];
				size_t n = n_row - r < ROWS ? n_row - r : ROWS;

				for (size_t k = 0; k < n; k++) {
					h[k] = (const uint32_t *)by_row_plane(
						       rows, r + k, 0, n_word) +
						w;
					p[k] = (const uint32_t *)by_row_plane(
						       rows, r + k, 1, n_word) +
						w;
				}
				if (n == ROWS)
					dense_rows(ROWS, h, p, b0, b0 + group,
						k_word, from, s, to, ld);
				else
					for (size_t k = 0; k < n; k++)
						dense_rows(1, h + k, p + k, b0,
							b0 + group, k_word,
							from ? from + k : from,
							s, to + k * ld, ld);
			}
		}
}

/* Seven counts from which the four sums of a pair follow. */
enum { U, T, SM, HM, MS, MH, MM, N_COUNT };

/*
 * A single pair runs along the fields; planes are padded to multiples of 512
 * fields.
 */
AVX512 static void
pair(const struct vs_panel *a, size_t i, const struct vs_panel *b, size_t j,
	int32_t sum[4])
{
	const uint64_t *hi = vs_vec_plane(&a->vec, i, 0);
	const uint64_t *pi = vs_vec_plane(&a->vec, i, 1);
	const uint64_t *hj = vs_vec_plane(&b->vec, j, 0);
	const uint64_t *pj = vs_vec_plane(&b->vec, j, 1);
	__m512i n[N_COUNT];
	int32_t total[N_COUNT];

	for (int k = 0; k < N_COUNT; k++)
		n[k] = _mm512_setzero_si512();
	for (size_t w = 0; w < a->vec.n_word; w += 8) {
		__m512i h = _mm512_load_si512(hi + w);
		__m512i p = _mm512_load_si512(pi + w);
		__m512i g = _mm512_load_si512(hj + w);
		__m512i q = _mm512_load_si512(pj + w);
		__m512i m = _mm512_andnot_si512(h, p);
		__m512i l = _mm512_andnot_si512(g, q);
		__m512i word[N_COUNT];

		word[U] = _mm512_and_si512(h, g);
		word[T] = _mm512_ternarylogic_epi32(word[U], p, q, 0x60);
		word[HM] = _mm512_and_si512(h, l);
		word[SM] = _mm512_and_si512(word[HM], p);
		word[MH] = _mm512_and_si512(m, g);
		word[MS] = _mm512_and_si512(word[MH], q);
		word[MM] = _mm512_and_si512(m, l);
		for (int k = 0; k < N_COUNT; k++)
			n[k] = _mm512_add_epi64(n[k],
				_mm512_popcnt_epi64(word[k]));
	}
	for (int k = 0; k < N_COUNT; k++)
		total[k] = (int32_t)_mm512_reduce_add_epi64(n[k]);
	sum[0] = total[U] - 2 * total[T];
	sum[1] = 2 * total[SM] - total[HM];
	sum[2] = 2 * total[MS] - total[MH];
	sum[3] = total[MM];
}

AVX512 static int32_t
part(const struct vs_panel *a, size_t i, const struct vs_panel *b, size_t j,
	size_t from)
{
	const uint64_t *hi = vs_vec_plane(&a->vec, i, 0);
	const uint64_t *pi = vs_vec_plane(&a->vec, i, 1);
	const uint64_t *hj = vs_vec_plane(&b->vec, j, 0);
	const uint64_t *pj = vs_vec_plane(&b->vec, j, 1);
	__m512i n = _mm512_setzero_si512();

	for (size_t w = from / 64; w < a->vec.n_word; w += 8) {
		__m512i u = _mm512_and_si512(_mm512_load_si512(hi + w),
			_mm512_load_si512(hj + w));
		__m512i t =
			_mm512_ternarylogic_epi64(u, _mm512_load_si512(pi + w),
				_mm512_load_si512(pj + w), 0x60);

		t = _mm512_popcnt_epi64(t);
		n = _mm512_add_epi64(n,
			_mm512_sub_epi64(_mm512_popcnt_epi64(u),
				_mm512_add_epi64(t, t)));
	}
	return (int32_t)_mm512_reduce_add_epi64(n);
}

extern const struct vs_dense vs_dense_vpopcnt;
const struct vs_dense vs_dense_vpopcnt = { "vpopcnt", VS_CPU_AVX512ICL, VS_COLS,
	room, take_dense, by_row_room, dense, false, NULL };
extern const struct vs_sparse vs_sparse_vpopcnt;
const struct vs_sparse vs_sparse_vpopcnt = { "vpopcnt", VS_CPU_AVX512ICL, pair,
	part };
#endif
