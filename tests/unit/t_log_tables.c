/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of logarithms against those of the C library in long double. */
#include <math.h>

#include "libcore/metric/association.h"
#include "tests/unit/test.h"

static void
try_table(enum vs_log_kind kind, int64_t n_field)
{
	const char *name = kind == VS_LOG_FACTORIAL ? "ln n!" : "n ln n";
	struct vs_log_tables t;
	long double worst = 0;

	if (vs_log_tables_new(&t, kind, n_field))
		exit(1);
	for (int64_t n = 0; n <= n_field; n++) {
		long double x = (long double)n;
		long double want = kind == VS_LOG_FACTORIAL ? lgammal(x + 1)
			: n                                 ? x * logl(x)
							    : 0;
		/* a unit, and the rounding of what it is compared with */
		long double off = fabsl((long double)t.one[n] * t.unit - want) /
			(t.unit + want * 4e-19L);

		worst = off > worst ? off : worst;
		if (kind == VS_LOG_FACTORIAL && n)
			worst = t.both[n - 1] == t.one[n] ? worst : INFINITY;
		if (kind == VS_LOG_ENTROPY)
			worst = t.both[n] == t.one[n] ? worst : INFINITY;
	}
	T_OK(worst <= 1, "%s of %lld fields: within %Lg of a unit", name,
		(long long)n_field, worst);
	T_OK(27 * 3 * (double)t.unit < 1e-9 * (double)(n_field + 30),
		"%s of %lld fields: a unit is %g", name, (long long)n_field,
		t.unit);
	T_OK((double)t.both[n_field] < 0x1p62 / 3,
		"%s of %lld fields: three sums fit", name, (long long)n_field);
	vs_log_tables_free(&t);
}

/* The score of a table that does not tell the classes apart is 0. */
static void
try_scores(void)
{
	struct vs_log_tables t;
	struct vs_association a = { 0, { 600, 300 } };

	if (vs_log_tables_new(&t, VS_LOG_ENTROPY, 900))
		exit(1);
	for (int x = 0; x < 3; x++)
		a.sum += t.one[200] + t.one[100] - t.both[300];
	T_OK(vs_mi_value(&t, &a) >= 0 && vs_mi_value(&t, &a) < 1e-13,
		"equal shares have no information: %g", vs_mi_value(&t, &a));
	a = (struct vs_association){ 0, { 0, 0 } };
	T_OK(!vs_mi_value(&t, &a) && !vs_g_value(&t, &a),
		"nor has a table without samples");
	vs_log_tables_free(&t);
}

int
main(void)
{
	static const int64_t size[] = { 2, 3, 40, 1000, 65536, 300000 };

	for (size_t k = 0; k < sizeof(size) / sizeof(*size); k++) {
		try_table(VS_LOG_FACTORIAL, size[k]);
		try_table(VS_LOG_ENTROPY, size[k]);
	}
	try_scores();
	return T_DONE();
}
