/* SPDX-License-Identifier: BSD-3-Clause */
/* Error codes, and one recorded error message per process. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "libcore/base/fail.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char sentence[4096];

void
vs_fail_one_line(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			*p = '?';
}

/*
 * Record a sentence; one that is too long is truncated at the end, since the
 * place comes first.
 */
static void
record(const char *fmt, va_list ap, const char *tail)
{
	size_t n;

	pthread_mutex_lock(&lock);
	if (!sentence[0]) {
		vsnprintf(sentence, sizeof(sentence), fmt, ap);
		n = strlen(sentence);
		if (tail)
			snprintf(sentence + n, sizeof(sentence) - n, ": %s",
				tail);
		vs_fail_one_line(sentence);
	}
	pthread_mutex_unlock(&lock);
}

int
vs_fail(int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	record(fmt, ap, NULL);
	va_end(ap);
	return code;
}

int
vs_fail_errno(int code, const char *fmt, ...)
{
	char buf[256];
	const char *why = strerror_r(errno, buf, sizeof(buf));
	va_list ap;

	va_start(ap, fmt);
	record(fmt, ap, why);
	va_end(ap);
	return code;
}

int
vs_fail_input(const char *path, const char *what)
{
	static const int machine[] = { EMFILE, ENFILE, ENOMEM, EIO, ENOBUFS,
		ESTALE, EINTR };
	int code = VS_EINPUT;

	for (size_t k = 0; k < sizeof(machine) / sizeof(machine[0]); k++)
		if (errno == machine[k])
			code = VS_EMACHINE;
	return vs_fail_errno(code, "%s: cannot %s", path, what);
}

int
vs_fail_memory(const char *what, unsigned long long bytes)
{
	return vs_fail(VS_EMACHINE, "%s: no memory for %llu bytes", what,
		bytes);
}

int
vs_fail_at(int code, const char *fmt, ...)
{
	char where[1024], rest[sizeof(sentence)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(where, sizeof(where), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&lock);
	memcpy(rest, sentence, sizeof(rest));
	snprintf(sentence, sizeof(sentence), "%s: %.2900s", where, rest);
	pthread_mutex_unlock(&lock);
	return code;
}

void
vs_fail_append(const char *words)
{
	size_t n;

	pthread_mutex_lock(&lock);
	n = strlen(sentence);
	if (n)
		snprintf(sentence + n, sizeof(sentence) - n, "%s", words);
	vs_fail_one_line(sentence);
	pthread_mutex_unlock(&lock);
}

const char *
vs_fail_text(void)
{
	return sentence;
}

void
vs_fail_clear(void)
{
	pthread_mutex_lock(&lock);
	sentence[0] = 0;
	pthread_mutex_unlock(&lock);
}

static volatile int spoken = -1; /* the real stderr, while muted */

void
vs_fail_mute(void)
{
	int old = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
	int none = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (old >= 0 && none >= 0 && dup2(none, STDERR_FILENO) >= 0)
		spoken = old;
	else if (old >= 0)
		close(old);
	if (none >= 0)
		close(none);
}

void
vs_fail_unmute(void)
{
	int old = spoken;

	spoken = -1;
	if (old < 0)
		return;
	dup2(old, STDERR_FILENO);
	close(old);
}
