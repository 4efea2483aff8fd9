/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/err.h"
#include "libcore/bits/cpu.h"

static const char *const names[VS_CPU_N] = {
	"scalar",
	"popcnt",
	"avx2",
	"avx512",
};

enum vs_cpu
vs_cpu_best(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (!__builtin_cpu_supports("popcnt"))
		return VS_CPU_SCALAR;
	if (!__builtin_cpu_supports("avx2"))
		return VS_CPU_POPCNT;
	if (!__builtin_cpu_supports("avx512f") ||
		!__builtin_cpu_supports("avx512bw") ||
		!__builtin_cpu_supports("avx512vl") ||
		!__builtin_cpu_supports("avx512vpopcntdq"))
		return VS_CPU_AVX2;
	return VS_CPU_AVX512;
#else
	return VS_CPU_SCALAR;
#endif
}

const char *
vs_cpu_name(enum vs_cpu cpu)
{
	return names[cpu];
}

int
vs_cpu_choose(const char *name, enum vs_cpu *cpu)
{
	const char *where = "--cpu";
	int c = 0;

	if (!name) {
		name = getenv("VSIM_CPU");
		where = "VSIM_CPU";
	}
	if (!name || !*name) {
		*cpu = vs_cpu_best();
		return 0;
	}
	while (c < VS_CPU_N && strcmp(names[c], name))
		c++;
	if (c == VS_CPU_N)
		return vs_fail(VS_EUSAGE,
			"%s %s: not one of scalar, popcnt, avx2, avx512", where,
			name);
	if (c > (int)vs_cpu_best())
		return vs_fail(VS_EMACHINE, "%s %s: this CPU ends at %s", where,
			name, names[vs_cpu_best()]);
	*cpu = (enum vs_cpu)c;
	return 0;
}
