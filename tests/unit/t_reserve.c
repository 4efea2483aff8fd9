/* SPDX-License-Identifier: BSD-3-Clause */
/* Address space of which some pages have memory at a time. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libcore/base/fail.h"
#include "libcore/base/reserve.h"
#include "tests/unit/test.h"

#define PAGES 64

/* True if another process may read the byte. */
static bool
is_there(const volatile char *at)
{
	int status = 0;
	pid_t child = fork();

	if (!child) {
		struct rlimit none = { 0, 0 };

		setrlimit(RLIMIT_CORE, &none);
		/* what a sanitizer says of it is not wanted */
		close(2);
		(void)*at;
		_exit(0);
	}
	if (child < 0 || waitpid(child, &status, 0) != child)
		abort();
	return WIFEXITED(status) && !WEXITSTATUS(status);
}

/* Pages of [at, at + n) that are in memory. */
static size_t
resident(char *at, size_t n, size_t page)
{
	unsigned char in[PAGES];
	size_t sum = 0;

	if (mincore(at, n * page, in))
		abort();
	for (size_t k = 0; k < n; k++)
		sum += in[k] & 1;
	return sum;
}

int
main(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at = NULL, *p;
	bool zero = true, kept = true;

	if (vs_reserve_new(&at, PAGES * page, "test"))
		return 1;
	T_OK(!is_there(at) && !is_there(at + PAGES * page - 1),
		"what has no memory is not read");
	/* from the middle of page 3 to that of page 9 */
	p = at + 3 * page + page / 2;
	if (vs_reserve_take(p, 6 * page, "test"))
		return 1;
	for (size_t k = 0; k < 6 * page; k++)
		zero &= !p[k];
	memset(p, 7, 6 * page);
	T_OK(zero && is_there(at + 3 * page) && is_there(p + 6 * page) &&
			!is_there(at + 3 * page - 1) &&
			!is_there(at + 10 * page),
		"memory is taken for whole pages, zeroed");
	/* the neighbour, whose first page is there */
	if (vs_reserve_take(p + 6 * page, 4 * page, "test"))
		return 1;
	memset(p + 6 * page, 8, 4 * page);
	for (size_t k = 0; k < 6 * page; k++)
		kept &= p[k] == 7;
	T_OK(kept, "taking its neighbour changes nothing");
	T_OK(resident(at, PAGES, page) == 11, "%zu pages are in memory",
		resident(at, PAGES, page));
	vs_reserve_give(p, 6 * page);
	T_OK(resident(at, PAGES, page) == 6 && !is_there(at + 4 * page) &&
			!is_there(at + 9 * page - 1),
		"pages go that have nothing else");
	kept = p[0] == 7 && p[6 * page - 1] == 7;
	for (size_t k = 6 * page; k < 10 * page; k++)
		kept &= p[k] == 8;
	T_OK(kept, "its neighbour is as it was");
	if (vs_reserve_take(p, 6 * page, "test"))
		return 1;
	zero = true;
	for (size_t k = page; k < 5 * page; k++)
		zero &= !p[k];
	T_OK(zero, "and are zeroed when they are taken again");
	vs_reserve_give(p, 1);
	vs_reserve_give(at, 0);
	T_OK(is_there(p), "less than a page stays");
	vs_reserve_free(at, PAGES * page);
	T_OK(vs_reserve_new(&at, (size_t)1 << 62, "test") == VS_EMACHINE &&
			strstr(vs_fail_text(), "test: no memory for"),
		"more than there is: %s", vs_fail_text());
	return T_DONE();
}
