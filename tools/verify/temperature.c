/* SPDX-License-Identifier: BSD-3-Clause */
/* The highest temperature that the system tells. */
#include <glob.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/verify/temperature.h"

/* Sensors give thousandths of a degree; others than these are broken. */
#define LEAST 1
#define MOST 200

/* The first line of a file; false: there is none. */
static bool
read_line(const char *path, char *line, int room)
{
	FILE *f = fopen(path, "re");
	bool has = f && fgets(line, room, f);

	if (f)
		fclose(f);
	if (has)
		line[strcspn(line, "\n")] = 0;
	return has;
}

/* The name of the sensor's folder stands in a file beside it. */
static void
name_of(const char *path, const char *file, char name[64])
{
	const char *slash = strrchr(path, '/');
	char beside[512];

	snprintf(beside, sizeof(beside), "%.*s/%s", (int)(slash - path), path,
		file);
	if (!read_line(beside, name, 64))
		snprintf(name, 64, "%.60s", path);
}

static void
read_all(struct vs_temperature *t, const char *pattern, const char *name)
{
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	for (size_t k = 0; k < g.gl_pathc; k++) {
		char line[64];
		double celsius;

		if (!read_line(g.gl_pathv[k], line, sizeof(line)) ||
			sscanf(line, "%lf", &celsius) != 1)
			continue;
		celsius /= 1000;
		if (celsius < LEAST || celsius > MOST ||
			(*t->where && celsius <= t->celsius))
			continue;
		t->celsius = celsius;
		name_of(g.gl_pathv[k], name, t->where);
	}
	globfree(&g);
}

void
vs_temperature_read(struct vs_temperature *t)
{
	read_all(t, "/sys/class/hwmon/hwmon*/temp*_input", "name");
	read_all(t, "/sys/class/thermal/thermal_zone*/temp", "type");
}
