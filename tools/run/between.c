/* SPDX-License-Identifier: BSD-3-Clause */
/* Pairs and triples of two sets of vectors, --pairs-between and
 * --triples-between, and triples with a vector of one, --triples-with. */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/plan/comm.h"
#include "tools/run/between.h"
#include "tools/shared/load_vectors.h"
#include "tools/shared/selection.h"

/* The option, chosen by its words. */
static const char *
option_of(const char *const word[2], const struct vs_run *run)
{
	return !word[1]           ? "--triples-with"
		: run->n_way == 3 ? "--triples-between"
				  : "--pairs-between";
}

static bool
is_rows(const char *word)
{
	size_t lo = strspn(word, "0123456789"), hi;

	if (!lo || word[lo] != '-')
		return false;
	hi = strspn(word + lo + 1, "0123456789");
	return hi && !word[lo + 1 + hi];
}

static int
mark_rows(const char *option, const char *word, uint64_t n_vec, uint8_t bit,
	uint8_t *in)
{
	const char *dash = strchr(word, '-');
	char text[VS_NUM_ROOM] = "";
	int64_t lo = -1, hi = -1;

	if ((size_t)(dash - word) < sizeof(text))
		memcpy(text, word, (size_t)(dash - word));
	if (!vs_num_int(text, &lo) || !vs_num_int(dash + 1, &hi) || lo > hi ||
		(uint64_t)hi >= n_vec)
		return vs_fail(VS_EINPUT, "%s %s: are not rows from 0 to %llu",
			option, word, (unsigned long long)n_vec - 1);
	for (int64_t v = lo; v <= hi; v++)
		in[v] |= bit;
	return 0;
}

static int
mark_named(const char *option, const char *word,
	const struct vs_vector_names *names, uint8_t bit, uint8_t *in)
{
	struct vs_selection pick = { 0 };
	int code = *word == '@' ? vs_selection_file(&pick, names, word + 1,
					  VS_SELECTION_EACH_ID)
				: vs_selection_regions(&pick, names, word);

	if (!code && !pick.n_in)
		code = vs_fail(VS_EINPUT, "%s %s: no vector of %s is in it",
			option, word, names->from);
	for (uint64_t v = 0; v < names->n_vec && !code; v++)
		in[v] |= pick.in[v] ? bit : 0;
	vs_selection_free(&pick);
	return code;
}

/* Bit k of in[v]: the vector is in the set of word k, null for all. */
static int
pick_both(const char *option, const char *const word[2], struct vs_packed *f,
	uint8_t *in)
{
	struct vs_vector_names names = { 0 };
	int code = is_rows(word[0]) && (!word[1] || is_rows(word[1]))
		? 0
		: vs_vector_names_of_vectors(&names, f, false);

	for (int k = 0; k < 2 && word[k] && !code; k++)
		code = is_rows(word[k]) ? mark_rows(option, word[k], f->n_vec,
						  (uint8_t)(1 << k), in)
					: mark_named(option, word[k], &names,
						  (uint8_t)(1 << k), in);
	for (uint64_t v = 0; v < f->n_vec && !word[1]; v++)
		in[v] |= 2;
	vs_vector_names_free(&names);
	return code;
}

/* How the sets were named. */
static int
name_sets(const char *const word[2], const struct vs_run *run,
	struct vs_text *names)
{
	const struct vs_between *of = &run->wanted.of;

	if (word[1] && !of->n_first && !of->n_second && of->n_both < 2)
		return vs_fail(VS_EINPUT,
			"%s %s %s: A and B are the same single variant",
			option_of(word, run), word[0], word[1]);
	return vs_text_add(names, "%.2000s%s%.2000s", word[0],
		word[1] ? " " : "", word[1] ? word[1] : "");
}

int
vs_between_set(struct vs_between_chosen *c, const char *names,
	struct vs_packed *f, struct vs_run *run)
{
	int code = vs_sets_text(&run->wanted, run->between);

	if (!code)
		code = vs_mem_copy_text(&run->between_names, names);
	if (!code)
		code = vs_wanted_places(&run->wanted, &c->place);
	if (!code)
		code = vs_packed_source(f, &c->source, &c->allele1);
	return code;
}

int
vs_between_begin(struct vs_between_chosen *c, const char *const word[2],
	struct vs_packed *f, struct vs_run *run)
{
	struct vs_text names = { 0 };
	uint8_t *in = NULL;
	int code = vs_mem_new(&in, f->n_vec, 1, "sets");

	/* a file or stdin is read once */
	if (!code && !vs_comm_rank())
		code = pick_both(option_of(word, run), word, f, in);
	code = vs_comm_agree(code);
	if (!code) {
		vs_comm_share(in, f->n_vec);
		code = vs_wanted_by_sets(&run->wanted, in);
	}
	if (!code)
		code = name_sets(word, run, &names);
	if (!code)
		code = vs_between_set(c, names.bytes, f, run);
	vs_text_free(&names);
	free(in);
	return code;
}

void
vs_between_free(struct vs_between_chosen *c)
{
	free(c->place);
	free(c->source);
	free(c->allele1);
	memset(c, 0, sizeof(*c));
}

int
vs_between_load(const struct vs_between_chosen *c, struct vs_packed *f,
	const struct vs_run *run, uint64_t lo, uint64_t hi, struct vs_panel *p)
{
	const int64_t *row = run->wanted.row;
	size_t at = p->n_vec;
	int code = 0;

	if (c->planes)
		vs_load_vectors_places(f, c->planes, row, lo, hi, p);
	/* neighbours in the file are read together */
	for (uint64_t from = c->planes ? hi : lo, to; from < hi && !code;
		from = to) {
		for (to = from + 1; to < hi && row[to] == row[to - 1] + 1; to++)
			;
		code = vs_load_vectors_range(f, (uint64_t)row[from],
			(uint64_t)row[to - 1] + 1, NULL, p);
	}
	if (code)
		return code;
	if (!at)
		p->first = lo;
	for (uint64_t k = lo; k < hi; k++) {
		size_t v = at + (size_t)(k - lo);

		/* for triples, vectors are identified by row from the start */
		if (run->n_way == 3)
			v = (size_t)row[k];
		p->row[at + (size_t)(k - lo)] = run->n_way == 3
			? (uint32_t)row[k]
			: (uint32_t)(k - p->first);
		p->source[v] = c->source[row[k]];
		p->flip[v] = !vs_element_is_number(p->number.element) &&
			c->allele1[row[k]] == VS_ALLELE_FIRST;
	}
	return 0;
}
