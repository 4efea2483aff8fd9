/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic replacement of a directory of shards by exchanging names. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/results/complete.h"
#include "formats/results/shard_names.h"
#include "formats/results/temporaries.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/text.h"
#include "tools/shared/lock.h"
#include "tools/shared/replace_dir.h"

#define N_DIGIT 8 /* digits after .tmp- and .old- */

/* ---- exchange ---- */

static int
fail_rename(const char *path, const char *temp)
{
	return vs_fail_errno(VS_EMACHINE, "%s: cannot rename %s", path, temp);
}

/* Three renames; the first is undone if the second fails. */
static int
move_aside(const char *path, const char *temp)
{
	struct vs_text aside = { 0 };
	int code = vs_text_add(&aside, "%.*s.old-%s",
		(int)vs_file_stem(path, VS_FILE_TEMP), path,
		temp + strlen(temp) - N_DIGIT);

	if (!code && rename(path, aside.bytes)) {
		code = fail_rename(path, path);
	} else if (!code && rename(temp, path)) {
		code = fail_rename(path, temp);
		rename(aside.bytes, path);
	} else if (!code && rename(aside.bytes, temp)) {
		code = fail_rename(temp, aside.bytes);
		rename(path, temp);
		rename(aside.bytes, path);
	}
	vs_text_free(&aside);
	return code;
}

static int
exchange(const char *path, const char *temp)
{
	if (!renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_EXCHANGE))
		return 0;
	return errno == EINVAL || errno == ENOSYS || errno == ENOTSUP
		? move_aside(path, temp)
		: fail_rename(path, temp);
}

int
vs_replace_dir_exchange(const char *path, const char *temp, bool *done)
{
	int code = exchange(path, temp);

	*done = !code;
	if (code)
		return code;
	code = vs_file_sync_dir(path);
	/* a power cut could bring back the old one, so it has to stay */
	*done = !code || exchange(path, temp);
	if (code && *done)
		vs_fail_append("; the former directory has the name of a "
			       "temporary one");
	return code;
}

/* ---- removal of the old directory ---- */

/* True for a name of a file made by a writer of shards, finished or not. */
static bool
is_ours(const char *name)
{
	const char *tail = strstr(name, VS_SHARD_NAMES_TAIL);
	const size_t m = strlen(VS_SHARD_NAMES_TAIL);

	return !strcmp(name, ".lock") || !strcmp(name, VS_COMPLETE_NAME) ||
		(tail && (!tail[m] || !strcmp(tail + m, VS_SHARD_NAMES_LOG))) ||
		vs_temporaries_is(name);
}

static bool
is_dots(const char *name)
{
	return !strcmp(name, ".") || !strcmp(name, "..");
}

/* Call take() for each member of a directory, with its name and its path. */
static int
each_member(const char *dir,
	int (*take)(const char *name, const char *path, void *arg), void *arg)
{
	struct vs_text path = { 0 };
	struct dirent **e = NULL;
	int code = 0, n = scandir(dir, &e, NULL, alphasort);

	if (n < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot list", dir);
	for (int k = 0; k < n; k++) {
		path.len = 0;
		if (!code && !is_dots(e[k]->d_name))
			code = vs_text_add(&path, "%s/%s", dir, e[k]->d_name);
		if (!code && path.len)
			code = take(e[k]->d_name, path.bytes, arg);
		free(e[k]);
	}
	free(e);
	vs_text_free(&path);
	return code;
}

struct move {
	const char *to;
	bool any, clash; /* already moved; its name is taken */
};

static int
move_other(const char *name, const char *path, void *arg)
{
	struct move *m = arg;
	struct vs_text to = { 0 };
	struct stat st;
	int code = is_ours(name) ? 0 : vs_text_add(&to, "%s/%s", m->to, name);

	if (code || !to.len) {
		/* nothing to move */
	} else if (!lstat(to.bytes, &st)) {
		m->clash = true;
	} else if (errno != ENOENT || rename(path, to.bytes)) {
		code = fail_rename(to.bytes, path);
	} else {
		m->any = true;
	}
	vs_text_free(&to);
	return code;
}

static int
remove_of_group(const char *name, const char *path, void *group)
{
	if (!vs_shard_names_in_group(group, name) || !is_ours(name) ||
		!unlink(path))
		return 0;
	return vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path);
}

/* Remove the shards of a group of ranks, and its directory if nothing else is
 * in it. */
static int
remove_group(const char *name, const char *path)
{
	char group[8];
	int code;

	snprintf(group, sizeof(group), "%s", name);
	code = each_member(path, remove_of_group, group);
	if (!code && rmdir(path) && errno != ENOTEMPTY && errno != EEXIST)
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path);
	return code;
}

/* The lock goes last: a directory without it is empty or not ours. */
static int
remove_ours(const char *name, const char *path, void *arg)
{
	bool lock = !strcmp(name, ".lock");
	struct stat st;

	if (vs_shard_names_is_group(name) && !lstat(path, &st) &&
		S_ISDIR(st.st_mode))
		return remove_group(name, path);
	if (!is_ours(name) || lock != *(bool *)arg || !unlink(path))
		return 0;
	return vs_fail_errno(VS_EMACHINE, "%s: cannot remove", path);
}

int
vs_replace_dir_retire(const char *old, const char *path)
{
	struct move m = { .to = path };
	struct vs_text inside = { 0 };
	bool lock = false;
	int code = each_member(old, remove_ours, &lock);

	/* directories of ranks with other content are left */
	if (!code)
		code = each_member(old, move_other, &m);
	if (!code)
		code = vs_text_add(&inside, "%s/.", path);
	if (!code && m.any)
		code = vs_file_sync_dir(inside.bytes);
	vs_text_free(&inside);
	lock = true;
	if (!code)
		code = each_member(old, remove_ours, &lock);
	if (!code && !m.clash && rmdir(old))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove", old);
	return code;
}

/* ---- recovery after a kill ---- */

struct left {
	const char *path;
	size_t n_dir, n_name; /* bytes of path's directory, and of its name */
};

/* True for a directory NAME.tmp-XXXXXXXX or NAME.old-XXXXXXXX. */
static bool
is_left(const struct left *l, const char *name, const char *path)
{
	const char *tail = name + l->n_name;
	struct stat st;

	return !strncmp(name, l->path + l->n_dir, l->n_name) &&
		(!strncmp(tail, ".tmp-", 5) || !strncmp(tail, ".old-", 5)) &&
		strlen(tail) == 5 + N_DIGIT &&
		strspn(tail + 5, "0123456789abcdef") == N_DIGIT &&
		!lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* True if it is empty, or one of ours with a lock that no process holds. */
static bool
is_abandoned(const char *path, struct vs_lock *lock)
{
	struct vs_text name = { 0 };
	struct stat st;
	bool is = rmdir(path) && !vs_text_add(&name, "%s/.lock", path) &&
		!lstat(name.bytes, &st) && !vs_lock_acquire(lock, path, "");

	vs_text_free(&name);
	vs_fail_clear();
	/* without locks it is unknown who writes there */
	return is && lock->held;
}

static int
recover_one(const char *name, const char *path, void *arg)
{
	const struct left *l = arg;
	struct vs_lock lock = { 0 };
	struct stat st;
	int code = 0;

	if (!is_left(l, name, path))
		return 0;
	if (!is_abandoned(path, &lock)) {
		/* it stays */
	} else if (name[l->n_name + 1] == 'o' && lstat(l->path, &st)) {
		if (rename(path, l->path))
			code = fail_rename(l->path, path);
		else
			code = vs_lock_move(&lock, l->path);
	} else {
		code = vs_replace_dir_retire(path, l->path);
	}
	if (code)
		vs_lock_leave(&lock);
	else
		vs_lock_drop(&lock);
	return code;
}

int
vs_replace_dir_recover(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct left l = { path, slash ? (size_t)(slash + 1 - path) : 0, 0 };
	struct vs_text dir = { 0 };
	int code;

	l.n_name = vs_file_stem(path, VS_FILE_TEMP) - l.n_dir;
	code = l.n_dir ? vs_text_put(&dir, path, l.n_dir)
		       : vs_text_put(&dir, "./", 2);
	/* without a directory nothing was left */
	if (!code && !access(dir.bytes, R_OK))
		code = each_member(dir.bytes, recover_one, &l);
	vs_text_free(&dir);
	return code;
}
