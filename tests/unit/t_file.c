/* SPDX-License-Identifier: BSD-3-Clause */
/* A file appears whole or not at all, and existing files are not harmed. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "tests/unit/test.h"

static int
n_entry(void)
{
	DIR *dir = opendir(".");
	int n = -2;

	while (readdir(dir))
		n++;
	closedir(dir);
	return n;
}

static int
holds(const char *path, const char *want)
{
	char have[64] = "";
	FILE *from = fopen(path, "r");

	if (!from)
		return 0;
	if (!fgets(have, sizeof(have), from))
		have[0] = 0;
	fclose(from);
	return !strcmp(have, want);
}

static void
whole(void)
{
	struct vs_file f;

	T_OK(!vs_file_create(&f, "a", 0xabcd, false) && access("a", F_OK) &&
			!access("a.tmp-0000abcd", F_OK),
		"before the end only the temporary is there");
	T_OK(!vs_file_put(f.fd, "a", "two", 3, 4) &&
			!vs_file_put(f.fd, "a", "one ", 4, 0),
		"written in any order");
	T_OK(!vs_file_commit(&f) && holds("a", "one two") && n_entry() == 1,
		"then only the file");
	T_OK(vs_file_create(&f, "a", 1, false) == VS_EUSAGE &&
			strstr(vs_fail_text(), "exists"),
		"%s", vs_fail_text());
	vs_fail_clear();
	vs_file_abandon(&f);
	T_OK(!vs_file_create(&f, "a", 1, true), "force opens it again");
	vs_file_put(f.fd, "a", "new", 3, 0);
	vs_file_abandon(&f);
	T_OK(holds("a", "one two") && n_entry() == 1,
		"given up: the old file as it was, nothing left behind");
	vs_file_abandon(&f);
	T_OK(!vs_file_create(&f, "a", 1, true) &&
			!vs_file_put(f.fd, "a", "new", 3, 0) &&
			!vs_file_commit(&f) && holds("a", "new"),
		"replaced when whole");
}

static void
refused(void)
{
	struct vs_file f;
	char back[8];

	mkdir("dir", 0777);
	T_OK(vs_file_create(&f, "dir", 1, true) == VS_EUSAGE, "%s",
		vs_fail_text());
	vs_fail_clear();
	T_OK(vs_file_create(&f, "", 1, true) == VS_EUSAGE, "%s",
		vs_fail_text());
	vs_fail_clear();
	T_OK(vs_file_create(&f, "a/b", 1, true) == VS_EMACHINE &&
			strstr(vs_fail_text(), "a/b"),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(!vs_file_create(&f, "b", 1, false), "a second file");
	vs_file_put(f.fd, "b", "1234", 4, 0);
	T_OK(vs_file_get(f.fd, "b", back, 8, 0) == VS_EINPUT &&
			strstr(vs_fail_text(), "b: "),
		"%s", vs_fail_text());
	vs_fail_clear();
	T_OK(!vs_file_get(f.fd, "b", back, 2, 2) && !memcmp(back, "34", 2),
		"read from the middle");
	/* what a signal handler does */
	vs_file_unlink_all();
	T_OK(access("b.tmp-00000001", F_OK), "a signal removes temporaries");
	vs_file_abandon(&f);
}

static void
parents(void)
{
	struct vs_file f;
	size_t made;

	T_OK(!vs_file_create(&f, "dir/x/y/a", 1, false) &&
			!access("dir/x/y/a.tmp-00000001", F_OK),
		"directories above it are made");
	vs_file_abandon(&f);
	T_OK(access("dir/x", F_OK) && !access("dir", F_OK),
		"given up: those made are gone, what was there stays");
	T_OK(!vs_file_create(&f, "dir/x//y/a", 1, false) &&
			!vs_file_commit(&f) && !access("dir/x/y/a", F_OK),
		"written: they stay");
	T_OK(!vs_file_parents("dir/x/y/z/", &made) && !made &&
			access("dir/x/y/z", F_OK),
		"what stands before the last name, and a slash behind it");
	T_OK(!vs_file_parents("dir/x/u/v/w", &made) && made == 7 &&
			!access("dir/x/u/v", F_OK),
		"the first that was made is known");
	T_OK(!unlink("dir/x/y/a") && !rmdir("dir/x/y"), "emptied");
	vs_file_parents_drop("dir/x/u/v/w", made);
	T_OK(access("dir/x/u", F_OK) && !access("dir/x", F_OK),
		"and removed to there, no further");
	rmdir("dir/x");
}

int
main(void)
{
	char dir[] = "/tmp/vsim-t_file-XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return !T_OK(0, "a directory to work in");
	whole();
	refused();
	parents();
	if (unlink("a") || rmdir("dir") || chdir("/") || rmdir(dir))
		T_OK(0, "%s: something was left behind", dir);
	return T_DONE();
}
