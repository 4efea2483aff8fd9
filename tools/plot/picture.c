/* SPDX-License-Identifier: BSD-3-Clause */
/* Picture files: a plot as SVG, as HTML, or as PNG by rsvg-convert. */
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/out/xml.h"
#include "libcore/base/fail.h"
#include "tools/plot/picture.h"

#define CONVERT "rsvg-convert"

extern char **environ;

int
vs_picture_form(const char *word, const char *output,
	enum vs_picture_form *form)
{
	static const char *const name[] = { "svg", "html", "png" };
	const char *dot = output ? strrchr(output, '.') : NULL;

	if (!word && (!output || !strcmp(output, "-")))
		word = "svg";
	for (int k = 0; k < 3; k++)
		if (!strcmp(word ? word : dot ? dot + 1 : "", name[k])) {
			*form = (enum vs_picture_form)k;
			return 0;
		}
	return vs_fail(VS_EUSAGE,
		"--output %s: a picture is called .svg, .html or .png, or --to "
		"names its form",
		output);
}

/* ---- PNG ---- */

/* Run it; words of its standard error go to said. */
static int
convert(char *const *word, int in, int out, int said)
{
	posix_spawn_file_actions_t files;
	int failed, status = 0;
	pid_t child;

	failed = posix_spawn_file_actions_init(&files);
	if (failed)
		return vs_fail(VS_EMACHINE, "cannot start " CONVERT ": %s",
			strerror(failed));
	if (!failed && in >= 0)
		failed = posix_spawn_file_actions_adddup2(&files, in, 0);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&files, out, 1);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&files, said, 2);
	if (!failed)
		failed = posix_spawnp(&child, CONVERT, &files, NULL, word,
			environ);
	posix_spawn_file_actions_destroy(&files);
	if (failed == ENOENT)
		return vs_fail(VS_EMACHINE,
			"no program " CONVERT " for PNG: on Debian it is of "
			"the package librsvg2-bin; .svg and .html need none");
	if (failed)
		return vs_fail(VS_EMACHINE, "cannot start " CONVERT ": %s",
			strerror(failed));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return vs_fail_errno(VS_EMACHINE,
				"cannot wait for " CONVERT);
	return status ? VS_EMACHINE : 0;
}

/* An unnamed file in memory. */
static int
open_memory(int *fd)
{
	*fd = memfd_create("vsim-view", MFD_CLOEXEC);
	return *fd < 0
		? vs_fail_errno(VS_EMACHINE, "cannot make a file in memory")
		: 0;
}

static int
fail_of(int said)
{
	char text[256];
	ssize_t n = pread(said, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = 0;
	text[strcspn(text, "\n")] = 0;
	/* a message of convert() stays */
	return vs_fail(VS_EMACHINE, CONVERT ": %s",
		*text ? text : "did not end well");
}

int
vs_picture_can(enum vs_picture_form form)
{
	static char program[] = CONVERT, version[] = "--version";
	char *const word[] = { program, version, NULL };
	int fd = -1, code;

	if (form != VS_PICTURE_PNG)
		return 0;
	code = open_memory(&fd);
	if (!code && convert(word, -1, fd, fd))
		code = fail_of(fd);
	if (fd >= 0)
		close(fd);
	return code;
}

/* A file in memory into the output. */
static int
pass_on(int fd, struct vs_out *out)
{
	char part[65536];
	ssize_t n;
	off_t at = 0;

	while ((n = pread(fd, part, sizeof(part), at)) > 0) {
		vs_out_put(out, part, (size_t)n);
		at += n;
	}
	if (n < 0)
		return vs_fail_errno(VS_EMACHINE,
			"cannot read what " CONVERT " made");
	return at ? 0 : vs_fail(VS_EMACHINE, CONVERT ": made nothing");
}

/* Twice as many pixels, for screens and print. */
static int
write_png(const struct vs_out *svg, struct vs_out *out)
{
	static char program[] = CONVERT, zoom[] = "--zoom=2", form[] = "-f",
		    png[] = "png";
	char *const word[] = { program, zoom, form, png, NULL };
	int fd[3] = { -1, -1, -1 }, code = 0;

	for (int k = 0; k < 3 && !code; k++)
		code = open_memory(&fd[k]);
	if (!code)
		code = vs_file_put(fd[0], "a file in memory", svg->buf,
			svg->len, 0);
	if (!code && convert(word, fd[0], fd[1], fd[2]))
		code = fail_of(fd[2]);
	if (!code)
		code = pass_on(fd[1], out);
	for (int k = 0; k < 3; k++)
		if (fd[k] >= 0)
			close(fd[k]);
	return code;
}

/* ---- HTML ---- */

void
vs_picture_page(struct vs_out *o, const char *title)
{
	vs_out_text(o,
		"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n"
		"<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
		"content=\"width=device-width\">\n<title>");
	vs_xml_text(o, title, strlen(title));
	vs_out_text(o,
		"</title>\n<style>\n"
		"body { font: 14px/1.4 Helvetica, Arial, sans-serif; "
		"max-width: 960px; margin: 2em auto; padding: 0 1em }\n"
		"h1 { font-size: 24px } h2 { font-size: 18px; margin-top: 2em; "
		"border-bottom: 1px solid #000 }\n"
		"figure { margin: 1em 0; break-inside: avoid }\n"
		"svg { max-width: 100%; height: auto }\n"
		"table { border-collapse: collapse; margin: 1em 0 }\n"
		"th, td { text-align: left; vertical-align: top; padding: "
		"2px 12px 2px 0; border-bottom: 1px solid #ddd }\n"
		"td { overflow-wrap: anywhere } th { font-weight: normal; "
		"color: #555 }\n"
		"thead th { color: #000; font-weight: bold }\n"
		"td.number { text-align: right; white-space: nowrap }\n"
		"code { font: 12px/1.4 monospace }\n"
		"@media print { body { margin: 0; max-width: none } "
		"h2 { break-after: avoid } tr { break-inside: avoid } }\n"
		"</style>\n</head>\n<body>\n");
}

void
vs_picture_page_end(struct vs_out *o)
{
	vs_out_text(o, "</body>\n</html>\n");
}

/* ---- the whole ---- */

int
vs_picture_write(enum vs_picture_form form, const struct vs_plot_kind *kind,
	const struct vs_plot *p, struct vs_out *out)
{
	struct vs_out memory = { 0 };
	struct vs_svg s = { .out = &memory };
	int code = vs_picture_can(form);

	if (!code)
		code = vs_out_memory(&memory);
	if (!code)
		code = vs_plot_draw(kind, p, &s);
	if (!code)
		code = memory.code;
	if (code)
		goto out;
	switch (form) {
	case VS_PICTURE_SVG:
		vs_out_text(out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		vs_out_put(out, memory.buf, memory.len);
		break;
	case VS_PICTURE_HTML:
		vs_picture_page(out, p->path);
		vs_out_text(out, "<figure>\n");
		vs_out_put(out, memory.buf, memory.len);
		vs_out_text(out, "</figure>\n");
		vs_picture_page_end(out);
		break;
	case VS_PICTURE_PNG:
		code = write_png(&memory, out);
		break;
	}
	if (!code)
		code = out->code;
out:
	free(memory.buf);
	return code;
}
