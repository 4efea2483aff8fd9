/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Sums over fields in common, template of a register width. The including file
 * defines SUM, the function's name, TARGET, and WIDTH, the doubles of a
 * register.
 */
#if defined(SUM)
#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define OWN(name) PASTE(SUM, name)
#define PARTS (VS_JOINT_DOTS_LANES / WIDTH)

typedef double OWN(lanes) __attribute__((vector_size(8 * WIDTH)));
typedef int64_t OWN(masks) __attribute__((vector_size(8 * WIDTH)));

struct OWN(sums) {
	OWN(masks) n[PARTS];
	OWN(lanes) s[2][PARTS], q[2][PARTS], p[PARTS];
};

/* Add a field of each lane. */
TARGET VS_INLINE void
OWN(add)(struct OWN(sums) * a, const double *u, const double *v,
	const double at[2])
{
#pragma GCC unroll 4
	for (int k = 0; k < PARTS; k++) {
		OWN(lanes) x, y, both;
		OWN(masks) joint;

		memcpy(&x, u + k * WIDTH, sizeof(x));
		memcpy(&y, v + k * WIDTH, sizeof(y));
		x -= at[0];
		y -= at[1];
		/* NaN if one of the two is */
		both = x + y;
		joint = both == both;
		x = (OWN(lanes))((OWN(masks))x & joint);
		y = (OWN(lanes))((OWN(masks))y & joint);
		a->n[k] -= joint;
		a->s[0][k] += x;
		a->s[1][k] += y;
		a->q[0][k] += x * x;
		a->q[1][k] += y * y;
		a->p[k] += x * y;
	}
}

/* A run of n fields; those past the last count as missing. */
TARGET VS_INLINE void
OWN(run)(struct OWN(sums) * to, const double *u, const double *v, size_t n,
	const double at[2])
{
	struct OWN(sums) a = { 0 };
	double last[2][VS_JOINT_DOTS_LANES];
	size_t k = 0;

	for (; k + VS_JOINT_DOTS_LANES <= n; k += VS_JOINT_DOTS_LANES)
		OWN(add)(&a, u + k, v + k, at);
	if (k < n) {
		for (size_t x = 0; x < VS_JOINT_DOTS_LANES; x++) {
			last[0][x] = k + x < n ? u[k + x] : (double)NAN;
			last[1][x] = k + x < n ? v[k + x] : (double)NAN;
		}
		OWN(add)(&a, last[0], last[1], at);
	}
#pragma GCC unroll 4
	for (int x = 0; x < PARTS; x++) {
		to->n[x] += a.n[x];
		to->p[x] += a.p[x];
		for (int y = 0; y < 2; y++) {
			to->s[y][x] += a.s[y][x];
			to->q[y][x] += a.q[y][x];
		}
	}
}

TARGET static void
SUM(const double *u, const double *v, size_t n_field, const double at[2],
	struct vs_joint_dots *out)
{
	struct OWN(sums) a = { 0 };
	int64_t n[VS_JOINT_DOTS_LANES];

	for (size_t lo = 0; lo < n_field; lo += VS_JOINT_DOTS_RUN) {
		size_t left = n_field - lo;

		OWN(run)
		(&a, u + lo, v + lo,
			left < VS_JOINT_DOTS_RUN ? left : VS_JOINT_DOTS_RUN,
			at);
	}
	memcpy(n, a.n, sizeof(n));
	out->n = 0;
	for (int l = 0; l < VS_JOINT_DOTS_LANES; l++)
		out->n += n[l];
	for (int x = 0; x < 2; x++) {
		out->s[x] = total(a.s[x]);
		out->q[x] = total(a.q[x]);
	}
	out->p = total(a.p);
}

#undef PASTE_
#undef PASTE
#undef OWN
#undef PARTS
#undef SUM
#undef TARGET
#undef WIDTH
#endif
