/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of plots, made of the rows of tools/plot/rows.h. */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "tools/plot/plot.h"

static const struct vs_plot_kind *const kinds[] = {
#define PLOT(name) &vs_plot_##name,
#include "tools/plot/rows.h"
#undef PLOT
};

#define N_KIND (sizeof(kinds) / sizeof(kinds[0]))

const struct vs_plot_kind *
vs_plot_find(const char *name)
{
	for (size_t k = 0; k < N_KIND; k++)
		if (!strcmp(kinds[k]->name, name))
			return kinds[k];
	return NULL;
}

void
vs_plot_words(char names[VS_PLOT_WORDS], char help[VS_PLOT_WORDS])
{
	size_t n = 0, h = 0;

	for (size_t k = 0; k < N_KIND; k++) {
		n += (size_t)snprintf(names + n, VS_PLOT_WORDS - n, "%s%s",
			k ? "|" : "", kinds[k]->name);
		h += (size_t)snprintf(help + h, VS_PLOT_WORDS - h, "%s%s, %s",
			k ? "; " : "", kinds[k]->name, kinds[k]->help);
		assert(n < VS_PLOT_WORDS && h < VS_PLOT_WORDS);
	}
}

bool
vs_plot_is_result(const struct vs_plot_kind *kind, const char *path)
{
	char begin = 0;
	struct stat st;
	int fd;

	if (!kind->path)
		return true;
	if (!strcmp(path, "-"))
		return false;
	/* what cannot be read is named by the reader of results */
	if (stat(path, &st) || (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
		return true;
	if (!kind->result || S_ISDIR(st.st_mode))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return true;
	/* that of HDF5, sealed or not */
	if (read(fd, &begin, 1) != 1)
		begin = 0;
	close(fd);
	return begin == '\x89';
}

int
vs_plot_draw(const struct vs_plot_kind *kind, const struct vs_plot *p,
	struct vs_svg *s)
{
	if (p->result && !kind->result)
		return vs_fail(VS_EUSAGE, "--plot %s: %s holds results, not %s",
			kind->name, p->path, kind->of);
	if (!p->result && !kind->path)
		return vs_fail(VS_EUSAGE, "--plot %s: %s is no result",
			kind->name, p->path);
	if (p->result && kind->pairs && p->result->run.n_way != 2)
		return vs_fail(VS_EUSAGE,
			"--plot %s: %s is of triples, and this plot of pairs "
			"alone",
			kind->name, p->path);
	if (p->lines)
		p->lines->both |= kind->both;
	return p->result ? kind->result(p, s) : kind->path(p, s);
}
