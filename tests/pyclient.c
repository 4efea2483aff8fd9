/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Client of pyserve.py: looks like the interpreter that runs it, and starts in
 * a fifth of the time of a client in Python. The interpreter itself runs what
 * is not "-c CODE", "-" or a script, is under a limit, or finds no server.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#ifndef PYTHON
#define PYTHON "python3"
#endif
#ifndef SOCKET
#define SOCKET "python.socket"
#endif

extern char **environ;

/* The number of arguments, they, the directory, the environment: strings, each
 * with its zero, after the number of their bytes. */
static struct {
	uint32_t n;
	char text[4 << 20];
} asked;

static int
add(const char *text)
{
	size_t n = strlen(text) + 1;

	if (n > sizeof(asked.text) - asked.n)
		return -1;
	memcpy(asked.text + asked.n, text, n);
	asked.n += (uint32_t)n;
	return 0;
}

static int
ask(int argc, char **argv)
{
	char number[16], cwd[65536];

	snprintf(number, sizeof(number), "%d", argc - 1);
	if (add(number))
		return -1;
	for (int k = 1; k < argc; k++)
		if (add(argv[k]))
			return -1;
	if (!getcwd(cwd, sizeof(cwd)) || add(cwd))
		return -1;
	for (int k = 0; environ[k]; k++)
		if (add(environ[k]))
			return -1;
	return 0;
}

/* The number goes with the standard streams of this process. */
static int
send_asked(int server)
{
	static const int stream[3] = { 0, 1, 2 };
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(stream))];
	} with = { .head = { .cmsg_len = CMSG_LEN(sizeof(stream)),
			   .cmsg_level = SOL_SOCKET,
			   .cmsg_type = SCM_RIGHTS } };
	struct iovec number = { &asked.n, sizeof(asked.n) };
	struct msghdr m = { .msg_iov = &number,
		.msg_iovlen = 1,
		.msg_control = &with,
		.msg_controllen = sizeof(with.room) };
	size_t at = 0;

	memcpy(CMSG_DATA(&with.head), stream, sizeof(stream));
	if (sendmsg(server, &m, MSG_NOSIGNAL) != sizeof(asked.n))
		return -1;
	while (at < asked.n) {
		ssize_t n = send(server, asked.text + at, asked.n - at,
			MSG_NOSIGNAL);

		if (n < 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

/* Whether a limit is set that a server would not have. */
static bool
limited(void)
{
	struct rlimit file, memory;

	return getrlimit(RLIMIT_FSIZE, &file) ||
		getrlimit(RLIMIT_AS, &memory) ||
		file.rlim_cur != RLIM_INFINITY ||
		memory.rlim_cur != RLIM_INFINITY;
}

/* The exit code of what a server ran; -1: none took it. */
static int
served(int argc, char **argv)
{
	struct sockaddr_un at = { AF_UNIX, SOCKET };
	int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	unsigned char byte;

	if (server < 0 || argc < 2 || limited() ||
		(argv[1][0] == '-' && argv[1][1] && strcmp(argv[1], "-c") != 0))
		return -1;
	if (connect(server, (struct sockaddr *)&at, sizeof(at)) ||
		ask(argc, argv) || send_asked(server) ||
		read(server, &byte, 1) != 1)
		return -1;
	return read(server, &byte, 1) == 1 ? byte : 1;
}

int
main(int argc, char **argv)
{
	int code = served(argc, argv);

	if (code >= 0)
		return code;
	argv[0] = PYTHON;
	execvp(argv[0], argv);
	return 127;
}
