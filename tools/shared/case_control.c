/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of the case-control status of a vectors file. */
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5.h"
#include "libcore/base/fail.h"
#include "tools/shared/case_control.h"

static int
read_status(struct vs_packed *f, const char *path, uint8_t **status)
{
	uint64_t n = f->n_field;
	bool has = false;
	int code = vs_h5_reader_has(f->file, "/samples/case", &has);

	if (!code && !has)
		code = vs_fail(VS_EINPUT,
			"%s: says of no sample whether it is a case: vsim-pack "
			"--pheno FILE or a .fam with 1 for controls and 2 for "
			"cases does",
			path);
	return code ? code
		    : vs_h5_reader_column(f->file, "/samples/case", VS_U8, NULL,
			      &n, status);
}

int
vs_case_control_read(struct vs_case_control *c, struct vs_packed *f,
	const char *path, const struct vs_metric *m)
{
	int code;

	memset(c, 0, sizeof(*c));
	if (m->family != VS_FAMILY_TABLES)
		return 0;
	code = read_status(f, path, &c->status);
	if (!code)
		code = vs_classes_new(&c->classes, c->status,
			(size_t)f->n_field);
	if (!code && (!c->classes.n[0] || !c->classes.n[1]))
		code = vs_fail(VS_EINPUT,
			"%s: %lld controls and %lld cases: some of both are "
			"needed, to be compared",
			path, (long long)c->classes.n[0],
			(long long)c->classes.n[1]);
	if (!code)
		code = vs_log_tables_new(&c->logs, m->log,
			c->classes.n[0] + c->classes.n[1]);
	if (code)
		vs_case_control_free(c);
	return code;
}

void
vs_case_control_free(struct vs_case_control *c)
{
	free(c->status);
	vs_classes_free(&c->classes);
	vs_log_tables_free(&c->logs);
	memset(c, 0, sizeof(*c));
}
