/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of a run directory and of the directories in it. */
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

#define MARK ".tmp-"
#define N_DIGIT 8 /* behind the mark */

static bool
ends_in(const char *name, size_t n, const char *tail)
{
	size_t m = strlen(tail);

	return n > m && !memcmp(name + n - m, tail, m);
}

static int
is_shard(const struct dirent *e)
{
	return ends_in(e->d_name, strlen(e->d_name), VS_SHARD_NAMES_TAIL);
}

static int
is_log(const struct dirent *e)
{
	return ends_in(e->d_name, strlen(e->d_name),
		VS_SHARD_NAMES_TAIL VS_SHARD_NAMES_LOG);
}

/* A shard, complete.yaml or run.yaml as vs_file_create() names it before it is
 * whole: NAME.tmp-XXXXXXXX. */
static int
is_temporary(const struct dirent *e)
{
	const char *name = e->d_name, *mark = strstr(name, MARK);
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
is_group(const struct dirent *e)
{
	return vs_shard_names_is_group(e->d_name);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* Add the names in a directory that filter() accepts, sorted; in one of a group
 * of ranks, only those that belong there. */
static int
list(const char *path, int (*filter)(const struct dirent *e), const char *group,
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
		bool in =
			!group || vs_shard_names_in_group(group, e[k]->d_name);

		name.len = 0;
		if (!code && in)
			code = vs_text_add(&name, "%.*s/%s", (int)len, path,
				e[k]->d_name);
		if (!code && in)
			code = vs_text_pool_add(names, name.bytes,
				name.len + 1);
		free(e[k]);
	}
	free(e);
	vs_text_free(&name);
	return code;
}

static bool
is_dir(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* Add the names that filter() accepts in the run directory, and in each of its
 * directories that is named like a group of ranks, see shard_names.h. */
static int
list_all(const char *dir, int (*filter)(const struct dirent *e),
	struct vs_text_pool *files)
{
	struct vs_text_pool groups = { 0 };
	int code = list(dir, filter, NULL, files);

	if (!code)
		code = list(dir, is_group, NULL, &groups);
	for (size_t k = 0; k < groups.n && !code; k++) {
		const char *path = vs_text_pool_string(&groups, k);

		if (is_dir(path))
			code = list(path, filter, strrchr(path, '/') + 1,
				files);
	}
	vs_text_pool_free(&groups);
	return code;
}

int
vs_run_shards_logs(const char *dir, struct vs_text_pool *files)
{
	return list_all(dir, is_log, files);
}

int
vs_run_shards_temporaries(const char *dir, struct vs_text_pool *files)
{
	return list_all(dir, is_temporary, files);
}

int
vs_run_shards(const char *path, struct vs_text_pool *files)
{
	struct stat st;

	if (stat(path, &st))
		return vs_fail_input(path, "open");
	return S_ISDIR(st.st_mode)
		? list_all(path, is_shard, files)
		: vs_text_pool_add(files, path, strlen(path) + 1);
}

/* Remove the files; none: those that another rank removes, too. */
static int
remove_all(struct vs_text_pool *files, bool none, int code)
{
	for (size_t k = 0; k < files->n && !code; k++)
		if (unlink(vs_text_pool_string(files, k)) &&
			!(none && errno == ENOENT))
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove",
				vs_text_pool_string(files, k));
	vs_text_pool_free(files);
	return code;
}

int
vs_run_shards_sweep(const char *dir)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards_temporaries(dir, &files);

	return remove_all(&files, true, code);
}

int
vs_run_shards_remove(const char *dir)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files);

	if (!code)
		code = vs_run_shards_logs(dir, &files);
	code = remove_all(&files, false, code);
	if (!code)
		vs_run_shards_remove_dirs(dir);
	return code;
}

void
vs_run_shards_remove_dirs(const char *dir)
{
	struct vs_text_pool groups = { 0 };

	list(dir, is_group, NULL, &groups);
	for (size_t k = 0; k < groups.n; k++)
		rmdir(vs_text_pool_string(&groups, k));
	vs_text_pool_free(&groups);
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
		if (code || !mkdir(path.bytes, 0777))
			continue;
		if (errno != EEXIST)
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot make",
				path.bytes);
		else if (!is_dir(path.bytes))
			code = vs_fail(VS_EUSAGE,
				"%s: exists and is not a directory; give "
				"another RUNDIR",
				path.bytes);
	}
	if (!code)
		code = vs_file_sync_dir(path.bytes);
	vs_text_free(&path);
	return code;
}

/* Clear in *mode, if there is one, what dir/name does not permit. */
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
		code = vs_fail_input(path.bytes, "access it");
	vs_text_free(&path);
	return code;
}

int
vs_run_shards_mode(const char *dir, int *mode)
{
	struct vs_text_pool files = { 0 };
	int code = vs_run_shards(dir, &files), found = -1;

	if (!code)
		code = vs_run_shards_logs(dir, &files);
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
