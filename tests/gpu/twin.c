/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A plugin whose device is the twin, made of CPU arithmetic, so that whole
 * programs can be tried where there is no card. $VSIM_TWIN says what it is
 * like: "life=N", after N things it is gone; "ill=N", from that one on it
 * fails at each; "room=N", bytes it has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda/device.h"
#include "tests/unit/twin.h"

static struct twin card;

const struct vs_card_ops vs_device_ops = TWIN_OPS;

int
vs_device_count(char *why, size_t room)
{
	(void)why;
	(void)room;
	return 1;
}

int
vs_device_open(const struct vs_cuda_host *host, int k, const char *engine,
	void **out, char *said, size_t room)
{
	const char *like = getenv("VSIM_TWIN");

	if (engine && strcmp(engine, "mma") != 0)
		return host->fail(VS_EUSAGE, "GPU engine %s: not a twin's",
			engine);
	card = (struct twin){ .room = TWIN_ROOM,
		.life = -1,
		.fail = host->fail };
	if (like && !strncmp(like, "life=", 5))
		card.life = atol(like + 5);
	if (like && !strncmp(like, "ill=", 4))
		card.ill = atol(like + 4);
	if (like && !strncmp(like, "room=", 5))
		card.room = strtoul(like + 5, NULL, 10);
	snprintf(said, room, "GPU %d, a twin", k);
	*out = &card;
	return 0;
}
