/* SPDX-License-Identifier: BSD-3-Clause */
/* UTF-8 decoder. */
#include "libcore/base/utf8.h"

size_t
vs_utf8_decode(const char *s, size_t len, uint32_t *out)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	size_t n = *p < 0x80 ? 1
		: *p < 0xc0  ? 0
		: *p < 0xe0  ? 2
		: *p < 0xf0  ? 3
		: *p < 0xf8  ? 4
			     : 0;
	uint32_t c = n == 1 ? *p : *p & (0x7fU >> n);

	if (n > len)
		return 0;
	for (size_t k = 1; k < n; k++) {
		if ((p[k] & 0xc0) != 0x80)
			return 0;
		c = c << 6 | (p[k] & 0x3f);
	}
	if (!n || c < least[n] || c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
		return 0;
	*out = c;
	return n;
}
