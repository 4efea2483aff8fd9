/* SPDX-License-Identifier: BSD-3-Clause */
/* LRU cache of the parts of panels in device memory. */
#include <stdlib.h>
#include <string.h>

#include "cuda/part_cache.h"

#define PARTS 16 /* fraction of device memory that a block fills */
#define MOST_SLOTS 4096

static size_t
plane_bytes(const struct vs_part_cache *c, size_t n_vec)
{
	return n_vec / VS_TILE_VECS * c->n_block * c->n_plane * VS_TILE_WORDS *
		sizeof(uint32_t);
}

size_t
vs_part_cache_bytes(const struct vs_part_cache *c, size_t n_vec)
{
	return plane_bytes(c, n_vec) +
		n_vec * c->n_side * sizeof(struct vs_card_side) +
		n_vec * c->n_margin * sizeof(int32_t);
}

static int
allocate_slot(struct vs_part_cache *c)
{
	struct vs_part_slot *s = &c->slot[c->n_slot];
	size_t planes = plane_bytes(c, c->part);
	void *p = NULL;
	int code = c->base->ops->allocate(c->base->card, &p,
		vs_part_cache_bytes(c, c->part));

	if (code)
		return code;
	memset(s, 0, sizeof(*s));
	s->part = c->layout;
	s->part.plane = p;
	s->part.side = (void *)((char *)p + planes);
	if (c->n_margin)
		s->part.margin = (void *)(s->part.side + c->part * c->n_side);
	c->n_slot++;
	return 0;
}

/* The slot of a part, or a free one for it, or null if all are in use. */
static struct vs_part_slot *
find_slot(struct vs_part_cache *c, const struct vs_panel *panel, size_t number)
{
	struct vs_part_slot *oldest = NULL;

	for (size_t k = 0; k < c->n_slot; k++) {
		struct vs_part_slot *s = &c->slot[k];

		if (s->state != VS_PART_EMPTY && s->panel == panel &&
			s->number == number)
			return s;
		if (s->n_user || s->state == VS_PART_LOADING)
			continue;
		if (!oldest || s->state < oldest->state ||
			(s->state == oldest->state && s->used < oldest->used))
			oldest = s;
	}
	/* allocate more slots while memory is free */
	if ((!oldest || oldest->state != VS_PART_EMPTY) &&
		c->n_slot < c->most_slot) {
		if (!allocate_slot(c))
			return &c->slot[c->n_slot - 1];
		c->most_slot = c->n_slot;
	}
	return oldest;
}

/* Load vectors [lo, lo + n) of a panel into a slot. */
static int
load(struct vs_part_cache *c, struct vs_lane *l, const struct vs_panel *p,
	size_t lo, size_t n, struct vs_part_slot *s)
{
	s->part.n_vec = (uint32_t)vs_lane_up_to(n, VS_TILE_VECS);
	s->part.n_block = (uint32_t)c->n_block;
	s->part.n_plane = (uint32_t)c->n_plane;
	s->part.first = lo;
	s->part.file = p->first;
	return vs_lane_load(l, p, n, &s->part);
}

/* There are n_pin slots per worker and no worker pins more, so one is always
 * free. */
int
vs_part_cache_pin(struct vs_part_cache *c, struct vs_lane *l,
	const struct vs_panel *panel, size_t number, struct vs_part_slot **out)
{
	size_t lo = number * c->part,
	       n = vs_min_size(c->part, panel->n_vec - lo);
	struct vs_part_slot *s;
	int code = 0;

	pthread_mutex_lock(&c->lock);
	while (!(s = find_slot(c, panel, number)) ||
		s->state == VS_PART_LOADING)
		pthread_cond_wait(&c->change, &c->lock);
	s->n_user++;
	s->used = ++c->now;
	if (s->state != VS_PART_READY || s->panel != panel ||
		s->number != number) {
		s->panel = panel;
		s->number = number;
		s->state = VS_PART_LOADING;
		pthread_mutex_unlock(&c->lock);
		code = load(c, l, panel, lo, n, s);
		pthread_mutex_lock(&c->lock);
		s->state = code ? VS_PART_EMPTY : VS_PART_READY;
		s->n_user -= code != 0;
		pthread_cond_broadcast(&c->change);
	}
	pthread_mutex_unlock(&c->lock);
	*out = s;
	return code;
}

void
vs_part_cache_release(struct vs_part_cache *c, struct vs_part_slot *s)
{
	pthread_mutex_lock(&c->lock);
	s->n_user--;
	pthread_cond_broadcast(&c->change);
	pthread_mutex_unlock(&c->lock);
}

void
vs_part_cache_forget(struct vs_part_cache *c, const struct vs_panel *panel)
{
	pthread_mutex_lock(&c->lock);
	for (size_t k = 0; k < c->n_slot; k++)
		if (c->slot[k].panel == panel)
			c->slot[k].state = VS_PART_EMPTY;
	pthread_mutex_unlock(&c->lock);
}

void
vs_part_cache_init(struct vs_part_cache *c)
{
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->change, NULL);
}

int
vs_part_cache_open(struct vs_part_cache *c, int n_lane, size_t room,
	size_t most)
{
	const struct vs_drive_base *base = c->base;
	size_t one = vs_part_cache_bytes(c, VS_TILE_VECS), n, least;
	size_t whole =
		vs_lane_up_to(base->part ? base->part : most, VS_TILE_VECS);
	int code = 0;

	least = c->n_pin * (size_t)n_lane;
	n = room / (least > PARTS ? least : PARTS) / one * VS_TILE_VECS;
	c->part = n < VS_TILE_VECS ? VS_TILE_VECS : vs_min_size(n, whole);
	c->most_slot = room / vs_part_cache_bytes(c, c->part);
	c->most_slot = c->most_slot < least
		? least
		: vs_min_size(c->most_slot, MOST_SLOTS);
	c->slot = calloc(c->most_slot, sizeof(*c->slot));
	if (!c->slot)
		return vs_lane_fail_memory(base, "list of vectors",
			c->most_slot * sizeof(*c->slot));
	while (c->n_slot < least && !code) {
		code = allocate_slot(c);
		if (code != VS_CARD_FULL || c->part == VS_TILE_VECS)
			continue;
		while (c->n_slot)
			base->ops->drop(base->card,
				c->slot[--c->n_slot].part.plane);
		c->part = vs_lane_up_to(c->part / 2, VS_TILE_VECS);
		code = 0;
	}
	return code == VS_CARD_FULL
		? vs_lane_fail_memory(base, "vectors",
			  least * vs_part_cache_bytes(c, c->part))
		: code;
}

void
vs_part_cache_close(struct vs_part_cache *c)
{
	for (size_t k = 0; k < c->n_slot; k++)
		c->base->ops->drop(c->base->card, c->slot[k].part.plane);
	pthread_mutex_destroy(&c->lock);
	pthread_cond_destroy(&c->change);
	free(c->slot);
}
