/* SPDX-License-Identifier: BSD-3-Clause */
/* Atomic file output: temporary name, flush, rename. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

/*
 * Unfinished temporary files. A slot is written before the file exists and
 * cleared after it is gone, so a signal at any point leaves no file behind.
 */
#define N_SLOT 64
static char *volatile unfinished[N_SLOT];
static volatile pid_t writer; /* a child process does not own them */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int
remember(char *temp)
{
	int slot = 0;

	pthread_mutex_lock(&lock);
	writer = getpid();
	while (slot < N_SLOT && unfinished[slot])
		slot++;
	if (slot < N_SLOT)
		unfinished[slot] = temp;
	pthread_mutex_unlock(&lock);
	if (slot == N_SLOT)
		return vs_fail(VS_EMACHINE, "more than %d unfinished files",
			N_SLOT);
	return 0;
}

static void
forget(const char *temp)
{
	pthread_mutex_lock(&lock);
	for (int s = 0; s < N_SLOT; s++)
		if (unfinished[s] == temp)
			unfinished[s] = NULL;
	pthread_mutex_unlock(&lock);
}

int
vs_file_scratch(char *path)
{
	return remember(path);
}

void
vs_file_scratch_end(char *path)
{
	unlink(path);
	forget(path);
}

void
vs_file_scratch_keep(char *path)
{
	forget(path);
}

void
vs_file_unlink_all(void)
{
	for (int s = 0; s < N_SLOT && writer == getpid(); s++)
		if (unfinished[s])
			unlink(unfinished[s]);
}

/*
 * Input files, each listed once. A new file may reuse the inode of a removed
 * one, but not with its time and size too.
 */
static struct stat *inputs;
static size_t n_input, room_inputs;
static pthread_mutex_t inputs_lock = PTHREAD_MUTEX_INITIALIZER;

static bool
is_input(const struct stat *st)
{
	bool same = false;

	for (size_t k = 0; k < n_input && !same; k++)
		same = inputs[k].st_dev == st->st_dev &&
			inputs[k].st_ino == st->st_ino &&
			inputs[k].st_size == st->st_size &&
			inputs[k].st_mtim.tv_sec == st->st_mtim.tv_sec &&
			inputs[k].st_mtim.tv_nsec == st->st_mtim.tv_nsec;
	return same;
}

int
vs_file_note_input(int fd, const char *path)
{
	struct stat st;
	int code = 0;

	if (fstat(fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	pthread_mutex_lock(&inputs_lock);
#ifdef VS_FUZZ
	n_input = 0; /* one process may read millions of files */
#endif
	if (!is_input(&st)) {
		code = vs_mem_grow(&inputs, &room_inputs, n_input + 1,
			sizeof(*inputs), "names of inputs");
		if (!code)
			inputs[n_input++] = st;
	}
	pthread_mutex_unlock(&inputs_lock);
	return code;
}

/* Refuse an output that would replace an input of this process. */
static int
check_input(const char *path)
{
	struct stat st;
	bool same = false;

	if (!stat(path, &st)) {
		pthread_mutex_lock(&inputs_lock);
		same = is_input(&st);
		pthread_mutex_unlock(&inputs_lock);
	}
	return same ? vs_fail(VS_EUSAGE, "%s: is input and output", path) : 0;
}

int
vs_file_name_check(const char *path)
{
	if (!*path)
		return vs_fail(VS_EUSAGE, "the name of the output is empty");
	if (!strcmp(path, "-"))
		return vs_fail(VS_EUSAGE,
			"-: the output needs a name, HDF5 cannot write to a "
			"stream; ./- is a file of that name");
	return 0;
}

int
vs_file_kind(const char *path, enum vs_file_kind *kind)
{
	struct stat st;

	if (stat(path, &st)) {
		*kind = VS_FILE_NONE;
		return errno == ENOENT || errno == ENOTDIR
			? 0
			: vs_fail_input(path, "access it");
	}
	*kind = S_ISREG(st.st_mode)   ? VS_FILE_REGULAR
		: S_ISDIR(st.st_mode) ? VS_FILE_DIR
				      : VS_FILE_OTHER;
	return 0;
}

static int
exists(const char *path)
{
	return vs_fail(VS_EUSAGE, "%s: exists already; -f replaces it", path);
}

static int
check_target(const char *path, bool force)
{
	struct stat st;
	int code = vs_file_name_check(path);

	if (!code)
		code = check_input(path);
	if (code)
		return code;
	if (stat(path, &st)) {
		if (errno == ENOENT)
			return 0;
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	}
	if (!S_ISREG(st.st_mode))
		return vs_fail(VS_EUSAGE,
			"%s: is not a regular file and will not be replaced",
			path);
	return force ? 0 : exists(path);
}

/* Make one directory, and sync its parent so that the entry is on disk. */
static int
make_dir(const char *dir, bool *made)
{
	*made = !mkdir(dir, 0777);
	if (*made)
		return vs_file_sync_dir(dir);
	return errno == EEXIST
		? 0
		: vs_fail_errno(VS_EMACHINE, "%s: cannot make directory", dir);
}

int
vs_file_parents(const char *path, size_t *made)
{
	char *dir = NULL;
	int code = vs_mem_copy_text(&dir, path);

	*made = 0;
	for (size_t k = 1; path[k] && !code; k++) {
		bool now;

		/* a trailing slash names no further directory */
		if (path[k] != '/' || path[k - 1] == '/' ||
			!path[k + strspn(path + k, "/")])
			continue;
		dir[k] = 0;
		code = make_dir(dir, &now);
		if (now && !*made)
			*made = k;
		dir[k] = '/';
	}
	if (code)
		vs_file_parents_drop(path, *made);
	free(dir);
	return code;
}

void
vs_file_parents_drop(const char *path, size_t made)
{
	char *dir = made ? strdup(path) : NULL;
	char *slash;

	while (dir && (slash = strrchr(dir, '/')) &&
		(size_t)(slash - dir) >= made) {
		*slash = 0;
		rmdir(dir);
	}
	free(dir);
}

/*
 * *out = make(name), a number or -1 and errno; repeated once after the missing
 * parent directories are made.
 * returns  0, whatever *out is; VS_EMACHINE: a parent cannot be made
 */
static int
make_below(int (*make)(const char *), const char *name, int *out,
	size_t *parents)
{
	int code = 0;

	*out = make(name);
	if (*out < 0 && errno == ENOENT) {
		code = vs_file_parents(name, parents);
		if (!code)
			*out = make(name);
	}
	return code;
}

static int
open_new(const char *name)
{
	return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

static int
open_private(const char *name)
{
	return open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* The directory whose new files get a given mode, and that mode. */
static char *mode_dir;
static mode_t mode_in_dir;

int
vs_file_set_mode(const char *dir, unsigned mode)
{
	size_t len = strlen(dir);
	char *copy = NULL;
	int code = vs_mem_copy_text(&copy, dir);

	if (code)
		return code;
	while (len > 1 && copy[len - 1] == '/')
		copy[--len] = 0;
	free(mode_dir);
	mode_dir = copy;
	mode_in_dir = mode & 0777;
	return 0;
}

/* The mode for path: that of the file there, or of its directory; false:
 * neither sets one. */
static bool
find_mode(const char *path, bool force, mode_t *mode)
{
	size_t len = mode_dir ? strlen(mode_dir) : 0;
	struct stat old;

	if (force && !stat(path, &old)) {
		*mode = old.st_mode & 0777;
		return true;
	}
	*mode = mode_in_dir;
	return len && !strncmp(path, mode_dir, len) && path[len] == '/' &&
		!strchr(path + len + strspn(path + len, "/"), '/');
}

static int
open_temp(struct vs_file *f, bool force)
{
	mode_t mode;
	bool given = find_mode(f->path, force, &mode);
	int code = make_below(given ? open_private : open_new, f->temp, &f->fd,
		&f->parents);

	/* if this fails, the file stays private */
	if (!code && f->fd >= 0 && given)
		(void)fchmod(f->fd, mode);
	if (code || f->fd >= 0)
		return code;
	code = vs_fail_errno(VS_EMACHINE, "%s: cannot create", f->path);
	vs_file_parents_drop(f->path, f->parents);
	return code;
}

static int
new_dir(const char *name)
{
	return mkdir(name, 0777);
}

int
vs_file_make_dir(const char *dir, const char *shown, bool *made,
	size_t *parents)
{
	int got, code = make_below(new_dir, dir, &got, parents);

	*made = !code && !got;
	if (code)
		return code;
	if (*made)
		return vs_file_sync_dir(dir);
	return errno == EEXIST ? 0
			       : vs_fail_errno(VS_EMACHINE,
					 "%s: cannot make directory", shown);
}

size_t
vs_file_stem(const char *path, size_t more)
{
	const char *slash = strrchr(path, '/');
	size_t n = strlen(path), dir = slash ? (size_t)(slash + 1 - path) : 0;

	if (n - dir + more <= NAME_MAX)
		return n;
	n = dir + NAME_MAX - more;
	/* do not cut a UTF-8 character, which some file systems refuse */
	while (n > dir && ((unsigned char)path[n] & 0xc0) == 0x80)
		n--;
	return n;
}

int
vs_file_create(struct vs_file *f, const char *path, uint32_t tag, bool force)
{
	const size_t stem = vs_file_stem(path, VS_FILE_TEMP),
		     room = stem + VS_FILE_TEMP + 1;
	int code = check_target(path, force);

	memset(f, 0, sizeof(*f));
	f->fd = -1;
	f->force = force;
	if (!code)
		code = vs_mem_copy_text(&f->path, path);
	VS_MEM_NEW(&code, f->temp, room, "file name");
	if (code)
		goto out;
	snprintf(f->temp, room, "%.*s.tmp-%08x", (int)stem, path, tag);
	code = remember(f->temp);
	if (code)
		goto out;
	code = open_temp(f, force);
	if (code)
		forget(f->temp);
out:
	if (code) {
		free(f->temp);
		free(f->path);
		memset(f, 0, sizeof(*f));
		f->fd = -1;
	}
	return code;
}

int
vs_file_sync_dir(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir = slash == path ? strdup("/")
		: slash           ? strndup(path, (size_t)(slash - path))
				  : strdup(".");
	int fd, code = 0;

	if (!dir)
		return vs_fail_memory("file name", strlen(path));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* some file systems cannot sync a directory and say EINVAL */
	if (fd < 0 || (fsync(fd) && errno != EINVAL))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot flush", dir);
	if (fd >= 0)
		close(fd);
	free(dir);
	return code;
}

/*
 * Rename to the final name. Without force a file that another program has
 * created there meanwhile is kept.
 */
static int
rename_final(const struct vs_file *f)
{
	if (!f->force) {
		if (!renameat2(AT_FDCWD, f->temp, AT_FDCWD, f->path,
			    RENAME_NOREPLACE))
			return 0;
		if (errno == EEXIST)
			return exists(f->path);
	}
	/* some file systems lack RENAME_NOREPLACE */
	if ((f->force || errno == EINVAL || errno == ENOSYS) &&
		!rename(f->temp, f->path))
		return 0;
	return vs_fail_errno(VS_EMACHINE, "%s: cannot rename %s", f->path,
		f->temp);
}

int
vs_file_commit(struct vs_file *f)
{
	int code = 0, fd = f->fd;

	f->fd = -1;
	if (fsync(fd))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot flush", f->path);
	if (close(fd) && !code)
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot close", f->path);
	if (!code)
		code = check_input(f->path);
	if (!code)
		code = rename_final(f);
	if (!code) {
		forget(f->temp);
		free(f->temp);
		f->temp = NULL;
		code = vs_file_sync_dir(f->path);
	}
	vs_file_abandon(f);
	return code;
}

void
vs_file_abandon(struct vs_file *f)
{
	if (!f->path)
		return;
	if (f->fd >= 0)
		close(f->fd);
	if (f->temp) {
		unlink(f->temp);
		forget(f->temp);
		vs_file_parents_drop(f->path, f->parents);
	}
	free(f->temp);
	free(f->path);
	memset(f, 0, sizeof(*f));
	f->fd = -1;
}

int
vs_file_put(int fd, const char *path, const void *bytes, size_t n,
	uint64_t offset)
{
	const char *p = bytes;

	while (n) {
		ssize_t did = pwrite(fd, p, n, (off_t)offset);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot write",
				path);
		p += did;
		n -= (size_t)did;
		offset += (uint64_t)did;
	}
	return 0;
}

int
vs_file_get(int fd, const char *path, void *bytes, size_t n, uint64_t offset)
{
	char *p = bytes;

	while (n) {
		ssize_t did = pread(fd, p, n, (off_t)offset);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0)
			return vs_fail_errno(VS_EMACHINE, "%s: cannot read",
				path);
		if (!did)
			return vs_fail(VS_EINPUT,
				"%s: ends at byte %llu, %zu bytes early", path,
				(unsigned long long)offset, n);
		p += did;
		n -= (size_t)did;
		offset += (uint64_t)did;
	}
	return 0;
}

int
vs_file_write(const char *path, const void *bytes, size_t n)
{
	struct vs_file file = { .fd = -1 };
	int code = vs_file_create(&file, path, (uint32_t)getpid(), true);

	if (!code)
		code = vs_file_put(file.fd, path, bytes, n, 0);
	if (!code)
		code = vs_file_commit(&file);
	vs_file_abandon(&file);
	return code;
}
