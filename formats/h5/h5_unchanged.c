/* SPDX-License-Identifier: BSD-3-Clause */
/* Detection of a file that is changed while it is read, by inode, size and
 * time. */
#include <string.h>
#include <sys/stat.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"

/* The open file as it is by now. */
static int
stamp_of(const struct vs_h5_reader *r, struct stat *st)
{
	void *fd = NULL;

	if (H5Fget_vfd_handle(r->file, H5P_DEFAULT, &fd) < 0)
		return vs_h5_fail(VS_EMACHINE, r->path, "look at", "the file");
	if (fstat(*(int *)fd, st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", r->path);
	return 0;
}

int
vs_h5_reader_unchanged(struct vs_h5_reader *r)
{
	struct vs_seal now;
	struct stat st;
	int code = stamp_of(r, &st);

	if (code || vs_seal_same_stamp(&st, &r->seal.stamp) ||
		(r->seal.head && st.st_ino == r->seal.stamp.st_ino))
		return code;
	/* it may have been touched, or restored */
	if (r->seal.has_payload &&
		!vs_seal_check(r->path, ~0u, VS_H5_OURS, &now) &&
		now.has_payload && vs_seal_same_stamp(&st, &now.stamp) &&
		!memcmp(now.payload, r->seal.payload, sizeof(now.payload))) {
		r->seal.stamp = st;
		return 0;
	}
	vs_fail_clear();
	return vs_fail(VS_EINPUT,
		"%s: is damaged: it was changed while it was read; restore it "
		"and start again",
		r->path);
}
