/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Option tables and runfiles: the first byte says which. A command line of any
 * words, each ended by a NUL, is refused with a sentence or sets what is within
 * the table's limits; what is set, written as a runfile and read back, sets the
 * same. A runfile of any bytes is refused or sets what is within the limits.
 */
#include <stdbool.h>
#include <string.h>

#include "formats/h5/runfile.h"
#include "libcore/base/fail.h"
#include "libcore/base/opt.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 6000;

#define MOST 24 /* words */

struct job {
	bool force;
	const char *out, *label;
	int64_t threads, any;
	double least, share;
	uint64_t room;
	const char *two[2];
};

struct table {
	struct job job;
	struct vs_opt opt[10];
};

static void
make(struct table *t)
{
	struct job *j = &t->job;
	const struct vs_opt opt[] = {
		{ .letter = 'f',
			.name = "force",
			.field = &j->force,
			.kind = VS_OPT_FLAG,
			.help = "replace" },
		{ .letter = 'o',
			.name = "out",
			.arg = "FILE",
			.kind = VS_OPT_TEXT,
			.field = &j->out,
			.help = "write FILE" },
		{ .name = "label",
			.arg = "WHICH",
			.kind = VS_OPT_CHOICE,
			.field = &j->label,
			.choices = "minor|alt|a1",
			.aliases = "altern=alt|small=minor",
			.help = "label" },
		{ .letter = 'j',
			.name = "threads",
			.arg = "N",
			.kind = VS_OPT_INT,
			.field = &j->threads,
			.lo = 1,
			.hi = 64,
			.help = "threads" },
		{ .name = "any",
			.arg = "N",
			.kind = VS_OPT_INT,
			.field = &j->any,
			.help = "any number" },
		{ .letter = 't',
			.name = "threshold",
			.arg = "T",
			.kind = VS_OPT_REAL,
			.field = &j->least,
			.help = "any number" },
		{ .name = "share",
			.arg = "S",
			.kind = VS_OPT_REAL,
			.field = &j->share,
			.lo = 0,
			.hi = 1,
			.help = "a share" },
		{ .letter = 'M',
			.name = "memory",
			.arg = "SIZE",
			.kind = VS_OPT_SIZE,
			.field = &j->room,
			.help = "bytes" },
		{ .name = "pair",
			.arg = "A B",
			.kind = VS_OPT_TWO,
			.field = j->two,
			.help = "both" },
		{ .name = NULL },
	};

	memset(&t->job, 0, sizeof(t->job));
	j->threads = 1;
	memcpy(t->opt, opt, sizeof(opt));
}

static void
within(const struct table *t)
{
	const struct job *j = &t->job;

	FUZZ_HOLDS(j->threads >= 1 && j->threads <= 64, "%lld threads",
		(long long)j->threads);
	FUZZ_HOLDS(j->share >= 0 && j->share <= 1, "share %g", j->share);
	FUZZ_HOLDS(!j->label || !strcmp(j->label, "minor") ||
			!strcmp(j->label, "alt") || !strcmp(j->label, "a1"),
		"label %s", j->label);
	FUZZ_HOLDS(!j->two[0] == !j->two[1], "one word of two");
}

/* Texts that a runfile set. */
static void
free_texts(struct table *t, char *input)
{
	for (const struct vs_opt *o = t->opt; o->name; o++)
		if (o->seen &&
			(o->kind == VS_OPT_TEXT || o->kind == VS_OPT_TWO))
			free(*(char **)o->field);
	free(input);
}

static bool
same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

static bool
same(const struct job *a, const struct job *b)
{
	return a->force == b->force && same_text(a->out, b->out) &&
		same_text(a->label, b->label) && a->threads == b->threads &&
		a->any == b->any && a->least == b->least &&
		a->share == b->share && a->room == b->room &&
		same_text(a->two[0], b->two[0]) &&
		same_text(a->two[1], b->two[1]);
}

static void
round_trip(const struct table *t, const char *path)
{
	const char *word = t->job.out ? t->job.out : "in put";
	struct table back;
	char *input = NULL;

	make(&back);
	FUZZ_HOLDS(!vs_runfile_write(path, "c", t->opt, word), "write: %s",
		vs_fail_text());
	FUZZ_HOLDS(!vs_runfile_read(path, back.opt, &input), "read: %s",
		vs_fail_text());
	FUZZ_HOLDS(input && !strcmp(input, word), "input %s", input);
	FUZZ_HOLDS(same(&t->job, &back.job), "set otherwise by the runfile");
	free_texts(&back, input);
}

static void
words(const uint8_t *bytes, size_t n, const char *path)
{
	struct table t;
	struct vs_opt *tables[] = { t.opt };
	char *argv[MOST + 1], *text = malloc(n + 1), *at = text;
	int argc = 0, first = 0, code;

	if (!text)
		exit(4);
	memcpy(text, bytes, n);
	text[n] = 0;
	argv[argc++] = (char[]){ "vsim-fuzz" };
	for (; argc < MOST && at < text + n; at += strlen(at) + 1)
		argv[argc++] = at;
	argv[argc] = NULL;
	make(&t);
	code = vs_opt_parse(tables, 1, argc, argv, &first);
	FUZZ_HOLDS(!code || (code == VS_EUSAGE && *vs_fail_text()),
		"code %d: %s", code, vs_fail_text());
	FUZZ_HOLDS(code || (first >= 1 && first <= argc), "operands from %d",
		first);
	within(&t);
	if (!code)
		round_trip(&t, path);
	free(text);
}

static void
runfile(const uint8_t *bytes, size_t n, const char *path)
{
	struct table t;
	char *input = NULL;
	int code;

	make(&t);
	scratch_file(path, bytes, n);
	code = vs_runfile_read(path, t.opt, &input);
	FUZZ_HOLDS(!code ||
			((code == VS_EINPUT || code == VS_EUSAGE) &&
				*vs_fail_text()),
		"code %d: %s", code, vs_fail_text());
	within(&t);
	free_texts(&t, input);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	char path[SCRATCH_PATH];

	if (!n)
		return 0;
	scratch_path(path, "run.yaml");
	if (bytes[0] % 2)
		runfile(bytes + 1, n - 1, path);
	else
		words(bytes + 1, n - 1, path);
	vs_fail_clear();
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	static const char lines[] = "\0-fo\0x y\0--label=alt\0-j\00012\0--\0z";
	static const char more[] =
		"\0--pair\0a\0b c\0--memory\0003G\0--share\0000.5\0-t1e-3";
	static const char strange[] =
		"\0-o\0 a\tb\n\177\302\205\342\200\250\357\273\277\'\"\\"
		"\0--pair\0\0\377";
	static const char overlong[] = "\0--pair\0\300\257\0\355\240\200";
	static const char binary[] =
		"\1out: !!binary /w==\npair: ['', !!binary \"/8Cv\"]\n";
	static const char past[] = "\0-j\00065\0--share=1.001";
	static const char yaml[] = "\1# c\ninput: 'in'\nforce: true\nout: 'a "
				   "b'\nthreads: 3\npair: \"a\\tb\"\n";
	static const char flow[] = "\1{label: small, any: -7, memory: 2M}\n";

	take(lines, sizeof(lines));
	take(more, sizeof(more));
	take(strange, sizeof(strange));
	take(overlong, sizeof(overlong));
	take(binary, sizeof(binary) - 1);
	take(past, sizeof(past));
	take(yaml, sizeof(yaml) - 1);
	take(flow, sizeof(flow) - 1);
}
