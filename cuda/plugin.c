/* SPDX-License-Identifier: BSD-3-Clause */
/* Search for the CUDA plugin, and dlopen(). */
#include <ctype.h>
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda/abi.h"
#include "libcore/base/fail.h"
#include "libcore/base/float_env.h"
#include "libcore/base/mem.h"
#include "libcore/engine/slab/counted_triples.h"
#include "libcore/engine/tables/tables.h"

#define NAME "vsim-cuda.so"

static const char *const engines[] = {
#define X(name, least, upto) #name,
#include "cuda/rows.h"
#undef X
};

static int
check_engine(const char *name)
{
	char known[256] = "";

	for (size_t k = 0; k < sizeof(engines) / sizeof(engines[0]); k++) {
		size_t n = strlen(known);

		if (!name || !strcmp(name, engines[k]))
			return 0;
		snprintf(known + n, sizeof(known) - n, " %s", engines[k]);
	}
	return vs_fail(VS_EUSAGE, "GPU engine %s: known are%s", name, known);
}

static int
check_list(const char *list)
{
	const char *p = list;

	while (p && isdigit((unsigned char)*p)) {
		p += strspn(p, "0123456789");
		if (!*p)
			return 0;
		p += *p == ',';
	}
	return p ? vs_fail(VS_EUSAGE,
			   "GPUs \"%s\": not a list of numbers as 0,2", list)
		 : 0;
}

int
vs_plugin_check(const struct vs_plugin_want *want)
{
	int code = check_engine(want->engine);

	return code ? code : check_list(want->devices);
}

/* Directory of this program, with a trailing slash; false: unknown. */
static bool
own_folder(char *path, size_t room)
{
	ssize_t n = readlink("/proc/self/exe", path, room - 1);
	char *slash;

	if (n <= 0 || (size_t)n == room - 1)
		return false;
	path[n] = 0;
	slash = strrchr(path, '/');
	if (slash)
		slash[1] = 0;
	return slash;
}

/*
 * Path of the plugin; if it does not exist, the last path tried. False without
 * /proc, which tells where the program lies. Other places are not searched: a
 * plugin in the working directory could be anyone's.
 */
static bool
find_plugin(char *path, size_t room)
{
	static const char *const from_own[] = { "", "../lib/vsim/" };
	const char *given = getenv("VSIM_PLUGIN_PATH");
	char own[3000];

	if (given && *given) {
		snprintf(path, room, "%s/" NAME, given);
		return true;
	}
	if (!own_folder(own, sizeof(own)))
		return false;
	for (size_t k = 0; k < sizeof(from_own) / sizeof(from_own[0]); k++) {
		snprintf(path, room, "%s%s" NAME, own, from_own[k]);
		if (!access(path, F_OK))
			break;
	}
	return true;
}

int
vs_plugin_open(const struct vs_plugin_want *want,
	const struct vs_backend **backend, char *why, size_t room)
{
	static const struct vs_cuda_host host = { VS_CUDA_ABI, VS_CUDA_SIZES,
		vs_fail, vs_mem_grow, vs_tables_counted_pairs,
		vs_counted_triples_add };
	char path[4096];
	vs_cuda_entry_fn *entry;
	void *so;
	int code = vs_plugin_check(want);

	*backend = NULL;
	if (code)
		return code;
	if (!find_plugin(path, sizeof(path))) {
		snprintf(why, room,
			"no plugin: /proc does not tell where this program "
			"is; VSIM_PLUGIN_PATH names its directory");
		return 0;
	}
	if (access(path, F_OK)) {
		snprintf(why, room, "no plugin %s", path);
		return 0;
	}
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	vs_float_env_set();
	if (!so) {
		snprintf(why, room, "plugin: %s", dlerror());
		return 0;
	}
	*(void **)&entry = dlsym(so, VS_CUDA_ENTRY);
	if (!entry)
		snprintf(why, room, "plugin %s: no " VS_CUDA_ENTRY " in it",
			path);
	else
		code = entry(&host, want, backend, why, room);
	vs_float_env_set(); /* CUDA has been initialised */
	/* never closed: threads that CUDA starts end with the process */
	return code;
}
