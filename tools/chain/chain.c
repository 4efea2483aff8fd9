/* SPDX-License-Identifier: BSD-3-Clause */
/* Child programs of vsim: paths, processes, a temporary directory. */
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/chain/chain.h"
#include "tools/shared/tool.h"

int
vs_chain_words_add(struct vs_words *w, const char *word)
{
	int code = vs_mem_grow(&w->word, &w->room, w->n + 2, sizeof(*w->word),
		"words");

	if (!code)
		code = vs_mem_copy_text(&w->word[w->n], word);
	if (code)
		return code;
	w->word[++w->n] = NULL;
	return 0;
}

int
vs_chain_words_split(struct vs_words *w, const char *text)
{
	char word[256];
	int code = 0, n;

	for (; !code && sscanf(text, " %255s%n", word, &n) == 1; text += n)
		code = vs_chain_words_add(w, word);
	return code;
}

int
vs_chain_words_option(struct vs_words *to, const char *option, size_t n,
	const char *argument)
{
	struct vs_text t = { 0 };
	int code = vs_text_add(&t, "--%.*s", (int)n, option);

	if (!code)
		code = vs_chain_words_add(to, t.bytes);
	if (!code && argument)
		code = vs_chain_words_add(to, argument);
	vs_text_free(&t);
	return code;
}

int
vs_chain_words_move(struct vs_words *to, struct vs_words *from)
{
	int code = 0;

	for (size_t k = 0; k < from->n && !code; k++)
		code = vs_chain_words_add(to, from->word[k]);
	vs_chain_words_free(from);
	return code;
}

void
vs_chain_words_show(const struct vs_words *w)
{
	struct vs_text t = { 0 };

	for (size_t k = 0; k < w->n; k++) {
		vs_text_put(&t, " ", k > 0);
		vs_text_put_quoted(&t, w->word[k]);
	}
	if (!t.code)
		vs_tool_line("%s", t.bytes);
	vs_text_free(&t);
}

void
vs_chain_words_free(struct vs_words *w)
{
	for (size_t k = 0; k < w->n; k++)
		free(w->word[k]);
	free(w->word);
	memset(w, 0, sizeof(*w));
}

int
vs_chain_path(struct vs_text *path, const char *program)
{
	char self[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self));
	const char *slash = n > 0 ? memrchr(self, '/', (size_t)n) : NULL;
	int code = vs_text_add(path, "%.*s%s",
		slash ? (int)(slash + 1 - self) : 0, self, program);

	if (code || (slash && !access(path->bytes, X_OK)))
		return code;
	path->len = 0;
	return vs_text_add(path, "%s", program);
}

int
vs_chain_become(char *const *words)
{
	struct vs_text path = { 0 };
	int code = vs_chain_path(&path, words[0]);

	if (!code) {
		fflush(NULL);
		execvp(path.bytes, words);
		code = vs_fail_errno(VS_EMACHINE, "cannot run %s", path.bytes);
	}
	vs_text_free(&path);
	return code;
}

/* Runs in the child. */
static void
become(const char *path, char *const *words, const char *step, const int to[2])
{
	static const char why[] = "cannot be run\n";

	signal(SIGPIPE, SIG_DFL);
	setenv("VSIM_STEP", step, 1);
	if (to[1] >= 0 && dup2(to[1], STDOUT_FILENO) < 0)
		_exit(126);
	if (to[0] >= 0)
		close(to[0]);
	execvp(path, words);
	if (write(STDERR_FILENO, words[0], strlen(words[0])) < 0 ||
		write(STDERR_FILENO, ": ", 2) < 0 ||
		write(STDERR_FILENO, why, sizeof(why) - 1) < 0)
		_exit(126);
	_exit(127);
}

static int
read_all(int fd, struct vs_text *out)
{
	char bytes[4096];
	ssize_t n = 0;
	int code = 0;

	while (!code &&
		((n = read(fd, bytes, sizeof(bytes))) > 0 ||
			(n < 0 && errno == EINTR)))
		code = n > 0 ? vs_text_put(out, bytes, (size_t)n) : 0;
	return !code && n < 0
		? vs_fail_errno(VS_EMACHINE, "cannot read from a program")
		: code;
}

/* Pass on to the child signals that only this process received. */
static void
wait_for(pid_t child, const sigset_t *ended, int *code)
{
	const struct timespec tenth = { 0, 100000000 };
	bool passed_on = false;
	int status = 0;

	while (waitpid(child, &status, WNOHANG) <= 0) {
		sigtimedwait(ended, NULL, &tenth);
		if (vs_tool_stopped() && !passed_on) {
			kill(child, SIGTERM);
			passed_on = true;
		}
	}
	*code = WIFEXITED(status) ? WEXITSTATUS(status)
				  : 128 + WTERMSIG(status);
}

int
vs_chain_run(char *const *words, struct vs_text *out, const char *step,
	int *code)
{
	struct vs_text path = { 0 };
	int to[2] = { -1, -1 };
	int failed = vs_chain_path(&path, words[0]);
	pid_t child = -1;
	sigset_t ended, was;

	sigemptyset(&ended);
	sigaddset(&ended, SIGCHLD);
	sigprocmask(SIG_BLOCK, &ended, &was);
	if (!failed && out && pipe(to))
		failed = vs_fail_errno(VS_EMACHINE, "cannot make a pipe");
	fflush(NULL);
	if (!failed)
		child = fork();
	if (!failed && child < 0)
		failed =
			vs_fail_errno(VS_EMACHINE, "cannot start %s", words[0]);
	if (!child) {
		sigprocmask(SIG_SETMASK, &was, NULL);
		become(path.bytes, words, step, to);
	}
	if (to[1] >= 0)
		close(to[1]);
	if (child > 0) {
		if (out)
			failed = read_all(to[0], out);
		wait_for(child, &ended, code);
	}
	sigprocmask(SIG_SETMASK, &was, NULL);
	if (to[0] >= 0)
		close(to[0]);
	vs_text_free(&path);
	return failed;
}

int
vs_chain_directory(struct vs_text *path)
{
	const char *in = getenv("TMPDIR");
	int code = vs_text_add(path, "%s/vsim.XXXXXX", in && *in ? in : "/tmp");

	if (!code && !mkdtemp(path->bytes)) {
		code = vs_fail_errno(VS_EMACHINE,
			"%s: cannot make a directory; TMPDIR names another "
			"place",
			path->bytes);
		path->len = 0;
	}
	return code;
}

static int
remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	remove(path);
	return 0;
}

void
vs_chain_remove(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
