/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin whose devices are twins that compute on the CPU, so that whole
 * programs can be tested without a GPU. $VSIM_TWIN says what they are like,
 * with commas between: "devices=N", of them, one unless given; "slow=N", the
 * last of several takes N microseconds longer for each of its things; and of
 * the first one "life=N", after N things it is gone; "ill=N", from that one on
 * it fails at each; "room=N", bytes it has. All of them say that they count
 * "rate=N" comparisons of triples a second.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "tests/unit/twin.h"

#define MOST 8

const struct vs_card_ops vs_device_ops = TWIN_OPS;

/* The number behind "name=" in $VSIM_TWIN. */
static long
property(const char *name, long otherwise)
{
	const char *like = getenv("VSIM_TWIN");
	const char *at = like ? strstr(like, name) : NULL;

	return at ? atol(at + strlen(name)) : otherwise;
}

int
vs_device_count(char *why, size_t room)
{
	(void)why;
	(void)room;
	return (int)property("devices=", 1);
}

int
vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **out, char *said, size_t room)
{
	static struct twin cards[MOST];
	struct twin *card = &cards[k];

	if (engine && strcmp(engine, "mma") != 0)
		return host->fail(VS_EUSAGE, "GPU engine %s: not a twin's",
			engine);
	*card = (struct twin){ .room = TWIN_ROOM,
		.life = -1,
		.rate = (double)property("rate=", 0),
		.fail = host->fail };
	if (!k) {
		card->life = property("life=", -1);
		card->ill = property("ill=", 0);
		card->room = (size_t)property("room=", TWIN_ROOM);
	} else if (k + 1 == vs_device_count(said, room)) {
		card->slow = (unsigned)property("slow=", 0);
	}
	snprintf(said, room, "GPU %d, a twin", k);
	*out = card;
	return 0;
}
