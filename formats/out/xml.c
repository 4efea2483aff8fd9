/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of XML 1.0 elements and attributes, escaped. */
#include "formats/out/xml.h"
#include "libcore/base/utf8.h"

void
vs_xml_text(struct vs_out *o, const char *text, size_t len)
{
	for (size_t k = 0, n; k < len; k += n) {
		uint32_t c = 0;

		n = vs_utf8_decode(text + k, len - k, &c);
		if (!n || (c < ' ' && c != '\t') || c == 0xfffe ||
			c == 0xffff) {
			vs_out_char(o, '_');
			n = n ? n : 1;
		} else if (c == '&') {
			vs_out_text(o, "&amp;");
		} else if (c == '<') {
			vs_out_text(o, "&lt;");
		} else if (c == '>') {
			vs_out_text(o, "&gt;");
		} else if (c == '"') {
			vs_out_text(o, "&quot;");
		} else {
			vs_out_put(o, text + k, n);
		}
	}
}
