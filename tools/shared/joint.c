/* SPDX-License-Identifier: BSD-3-Clause */
/* Least number of joint calls of a record: option --min-joint. */
#include <string.h>

#include "libcore/base/decimal.h"
#include "libcore/base/fail.h"
#include "libcore/base/ratio.h"
#include "tools/shared/joint.h"

#define MOST_DIGITS 15
#define SHARE 1000000000000000 /* 10^15 */

/* A whole number, only digits. */
static bool
read_count(const char *text, int64_t *out)
{
	size_t n = strspn(text, "0123456789");

	if (!n || n > MOST_DIGITS || text[n])
		return false;
	*out = 0;
	for (; *text; text++)
		*out = 10 * *out + (*text - '0');
	return true;
}

/*
 * A share above 0, as p / q: a decimal counts 15 digits after the point, and is
 * rounded up by further ones.
 */
static bool
read_share(const char *text, struct vs_ratio *r)
{
	size_t n = strlen(text);
	bool percent = n && text[n - 1] == '%';
	struct vs_decimal d;

	if (vs_decimal_read(text, n - percent, &d)) {
		r->q = SHARE;
		if (!vs_decimal_scaled(&d,
			    percent ? MOST_DIGITS - 2 : MOST_DIGITS, true,
			    &r->p))
			return false;
	} else if (percent || !vs_ratio_read(text, r)) {
		return false;
	}
	return r->p > 0 && (percent ? r->p <= r->q : r->p < r->q);
}

int
vs_joint_read(const char *text, const char *path, int64_t n_field, int64_t *out)
{
	struct vs_ratio r;
	int64_t n = 0;

	*out = 0;
	if (!text)
		return 0;
	if (!read_count(text, &n) && read_share(text, &r))
		n = (int64_t)(((__int128)r.p * n_field + r.q - 1) / r.q);
	if (n < 1)
		return vs_fail(VS_EUSAGE,
			"--min-joint %s: expected a number of samples such as "
			"100, or a share such as 0.5 or 50%%",
			text);
	if (n > n_field)
		return vs_fail(VS_EUSAGE,
			"--min-joint %s: %s has %lld samples; no record can "
			"have more",
			text, path, (long long)n_field);
	*out = n;
	return 0;
}

int
vs_joint_known(const struct vs_run *run, const char *path)
{
	return run->has_nvalid || !strcmp(run->missing, "none")
		? 0
		: vs_fail(VS_EINPUT,
			  "%s: calls are missing and it has no "
			  "/records/nvalid: recreate it by vsim-run "
			  "--min-joint",
			  path);
}
