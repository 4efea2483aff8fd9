/* SPDX-License-Identifier: BSD-3-Clause */
/* Temporary files that killed writers left in a directory of shards. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/runfile.h"
#include "formats/results/complete.h"
#include "formats/results/result.h"
#include "formats/results/shard_names.h"
#include "formats/results/temporaries.h"
#include "libcore/base/fail.h"
#include "libcore/base/text.h"

#define MARK ".tmp-"
#define N_DIGIT 8 /* behind the mark */

static bool
ends_in(const char *name, size_t n, const char *tail)
{
	size_t m = strlen(tail);

	return n >= m && !memcmp(name + n - m, tail, m);
}

bool
vs_temporaries_is(const char *name)
{
	const char *mark = strstr(name, MARK);
	const char *digits = mark ? mark + strlen(MARK) : "";
	size_t n = mark ? (size_t)(mark - name) : 0;

	if (strlen(digits) != N_DIGIT ||
		strspn(digits, "0123456789abcdef") != N_DIGIT)
		return false;
	return ends_in(name, n, VS_SHARD_NAMES_TAIL) ||
		ends_in(name, n, VS_SHARD_NAMES_TAIL VS_SHARD_NAMES_LOG) ||
		(n == strlen(VS_COMPLETE_NAME) &&
			!memcmp(name, VS_COMPLETE_NAME, n)) ||
		(n == strlen(VS_RUNFILE_NAME) &&
			!memcmp(name, VS_RUNFILE_NAME, n));
}

static int
is_temporary(const struct dirent *e)
{
	return vs_temporaries_is(e->d_name);
}

struct each {
	int (*take)(const char *dir, const char *path, void *ctx);
	void *ctx;
};

static int
each_in(const char *dir, const char *group, void *ctx)
{
	const struct each *each = ctx;
	struct vs_text path = { 0 };
	struct dirent **e = NULL;
	int code = 0, n = scandir(dir, &e, is_temporary, alphasort);

	if (n < 0)
		return vs_fail_input(dir, "list");
	for (int k = 0; k < n; k++) {
		bool in =
			!group || vs_shard_names_in_group(group, e[k]->d_name);

		path.len = 0;
		if (!code && in)
			code = vs_text_add(&path, "%s/%s", dir, e[k]->d_name);
		if (!code && in)
			code = each->take(dir, path.bytes, each->ctx);
		free(e[k]);
	}
	free(e);
	vs_text_free(&path);
	return code;
}

int
vs_temporaries_each(const char *dir,
	int (*take)(const char *dir, const char *path, void *ctx), void *ctx)
{
	struct each each = { take, ctx };

	return vs_run_shards_each_dir(dir, each_in, &each);
}

static int
remove_one(const char *dir, const char *path, void *ctx)
{
	(void)dir;
	(void)ctx;
	/* another rank of the killed run may be removing it, too */
	return unlink(path) && errno != ENOENT
		? vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path)
		: 0;
}

int
vs_temporaries_remove(const char *dir)
{
	return vs_temporaries_each(dir, remove_one, NULL);
}
