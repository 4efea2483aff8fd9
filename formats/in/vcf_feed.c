/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Pipe that feeds htslib by a thread, so that every byte is digested once,
 * standard input is no special case, and the end of the file is seen.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "formats/in/lines.h"
#include "formats/in/vcf_feed.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/base/thread.h"

static void
keep_last(struct vs_vcf_feed *f, size_t n)
{
	size_t old = n < VS_VCF_FEED_END ? VS_VCF_FEED_END - n : 0;

	memmove(f->last, f->last + VS_VCF_FEED_END - old, old);
	memcpy(f->last + old, f->block + n - (VS_VCF_FEED_END - old),
		VS_VCF_FEED_END - old);
}

/* 1 if all was written, 0 if the reader has closed the pipe. */
static int
write_block(struct vs_vcf_feed *f, size_t n)
{
	size_t done = 0;

	while (done < n) {
		ssize_t did = write(f->fd, f->block + done, n - done);

		if (did < 0 && errno == EINTR)
			continue;
		if (did < 0 && errno != EPIPE)
			f->code = vs_fail_errno(VS_EMACHINE,
				"%s: cannot pass it on to htslib",
				f->source.name);
		if (did < 0)
			return 0;
		done += (size_t)did;
	}
	return 1;
}

int
vs_vcf_feed_fail_long(const char *name)
{
	return vs_fail(VS_EINPUT,
		"%s: has a header or a line of more than %u MiB; is it a VCF "
		"or BCF?",
		name, VS_LINES_MOST >> 20);
}

/*
 * htslib holds the header and a line in memory, whatever their length: bound
 * both, in text that is not packed.
 */
static int
bound_lines(struct vs_vcf_feed *f, size_t n)
{
	const uint8_t *at = f->block, *end = at + n, *lf;

	while (f->plain && (lf = memchr(at, '\n', (size_t)(end - at)))) {
		f->open += (uint64_t)(lf + 1 - at);
		at = lf + 1;
		if (f->open > VS_LINES_MOST)
			break;
		f->headed |= at < end && *at != '#';
		if (f->headed)
			f->open = 0;
	}
	if (f->open <= VS_LINES_MOST)
		f->open += f->plain ? (uint64_t)(end - at) : 0;
	if (f->open <= VS_LINES_MOST)
		return 0;
	return vs_vcf_feed_fail_long(f->source.name);
}

/*
 * Wait until the source has bytes, or its end; false: the reader has closed the
 * pipe. A read of a terminal or a pipe could wait for ever.
 */
static bool
wait_for_source(const struct vs_vcf_feed *f)
{
	struct pollfd p[2] = { { f->source.fd, POLLIN, 0 }, { f->fd, 0, 0 } };

	while (poll(p, 2, -1) < 0)
		if (errno != EINTR)
			return true; /* reading tells why */
	return !(p[1].revents & POLLERR);
}

static void *
feed_all(void *arg)
{
	struct vs_vcf_feed *f = arg;
	size_t n = f->n_block;
	sigset_t pipe_only;

	sigemptyset(&pipe_only);
	sigaddset(&pipe_only, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe_only, NULL);
	while (!f->code && n) {
		keep_last(f, n);
		f->code = bound_lines(f, n);
		if (f->code)
			break;
		if (!write_block(f, n) || !wait_for_source(f))
			break;
		f->code = vs_source_read(&f->source, f->block,
			VS_VCF_FEED_BLOCK, &n);
	}
	close(f->fd);
	f->fd = -1;
	return NULL;
}

/* Detect the format from the first bytes, among all that htslib would read. */
static int
feed_sniff(struct vs_vcf_feed *f)
{
	const uint8_t *b = f->block;
	size_t got = 1;
	int code = 0;

	while (f->n_block < 18 && got && !code) {
		code = vs_source_read(&f->source, f->block + f->n_block,
			VS_VCF_FEED_BLOCK - f->n_block, &got);
		f->n_block += code ? 0 : got;
	}
	if (code)
		return code;
	if (!f->n_block)
		return vs_fail(VS_EINPUT, "%s: is empty", f->source.name);
	if (!memcmp(b, "\x28\xb5\x2f\xfd", 4))
		return vs_fail(VS_EINPUT,
			"%s: is packed by zstd; zstd -dc it into --vcf -",
			f->source.name);
	f->bgzf = f->n_block >= 18 && !memcmp(b, "\x1f\x8b\x08\x04", 4) &&
		!memcmp(b + 12, "BC", 2);
	f->plain = !memcmp(b, "##fileformat=VCF", 16);
	if (!f->plain && memcmp(b, "\x1f\x8b", 2) && memcmp(b, "BCF", 3))
		return vs_fail(VS_EINPUT,
			"%s: is no VCF or BCF: it does not begin with "
			"##fileformat=VCF",
			f->source.name);
	return 0;
}

/* *fd_read receives the end to read from. */
int
vs_vcf_feed_start(struct vs_vcf_feed *f, const char *name, int *fd_read)
{
	int fd[2], code = vs_source_open(&f->source, name);

	if (!code)
		code = vs_mem_new(&f->block, VS_VCF_FEED_BLOCK, 1,
			"a block of the VCF");
	if (!code)
		code = feed_sniff(f);
	if (code)
		return code;
	if (pipe2(fd, O_CLOEXEC))
		return vs_fail_errno(VS_EMACHINE, "cannot make a pipe");
	fcntl(fd[1], F_SETPIPE_SZ, 1 << 20); /* speed only */
	f->fd = fd[1];
	code = vs_thread_start(&f->thread, feed_all, f);
	if (code) {
		close(fd[0]);
		close(fd[1]);
		return code;
	}
	f->running = true;
	*fd_read = fd[0];
	return 0;
}

/* The other end is closed by now. */
void
vs_vcf_feed_stop(struct vs_vcf_feed *f)
{
	if (!f->running)
		return;
	pthread_join(f->thread, NULL);
	f->running = false;
}

int
vs_vcf_feed_check_end(const struct vs_vcf_feed *f)
{
	static const uint8_t end[VS_VCF_FEED_END] =
		"\037\213\010\4\0\0\0\0\0\377\6\0\102\103\2\0\033\0\3\0\0\0\0\0"
		"\0\0\0";

	if (f->code)
		return f->code;
	if (f->bgzf && memcmp(f->last, end, VS_VCF_FEED_END))
		return vs_fail(VS_EINPUT,
			"%s: is cut short: the block that ends a bgzip file is "
			"missing; restore it",
			f->source.name);
	if (f->plain && f->last[VS_VCF_FEED_END - 1] != '\n')
		return vs_fail(VS_EINPUT,
			"%s: is cut short: it ends within a line; restore it",
			f->source.name);
	return 0;
}
