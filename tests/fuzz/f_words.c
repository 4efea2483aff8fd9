/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Small texts of users and files: the first byte says which. Thresholds by
 * class are refused or print to a text that reads back to the same;
 * complete.yaml of any bytes is none, or states what it holds; a position is
 * refused or is within its limits, and is what strtod() reads.
 */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/results/complete.h"
#include "libcore/base/fail.h"
#include "libcore/base/thresholds.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 20000;

static bool
same(const struct vs_thresholds *a, const struct vs_thresholds *b, int n_way)
{
	for (int c = 0; c <= n_way; c++)
		if (a->one[c] != b->one[c])
			return false;
	return a->sum == b->sum;
}

static void
thresholds(const char *text, int n_way)
{
	const double off = INFINITY;
	struct vs_thresholds got = { { off, off, off, off }, off }, was = got,
			     back = got;
	char said[VS_THRESHOLDS_ROOM];
	bool some = false;

	if (!vs_thresholds_read(text, n_way, &got)) {
		FUZZ_HOLDS(same(&got, &was, 3), "\"%s\" is set all the same",
			text);
		return;
	}
	for (int c = 0; c <= n_way; c++)
		some |= isfinite(got.one[c]);
	FUZZ_HOLDS(some || isfinite(got.sum), "\"%s\": none is on", text);
	vs_thresholds_print(&got, n_way, said);
	FUZZ_HOLDS(vs_thresholds_read(said, n_way, &back) &&
			same(&got, &back, n_way),
		"\"%s\" is printed as \"%s\"", text, said);
}

static void
complete(const uint8_t *bytes, size_t n)
{
	static const char *const key[] = { "n_shards:", "n_tiles:",
		"n_records:", "records_sum:", "source_sum:" };
	struct vs_complete c = { .n_shards = 7 };
	char path[SCRATCH_PATH], *slash;
	bool has = true;
	int code;

	scratch_path(path, "complete.yaml");
	scratch_file(path, bytes, n);
	slash = strrchr(path, '/');
	*slash = 0;
	code = vs_complete_read(path, &c, &has);
	FUZZ_HOLDS(!code || *vs_fail_text(), "code %d without a sentence",
		code);
	FUZZ_HOLDS(code || has || c.n_shards == 7, "set by what is none");
	for (size_t k = 0; has && k < sizeof(key) / sizeof(*key); k++)
		FUZZ_HOLDS(memmem(bytes, n, key[k], strlen(key[k])),
			"complete without %s", key[k]);
}

static void
position(const char *text)
{
	struct vs_reader r = { 0 };
	int64_t pos = -7;
	char *end;
	double want = strtod(text, &end);

	if (!vs_reader_position(&r, text, &pos))
		return;
	FUZZ_HOLDS(!*end && want == want, "position \"%s\"", text);
	FUZZ_HOLDS(r.tally.negative == (want < 0) &&
			pos == (want < 0 ? 0 : (int64_t)want) &&
			pos < INT32_MAX,
		"position \"%s\" is %lld", text, (long long)pos);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char *text;

	if (!n)
		return 0;
	text = malloc(n);
	if (!text)
		exit(4);
	memcpy(text, bytes + 1, n - 1);
	text[n - 1] = 0;
	switch (bytes[0] % 4) {
	case 0:
		thresholds(text, 2);
		break;
	case 1:
		thresholds(text, 3);
		break;
	case 2:
		complete(bytes + 1, n - 1);
		break;
	default:
		position(text);
	}
	free(text);
	vs_fail_clear();
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	static const char run[] =
		"\2# vsim-run 0.1.0\nformat: vsim-complete\nrun_uuid: "
		"d6829386-b489-4cb7-8c46-ea357ff557d2\nn_stages: 1\n"
		"n_shards: 1\nn_tiles: 6\nn_records: 303\nrecords_sum: "
		"9c8f295a95e17bec5373b42c14f9eb7a\nsource_sum: "
		"054b4fc48442b1cbaf259367ced1e4a5\n";
	static const char *const text[] = { "\0LL=0.7,LH=off,LL+HH=1.2",
		"\0LL=off", "\1LLL=0.5,LHH=1e-3,HHH=off", "\1LLL+HHH=2",
		"\0HH=-1", "\00316050075", "\0031e+05", "\3-5", "\3-.5",
		"\0032147483646", "\0032147483647", "\0037.5" };

	take(run, sizeof(run) - 1);
	take("\0HL=1", 5);
	for (size_t k = 0; k < sizeof(text) / sizeof(*text); k++)
		take(text[k],
			*text[k] ? strlen(text[k]) : 1 + strlen(text[k] + 1));
}
