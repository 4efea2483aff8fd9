/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim: one word for every program, and recipes for common questions. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/nearest.h"
#include "tools/chain/chain.h"
#include "tools/chain/recipe.h"
#include "tools/shared/tool.h"

/* Programs, each a verb; along with the recipes they are what vsim can do. */
static const struct {
	const char *name, *purpose;
} verbs[] = {
	{ "pack", "pack genotypes or numbers into a vectors file" },
	{ "permute", "reorder the vectors" },
	{ "run", "compare all pairs or triples, on cores, ranks and GPUs" },
	{ "merge", "merge the shards of a run into one result" },
	{ "threshold", "filter records; pruning, clumping, components" },
	{ "verify", "check a file, or a result against its definition" },
	{ "view", "print results and vectors as text" },
	{ "plot", "draw pictures, write reports in HTML" },
};
#define N_VERB (sizeof(verbs) / sizeof(*verbs))

static struct vs_opt opts[] = { { 0 } };

static const struct vs_tool tool = {
	.name = "vsim",
	.purpose = "Find which variants go together.",
	.synopsis = "VERB [options]\n"
		    "       vsim help [VERB]",
	.opts = opts,
	.n_least = 0,
	.n_most = -1,
};

static void
print_verbs(void)
{
	const struct vs_chain_recipe *r;

	printf("vsim finds which variants go together: all pairs or triples, "
	       "exactly.\nusage: vsim VERB [options]\n\nquestions:\n");
	for (size_t k = 0; (r = vs_recipe_at(k)); k++)
		printf("  %-10s %s\n", r->name, r->purpose);
	printf("\nprograms (vsim VERB is vsim-VERB):\n");
	for (size_t k = 0; k < N_VERB; k++)
		printf("  %-10s %s\n", verbs[k].name, verbs[k].purpose);
	printf("\n  -h, --help     print this help; vsim help VERB shows the "
	       "manual page\n      --version  print versions\n");
	printf("\nexample:\n  %s\n", vs_recipe_at(0)->example);
}

/* Candidate number k for the path of a topic's page; 1: there are no more. */
static int
page_at(struct vs_text *path, const char *bin, const char *topic, int k)
{
	const char section = "175"[k % 3], *dash = *topic ? "-" : "";

	path->len = 0;
	switch (k / 3) {
	case 0: /* installed */
		return vs_text_add(path, "%s../share/man/man%c/vsim%s%s.%c",
			bin, section, dash, topic, section);
	case 1: /* in a package */
		return vs_text_add(path, "%s../share/man/man%c/vsim%s%s.%c.gz",
			bin, section, dash, topic, section);
	case 2: /* in the sources */
		return vs_text_add(path, "%s../../man/vsim%s%s.%c", bin, dash,
			topic, section);
	default:
		return 1;
	}
}

static int
help(const char *topic)
{
	struct vs_text path = { 0 }, bin = { 0 };
	int code = vs_chain_path(&bin, ""), k = 0;

	if (!strncmp(topic, "vsim-", 5))
		topic += 5;
	if (vs_recipe_find(topic))
		topic = "";
	while (!code) {
		code = page_at(&path, bin.bytes ? bin.bytes : "", topic, k++);
		if (!code && !access(path.bytes, R_OK))
			break;
	}
	if (code == 1)
		code = vs_fail(VS_EUSAGE,
			"no page %s; vsim alone lists the verbs, vsim(7) the "
			"pages",
			topic);
	if (!code) {
		char *const words[] = { (char *)"man", path.bytes, NULL };

		code = vs_chain_become(words);
		code = vs_fail_at(code, "the page is %s", path.bytes);
		vs_fail_append("; install man-db, or see --help");
	}
	vs_text_free(&path);
	vs_text_free(&bin);
	return code;
}

/* Become the program of a verb. */
static int
become(int argc, char **argv)
{
	struct vs_text name = { 0 };
	struct vs_words words = { 0 };
	int code = vs_text_add(&name, "vsim-%s", argv[0]);

	if (!code)
		code = vs_chain_words_add(&words, name.bytes);
	for (int k = 1; k < argc && !code; k++)
		code = vs_chain_words_add(&words, argv[k]);
	if (!code)
		code = vs_chain_become(words.word);
	vs_chain_words_free(&words);
	vs_text_free(&name);
	return code;
}

static bool
is_program(const char *verb)
{
	for (size_t k = 0; k < N_VERB; k++)
		if (!strcmp(verbs[k].name, verb))
			return true;
	return false;
}

static int
refuse(const char *verb)
{
	const struct vs_chain_recipe *r;
	struct vs_nearest near;

	vs_nearest_begin(&near, verb, strlen(verb));
	for (size_t k = 0; (r = vs_recipe_at(k)); k++)
		vs_nearest_try(&near, r->name, strlen(r->name));
	for (size_t k = 0; k < N_VERB; k++)
		vs_nearest_try(&near, verbs[k].name, strlen(verbs[k].name));
	return near.best
		? vs_fail(VS_EUSAGE, "%s: no such verb; did you mean %s?", verb,
			  near.best)
		: vs_fail(VS_EUSAGE, "%s: no such verb; vsim alone lists them",
			  verb);
}

static int
do_verb(int argc, char **argv, int *code)
{
	const struct vs_chain_recipe *r;

	if (!strncmp(argv[0], "vsim-", 5))
		argv[0] += 5;
	r = vs_recipe_find(argv[0]);
	if (!strcmp(argv[0], "help") && argc == 1) {
		print_verbs();
		return 0;
	}
	if (!strcmp(argv[0], "help"))
		return help(argv[1]);
	if (is_program(argv[0]))
		return become(argc, argv);
	if (!r)
		return refuse(argv[0]);
	vs_tool_catch();
	return vs_recipe_run(r, argc - 1, argv + 1, code);
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	const bool version = argc == 3 && !strcmp(argv[2], "--version") &&
		vs_recipe_find(argv[1]);
	const bool verb = argc > 1 && argv[1][0] != '-' && !version;
	int ended = 0, code;

	/* that of vsim ld is vsim's */
	argc -= version;
	argv += version;
	if (argc > 1 && (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")))
		argc = 1;
	code = vs_tool_begin(&tool, verb ? 1 : argc, argv, &args);
	if (!code && !verb)
		print_verbs();
	if (!code && verb)
		code = do_verb(argc - 1, argv + 1, &ended);
	vs_tool_share_signal();
	return vs_tool_end_as(code, ended);
}
