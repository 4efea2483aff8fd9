/* SPDX-License-Identifier: BSD-3-Clause */
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/engine/deck.h"

#define NEWEST 0.25 /* weight of the last piece in the mean of the paces */

struct hand {
	struct vs_piece piece;
	double since; /* when it was taken */
	double pace;  /* seconds for a cost of 1, mean over the last pieces */
	bool busy, measured;
	bool gone; /* busy: the piece waits for another */
};

struct vs_deck {
	struct vs_deck_want want;
	struct hand *hand;
	int n_left; /* of the devices' hands */
	struct vs_piece *piece;
	size_t first, end, room; /* of the pieces that wait */
	uint64_t waiting; /* their cost, and that of pieces left behind */
};

int
vs_deck_new(struct vs_deck **deck, const struct vs_deck_want *want)
{
	int n = want->n_back + want->n_front;
	struct vs_deck *d = NULL;
	int code = vs_new(&d, 1, sizeof(*d), "list of work");

	if (!code)
		code = vs_new(&d->hand, (size_t)n, sizeof(*d->hand),
			"list of work");
	if (code) {
		free(d);
		return code;
	}
	d->want = *want;
	d->n_left = want->n_front;
	for (int k = 0; k < n; k++)
		d->hand[k].pace = k < want->n_back
			? 1 / want->back_rate
			: want->n_front / want->front_rate;
	*deck = d;
	return 0;
}

void
vs_deck_free(struct vs_deck *d)
{
	if (!d)
		return;
	free(d->hand);
	free(d->piece);
	free(d);
}

int
vs_deck_add(struct vs_deck *d, const struct vs_piece *piece, size_t n)
{
	int code;

	if (d->first) {
		memmove(d->piece, d->piece + d->first,
			(d->end - d->first) * sizeof(*piece));
		d->end -= d->first;
		d->first = 0;
	}
	code = vs_grow(&d->piece, &d->room, d->end + n, sizeof(*piece),
		"list of work");
	if (code)
		return code;
	for (size_t k = 0; k < n; k++) {
		d->waiting += piece[k].cost;
		d->piece[d->end++] = piece[k];
	}
	return 0;
}

/* A hand that left a piece behind, or null. */
static struct hand *
left_behind(struct vs_deck *d)
{
	for (int k = 0; k < d->want.n_front; k++) {
		struct hand *h = &d->hand[d->want.n_back + k];

		if (h->gone && h->busy)
			return h;
	}
	return NULL;
}

/*
 * Can the CPU do so much before the devices have done all the rest? What it
 * has then taken ends late by no more than its own time.
 */
static bool
in_time(const struct vs_deck *d, const struct hand *cpu, uint64_t cost,
	double now)
{
	double rest = (double)(d->waiting - cost), rate = 0;

	for (int k = 0; k < d->want.n_front; k++) {
		const struct hand *h = &d->hand[d->want.n_back + k];
		double left =
			(double)h->piece.cost - (now - h->since) / h->pace;

		if (h->gone)
			continue;
		rate += 1 / h->pace;
		rest += h->busy && left > 0 ? left : 0;
	}
	return (double)cost * cpu->pace <= rest / rate;
}

/*
 * What a driver of a device takes at most: half its share of what waits, by the
 * paces of all who take part. So the last pieces are small and all end together;
 * the other half makes good what a pace is wrong by.
 */
static uint64_t
share_of(const struct vs_deck *d, const struct hand *driver)
{
	double rate = 0;
	int k = d->want.alone ? d->want.n_back : 0;

	for (; k < d->want.n_back + d->want.n_front; k++)
		rate += d->hand[k].gone ? 0 : 1 / d->hand[k].pace;
	return (uint64_t)((double)d->waiting / driver->pace / rate / 2);
}

/* Whole grains of the piece that cost no more than most, but one at least. */
static size_t
rows_for(const struct vs_piece *piece, uint64_t most)
{
	size_t n = piece->hi - piece->lo, rows;

	if (piece->cost <= most)
		return n;
	rows = (size_t)((double)n * (double)most / (double)piece->cost);
	rows = rows / piece->grain * piece->grain;
	return rows ? rows : n < piece->grain ? n : piece->grain;
}

/* Some rows from the beginning or the end of a piece; their cost. */
static struct vs_piece
part_of(const struct vs_piece *piece, size_t rows, bool end)
{
	struct vs_piece part = *piece;
	size_t n = piece->hi - piece->lo;

	if (rows < n) {
		part.cost = (uint64_t)((double)piece->cost * (double)rows /
			(double)n);
		if (end)
			part.lo = piece->hi - rows;
		else
			part.hi = piece->lo + rows;
	}
	return part;
}

/* The piece that a hand is to take from, or null. */
static struct vs_piece *
source(struct vs_deck *d, bool back)
{
	struct hand *lost = left_behind(d);

	/* beside devices the CPU takes the last piece, alone the first one */
	back &= d->n_left > 0;
	if (lost && (!back || d->first == d->end))
		return &lost->piece;
	if (d->first == d->end)
		return NULL;
	return back ? &d->piece[d->end - 1] : &d->piece[d->first];
}

/* The rows of part are taken; a piece without any left leaves the list. */
static void
take_off(struct vs_deck *d, struct vs_piece *piece, const struct vs_piece *part)
{
	struct hand *lost = left_behind(d);

	d->waiting -= part->cost;
	piece->cost -= part->cost;
	if (part->lo > piece->lo)
		piece->hi = part->lo;
	else
		piece->lo = part->hi;
	if (piece->lo < piece->hi)
		return;
	if (lost && piece == &lost->piece)
		lost->busy = false;
	else if (piece == &d->piece[d->first])
		d->first++;
	else
		d->end--;
}

bool
vs_deck_take(struct vs_deck *d, int hand, double now, struct vs_piece *piece)
{
	struct hand *h = &d->hand[hand];
	bool back = hand < d->want.n_back;
	struct vs_piece *from = source(d, back), part;

	if (!from || h->gone || (back && d->n_left && d->want.alone))
		return false;
	part = part_of(from,
		back ? rows_for(from, 0) : rows_for(from, share_of(d, h)),
		back);
	if (back && d->n_left && !in_time(d, h, part.cost, now))
		return false;
	take_off(d, from, &part);
	h->piece = *piece = part;
	h->since = now;
	h->busy = true;
	return true;
}

void
vs_deck_done(struct vs_deck *d, int hand, double now)
{
	struct hand *h = &d->hand[hand];
	double seconds = now - h->since, cost = (double)h->piece.cost;

	h->busy = false;
	/* a clock that stood still tells nothing */
	if (seconds <= 0 || cost <= 0)
		return;
	h->pace = h->measured ? h->pace + NEWEST * (seconds / cost - h->pace)
			      : seconds / cost;
	h->measured = true;
}

void
vs_deck_lost(struct vs_deck *d, int hand)
{
	struct hand *h = &d->hand[hand];

	d->n_left -= hand >= d->want.n_back && !h->gone;
	h->gone = true;
	if (h->busy)
		d->waiting += h->piece.cost;
}

int
vs_deck_front(const struct vs_deck *d)
{
	return d->n_left;
}
