/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The CUDA plugin if it does not exist, is not a plugin, or has no device: no
 * error but one sentence. An unknown engine is an error.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/plugin.h"
#include "libcore/base/fail.h"
#include "tests/unit/test.h"

static const struct vs_backend *backend;
static char why[512];

static int
open_in(const char *folder, const char *engine)
{
	struct vs_plugin_want want = { .engine = engine };

	why[0] = 0;
	backend = NULL;
	if (folder)
		setenv("VSIM_PLUGIN_PATH", folder, 1);
	else
		unsetenv("VSIM_PLUGIN_PATH");
	vs_fail_clear();
	return vs_plugin_open(&want, &backend, why, sizeof(why));
}

static int
one_sentence(void)
{
	return why[0] && !strchr(why, '\n') && !vs_fail_text()[0];
}

int
main(void)
{
	const char *build = getenv("VSIM_BUILD");
	char so[4096];
	int code;

	code = open_in("/nowhere", NULL);
	T_OK(!code && !backend && one_sentence() && strstr(why, "/nowhere/"),
		"no plugin: %s", why);
	code = open_in("/dev/null", NULL);
	T_OK(!code && !backend && one_sentence(), "no folder: %s", why);
	code = open_in(NULL, "abacus");
	T_OK(code == VS_EUSAGE && !backend &&
			strstr(vs_fail_text(), "abacus") &&
			strstr(vs_fail_text(), "popc"),
		"unknown engine: %s", vs_fail_text());
	snprintf(so, sizeof(so), "%s/vsim-cuda.so", build ? build : ".");
	if (access(so, R_OK)) {
		T_SKIP("vsim-cuda.so is not built: no nvcc, or CUDA=0");
		return T_DONE();
	}
	/* where there are devices none is shown */
	setenv("CUDA_VISIBLE_DEVICES", "", 1);
	code = open_in(build, "popc");
	T_OK(!code && !backend && one_sentence() && strstr(why, "no device"),
		"no device: %s", why);
	return T_DONE();
}
