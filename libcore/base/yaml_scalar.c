/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML scalar of any text: quoted, escaped, or binary. */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "libcore/base/utf8.h"
#include "libcore/base/yaml_scalar.h"

/*
 * A character allowed in single quotes on one line: YAML 1.1, section 5.1,
 * without those that break a line and the byte order mark.
 */
static bool
is_printable(uint32_t c)
{
	if (c < 0xa0)
		return c >= ' ' && c < 0x7f;
	return c != 0x2028 && c != 0x2029 && c != 0xfeff && c != 0xfffe &&
		c != 0xffff;
}

enum style { SINGLE, DOUBLE, BINARY };

static enum style
style_of(const char *text)
{
	enum style style = SINGLE;
	uint32_t c = 0;

	for (size_t n; *text; text += n) {
		n = vs_utf8_decode(text, 4, &c);
		if (!n)
			return BINARY;
		if (!is_printable(c))
			style = DOUBLE;
	}
	return style;
}

/* Write one character of a text in quotes. */
static int
put_character(struct vs_text *to, const char *s, size_t n, uint32_t c,
	enum style style)
{
	if (style == SINGLE)
		return vs_text_put(to, c == '\'' ? "''" : s, c == '\'' ? 2 : n);
	if (c == '\t')
		return vs_text_put(to, "\\t", 2);
	if (c == '\n')
		return vs_text_put(to, "\\n", 2);
	if (!is_printable(c))
		return vs_text_add(to, "\\u%04x", (unsigned)c);
	if (c == '"' || c == '\\')
		return vs_text_add(to, "\\%c", (char)c);
	return vs_text_put(to, s, n);
}

static int
put_quoted(struct vs_text *to, const char *text, enum style style)
{
	const char *quote = style == SINGLE ? "'" : "\"";
	uint32_t c = 0;

	vs_text_put(to, quote, 1);
	for (size_t n; *text; text += n) {
		n = vs_utf8_decode(text, 4, &c);
		put_character(to, text, n, c, style);
	}
	return vs_text_put(to, quote, 1);
}

static const char digits[] =
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static int
put_binary(struct vs_text *to, const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t left = strlen(text);

	vs_text_add(to, "!!binary \"");
	for (; left; p += 3) {
		size_t n = left < 3 ? left : 3;
		uint32_t v = (uint32_t)p[0] << 16;
		char four[4];

		if (n > 1)
			v |= (uint32_t)p[1] << 8;
		if (n > 2)
			v |= p[2];
		for (int k = 0; k < 4; k++)
			four[k] = k > (int)n ? '='
					     : digits[v >> (18 - 6 * k) & 63];
		vs_text_put(to, four, 4);
		left -= n;
	}
	return vs_text_put(to, "\"", 1);
}

int
vs_yaml_scalar_put(struct vs_text *to, const char *text)
{
	enum style style = style_of(text ? text : "");

	if (style == BINARY)
		return put_binary(to, text);
	return put_quoted(to, text ? text : "", style);
}

long
vs_yaml_scalar_decode(char *text)
{
	char *out = text;
	uint32_t v = 0;
	int bits = 0;
	size_t n_digit = 0, n_fill = 0;

	for (const char *p = text; *p; p++) {
		const char *digit = strchr(digits, *p);

		if (strchr(" \t\r\n", *p))
			continue;
		if (*p == '=' && ++n_fill <= 2)
			continue;
		if (!digit || n_fill)
			return -1;
		n_digit++;
		v = (v << 6 | (uint32_t)(digit - digits)) & 0xfff;
		bits += 6;
		if (bits >= 8) {
			bits -= 8;
			*out++ = (char)(v >> bits);
		}
	}
	/* bits that belong to no byte must be zero */
	if ((n_digit + n_fill) % 4 || v & ((1U << bits) - 1))
		return -1;
	*out = 0;
	return out - text;
}
