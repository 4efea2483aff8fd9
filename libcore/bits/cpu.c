/* SPDX-License-Identifier: BSD-3-Clause */
/* CPU feature detection by CPUID. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "libcore/base/fail.h"
#include "libcore/bits/cpu.h"

static const char *const names[VS_CPU_N] = {
	"scalar",
	"popcnt",
	"avx2",
	"avx512",
	"avx512icl",
	"amx",
};

/*
 * CPU features that a level needs in addition to lower levels, by the
 * compiler's names. A function compiled for features beyond this list may fault
 * on a CPU that offers the level.
 */
#define FEATURES(X)                     \
	X(POPCNT, "popcnt")             \
	X(AVX2, "avx2")                 \
	X(AVX2, "fma")                  \
	X(AVX512, "avx512f")            \
	X(AVX512, "avx512bw")           \
	X(AVX512, "avx512dq")           \
	X(AVX512, "avx512vl")           \
	X(AVX512ICL, "avx512vbmi")      \
	X(AVX512ICL, "avx512vbmi2")     \
	X(AVX512ICL, "avx512vpopcntdq") \
	X(AVX512ICL, "avx512vnni")      \
	X(AVX512ICL, "gfni")            \
	X(AVX512ICL, "bmi")             \
	X(AVX512ICL, "bmi2")

#if defined(__x86_64__)
/*
 * CPU features of the AMX level, by bits of EDX of CPUID leaf 7: not all
 * compilers know the names.
 */
#define TILES(X)          \
	X(24, "amx-tile") \
	X(25, "amx-int8")

/* Ask the system for tile registers; it grants them once per process. */
static bool
has_tiles(void)
{
	unsigned a, b, c, d = 0;

	if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
		return false;
#define WANT(bit, feature)   \
	if (!(d >> (bit)&1)) \
		return false;
	TILES(WANT)
#if defined(__linux__)
	return !syscall(SYS_arch_prctl, 0x1023 /* ARCH_REQ_XCOMP_PERM */, 18);
#else
	return false;
#endif
}

static enum vs_cpu
find_best(void)
{
	enum vs_cpu best = VS_CPU_N - 1;

	__builtin_cpu_init();
#define LIMIT(step, feature)                                           \
	if (best >= VS_CPU_##step && !__builtin_cpu_supports(feature)) \
		best = VS_CPU_##step - 1;
	FEATURES(LIMIT)
	return best == VS_CPU_AMX && !has_tiles() ? VS_CPU_AMX - 1 : best;
}
#endif

enum vs_cpu
vs_cpu_best(void)
{
#if defined(__x86_64__)
	/* threads may race here; all compute the same value */
	static int level_plus_1;
	int best = __atomic_load_n(&level_plus_1, __ATOMIC_RELAXED);

	if (!best) {
		best = 1 + (int)find_best();
		__atomic_store_n(&level_plus_1, best, __ATOMIC_RELAXED);
	}
	return (enum vs_cpu)(best - 1);
#else
	return VS_CPU_SCALAR;
#endif
}

const char *
vs_cpu_name(enum vs_cpu cpu)
{
	return names[cpu];
}

/* The level of that name, or VS_CPU_N. */
static int
find_name(const char *name)
{
	int c = 0;

	while (c < VS_CPU_N && strcmp(names[c], name))
		c++;
	return c;
}

enum vs_cpu
vs_cpu_now(void)
{
	/* threads may race here; all find the same */
	static int level_plus_1;
	int level = __atomic_load_n(&level_plus_1, __ATOMIC_RELAXED) - 1;

	if (level < 0) {
		const char *name = getenv("VSIM_CPU");

		level = name ? find_name(name) : VS_CPU_N;
		if (level > (int)vs_cpu_best())
			level = (int)vs_cpu_best();
		__atomic_store_n(&level_plus_1, level + 1, __ATOMIC_RELAXED);
	}
	return (enum vs_cpu)level;
}

int
vs_cpu_choose(const char *name, enum vs_cpu *cpu)
{
	const char *where = "--cpu";
	int c;

	if (!name) {
		name = getenv("VSIM_CPU");
		where = "VSIM_CPU";
	}
	if (!name || !*name) {
		*cpu = vs_cpu_best();
		return 0;
	}
	c = find_name(name);
	if (c == VS_CPU_N)
		return vs_fail(VS_EUSAGE,
			"%s %s: not one of scalar, popcnt, avx2, avx512, "
			"avx512icl, amx",
			where, name);
	if (c > (int)vs_cpu_best())
		return vs_fail(VS_EMACHINE,
			"%s %s: this CPU supports at most %s", where, name,
			names[vs_cpu_best()]);
	*cpu = (enum vs_cpu)c;
	return 0;
}

static size_t assumed_cache;

void
vs_cpu_assume_cache(size_t bytes)
{
	assumed_cache = bytes;
}

size_t
vs_cpu_cache(void)
{
	if (assumed_cache)
		return assumed_cache;
#ifdef _SC_LEVEL2_CACHE_SIZE
	long bytes = sysconf(_SC_LEVEL2_CACHE_SIZE);

	if (bytes > 0)
		return (size_t)bytes;
#endif
	return 1u << 20;
}
