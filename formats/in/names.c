/* SPDX-License-Identifier: BSD-3-Clause */
/* Names of samples and variants. */
#include "formats/in/names.h"
#include "libcore/base/digest.h"
#include "libcore/base/utf8.h"

#define N_DIGEST 17 /* a tilde and 16 digits */

int
vs_names_shorten(struct vs_text *to, const char *name, size_t len)
{
	size_t n = VS_NAMES_MOST - N_DIGEST;
	int code;

	/* no character is cut */
	while (n && ((unsigned char)name[n] & 0xc0) == 0x80)
		n--;
	to->len = 0;
	code = vs_text_put(to, name, n);
	return code ? code
		    : vs_text_add(to, "~%016llx",
			      (unsigned long long)vs_digest_64(name, len));
}

bool
vs_names_utf8(const char *name, size_t len)
{
	uint32_t c;

	for (size_t k = 0, n; k < len; k += n) {
		n = (unsigned char)name[k] < 0x80
			? 1
			: vs_utf8_decode(name + k, len - k, &c);
		if (!n)
			return false;
	}
	return true;
}

int
vs_names_add(struct vs_text_pool *to, const char *name, size_t len,
	struct vs_names_said *said)
{
	struct vs_text t = { 0 };
	int code;

	if (said) {
		said->n_shortened += len > VS_NAMES_MOST;
		said->n_not_utf8 += !vs_names_utf8(name, len);
	}
	if (len <= VS_NAMES_MOST)
		return vs_text_pool_add(to, name, len);
	code = vs_names_shorten(&t, name, len);
	if (!code)
		code = vs_text_pool_add(to, t.bytes, t.len);
	vs_text_free(&t);
	return code;
}
