/* SPDX-License-Identifier: BSD-3-Clause */
/* Hints that name the command for an input of another format. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/in/hint.h"
#include "formats/in/readers.h"
#include "formats/in/text/magic.h"
#include "libcore/base/fail.h"

/*
 * Files that no reader supports. In a command, % is replaced by the PREFIX of a
 * name PREFIX.ending, @ by the whole name.
 */
static const struct {
	const char *ending, *words;
} known_as[] = {
	{ ".npy", "vsim-pack --matrix @" },
	{ ".mtx", "vsim-pack --matrix @" },
	{ ".mtx.gz", "vsim-pack --matrix @" },
	{ ".biom", "vsim-pack --matrix @" },
#define OXFORD(option) \
	"plink2 --" option " @ ref-first --sample FILE --make-bed"
	{ ".gen", OXFORD("gen") },
	{ ".gen.gz", OXFORD("gen") },
	{ ".haps", OXFORD("haps") },
	{ ".haps.gz", OXFORD("haps") },
#undef OXFORD
};
#define N_KNOWN (sizeof(known_as) / sizeof(*known_as))

/* A row of the table, or what a reader reads, by the suffix of a name. */
struct hint {
	char ending[32], words[64];
	const char *option; /* of vsim-pack; null: another program's */
};

/* Suffix number n of a reader; false: it has no more. */
static bool
reader_hint(const struct vs_reader_kind *kind, size_t n, struct hint *h)
{
	static const char *const packings[] = { "", ".gz", ".zst" };
	const char *const *list =
		kind->suffixes ? kind->suffixes : kind->endings;
	size_t forms = kind->suffixes ? 3 : 1;

	for (size_t k = 0; list && list[k]; k++)
		if (k == n / forms) {
			snprintf(h->ending, sizeof(h->ending), ".%s%s", list[k],
				packings[n % forms]);
			snprintf(h->words, sizeof(h->words),
				"vsim-pack --%s %s", kind->name,
				kind->suffixes ? "%" : "@");
			h->option = kind->name;
			return true;
		}
	return false;
}

/* Hint number k, those of the table first; false past the last. */
static bool
hint_at(size_t k, struct hint *h)
{
	const struct vs_reader_kind *kind;

	if (k < N_KNOWN) {
		snprintf(h->ending, sizeof(h->ending), "%s",
			known_as[k].ending);
		snprintf(h->words, sizeof(h->words), "%s", known_as[k].words);
		h->option = strstr(h->words, "--matrix") ? "matrix" : NULL;
		return true;
	}
	k -= N_KNOWN;
	for (size_t r = 0; (kind = vs_readers_at(r)); r++)
		for (size_t n = 0; reader_hint(kind, n, h); n++)
			if (!k--)
				return true;
	return false;
}

static bool
ends_in(const char *name, const struct hint *h)
{
	size_t len = strlen(name), n = strlen(h->ending);

	return len > n && !strcmp(name + len - n, h->ending);
}

/* True if the file PREFIX with this ending exists. */
static bool
is_there(const char *name, size_t prefix, const char *ending)
{
	char path[4096];
	struct stat st;
	int n = snprintf(path, sizeof(path), "%.*s%s", (int)prefix, name,
		ending);

	return n > 0 && (size_t)n < sizeof(path) && !stat(path, &st) &&
		!S_ISDIR(st.st_mode);
}

/* Match a name by its suffix; sets the length of what comes before; false: no
 * match. */
static bool
find(const char *name, struct hint *h, size_t *prefix)
{
	*prefix = strlen(name);
	for (size_t k = 0; hint_at(k, h); k++)
		if (ends_in(name, h)) {
			*prefix -= strlen(h->ending);
			return true;
		}
	return false;
}

/* True if a reader of genotypes takes this name. */
static bool
takes(const struct vs_reader_kind *kind, const char *name, const struct hint *h)
{
	return (!kind->table && ends_in(name, h)) ||
		(kind->suffixes && is_there(name, strlen(name), h->ending));
}

const char *
vs_hint_reader(const char *name, bool endings)
{
	const struct vs_reader_kind *kind;
	struct hint h;

	for (int whole = 0; whole <= endings; whole++)
		for (size_t r = 0; (kind = vs_readers_at(r)); r++)
			for (size_t n = 0; reader_hint(kind, n, &h); n++)
				if ((kind->suffixes == NULL) == whole &&
					takes(kind, name, &h))
					return kind->name;
	return NULL;
}

static int
put_words(struct vs_text *to, const struct hint *h, const char *name,
	size_t prefix)
{
	for (const char *p = h->words; *p; p++)
		if (*p == '%' || *p == '@')
			vs_text_add(to, "%.*s%s", (int)prefix, name,
				*p == '@' ? h->ending : "");
		else
			vs_text_put(to, p, 1);
	return to->code;
}

int
vs_hint_of(const char *name, struct vs_text *words, bool *known)
{
	struct hint h;
	size_t prefix;

	*known = find(name, &h, &prefix);
	return *known ? put_words(words, &h, name, prefix) : 0;
}

int
vs_hint_refuse(const char *name)
{
	struct vs_text words = { 0 };
	struct hint h;
	size_t prefix;
	int code = 0;

	if (!find(name, &h, &prefix) || h.option)
		return 0;
	code = put_words(&words, &h, name, prefix);
	if (!code)
		code = vs_fail(VS_EINPUT,
			"%s: is not an input of vsim; convert it: %s", name,
			words.bytes);
	vs_text_free(&words);
	return code;
}

/* True if the option itself reads such files. */
static bool
is_of(const struct hint *h, const char *option)
{
	return h->option && !strcmp(h->option, option);
}

/* True for a file that substitutes one that a prefix lacks. */
static bool
stands_for(const struct hint *h, const char *name, size_t prefix,
	const char *option)
{
	return !is_of(h, option) && is_there(name, prefix, h->ending);
}

/* The first hint for a file that exists in place of one that a prefix lacks. */
static bool
search_beside(const char *name, size_t prefix, const char *option,
	const char *const *suffixes, struct hint *h)
{
	for (size_t k = 0; hint_at(k, h); k++)
		for (size_t s = 0; suffixes[s]; s++) {
			char part[32];

			snprintf(part, sizeof(part), ".%s", suffixes[s]);
			if (!is_there(name, prefix, part) &&
				stands_for(h, name, prefix, option))
				return true;
		}
	return false;
}

/*
 * The same for a file that does not exist, whose name may lack its suffix or
 * have another: preferably one that the option reads.
 */
static bool
search_near(const char *name, size_t prefix, const char *option, struct hint *h)
{
	for (int other = 0; other < 2; other++)
		for (size_t k = 0; hint_at(k, h); k++)
			if (is_of(h, option) == !other &&
				is_there(name, prefix, h->ending))
				return true;
	return false;
}

/* True if the recorded sentence begins with this file. */
static bool
is_about(const char *name, size_t len, const char *suffix)
{
	const char *text = vs_fail_text();
	size_t more = strlen(suffix);

	if (strncmp(text, name, len))
		return false;
	text += len;
	if (!more)
		return *text == ':';
	return *text == '.' && !strncmp(text + 1, suffix, more) &&
		text[1 + more] == ':';
}

/* True if the recorded sentence is about the input named, not about a related
 * file. */
static bool
is_named(const char *name, size_t prefix, const char *const *suffixes)
{
	bool is = is_about(name, strlen(name), "");

	for (; suffixes && *suffixes && !is; suffixes++)
		is = is_about(name, strlen(name), *suffixes) ||
			is_about(name, prefix, *suffixes);
	return is;
}

/* A hint for a name that an option cannot read; prefix is that of its file. */
static bool
search(const char *name, const char *option, const char *const *suffixes,
	struct hint *h, size_t *prefix)
{
	const bool found = find(name, h, prefix), is = !access(name, F_OK);

	if (is && found && !is_of(h, option))
		return true;
	if (suffixes)
		return search_beside(name, *prefix, option, suffixes, h);
	if (is)
		return false;
	if (search_near(name, *prefix, option, h))
		return true;
	*prefix = strlen(name);
	return found && search_near(name, *prefix, option, h);
}

/*
 * After a command that unpacks the input: the option that reads its output;
 * false: the recorded sentence names no command.
 */
static bool
add_pipe(const char *name, const char *option, const char *const *suffixes)
{
	const char *text = vs_fail_text(),
		   *command = strstr(text, VS_MAGIC_COMMAND);
	struct vs_text words = { 0 };

	if (!command)
		return false;
	if (!suffixes &&
		(!strcmp(name, "-") || !strncmp(text, name, strlen(name))) &&
		!vs_text_add(&words, " | vsim-pack --%s -", option))
		vs_fail_append(words.bytes);
	vs_text_free(&words);
	return true;
}

/* Name a file that exists and needs the one that does not. */
static void
add_partner(const char *name, size_t prefix, const char *const *suffixes)
{
	struct vs_text words = { 0 };
	bool found = !strstr(vs_fail_text(), strerror(ENOENT));

	for (; suffixes && *suffixes && !found; suffixes++) {
		char ending[32];

		snprintf(ending, sizeof(ending), ".%s", *suffixes);
		found = is_there(name, prefix, ending);
		if (found &&
			!vs_text_add(&words, "; %.*s%s needs it", (int)prefix,
				name, ending))
			vs_fail_append(words.bytes);
	}
	vs_text_free(&words);
}

int
vs_hint_instead(int code, const char *name, const char *option,
	const char *const *suffixes)
{
	bool lacks = suffixes || access(name, F_OK);
	struct vs_text words = { 0 };
	struct hint h;
	size_t prefix;

	if (code != VS_EINPUT || add_pipe(name, option, suffixes) ||
		!strcmp(name, "-"))
		return code;
	find(name, &h, &prefix);
	if (!is_named(name, prefix, suffixes))
		return code;
	if (!search(name, option, suffixes, &h, &prefix))
		add_partner(name, prefix, suffixes);
	else if (!vs_text_add(&words, "; %.*s%s %s: ", (int)prefix, name,
			 h.ending, lacks ? "is there" : "is for") &&
		!put_words(&words, &h, name, prefix))
		vs_fail_append(words.bytes);
	vs_text_free(&words);
	return code;
}
