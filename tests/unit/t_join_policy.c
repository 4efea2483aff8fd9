/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A rank's files by the join policy, on a virtual clock: whatever it writes a
 * second, and however fast joins are, it has four at most, joins have their
 * share of the time, and a kill loses no more than what is between two saves.
 */
#include <stdint.h>

#include "formats/results/join_policy.h"
#include "tests/unit/test.h"

#define EVERY 30.0              /* --commit-every */
#define COMMIT (EVERY * 2 / 3)  /* seconds between saves */
#define TILE 1.0                /* seconds of a tile */
#define QUEUE (2 * 32768 * 8.0) /* bytes of records that wait for a join */
#define MOST 8                  /* files that the test can hold */

struct rank {
	double rate, join_rate; /* bytes a second */
	struct vs_join_policy policy;
	double now, safe, work; /* work: seconds of what is not saved */
	double writing;         /* bytes of the file that is written */
	double size[MOST];      /* sealed */
	size_t n, most;
	double lost; /* the most seconds of work that a kill would lose */
	uint64_t n_sealed;
};

static void
see(struct rank *r, size_t more)
{
	if (r->n + more > r->most)
		r->most = r->n + more;
}

static void
join(struct rank *r, size_t first)
{
	double bytes = 0, seconds, worked;

	see(r, 1);
	for (size_t k = first; k < r->n; k++)
		bytes += r->size[k];
	seconds = 0.005 + bytes / r->join_rate;
	r->size[first] = bytes;
	r->n = first + 1;
	r->now += seconds;
	/* until the queue is full others find more */
	worked = QUEUE / r->rate < seconds ? QUEUE / r->rate : seconds;
	r->writing += worked * r->rate;
	r->work += worked;
	vs_join_policy_add(&r->policy, seconds, bytes);
}

/* The writer of shards saves likewise. */
static void
save(struct rank *r)
{
	size_t first;
	bool may;

	r->size[r->n] = r->writing;
	may = vs_join_policy_allows(&r->policy, r->now, r->size, r->n + 1,
		&first);
	see(r, 1);
	if (r->work > r->lost)
		r->lost = r->work;
	r->safe = r->now;
	r->work = 0;
	if (!may)
		return;
	r->n++;
	r->n_sealed++;
	r->writing = 0;
	if (first < r->n)
		join(r, first);
}

static struct rank
run_for(double hours, double rate, double join_rate)
{
	struct rank r = { .rate = rate, .join_rate = join_rate };

	while (r.now < hours * 3600 && r.n < MOST - 1) {
		r.now += TILE;
		r.work += TILE;
		r.writing += TILE * rate;
		if (r.now - r.safe >= COMMIT)
			save(&r);
	}
	return r;
}

int
main(void)
{
	static const double rate[] = { 1e3, 2e4, 1e5, 5e5, 2e6, 5e6, 2e7, 5e7,
		1e8 },
			    join_rate[] = { 3e7, 1e8, 5e8 };
	const double hours = T_LONG ? 240 : 24;
	bool few = true, brief = true, safe = true, seals = true;

	for (size_t k = 0; k < sizeof(rate) / sizeof(rate[0]); k++)
		for (size_t j = 0; j < 3; j++) {
			struct rank r = run_for(hours, rate[k], join_rate[j]);
			double share = r.policy.seconds / r.now;

			printf("# %5.1f MB/s, joined at %3.0f MB/s: %zu files, "
			       "%.1f %% of the time, %.0f s lost at most, %llu "
			       "seals\n",
				rate[k] / 1e6, join_rate[j] / 1e6, r.most,
				100 * share, r.lost,
				(unsigned long long)r.n_sealed);
			few &= r.most <= 4;
			brief &= r.policy.seconds <= VS_JOIN_POLICY_AT_FIRST +
					VS_JOIN_POLICY_SHARE * r.now;
			safe &= r.lost <= EVERY + TILE;
			/* what is little is joined as often as it is saved */
			seals &= rate[k] > 1e4 ||
				(double)r.n_sealed >
					0.9 * r.now / (COMMIT + TILE);
		}
	T_OK(few, "four files at most");
	T_OK(brief, "joins take their share of the time at most");
	T_OK(safe, "all is saved in time");
	T_OK(seals, "a rank that writes little seals each time");
	return T_DONE();
}
