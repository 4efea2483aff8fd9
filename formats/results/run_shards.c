/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run directory and of those in it. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/runfile.h"
#include "formats/results/complete.h"
#include "formats/results/result.h"
#include "formats/results/shard_names.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/text.h"

static int
is_shard(const struct dirent *e)
{
	static const char tail[] = VS_SHARD_NAMES_TAIL;
	size_t n = strlen(e->d_name), m = sizeof(tail) - 1;

	return n > m && !strcmp(e->d_name + n - m, tail);
}

static int
is_group(const struct dirent *e)
{
	return vs_shard_names_is_group(e->d_name);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Add the names in a directory that filter() takes, sorted. */
static int
list(const char *path, int (*filter)(const struct dirent *e),
	struct vs_text_pool *names)
{
	struct vs_text name = { 0 };
	struct dirent **e = NULL;
	size_t len = strlen(path);
	int code = 0, n = scandir(path, &e, filter, by_name);

	if (n < 0)
		return vs_fail_input(path, "list");
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (int k = 0; k < n; k++) {
		name.len = 0;
		if (!code)
			code = vs_text_add(&name, "%.*s/%s", (int)len, path,
				e[k]->d_name);
		if (!code)
			code = vs_text_pool_add(names, name.bytes,
				name.len + 1);
		free(e[k]);
	}
	free(e);
	vs_text_free(&name);
	return code;
}

int
vs_run_shards_dirs(const char *dir, struct vs_text_pool *dirs)
{
	struct vs_text_pool all = { 0 };
	struct stat st;
	int code = vs_text_pool_add(dirs, dir, strlen(dir) + 1);

	if (!code)
		code = list(dir, is_group, &all);
	for (size_t k = 0; k < all.n && !code; k++) {
		const char *path = vs_text_pool_string(&all, k);

		if (!lstat(path, &st) && S_ISDIR(st.st_mode))
			code = vs_text_pool_add(dirs, path, strlen(path) + 1);
	}
	vs_text_pool_free(&all);
	return code;
}

int
vs_run_shards(const char *path, struct vs_text_pool *files)
{
	struct vs_text_pool dirs = { 0 };
	struct stat st;
	int code;

	if (stat(path, &st))
		return vs_fail_input(path, "open");
	if (!S_ISDIR(st.st_mode))
		return vs_text_pool_add(files, path, strlen(path) + 1);
	code = vs_run_shards_dirs(path, &dirs);
	for (size_t k = 0; k < dirs.n && !code; k++)
		code = list(vs_text_pool_string(&dirs, k), is_shard, files);
	vs_text_pool_free(&dirs);
	return code;
}

int
vs_run_shards_remove(const char *dir)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files);

	for (size_t k = 0; k < files.n && !code; k++)
		if (unlink(vs_text_pool_string(&files, k)))
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove",
				vs_text_pool_string(&files, k));
	vs_text_pool_free(&files);
	if (!code)
		vs_run_shards_remove_dirs(dir);
	return code;
}

void
vs_run_shards_remove_dirs(const char *dir)
{
	struct vs_text_pool dirs = { 0 };

	/* the first one is the directory itself */
	if (!vs_run_shards_dirs(dir, &dirs))
		for (size_t k = 1; k < dirs.n; k++)
			rmdir(vs_text_pool_string(&dirs, k));
	vs_text_pool_free(&dirs);
}

int
vs_run_shards_make_dirs(const char *dir, int n_rank)
{
	struct vs_text path = { 0 };
	int code = 0;

	if (n_rank <= VS_SHARD_NAMES_RANKS)
		return 0;
	for (int r = 0; r < n_rank && !code; r += VS_SHARD_NAMES_RANKS) {
		path.len = 0;
		code = vs_shard_names_dir(&path, dir, r, n_rank);
		if (!code && mkdir(path.bytes, 0777) && errno != EEXIST)
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot make",
				path.bytes);
	}
	if (!code)
		code = vs_file_sync_dir(path.bytes);
	vs_text_free(&path);
	return code;
}

/* Take from *mode, if there is one, what dir/name does not permit. */
static int
narrow(const char *dir, const char *name, int *mode)
{
	struct vs_text path = { 0 };
	struct stat st;
	int code = vs_text_add(&path, "%s%s%s", dir ? dir : "", dir ? "/" : "",
		name);

	if (!code && !stat(path.bytes, &st))
		*mode = (*mode < 0 ? 0777 : *mode) & (int)st.st_mode;
	else if (!code && errno != ENOENT)
		code = vs_fail_input(path.bytes, "look at it");
	vs_text_free(&path);
	return code;
}

int
vs_run_shards_mode(const char *dir, int *mode)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files), found = -1;

	for (size_t k = 0; k < files.n && !code; k++)
		code = narrow(NULL, vs_text_pool_string(&files, k), &found);
	if (!code)
		code = narrow(dir, VS_COMPLETE_NAME, &found);
	if (!code && found < 0)
		code = narrow(dir, VS_RUNFILE_NAME, &found);
	vs_text_pool_free(&files);
	if (!code)
		*mode = found;
	return code;
}
