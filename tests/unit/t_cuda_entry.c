/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assignment of devices to ranks, and of ranks that share one, on a machine of
 * simulated devices.
 */
#include <stdbool.h>
#include <string.h>

#include "cuda/device.h"
#include "libcore/base/fail.h"
#include "tests/unit/test.h"
#include "tests/unit/twin.h"

vs_cuda_entry_fn vs_cuda_entry;
const struct vs_card_ops vs_device_ops;

#define MOST 16

/* what a rank opened, in order, and how often all ranks did */
static int n_device = 4, opened[MOST], n_opened, n_rank = 7, share[MOST];

int
vs_device_count(char *why, size_t room)
{
	if (!n_device)
		snprintf(why, room, "no device: none");
	return n_device;
}

int
vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **card, char *said, size_t room)
{
	(void)host;
	(void)engine;
	*card = opened;
	opened[n_opened++] = k;
	snprintf(said, room, "GPU %d", k);
	return 0;
}

const struct vs_backend *
vs_drive_use(const struct vs_drive_base *base, int n)
{
	static const struct vs_backend some;

	for (int k = 0; k < n; k++)
		share[k] = base[k].share;
	return n == n_opened ? &some : NULL;
}

static const struct vs_backend *backend;
static char why[256];

static int
enter(const char *devices, int rank)
{
	struct vs_plugin_want want = { .devices = devices,
		.local_rank = rank,
		.n_local = n_rank };

	n_opened = 0;
	why[0] = 0;
	vs_fail_clear();
	return vs_cuda_entry(&twin_host, &want, &backend, why, sizeof(why));
}

/* True if a rank opens these devices, in this order. */
static bool
opens(const char *devices, int rank, int n, const int *want)
{
	return !enter(devices, rank) && backend && n_opened == n &&
		!memcmp(opened, want, (size_t)n * sizeof(*want));
}

/* Ranks learn how many times each of their devices is opened. */
static void
test_share(void)
{
	static const char *const lists[] = { NULL, "2,0,3", "1", "0,0",
		"3,1,3,3" };
	int wrong = 0, most = 0;

	for (n_rank = 1; n_rank < 12; n_rank++)
		for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
			int had[4] = { 0 }, all = 0;

			for (int r = 0; r < n_rank; r++) {
				wrong += enter(lists[k], r) != 0 || !n_opened;
				all += n_opened;
				for (int d = 0; d < n_opened; d++)
					had[opened[d]]++;
			}
			/* each of the list is some rank's */
			wrong += all < n_rank ||
				(!lists[k] &&
					(!had[0] || !had[1] || !had[2] ||
						!had[3]));
			for (int r = 0; r < n_rank; r++) {
				enter(lists[k], r);
				for (int d = 0; d < n_opened; d++) {
					wrong += share[d] != had[opened[d]];
					most = share[d] > most ? share[d]
							       : most;
				}
			}
		}
	n_rank = 7;
	T_OK(!wrong && most == 11, "up to %d ranks share a device: %d wrong",
		most, wrong);
}

/* If there are fewer ranks than devices, each has several and names all of
 * them. */
static void
test_several(void)
{
	n_rank = 1;
	T_OK(opens(NULL, 0, 4, (const int[]){ 0, 1, 2, 3 }) &&
			!strcmp(why, "GPU 0; GPU 1; GPU 2; GPU 3"),
		"a rank alone has all: %s", why);
	T_OK(opens("2,0", 0, 2, (const int[]){ 2, 0 }) &&
			opens("1,1", 0, 2, (const int[]){ 1, 1 }) &&
			share[0] == 2,
		"or those listed");
	n_rank = 0;
	T_OK(opens(NULL, 0, 4, (const int[]){ 0, 1, 2, 3 }), "so one without");
	n_rank = 3;
	T_OK(opens(NULL, 0, 2, (const int[]){ 0, 3 }) &&
			opens(NULL, 1, 1, (const int[]){ 1 }) &&
			opens(NULL, 2, 1, (const int[]){ 2 }),
		"three have four");
	n_rank = 7;
}

int
main(void)
{
	static const char *const bad[] = { "", "a", "0,", ",1", "1;2", "-1",
		"0 1" };
	static const char *const beyond[] = { "4", "0,7",
		"99999999999999999999" };
	struct vs_cuda_host old = twin_host;
	int wrong = 0;

	for (int r = 0; r < 7; r++) {
		static const int listed[] = { 2, 0, 3 };

		wrong += !opens(NULL, r, 1, (const int[]){ r % 4 });
		wrong += !opens("2,0,3", r, 1, &listed[r % 3]);
		wrong += !opens("1", r, 1, (const int[]){ 1 });
	}
	T_OK(!wrong, "seven ranks, four devices: %d wrong", wrong);
	test_share();
	test_several();
	/* the program lets no such list come to the plugin */
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct vs_plugin_want want = { .devices = bad[k] };

		vs_fail_clear();
		T_OK(vs_plugin_check(&want) == VS_EUSAGE, "'%s': %s", bad[k],
			vs_fail_text());
	}
	for (size_t k = 0; k < sizeof(beyond) / sizeof(*beyond); k++)
		T_OK(!vs_plugin_check(&(struct vs_plugin_want){
			     .devices = beyond[k] }) &&
				enter(beyond[k], 0) == VS_EUSAGE && !n_opened &&
				!backend,
			"'%s': %s", beyond[k], vs_fail_text());
	n_device = 0;
	T_OK(!enter(NULL, 0) && !backend && !strcmp(why, "no device: none"),
		"no device");
	n_device = 1;
	old.size[3]++;
	T_OK(!vs_cuda_entry(&old, &(struct vs_plugin_want){ 0 }, &backend, why,
		     sizeof(why)) &&
			!backend && strstr(why, "version"),
		"another version: %s", why);
	return T_DONE();
}
