/* SPDX-License-Identifier: BSD-3-Clause */
/* Output of a tool that maps files one to one. */
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
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/text.h"
#include "tools/shared/lock.h"
#include "tools/shared/result_io.h"
#include "tools/shared/rundir.h"
#include "tools/shared/tool.h"

/* ---- replacing a directory ---- */

#define N_DIGIT 8 /* digits after .tmp- and .old- */
#define LOCK ".lock"

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

/*
 * Exchange the names of two directories in the same parent, and flush that. If
 * the file system cannot, path is called PATH.old-XXXXXXXX for a moment, with
 * the digits that end temp.
 * done     out: the names are exchanged; also true if the flush failed and then
 *          the exchange back
 * returns  0; VS_EMACHINE
 */
static int
replace_dir_exchange(const char *path, const char *temp, bool *done)
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
		const char *name = e[k]->d_name;

		path.len = 0;
		if (!code && strcmp(name, ".") && strcmp(name, ".."))
			code = vs_text_add(&path, "%s/%s", dir, name);
		if (!code && path.len)
			code = take(name, path.bytes, arg);
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
	int code =
		strcmp(name, LOCK) ? vs_text_add(&to, "%s/%s", m->to, name) : 0;

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

/*
 * Remove the shards, the completion file and the lock file from the directory
 * old, move everything else into path, and remove old. Anything of a name that
 * path has, too, keeps old.
 * returns  0; VS_EMACHINE: something in old could not be removed or moved
 */
static int
replace_dir_retire(const char *old, const char *path)
{
	struct move m = { .to = path };
	struct vs_text inside = { 0 };
	int code = vs_complete_remove(old);

	if (!code)
		code = vs_run_shards_sweep(old);
	/* directories of ranks with other content are left */
	if (!code)
		code = vs_run_shards_remove(old);
	if (!code)
		code = each_member(old, move_other, &m);
	if (!code)
		code = vs_text_add(&inside, "%s/.", path);
	if (!code && m.any)
		code = vs_file_sync_dir(inside.bytes);
	inside.len = 0;
	/* the lock goes last: a directory without it is empty or not ours */
	if (!code)
		code = vs_text_add(&inside, "%s/" LOCK, old);
	if (!code &&
		((unlink(inside.bytes) && errno != ENOENT) ||
			(!m.clash && rmdir(old))))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot remove", old);
	vs_text_free(&inside);
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
		code = replace_dir_retire(path, l->path);
	}
	if (code)
		vs_lock_leave(&lock);
	else
		vs_lock_drop(&lock);
	return code;
}

/*
 * Clean up after processes that were killed while replacing path: restore its
 * name if it has none, and remove what they left. Files locked by a live
 * process stay.
 * returns  0; VS_EMACHINE
 */
static int
replace_dir_recover(const char *path)
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

/*
 * The path in dir of a file whose path in a directory begins with n_from bytes
 * of that directory's name; makes a directory between the two.
 */
static int
join(char **out, const char *dir, const char *name, size_t n_from)
{
	struct vs_text t = { 0 };
	int code = vs_text_add(&t, "%s/%s", dir, name + n_from + 1);
	char *slash = code ? NULL : strrchr(t.bytes + strlen(dir) + 1, '/');

	if (slash) {
		*slash = 0;
		if (mkdir(t.bytes, 0777) && errno != EEXIST)
			code = vs_fail_errno(VS_EMACHINE, "%s: cannot make",
				t.bytes);
		*slash = '/';
	}
	if (code)
		vs_text_free(&t);
	*out = t.bytes;
	return code;
}

static int
is_dir(const char *path, bool *is)
{
	enum vs_file_kind kind;
	int code = vs_file_kind(path, &kind);

	*is = kind == VS_FILE_DIR;
	return code;
}

/* The shards in a directory, none if it does not exist. */
static int
shards_of(const char *path, struct vs_text_pool *files)
{
	enum vs_file_kind kind;
	int code = vs_file_kind(path, &kind);

	if (!code && kind != VS_FILE_DIR && kind != VS_FILE_NONE)
		code = vs_fail(VS_EUSAGE,
			"%s: is not a directory, and the input is one", path);
	return code || kind == VS_FILE_NONE ? code : vs_run_shards(path, files);
}

/* Give temp and what is made in it at most the permissions of what it
 * replaces. */
static int
keep_modes(const struct vs_rundir *d, const char *temp)
{
	enum vs_file_kind kind;
	struct stat st;
	int mode = -1, code = vs_file_kind(d->path, &kind);

	if (code || kind == VS_FILE_NONE)
		return code;
	if (stat(d->path, &st) || chmod(temp, (st.st_mode & 07777) | S_IRWXU))
		return vs_fail_errno(VS_EMACHINE,
			"%s: cannot take over its mode", d->path);
	code = vs_run_shards_mode(d->path, &mode);
	return code || mode < 0 ? code : vs_file_set_mode(temp, (unsigned)mode);
}

/* Its lock shows others that this process is alive. */
static int
make_temp(struct vs_rundir *d, const char *temp)
{
	bool made;
	int code = vs_file_make_dir(temp, d->path, &made, &d->parents);

	if (!code && !made)
		return vs_fail(VS_EMACHINE, "%s: already exists", temp);
	if (!code)
		code = keep_modes(d, temp);
	if (!code)
		code = vs_lock_acquire(&d->lock, temp, "");
	if (code && made)
		rmdir(temp);
	return code;
}

/*
 * The path at which names are exchanged: the directory itself if output is a
 * symbolic link to one.
 */
static int
find_path(struct vs_rundir *d, const char *output)
{
	size_t len = strlen(output);
	struct stat a, b;
	bool dir = false;
	int code = vs_mem_copy_text(&d->path, output);

	while (!code && len > 1 && output[len - 1] == '/')
		d->path[--len] = 0;
	if (!code)
		code = is_dir(d->path, &dir);
	if (code || !dir)
		return code;
	if (!lstat(d->path, &a) && S_ISLNK(a.st_mode)) {
		free(d->path);
		d->path = realpath(output, NULL);
		if (!d->path)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot access",
				output);
	}
	if (!stat(".", &a) && !stat(d->path, &b) && a.st_dev == b.st_dev &&
		a.st_ino == b.st_ino)
		return vs_fail(VS_EUSAGE,
			"%s: is the working directory, which cannot be "
			"replaced; work in another one",
			output);
	return 0;
}

static int
begin_dir(struct vs_rundir *d, const char *output, bool force)
{
	struct vs_text_pool old = { 0 };
	struct vs_text temp = { 0 };
	uint8_t uuid[16];
	int code = vs_file_name_check(output);

	if (!code)
		code = find_path(d, output);
	if (!code)
		code = replace_dir_recover(d->path);
	if (!code)
		code = shards_of(d->path, &old);
	if (!code && old.n && !force)
		code = vs_fail(VS_EUSAGE,
			"%s: holds %zu shard%s of a run already; -f removes "
			"%s",
			d->path, old.n, vs_text_s(old.n),
			old.n == 1 ? "it" : "them");
	vs_text_pool_free(&old);
	if (!code)
		code = vs_digest_uuid_make(uuid);
	if (!code)
		code = vs_text_add(&temp, "%.*s.tmp-%02x%02x%02x%02x",
			(int)vs_file_stem(d->path, VS_FILE_TEMP), d->path,
			uuid[0], uuid[1], uuid[2], uuid[3]);
	vs_tool_catch(); /* before anything could be left behind */
	if (!code)
		code = make_temp(d, temp.bytes);
	if (code) {
		vs_text_free(&temp);
		return code;
	}
	d->temp = temp.bytes;
	return 0;
}

int
vs_rundir_begin(struct vs_rundir *d, const char *input, const char *output,
	bool force)
{
	struct vs_text_pool files = { 0 };
	struct vs_complete mark;
	size_t n_from = strlen(input);
	int code;

	while (n_from > 1 && input[n_from - 1] == '/')
		n_from--;
	memset(d, 0, sizeof(*d));
	d->force = force;
	d->input = input;
	if (vs_result_io_same_file(input, output))
		return vs_fail(VS_EUSAGE, "%s: is input and output", output);
	code = is_dir(input, &d->is_dir);
	if (!code)
		code = vs_run_shards(input, &files);
	if (!code && !files.n)
		code = vs_fail(VS_EINPUT, "%s: contains no shards", input);
	if (!code)
		code = vs_result_look(&files);
	if (!code && d->is_dir)
		code = vs_complete_read(input, &mark, &d->complete);
	d->complete = d->complete && mark.n_shards == files.n;
	d->n_tile = d->complete ? mark.n_tiles : 0;
	if (!code)
		code = d->is_dir ? begin_dir(d, output, force)
				 : vs_result_io_may_write(output, force);
	if (!code)
		code = vs_mem_new(&d->in, files.n, sizeof(*d->in),
			"file names");
	if (!code)
		code = vs_mem_new(&d->out, files.n, sizeof(*d->out),
			"file names");
	for (; d->n < files.n && !code; d->n++) {
		const char *name = vs_text_pool_string(&files, d->n);

		code = vs_mem_copy_text(&d->in[d->n], name);
		if (!code)
			code = d->is_dir
				? join(&d->out[d->n], d->temp, name, n_from)
				: vs_mem_copy_text(&d->out[d->n], output);
	}
	vs_text_pool_free(&files);
	return code;
}

/* A run may meanwhile have begun to change the input. */
static int
mark_complete(const struct vs_rundir *d, const char *dir)
{
	bool has = false;
	int code = d->complete ? vs_complete_has(d->input, &has) : 0;

	return code || !has
		? code
		: vs_complete_write(dir, vs_tool_generator(), d->n_tile);
}

/* Put the new directory in place of the old one, which -f gives up. */
static int
replace(struct vs_rundir *d)
{
	struct vs_lock old = { 0 };
	struct stat st;
	bool done = false;
	/* a run may be writing there */
	int code = vs_lock_acquire(&old, d->path, "");

	/* shows the next run which the old one is, even after a power cut */
	if (!code)
		code = vs_file_sync_dir(old.path);
	if (!code && !stat(d->path, &st))
		chmod(d->temp, st.st_mode & 07777);
	if (!code)
		code = replace_dir_exchange(d->path, d->temp, &done);
	if (!done) {
		vs_lock_drop(&old);
		return code;
	}
	d->settled = true;
	vs_lock_exchange(&d->lock, &old);
	if (!code)
		code = replace_dir_retire(d->temp, d->path);
	/* this file shows the next run what it may remove */
	vs_lock_leave(&old);
	return code;
}

static int
settle(struct vs_rundir *d)
{
	int code = mark_complete(d, d->temp);
	bool old = false;

	if (!code)
		code = is_dir(d->path, &old);
	if (code || old)
		return code ? code : replace(d);
	if (rename(d->temp, d->path))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot rename %s",
			d->path, d->temp);
	d->settled = true;
	code = vs_lock_move(&d->lock, d->path);
	return code ? code : vs_file_sync_dir(d->path);
}

/* True if nothing of ours is left in it but the lock. */
static bool
empty_temp(struct vs_rundir *d)
{
	bool empty = true;

	for (size_t f = 0; f < d->n; f++)
		if (d->out[f] && unlink(d->out[f]) && errno != ENOENT)
			empty = false;
	vs_run_shards_remove_dirs(d->temp);
	return !vs_complete_remove(d->temp) && empty;
}

int
vs_rundir_end(struct vs_rundir *d, int code)
{
	bool undo, empty;

	if (!code && d->temp)
		code = settle(d);
	undo = code && d->temp && !d->settled;
	empty = undo && empty_temp(d);
	/* this file shows the next run that it may remove the rest */
	if (undo && !empty)
		vs_lock_leave(&d->lock);
	vs_lock_drop(&d->lock);
	if (undo)
		rmdir(d->temp);
	for (size_t f = 0; f < d->n; f++) {
		free(d->in[f]);
		free(d->out[f]);
	}
	if (code)
		vs_file_parents_drop(d->path, d->parents);
	free(d->in);
	free(d->out);
	free(d->temp);
	free(d->path);
	memset(d, 0, sizeof(*d));
	return code;
}
