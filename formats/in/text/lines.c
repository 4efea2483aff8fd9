/* SPDX-License-Identifier: BSD-3-Clause */
/* Line reader of plain and packed text. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

#include "formats/h5/zst.h"
#include "formats/in/text/bgzf.h"
#include "formats/in/text/cuts.h"
#include "formats/in/text/lines.h"
#include "formats/in/text/magic.h"
#include "formats/in/text/source.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#ifdef VS_FUZZ
#define BLOCK (1 << 9) /* small inputs have many blocks */
#else
#define BLOCK (1 << 18)
#endif
#define MOST_DEFLATED 1032 /* most bytes that one byte of deflate expands to */
#define MOST_READ (1u << 30) /* zlib counts in 32 bits */

/* gzip members, end to end */
struct gz {
	z_stream z;
	bool begun, within; /* inside a member */
};

struct vs_lines {
	struct vs_source source;
	unsigned char *packed; /* BLOCK bytes as read */
	size_t n_packed, at_packed;
	bool ended; /* the source is exhausted */
	struct gz *gz;
	struct vs_zst_stream *zst;
	struct vs_bgzf *bgzf;
	char *text; /* unpacked text; room_text + 1 bytes */
	size_t n_text, at_text, room_text;
	uint64_t passed; /* bytes of text before those */
	uint64_t number;
	uint64_t n_data;  /* lines of vs_lines_next_data() */
	bool line_ended;  /* by LF */
	const char *line; /* delivered last, of line_len bytes; null: none */
	size_t line_len;
	int threads; /* 0: read bgzip as gzip */
	/* of a part: */
	bool cut;
	char *name;        /* for messages */
	uint64_t stop;     /* byte of the source where it ends; UINT64_MAX */
	uint64_t ended_at; /* the same in the text, once known; UINT64_MAX */
};

/* ---- bytes ---- */

/* Read bytes of the source, up to the end of a part. */
static int
read_source(struct vs_lines *l, void *bytes, size_t room, size_t *got)
{
	uint64_t left = l->stop - l->source.at;

	return vs_source_read(&l->source, bytes, room < left ? room : left,
		got);
}

static int
refill(struct vs_lines *l)
{
	int code = read_source(l, l->packed, BLOCK, &l->n_packed);

	if (code)
		return code;
	l->at_packed = 0;
	l->ended = !l->n_packed;
	return 0;
}

static int
more_packed(void *from, void *bytes, size_t room, size_t *got)
{
	return read_source(from, bytes, room, got);
}

/* Zeros after the last member are padding, as for gzip; *more: another member
 * follows. */
static int
pass_padding(struct vs_lines *l, bool *more)
{
	bool padded = false;
	int code = 0;

	for (*more = false; !code && !l->ended && !*more;) {
		while (l->at_packed < l->n_packed && !l->packed[l->at_packed]) {
			l->at_packed++;
			padded = true;
		}
		*more = l->at_packed < l->n_packed;
		if (!*more)
			code = refill(l);
	}
	return code || !*more || !padded
		? code
		: vs_fail(VS_EINPUT,
			  "%s: is damaged: gzip: zeros between two members; "
			  "restore it",
			  l->source.name);
}

static int
read_gz(struct vs_lines *l, char *out, size_t room, size_t *got)
{
	struct gz *g = l->gz;
	bool more = true;
	int code, said;

	g->z.next_out = (Bytef *)out;
	g->z.avail_out = (uInt)room;
	while (g->z.avail_out == room) {
		code = 0;
		if (g->begun && !g->within)
			code = pass_padding(l, &more);
		else if (l->at_packed == l->n_packed && !l->ended)
			code = refill(l);
		if (code)
			return code;
		if (!more)
			break;
		if (!g->within && g->begun)
			inflateReset(&g->z);
		g->begun = true;
		g->z.next_in = l->packed + l->at_packed;
		g->z.avail_in = (uInt)(l->n_packed - l->at_packed);
		said = inflate(&g->z, Z_NO_FLUSH);
		l->at_packed = l->n_packed - g->z.avail_in;
		/* no input left and no output kept back */
		if (said == Z_BUF_ERROR && l->ended)
			return vs_fail(VS_EINPUT,
				"%s: is cut short: ends within a gzip member; "
				"restore it",
				l->source.name);
		if (said == Z_MEM_ERROR)
			return vs_fail_memory("gzip", room);
		if (said != Z_OK && said != Z_STREAM_END && said != Z_BUF_ERROR)
			return vs_fail(VS_EINPUT,
				"%s: is damaged: gzip: %s; restore it",
				l->source.name,
				g->z.msg ? g->z.msg : "bad data");
		g->within = said != Z_STREAM_END;
	}
	*got = room - g->z.avail_out;
	return 0;
}

static int
read_plain(struct vs_lines *l, char *out, size_t room, size_t *got)
{
	size_t n = l->n_packed - l->at_packed;

	if (!n)
		return read_source(l, out, room, got);
	n = n < room ? n : room;
	memcpy(out, l->packed + l->at_packed, n);
	l->at_packed += n;
	*got = n;
	return 0;
}

static int
read_text(struct vs_lines *l, char *out, size_t room, size_t *got)
{
	if (l->gz)
		return read_gz(l, out, room, got);
	if (l->zst)
		return vs_zst_stream_read(l->zst, out, room, got);
	if (l->bgzf)
		return vs_bgzf_read(l->bgzf, out, room, got);
	return read_plain(l, out, room, got);
}

/*
 * The first bytes identify the compression; a pipe may deliver them one by one.
 * threads is 0 to read bgzip as gzip.
 */
static int
sniff(struct vs_lines *l, int threads)
{
	size_t got = 1;
	int code = 0;

	while (l->n_packed < VS_BGZF_HEAD && got && !code) {
		code = vs_source_read(&l->source, l->packed + l->n_packed,
			BLOCK - l->n_packed, &got);
		l->n_packed += code ? 0 : got;
	}
	if (code)
		return code;
	if (vs_zst_is(l->packed, l->n_packed)) {
		code = vs_zst_stream_open(&l->zst, more_packed, l,
			l->source.name, l->packed, l->n_packed);
		l->n_packed = 0;
		return code;
	}
	if (threads && vs_bgzf_is(l->packed, l->n_packed)) {
		code = vs_bgzf_open(&l->bgzf, more_packed, l, l->source.name,
			l->packed, l->n_packed, threads);
		l->n_packed = 0;
		return code;
	}
	if (l->n_packed >= 3 && !memcmp(l->packed, "\x1f\x8b\x08", 3)) {
		code = vs_mem_new(&l->gz, 1, sizeof(*l->gz), "gzip");
		if (code)
			return code;
		l->gz->within = true;
		if (inflateInit2(&l->gz->z, 15 + 16) != Z_OK)
			return vs_fail_memory("gzip", sizeof(*l->gz));
	}
	return 0;
}

/* Refuse files that another program has to unpack; skip a UTF-8 byte order
 * mark. */
static int
begin_text(struct vs_lines *l)
{
	const char *bytes;
	size_t n;
	int code = vs_lines_peek(l, VS_MAGIC_BYTES, &bytes, &n);

	if (!code)
		code = vs_magic_check(l->source.path, bytes, n);
	if (!code && n >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		vs_lines_skip(l, 3);
	return code;
}

int
vs_lines_open(struct vs_lines **l, const char *path)
{
	return vs_lines_open_threads(l, path, 0);
}

int
vs_lines_open_threads(struct vs_lines **l, const char *path, int threads)
{
	struct vs_lines *p = NULL;
	int code = vs_mem_new(&p, 1, sizeof(*p), "text");

	if (code)
		return code;
	p->source.fd = -1;
	p->threads = threads;
	p->stop = p->ended_at = UINT64_MAX;
	code = vs_source_open(&p->source, path);
	VS_MEM_ROOM(&code, p->packed, BLOCK, "text");
	VS_MEM_ROOM(&code, p->text, BLOCK + 1, "text");
	p->room_text = BLOCK;
	if (!code)
		code = sniff(p, threads);
	if (!code)
		code = begin_text(p);
	if (code)
		vs_lines_close(p);
	else
		*l = p;
	return code;
}

void
vs_lines_close(struct vs_lines *l)
{
	if (!l)
		return;
	vs_zst_stream_close(l->zst);
	vs_bgzf_close(l->bgzf);
	if (l->gz)
		inflateEnd(&l->gz->z);
	free(l->gz);
	free(l->packed);
	free(l->text);
	free(l->name);
	vs_source_close(&l->source);
	free(l);
}

/* ---- lines ---- */

/* Read blocks of bgzip from the next byte of the source on. */
static int
open_blocks(struct vs_lines *l, bool within)
{
	int code = vs_bgzf_open(&l->bgzf, more_packed, l, vs_lines_name(l),
		l->packed, 0, l->threads ? l->threads : 1);

	if (!code && within)
		vs_bgzf_within(l->bgzf);
	return code;
}

/* All of a part has been read: the text continues past it. */
static int
pass_stop(struct vs_lines *l)
{
	l->ended_at = l->passed + l->n_text;
	l->stop = UINT64_MAX;
	l->ended = false;
	if (!l->bgzf)
		return 0;
	vs_bgzf_close(l->bgzf);
	l->bgzf = NULL;
	return open_blocks(l, true);
}

/* Append more text to what is buffered; *got is 0 at the end. */
static int
extend(struct vs_lines *l, size_t *got)
{
	size_t left = l->n_text - l->at_text, room;
	char *p;
	int code;

	memmove(l->text, l->text + l->at_text, left);
	l->passed += l->at_text;
	l->at_text = 0;
	l->n_text = left;
	if (left >= VS_LINES_MOST) {
		l->number++;
		return vs_lines_fail(l,
			"has more than the %u MiB that a line "
			"may have; is it a text file?",
			VS_LINES_MOST >> 20);
	}
	if (left == l->room_text) {
		room = 2 * l->room_text;
		p = realloc(l->text, room + 1);
		if (!p)
			return vs_fail_memory("a line of text", room);
		l->text = p;
		l->room_text = room;
	}
	code = read_text(l, l->text + left, l->room_text - left, got);
	if (!code && !*got && l->stop < UINT64_MAX) {
		/* the last line of a part may extend past its end */
		code = pass_stop(l);
		if (!code)
			code = read_text(l, l->text + left, l->room_text - left,
				got);
	}
	if (!code)
		l->n_text += *got;
	return code;
}

/* Return the line of n bytes at at_text; end is 1 if LF follows. */
static int
give(struct vs_lines *l, size_t n, size_t end, char **line, size_t *len)
{
	char *p = l->text + l->at_text;

	l->at_text += n + end;
	l->line_ended = end;
	l->number++;
	if (n && p[n - 1] == '\r')
		n--;
	if (memchr(p, 0, n))
		return vs_lines_fail(l, "holds a NUL byte; is it a text file?");
	p[n] = 0;
	*line = p;
	*len = n;
	l->line = p;
	l->line_len = n;
	return 1;
}

int
vs_lines_next(struct vs_lines *l, char **line, size_t *len)
{
	size_t seen = 0, got;

	l->line = NULL;
	for (;;) {
		char *from = l->text + l->at_text;
		size_t have = l->n_text - l->at_text;
		char *lf = memchr(from + seen, '\n', have - seen);
		int code;

		if (vs_lines_at(l) > l->ended_at)
			return 0;
		if (lf)
			return give(l, (size_t)(lf - from), 1, line, len);
		seen = have;
		code = extend(l, &got);
		if (code)
			return code;
		if (!got)
			return have ? give(l, have, 0, line, len) : 0;
	}
}

/* Blanks and tabs that a line begins with. */
static size_t
blanks(const char *line)
{
	size_t n = 0;

	while (line[n] == ' ' || line[n] == '\t')
		n++;
	return n;
}

int
vs_lines_next_full(struct vs_lines *l, char **line, size_t *len)
{
	int code;

	do
		code = vs_lines_next(l, line, len);
	while (code == 1 && blanks(*line) == *len);
	return code;
}

int
vs_lines_next_data(struct vs_lines *l, char **line, size_t *len)
{
	int code;

	do
		code = vs_lines_next_full(l, line, len);
	while (code == 1 && (*line)[blanks(*line)] == '#');
	l->n_data += code == 1;
	return code;
}

const char *
vs_lines_header_hint(const struct vs_lines *l)
{
	return l->number == 1 || l->n_data == 1
		? "; if this line is a header, begin it with # or remove it"
		: "";
}

/* ---- raw bytes ---- */

int
vs_lines_peek(struct vs_lines *l, size_t n, const char **bytes, size_t *got)
{
	size_t more = 1;
	int code = 0;

	while (!code && more && l->n_text - l->at_text < n)
		code = extend(l, &more);
	if (code)
		return code;
	*bytes = l->text + l->at_text;
	*got = l->n_text - l->at_text < n ? l->n_text - l->at_text : n;
	return 0;
}

void
vs_lines_skip(struct vs_lines *l, size_t n)
{
	l->at_text += n;
}

int
vs_lines_bytes(struct vs_lines *l, void *bytes, size_t n, size_t *got)
{
	size_t have = l->n_text - l->at_text, more = 1;
	int code = 0;

	have = have < n ? have : n;
	memcpy(bytes, l->text + l->at_text, have);
	l->at_text += have;
	for (; !code && have < n && more; have += more) {
		size_t room = n - have < MOST_READ ? n - have : MOST_READ;

		more = 0;
		code = read_text(l, (char *)bytes + have, room, &more);
		l->passed += more;
	}
	*got = have;
	return code;
}

/* ---- parts ---- */

/* Restart at a byte of the source, with no text. */
static int
begin_at(struct vs_lines *l, uint64_t at, bool blocks, bool within)
{
	int code = vs_source_seek(&l->source, at);

	l->n_packed = l->at_packed = l->n_text = l->at_text = 0;
	l->ended = false;
	l->line_ended = true;
	vs_bgzf_close(l->bgzf);
	l->bgzf = NULL;
	if (l->gz)
		inflateEnd(&l->gz->z);
	free(l->gz);
	l->gz = NULL;
	return code || !blocks ? code : open_blocks(l, within);
}

/* Skip bytes of the text, as far as it goes. */
static int
pass_over(struct vs_lines *l, uint64_t n, uint64_t *passed)
{
	const char *bytes;
	size_t got = 1;
	int code = 0;

	for (*passed = 0; !code && got && *passed < n; *passed += got) {
		size_t most = n - *passed < BLOCK ? n - *passed : BLOCK;

		code = vs_lines_peek(l, most, &bytes, &got);
		if (!code)
			vs_lines_skip(l, got);
	}
	return code;
}

static int
cannot_cut(const struct vs_lines *l)
{
	return vs_fail(VS_EINPUT, "%s: cannot be cut into parts: %s",
		l->source.name,
		l->source.regular ? "it is not compressed with bgzip; "
				    "decompress it, or use bgzip"
				  : "it is not a regular file");
}

int
vs_lines_cut_bytes(struct vs_lines *l, uint64_t header, struct vs_part *part)
{
	uint64_t first, before, at;
	struct vs_text name = { 0 };
	bool blocks = l->bgzf, last;
	int code = 0;

	if (l->gz && l->source.regular)
		code = vs_cuts_blocks(&l->source, &blocks);
	if (code)
		return code;
	if (!l->source.regular || l->zst || (l->gz && !blocks))
		return cannot_cut(l);
	code = vs_cuts_choose(&l->source, blocks, header, part, &first,
		&before);
	if (!code)
		code = vs_text_add(&name, "%s (part %lld of %lld)",
			l->source.name, (long long)part->k, (long long)part->n);
	if (code)
		return code;
	last = part->hi == part->all;
	l->cut = true;
	free(l->name);
	l->name = name.bytes;
	l->stop = l->ended_at = UINT64_MAX;
	at = part->k > 1 ? part->lo : first;
	/* nothing may follow, not even the block that ends a file */
	code = begin_at(l, at, blocks, !last || at == part->all);
	if (code)
		return code;
	l->stop = last ? UINT64_MAX : part->hi;
	l->passed = part->k > 1 ? 0 : before;
	return part->k > 1 ? 0 : pass_over(l, header - before, &before);
}

int
vs_lines_cut(struct vs_lines *l, struct vs_part *part)
{
	return vs_lines_cut_at(l, vs_lines_at(l), l->number, part);
}

int
vs_lines_cut_at(struct vs_lines *l, uint64_t at, uint64_t number,
	struct vs_part *part)
{
	char *line;
	size_t len;
	int code = vs_lines_cut_bytes(l, at, part);

	l->number = number;
	if (code || part->k == 1)
		return code;
	/* skip the line that belongs to the part before */
	l->number = 0;
	code = vs_lines_next(l, &line, &len);
	return code < 0 ? code : 0;
}

uint64_t
vs_lines_at(const struct vs_lines *l)
{
	return l->passed + l->at_text;
}

uint64_t
vs_lines_part_end(const struct vs_lines *l)
{
	return l->ended_at;
}

int
vs_lines_seek(struct vs_lines *l, uint64_t at)
{
	uint64_t text = vs_lines_at(l), passed;
	int code;

	l->cut = true;
	if (l->source.regular && !vs_lines_packed(l)) {
		l->passed = at;
		return begin_at(l, at, false, false);
	}
	code = pass_over(l, at - text, &passed);
	return code || text + passed == at
		? code
		: vs_fail(VS_EINPUT, "%s: is cut short; restore it",
			  l->source.name);
}

uint64_t
vs_lines_left(const struct vs_lines *l)
{
	uint64_t text = l->n_text - l->at_text, packed;

	if (l->source.size < 0 || l->zst || l->bgzf)
		return UINT64_MAX;
	packed = l->n_packed - l->at_packed;
	if ((uint64_t)l->source.size > l->source.n_read)
		packed += (uint64_t)l->source.size - l->source.n_read;
	return text + packed * (l->gz ? MOST_DEFLATED : 1);
}

const char *
vs_lines_name(const struct vs_lines *l)
{
	return l->name ? l->name : l->source.name;
}

bool
vs_lines_packed(const struct vs_lines *l)
{
	return l->gz || l->zst || l->bgzf;
}

bool
vs_lines_ended(const struct vs_lines *l)
{
	return l->line_ended;
}

uint64_t
vs_lines_number(const struct vs_lines *l)
{
	return l->number;
}

/* End of a message about a line that begins with a quotation mark, or has
 * commas or semicolons instead of blanks. */
static const char *
other_separator(const struct vs_lines *l)
{
	if (l->line && *l->line == '"')
		return "; words in quotation marks are not read: tr -d '\"' "
		       "<FILE removes the marks";
	if (!l->line || memchr(l->line, 0, l->line_len) ||
		strpbrk(l->line, " \t"))
		return "";
	return strchr(l->line, ',')
		? "; its columns are separated by commas, and blanks or tabs "
		  "are read: tr ',' '\\t' <FILE writes tabs"
		: strchr(l->line, ';')
		? "; its columns are separated by semicolons, and blanks or "
		  "tabs are read: tr ';' '\\t' <FILE writes tabs"
		: "";
}

int
vs_lines_fail(const struct vs_lines *l, const char *fmt, ...)
{
	char what[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	return vs_fail(VS_EINPUT, "%s: line %llu: %s%s", vs_lines_name(l),
		(unsigned long long)l->number, what, other_separator(l));
}

int
vs_lines_note(const struct vs_lines *l, struct vs_provenance *p)
{
	/* for a part there is no digest of the whole */
	return l->cut ? vs_source_note_part(&l->source, p)
		      : vs_source_note(&l->source, p);
}

/* ---- words ---- */

char *
vs_lines_word(char **at, size_t *len)
{
	char *p = *at, *end;

	while (*p == ' ' || *p == '\t')
		p++;
	if (!*p)
		return NULL;
	for (end = p; *end && *end != ' ' && *end != '\t'; end++)
		;
	*len = (size_t)(end - p);
	*at = *end ? end + 1 : end;
	*end = 0;
	return p;
}

size_t
vs_lines_words(char **at, struct vs_word *word, size_t most)
{
	size_t n = 0;

	while (n < most && (word[n].text = vs_lines_word(at, &word[n].len)))
		n++;
	return n;
}

bool
vs_lines_word_missing(const char *word, size_t len)
{
	/* as R, NumPy, pandas, SQL, Python and spreadsheets write them */
	static const char *const words[] = { ".", "-9", "na", "nan", "n/a",
		"null", "none", "<na>", "#n/a", "#na", "-nan", "+nan", "n.a.",
		"#n/a n/a", "1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", NULL };

	if (!len)
		return true;
	for (const char *const *w = words; *w; w++)
		if (!strcasecmp(word, *w))
			return true;
	return false;
}
