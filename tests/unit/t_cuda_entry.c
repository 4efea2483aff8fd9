/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Assignment of devices to ranks, and of ranks that share one, on a machine of
 * simulated devices.
 */
#include <string.h>

#include "cuda/device.h"
#include "libcore/base/fail.h"
#include "tests/unit/test.h"
#include "tests/unit/twin.h"

vs_cuda_entry_fn vs_cuda_entry;
const struct vs_card_ops vs_device_ops;

static int n_device = 4, opened, n_rank = 7, share;

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
	*card = &opened;
	opened = k;
	snprintf(said, room, "GPU %d", k);
	return 0;
}

const struct vs_backend *
vs_drive_use(const struct vs_drive_base *base)
{
	static const struct vs_backend some;

	share = base->share;
	return &some;
}

static const struct vs_backend *backend;
static char why[256];

static int
enter(const char *devices, int rank)
{
	struct vs_plugin_want want = { .devices = devices,
		.local_rank = rank,
		.n_local = n_rank };

	opened = -1;
	why[0] = 0;
	vs_fail_clear();
	return vs_cuda_entry(&twin_host, &want, &backend, why, sizeof(why));
}

/* Ranks that open the same device learn their number. */
static void
test_share(void)
{
	static const char *const lists[] = { NULL, "2,0,3", "1", "0,0",
		"3,1,3,3" };
	int wrong = 0, most = 0;

	for (n_rank = 1; n_rank < 12; n_rank++)
		for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
			int had[4] = { 0 }, inferred[12], of[12];

			for (int r = 0; r < n_rank; r++) {
				wrong += enter(lists[k], r) != 0;
				of[r] = opened;
				inferred[r] = share;
				had[opened]++;
			}
			for (int r = 0; r < n_rank; r++) {
				wrong += inferred[r] != had[of[r]];
				most = inferred[r] > most ? inferred[r] : most;
			}
		}
	n_rank = 7;
	T_OK(!wrong && most == 11, "up to %d ranks share a device: %d wrong",
		most, wrong);
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

		wrong += enter(NULL, r) || opened != r % 4 || !backend;
		wrong += enter("2,0,3", r) || opened != listed[r % 3];
		wrong += enter("1", r) || opened != 1;
	}
	T_OK(!wrong, "seven ranks, four devices: %d wrong", wrong);
	test_share();
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
				enter(beyond[k], 0) == VS_EUSAGE &&
				opened < 0 && !backend,
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
