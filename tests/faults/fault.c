/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Fault injection, to be preloaded: the call FAULT_AT of those named FAULT_CALL
 * fails as on a machine that fails.
 *
 * FAULT_CALL   open read write trunc fsync close rename unlink mkdir stat mmap
 *              alloc strdup thread fork readlink, or any: all of these
 * FAULT_HOW    once (unless given); on: all later ones fail, too; kill: the
 *              process is killed before the call; short, eintr: half of the
 *              bytes of a read or write, or a signal came; alter: another
 *              program changes a byte of NAME.h5 in the middle of what is read,
 *              but not in an output, y; stacks: none fails, the file s receives
 *              the number of each call and a hash of its call stack; safe: none
 *              fails, s receives the numbers of the calls up to which nothing
 *              was done that a copy of the process could not do again: no file
 *              written, no child and no thread that is waited for
 * FAULT_COUNT  file that receives how many such calls there were, in the
 *              process and those that it forks
 * FAULT_SERVE  main() runs in a child for each line "CALL AT HOW" on stdin, its
 *              stdout and stderr go to the files o and e; the child's number,
 *              and when it has ended its status and how many such calls there
 *              were, come as lines on stdout; random bytes are always the same.
 *              With HOW go the process itself runs on to a safe call AT, says
 *              its number, and answers later lines from there
 * FAULT_ORDER  file that receives a line for each call that changes files, in
 *              the order of their beginning: its name, and its files after tabs
 * FAULT_NO_EXCHANGE  renameat2() knows no flags, as on some file systems
 *
 * Descriptors 0 to 2 are spared: what is said is what is looked at.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *call, *count_to, *order;
static long no_call, *n_call = &no_call, at;
static enum { ONCE, ON, KILL, SHORT, EINTR_, ALTER, STACKS, SAFE, GO } how;
static int ready, any, no_exchange;
static pid_t server, child, first; /* first: whose calls may be safe */
static int goes, n_child, n_thread, touched;

static void
choose(const char *name, const char *number, const char *word)
{
	static const char *const words[] = { "once", "on", "kill", "short",
		"eintr", "alter", "stacks", "safe", "go" };

	call = name;
	at = number ? atol(number) : 0;
	any = call && !strcmp(call, "any");
	how = ONCE;
	for (unsigned k = 0; word && k < sizeof(words) / sizeof(*words); k++)
		if (!strcmp(word, words[k]))
			how = k;
}

static void
begin(void)
{
	long page;

	ready = 1;
	page = syscall(SYS_mmap, NULL, sizeof(*n_call), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (page == -1)
		abort();
	n_call = (long *)page;
	count_to = getenv("FAULT_COUNT");
	order = getenv("FAULT_ORDER");
	no_exchange = getenv("FAULT_NO_EXCHANGE") != NULL;
	first = syscall(SYS_getpid);
	choose(getenv("FAULT_CALL"), getenv("FAULT_AT"), getenv("FAULT_HOW"));
}

static int (*program)(int, char **, char **);

enum { ASKED = 100, ANSWERED }; /* the former stdin and stdout */

/* Streams of the program, by calls that are not counted. */
static void
redirect(void)
{
	static const char *const names[] = { "/dev/null", "o", "e" };

	for (int k = 0; k < 3; k++) {
		long fd = syscall(SYS_openat, AT_FDCWD, names[k],
			k ? O_WRONLY | O_CREAT | O_APPEND : O_RDONLY, 0644);

		if (k < 2)
			dup2(k, ASKED + k);
		if (fd < 0 || dup2(fd, k) < 0)
			abort();
		syscall(SYS_close, fd);
	}
}

static void
empty_streams(void)
{
	syscall(SYS_truncate, "o", 0);
	syscall(SYS_truncate, "e", 0);
}

/* Wait for the child, and end what it has left running. */
static int
await(void)
{
	int status = 0;

	while (syscall(SYS_wait4, child, &status, 0, NULL) < 0 &&
		errno == EINTR)
		;
	kill(-child, SIGKILL);
	while (syscall(SYS_wait4, -1, NULL, 0, NULL) > 0)
		;
	return status;
}

/* Let a child run from here for each line; return in it, and in the process
 * itself where that is to go on. */
static void
attend(void)
{
	static char line[128], name[32], number[32], word[32];
	pid_t (*fork)(void) = dlsym(RTLD_NEXT, "fork");
	off_t at_byte[64];
	long n, counted = *n_call;

	call = NULL;
	if (goes)
		dprintf(ANSWERED, "%ld\n", at);
	while ((n = syscall(SYS_read, ASKED, line, sizeof(line) - 1)) > 0) {
		line[n] = 0;
		if (sscanf(line, "%31s %31s %31s", name, number, word) != 3)
			abort();
		if (!strcmp(word, "go")) {
			choose(name, number, word);
			goes = 1;
			return;
		}
		for (int fd = 3; fd < 64; fd++)
			at_byte[fd] = lseek(fd, 0, SEEK_CUR);
		empty_streams();
		child = fork();
		if (!child) {
			child = first = syscall(SYS_getpid);
			setpgid(0, 0);
			choose(name, number, word);
			return;
		}
		dprintf(ANSWERED, "%d\n", child);
		n = await();
		dprintf(ANSWERED, "%ld %ld\n", n, *n_call);
		*n_call = counted;
		for (int fd = 3; fd < 64; fd++)
			lseek(fd, at_byte[fd], SEEK_SET);
	}
	_exit(0);
}

static int
serve(int argc, char **argv, char **envp)
{
	void *entry[1];

	server = first;
	redirect();
	backtrace(entry, 1); /* loads what it needs */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	attend();
	return program(argc, argv, envp);
}

/* A child is to go on as the process that it is a copy of. */
pid_t
getpid(void)
{
	pid_t own = syscall(SYS_getpid);

	return goes && own == child ? server : own;
}

static int counts; /* main() has begun, before it libraries are loaded */

int
__libc_start_main(int (*main)(int, char **, char **), int argc, char **argv,
	void (*a)(void), void (*b)(void), void (*c)(void), void *d)
{
	int (*next)(int (*)(int, char **, char **), int, char **,
		void (*)(void), void (*)(void), void (*)(void), void *) =
		dlsym(RTLD_NEXT, "__libc_start_main");

	program = main;
	counts = 1;
	begin();
	return next(getenv("FAULT_SERVE") ? serve : main, argc, argv, a, b, c,
		d);
}

static __thread int looks; /* at its own stack */

static void
note_call(long n)
{
	void *stack[64];
	unsigned long entry[2] = { n, 14695981039346656037ul };
	int depth, fd;

	if (how == SAFE &&
		(touched || n_child || n_thread ||
			syscall(SYS_getpid) != first))
		return;
	looks = 1;
	depth = how == STACKS ? backtrace(stack, 64) : 0;
	for (int k = 1; k < depth; k++)
		entry[1] =
			(entry[1] ^ (unsigned long)stack[k]) * 1099511628211ul;
	fd = syscall(SYS_openat, AT_FDCWD, "s", O_WRONLY | O_CREAT | O_APPEND,
		0644);
	if (fd < 0 || syscall(SYS_write, fd, entry, sizeof(entry)) < 0)
		abort();
	syscall(SYS_close, fd);
	looks = 0;
}

/* Whether this call has to fail, with errno set. */
static int
fails(const char *name, int why)
{
	long n;

	if (!counts || !call || looks || (!any && strcmp(call, name)))
		return 0;
	n = __atomic_add_fetch(n_call, 1, __ATOMIC_SEQ_CST);
	while (how == GO && n == at && syscall(SYS_getpid) == first) {
		--*n_call;
		attend();
		n = ++*n_call;
	}
	if (how == STACKS || how == SAFE)
		note_call(n);
	if (!at || n < at || (n > at && how != ON) || how == GO)
		return 0;
	if (how == KILL)
		syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
	errno = why;
	return 1;
}

__attribute__((destructor)) static void
count(void)
{
	char line[32];
	long fd = -1;
	int n = snprintf(line, sizeof(line), "%ld\n", *n_call);

	call = NULL;
	if (count_to)
		fd = syscall(SYS_openat, AT_FDCWD, count_to,
			O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd >= 0)
		syscall(SYS_write, fd, line, n);
}

/* A file, not a pipe, is written or has another name. */
static void
touch(const char *path)
{
	touched |= strncmp(path, "pipe:", 5) && strncmp(path, "/dev/", 5);
}

/* One line for FAULT_ORDER, by calls that are not counted here themselves. */
static void
note(const char *name, const char *a, const char *b)
{
	char line[8300];
	long fd;
	int n;

	if (!ready)
		begin();
	touch(a);
	if (!order)
		return;
	fd = syscall(SYS_openat, AT_FDCWD, order,
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	n = snprintf(line, sizeof(line), "%s\t%s%s%s\n", name, a, b ? "\t" : "",
		b ? b : "");
	if (fd < 0 || n >= (int)sizeof(line) ||
		syscall(SYS_write, fd, line, n) != n)
		abort();
	syscall(SYS_close, fd);
}

/* The same of an open file. */
static void
note_open(const char *name, int fd)
{
	char link[40], path[4096];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, sizeof(path) - 1);
	if (n > 0) {
		path[n] = 0;
		note(name, path, NULL);
	}
}

#define REAL(type, name, params)   \
	static type(*real) params; \
                                   \
	if (!real)                 \
	real = (type(*) params)dlsym(RTLD_NEXT, #name)

#define FAULT(type, name, failed, kind, why, said, params, ...) \
	type name params                                        \
	{                                                       \
		REAL(type, name, params);                       \
		if (fails(kind, why))                           \
			return (type)failed;                    \
		said;                                           \
		return real(__VA_ARGS__);                       \
	}

/* A transfer of n bytes by a descriptor. */
#define MOVE(name, kind, why, said, params, ...)                          \
	ssize_t name params                                               \
	{                                                                 \
		REAL(ssize_t, name, params);                              \
		if (fd > 2 && fails(kind, how == EINTR_ ? EINTR : why)) { \
			if (how != SHORT)                                 \
				return -1;                                \
			n = n > 1 ? n / 2 : n;                            \
		}                                                         \
		said;                                                     \
		return real(__VA_ARGS__);                                 \
	}

MOVE(write, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n), fd, p, n)
MOVE(pwrite, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n, off_t o), fd, p, n, o)
MOVE(pwrite64, "write", ENOSPC, note_open("write", fd),
	(int fd, const void *p, size_t n, off64_t o), fd, p, n, o)

/* Change the byte at a place of an open file of ours. */
static void
alter(int fd, long at)
{
	char link[40], path[4096], byte;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = syscall(SYS_readlink, link, path, sizeof(path) - 1);
	path[n < 0 ? 0 : n] = 0;
	if (n < 3 || strcmp(path + n - 3, ".h5") || strstr(path, "/y"))
		return;
	fd = syscall(SYS_openat, AT_FDCWD, path, O_RDWR);
	if (fd >= 0 && syscall(SYS_pread64, fd, &byte, 1, at) == 1) {
		byte ^= 4;
		syscall(SYS_pwrite64, fd, &byte, 1, at);
	}
	if (fd >= 0)
		syscall(SYS_close, fd);
}

/* A transfer from a file, n bytes from o on. */
#define TAKE(name, place, params, ...)                                        \
	ssize_t name params                                                   \
	{                                                                     \
		REAL(ssize_t, name, params);                                  \
		int bad =                                                     \
			fd > 2 && fails("read", how == EINTR_ ? EINTR : EIO); \
                                                                              \
		if (bad && how != SHORT && how != ALTER)                      \
			return -1;                                            \
		if (bad && how == SHORT)                                      \
			n = n > 1 ? n / 2 : n;                                \
		if (bad && how == ALTER)                                      \
			alter(fd, (place) + n / 2);                           \
		return real(__VA_ARGS__);                                     \
	}

TAKE(read, lseek(fd, 0, SEEK_CUR), (int fd, void *p, size_t n), fd, p, n)
TAKE(pread, o, (int fd, void *p, size_t n, off_t o), fd, p, n, o)
TAKE(pread64, o, (int fd, void *p, size_t n, off64_t o), fd, p, n, o)

/* A new file needs room on the disk, an old one a descriptor. */
#define OPEN(name, before, params, ...)                               \
	int name params                                               \
	{                                                             \
		va_list more;                                         \
		int mode;                                             \
		REAL(int, name, (before const char *, int, ...));     \
		va_start(more, flags);                                \
		mode = va_arg(more, int);                             \
		va_end(more);                                         \
		if (fails("open", flags & O_CREAT ? ENOSPC : EMFILE)) \
			return -1;                                    \
		if (flags & (O_CREAT | O_WRONLY | O_RDWR))            \
			touch(path);                                  \
		return real(__VA_ARGS__, mode);                       \
	}
#define COMMA ,

OPEN(open, , (const char *path, int flags, ...), path, flags)
OPEN(open64, , (const char *path, int flags, ...), path, flags)
OPEN(openat, int COMMA, (int d, const char *path, int flags, ...), d, path,
	flags)
OPEN(openat64, int COMMA, (int d, const char *path, int flags, ...), d, path,
	flags)
FAULT(FILE *, fopen, NULL, "open", EMFILE, *mode == 'r' ? (void)0 : touch(path),
	(const char *path, const char *mode), path, mode)

FAULT(int, ftruncate, -1, "trunc", EIO, (void)0, (int fd, off_t n), fd, n)
FAULT(int, ftruncate64, -1, "trunc", EIO, (void)0, (int fd, off64_t n), fd, n)
FAULT(int, fsync, -1, "fsync", EIO, note_open("fsync", fd), (int fd), fd)
FAULT(int, fdatasync, -1, "fsync", EIO, note_open("fsync", fd), (int fd), fd)
FAULT(int, rename, -1, "rename", EIO, note("rename", a, b),
	(const char *a, const char *b), a, b)
FAULT(int, unlink, -1, "unlink", EIO, note("unlink", a, NULL), (const char *a),
	a)
FAULT(int, rmdir, -1, "unlink", EIO, (void)0, (const char *a), a)
FAULT(int, mkdir, -1, "mkdir", ENOSPC, touch(a), (const char *a, mode_t m), a,
	m)
FAULT(int, fstat, -1, "stat", EIO, (void)0, (int fd, struct stat *s), fd, s)
FAULT(int, stat, -1, "stat", EIO, (void)0, (const char *a, struct stat *s), a,
	s)
FAULT(int, lstat, -1, "stat", EIO, (void)0, (const char *a, struct stat *s), a,
	s)
FAULT(char *, strdup, NULL, "strdup", ENOMEM, (void)0, (const char *s), s)
FAULT(void *, mmap, MAP_FAILED, "mmap", ENOMEM, (void)0,
	(void *a, size_t n, int p, int f, int fd, off_t o), a, n, p, f, fd, o)
FAULT(ssize_t, readlink, -1, "readlink", ENOENT, (void)0,
	(const char *a, char *b, size_t n), a, b, n)
FAULT(pid_t, fork, -1, "fork", EAGAIN, (void)n_child++, (void), )
FAULT(int, pthread_create, EAGAIN, "thread", EAGAIN, (void)n_thread++,
	(pthread_t * t, const pthread_attr_t *a, void *(*f)(void *), void *x),
	t, a, f, x)

pid_t
waitpid(pid_t which, int *status, int options)
{
	pid_t ended;
	REAL(pid_t, waitpid, (pid_t, int *, int));

	ended = real(which, status, options);
	n_child -= ended > 0;
	return ended;
}

/* Nothing waits for such a thread, which may be missing in a copy. */
int
pthread_detach(pthread_t thread)
{
	REAL(int, pthread_detach, (pthread_t));

	n_thread--;
	return real(thread);
}

int
pthread_join(pthread_t thread, void **out)
{
	REAL(int, pthread_join, (pthread_t, void **));

	n_thread--;
	return real(thread, out);
}

int
renameat2(int i, const char *a, int j, const char *b, unsigned f)
{
	REAL(int, renameat2, (int, const char *, int, const char *, unsigned));
	if (no_exchange && f) {
		errno = EINVAL;
		return -1;
	}
	if (fails("rename", EIO))
		return -1;
	note("rename", a, b);
	return real(i, a, j, b, f);
}

/* The file is closed all the same. */
int
close(int fd)
{
	REAL(int, close, (int));
	if (fd > 2 && fails("close", EIO)) {
		real(fd);
		errno = EIO;
		return -1;
	}
	return real(fd);
}

ssize_t
getrandom(void *p, size_t n, unsigned flags)
{
	static unsigned char next;

	if (!server)
		return syscall(SYS_getrandom, p, n, flags);
	for (size_t k = 0; k < n; k++)
		((unsigned char *)p)[k] = ++next;
	return n;
}

/* ---- memory, by the names that glibc keeps for itself ---- */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
	*__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

void *
malloc(size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_malloc(n);
}

void *
calloc(size_t a, size_t b)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_calloc(a, b);
}

void *
realloc(void *p, size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails("alloc", ENOMEM) ? NULL : __libc_memalign(align, n);
}

int
posix_memalign(void **out, size_t align, size_t n)
{
	void *p = fails("alloc", ENOMEM) ? NULL : __libc_memalign(align, n);

	if (p)
		*out = p;
	return p ? 0 : ENOMEM;
}
