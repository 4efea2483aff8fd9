/* SPDX-License-Identifier: BSD-3-Clause */
/* Log file: lines of a program with UTC date and process id, appended. */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "tools/shared/message_log.h"

#define DATE 20 /* characters of a date */

static int fd = -1;
static char process[64];    /* " vsim-run[1234]: " */
static atomic_bool *broken; /* shared with children, which also write */

/* The first line is of another kind: the file may be an input. */
static int
check_first(const char *path)
{
	static const char form[] = "0000-00-00T00:00:00Z vsim-";
	char first[sizeof(form) - 1];
	ssize_t n = pread(fd, first, sizeof(first), 0);
	bool other = n && n < (ssize_t)sizeof(first);

	if (n < 0)
		return vs_fail_input(path, "read");
	for (ssize_t k = 0; k < n; k++)
		other |= form[k] == '0' ? first[k] < '0' || first[k] > '9'
					: first[k] != form[k];
	if (other)
		return vs_fail(VS_EUSAGE,
			"%s: is not a vsim log; --log appends only to its own",
			path);
	return 0;
}

int
vs_message_log_open(const char *path, const char *name)
{
	struct stat st;
	int code = vs_file_name_check(path);

	if (code)
		return code;
	broken = mmap(NULL, sizeof(*broken), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (broken == MAP_FAILED)
		return vs_fail_memory("log", sizeof(*broken));
	snprintf(process, sizeof(process), " %.32s[%ld]: ", name,
		(long)getpid());
	/* do not wait for the reader of a named pipe */
	fd = open(path,
		O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
			O_NONBLOCK | O_NOCTTY,
		0666);
	if (fd < 0 && errno == ELOOP)
		return vs_fail(VS_EUSAGE,
			"%s: is a symbolic link, which --log does not follow",
			path);
	if (fd < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot open the log",
			path);
	if (fstat(fd, &st))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	else if (!S_ISREG(st.st_mode))
		code = vs_fail(VS_EUSAGE,
			"%s: is not a regular file, as a log is", path);
	else
		code = check_first(path);
	if (!code)
		return 0;
	close(fd);
	fd = -1;
	return code;
}

int
vs_message_log_add(const char *text)
{
	char line[DATE + sizeof(process) + 4096 + 1];
	size_t head = DATE, len = strlen(text), n = strlen(process);
	const char *from = line;

	if (fd < 0 || *broken)
		return 0;
	vs_clock_date_of((int64_t)time(NULL), line);
	memcpy(line + head, process, n);
	head += n;
	if (len > sizeof(line) - head - 1)
		len = sizeof(line) - head - 1;
	memcpy(line + head, text, len);
	len += head;
	line[len++] = '\n';
	while (len) {
		ssize_t done = write(fd, from, len);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return atomic_exchange(broken, true) ? 0 : VS_EMACHINE;
		from += done;
		len -= (size_t)done;
	}
	return 0;
}

int
vs_message_log_end(void)
{
	int failed = fd >= 0 && close(fd);

	if (fd < 0)
		return 0;
	fd = -1;
	if (!atomic_exchange(broken, failed || *broken))
		return failed ? VS_EMACHINE : 0;
	errno = 0;
	return VS_EMACHINE;
}
