/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * A PLINK set from a fixed seed, the variants in the order of the genome.
 *
 * usage: gen_bed hwe VARIANTS SAMPLES MISSING PREFIX
 *        gen_bed ld VARIANTS SAMPLES MAF PREFIX [MISSING]
 *
 * hwe: independent variants in Hardy-Weinberg proportions, minor allele
 * frequencies uniform from 5 to 50 %, a share MISSING of the calls missing.
 *
 * ld: one chromosome of a population without structure, by the sequentially
 * Markov coalescent (McVean and Cardin 2005), which is a model of copying: the
 * haplotypes of the samples are linked by a genealogy; a mutation falls on a
 * branch and all haplotypes below carry it, so its age determines its
 * frequency; between sites a recombination cuts a branch, and the haplotypes
 * below continue copying from another lineage, which they meet at the
 * coalescent's rate. Mutations and recombinations occur in proportion to the
 * length of the branches, 0.8 recombinations per mutation, as in humans. So the
 * spectrum is the neutral 1/f, singletons included, and linkage decays with
 * distance. Sites with a minor allele rarer than MAF are left out. Haplotypes
 * are paired in turn. A share MISSING of the calls is missing, more of some
 * variants than of others, exponentially distributed, as on arrays, and more of
 * some samples.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "libcore/base/mem.h"
#include "libcore/base/num.h"
#include "libcore/base/rng.h"

#define RECOMBINATIONS 0.8 /* for a mutation */
#define NONE (-1)

static struct vs_rng rng;

static double
uniform(void)
{
	return (double)(vs_rng_next(&rng) >> 11) * 0x1p-53;
}

static void *
room(size_t n, size_t size)
{
	void *p = NULL;

	if (vs_mem_new(&p, n, size, "genotypes"))
		exit(4);
	return p;
}

/* ---- a genealogy ---- */

struct event {
	double time;
	int node;
};

/* Leaves are nodes 0 .. n - 1; n - 1 inner nodes follow. */
struct tree {
	int n, root;
	int *parent, (*child)[2], *size; /* size: leaves below */
	double *time;
	struct event *inner; /* by time */
	int n_inner;
	double *length; /* Fenwick tree over the nodes' branches */
	int top;        /* largest power of 2 within it */
};

static double
branch(const struct tree *t, int v)
{
	return t->parent[v] == NONE ? 0 : t->time[t->parent[v]] - t->time[v];
}

static void
lengthen(struct tree *t, int v, double by)
{
	for (int k = v + 1; k < 2 * t->n; k += k & -k)
		t->length[k] += by;
}

/* A node by the length of its branch. */
static int
pick_branch(const struct tree *t)
{
	double all = 0, at;
	int v = 0;

	for (int k = 2 * t->n - 1; k > 0; k -= k & -k)
		all += t->length[k];
	at = uniform() * all;
	for (int step = t->top; step; step /= 2)
		if (v + step < 2 * t->n && t->length[v + step] <= at) {
			v += step;
			at -= t->length[v];
		}
	/* the sums are rounded: the root has no branch, and none is past all */
	return v >= 2 * t->n - 1 || v == t->root ? pick_branch(t) : v;
}

static void
join(struct tree *t, int p, int a, int b, double time)
{
	t->child[p][0] = a;
	t->child[p][1] = b;
	t->parent[a] = t->parent[b] = p;
	t->size[p] = t->size[a] + t->size[b];
	t->time[p] = time;
}

static void
tree_make(struct tree *t, int n)
{
	size_t all = 2 * (size_t)n;
	int *lineage = room(all, sizeof(int));
	double time = 0;

	*t = (struct tree){ .n = n, .n_inner = n - 1, .top = 1 };
	t->parent = room(all, sizeof(int));
	t->child = room(all, sizeof(*t->child));
	t->size = room(all, sizeof(int));
	t->time = room(all, sizeof(double));
	t->length = room(all, sizeof(double));
	t->inner = room(all, sizeof(*t->inner));
	while (t->top * 2 < 2 * n)
		t->top *= 2;
	for (int v = 0; v < n; v++) {
		lineage[v] = v;
		t->size[v] = 1;
	}
	for (int k = n, p = n; k > 1; k--, p++) {
		int a = (int)vs_rng_below(&rng, (uint64_t)k), b;
		int first = lineage[a];

		lineage[a] = lineage[k - 1];
		b = (int)vs_rng_below(&rng, (uint64_t)k - 1);
		time -= log(1 - uniform()) * 2 / ((double)k * (k - 1));
		join(t, p, first, lineage[b], time);
		t->inner[p - n] = (struct event){ time, p };
		lineage[b] = p;
	}
	t->root = 2 * n - 2;
	t->parent[t->root] = NONE;
	for (int v = 0; v < 2 * n - 1; v++)
		lengthen(t, v, branch(t, v));
	free(lineage);
}

static void
tree_free(struct tree *t)
{
	free(t->parent);
	free(t->child);
	free(t->size);
	free(t->time);
	free(t->length);
	free(t->inner);
}

/* The first inner node later than time. */
static int
later(const struct tree *t, double time)
{
	int lo = 0, hi = t->n_inner;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (t->inner[mid].time > time)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

static void
resize(struct tree *t, int v, int by)
{
	for (; v != NONE; v = t->parent[v])
		t->size[v] += by;
}

static void
hang(struct tree *t, int v, int old, int below)
{
	if (below == NONE)
		t->root = v;
	else
		t->child[below][t->child[below][1] == old] = v;
	t->parent[v] = below;
}

/* Detach node v; its parent is removed, and returned. */
static int
prune(struct tree *t, int v)
{
	int p = t->parent[v], g = t->parent[p];
	int s = t->child[p][t->child[p][0] == v], k = later(t, t->time[p]) - 1;

	lengthen(t, v, -branch(t, v));
	lengthen(t, s, -branch(t, s));
	lengthen(t, p, -branch(t, p));
	resize(t, g, -t->size[v]);
	hang(t, s, p, g);
	lengthen(t, s, branch(t, s));
	memmove(t->inner + k, t->inner + k + 1,
		(size_t)(--t->n_inner - k) * sizeof(*t->inner));
	return p;
}

/* Attach v, through node p, to the branch of c at a time; k inner nodes are
 * earlier. */
static void
graft(struct tree *t, int v, int p, int c, double time, int k)
{
	int g = t->parent[c];

	lengthen(t, c, -branch(t, c));
	join(t, p, c, v, time);
	hang(t, p, c, g);
	resize(t, g, t->size[v]);
	lengthen(t, c, branch(t, c));
	lengthen(t, v, branch(t, v));
	lengthen(t, p, branch(t, p));
	memmove(t->inner + k + 1, t->inner + k,
		(size_t)(t->n_inner++ - k) * sizeof(*t->inner));
	t->inner[k] = (struct event){ time, p };
}

/* Cut a branch; it meets each other lineage at rate 1. */
static void
recombine(struct tree *t)
{
	int v = pick_branch(t), c = NONE, p, k;
	double now = t->time[v] + uniform() * branch(t, v);
	double left = -log(1 - uniform());

	p = prune(t, v);
	for (k = later(t, now); k < t->n_inner; k++) {
		int many = t->n_inner - k + 1;
		double spent = many * (t->inner[k].time - now);

		if (spent > left) {
			now += left / many;
			break;
		}
		left -= spent;
		now = t->inner[k].time;
	}
	if (k == t->n_inner) {
		c = t->root;
		now = (now > t->time[c] ? now : t->time[c]) + left;
	}
	/* the branches of this time are attached to later nodes */
	while (c == NONE) {
		uint64_t of = (uint64_t)(t->n_inner - k);
		int later_node = t->inner[k + (int)vs_rng_below(&rng, of)].node;
		int one = t->child[later_node][vs_rng_next(&rng) >> 63];

		if (t->time[one] < now)
			c = one;
	}
	graft(t, v, p, c, now, k);
}

/* ---- genotypes ---- */

/* Copies of the second allele of each sample. */
static void
carriers(const struct tree *t, int v, uint8_t *copies, int *stack)
{
	int n = 0;

	stack[n++] = v;
	while (n) {
		v = stack[--n];
		if (v < t->n) {
			copies[v / 2]++;
		} else {
			stack[n++] = t->child[v][0];
			stack[n++] = t->child[v][1];
		}
	}
}

/* Move to the next site with a minor allele frequency of at least maf. */
static void
next_site(struct tree *t, double maf, uint8_t *copies, int *stack)
{
	double least = maf * t->n;
	int v;

	do {
		while (uniform() < RECOMBINATIONS / (1 + RECOMBINATIONS))
			recombine(t);
		v = pick_branch(t);
	} while (t->size[v] < least || t->n - t->size[v] < least);
	carriers(t, v, copies, stack);
}

static void
pack_copies(const uint8_t *copies, size_t width, uint8_t *codes)
{
	static const uint8_t code[3] = { 0, 2, 3 };

	for (size_t b = 0; b < width; b++, copies += 4)
		codes[b] = (uint8_t)(code[copies[0]] | code[copies[1]] << 2 |
			code[copies[2]] << 4 | code[copies[3]] << 6);
}

/* 64 bits, each 1 with probability of / 1024. */
static uint64_t
coins(unsigned of)
{
	uint64_t bits = 0;

	for (int k = 0; k < 10; k++)
		bits = of >> k & 1 ? bits | vs_rng_next(&rng)
				   : bits & vs_rng_next(&rng);
	return bits;
}

/* Bits of the lower half to the even places. */
static uint64_t
spread(uint64_t x)
{
	x = (x & 0xffffffff);
	x = (x | x << 16) & 0x0000ffff0000ffff;
	x = (x | x << 8) & 0x00ff00ff00ff00ff;
	x = (x | x << 4) & 0x0f0f0f0f0f0f0f0f;
	x = (x | x << 2) & 0x3333333333333333;
	return (x | x << 1) & 0x5555555555555555;
}

/* Two copies drawn alike; codes has room for whole 16 bytes. */
static void
draw(size_t width, uint8_t *codes)
{
	unsigned of = 51 + (unsigned)vs_rng_below(&rng, 461);

	for (size_t at = 0; at < width; at += 16) {
		uint64_t a = coins(of), b = coins(of);
		uint64_t high = a | b, low = a & b;

		for (size_t half = 0; half < 2; half++) {
			uint64_t two = spread(low >> 32 * half) |
				spread(high >> 32 * half) << 1;

			memcpy(codes + at + 8 * half, &two, 8);
		}
	}
}

/* A sample keeps a call that was to be missing with a probability of its own,
 * in 1024ths; one half on average. */
static uint64_t
lost_by(const uint16_t *keeps, uint64_t gone)
{
	for (uint64_t left = gone; left; left &= left - 1)
		if (vs_rng_below(&rng, 1024) < keeps[__builtin_ctzll(left)])
			gone &= ~(left & -left);
	return gone;
}

/* Calls of a variant are missing, each with probability missing / 1024, or half
 * of it where samples keep some. */
static void
drop(unsigned missing, const uint16_t *keeps, size_t width, uint8_t *codes)
{
	for (size_t at = 0; at < width; at += 16) {
		uint64_t gone = coins(missing);

		gone = keeps ? lost_by(keeps + 4 * at, gone) : gone;
		for (size_t half = 0; half < 2; half++) {
			uint64_t one = spread(gone >> 32 * half), two;

			memcpy(&two, codes + at + 8 * half, 8);
			two = (two & ~(3 * one)) | one;
			memcpy(codes + at + 8 * half, &two, 8);
		}
	}
}

/* A variant's own share: many variants miss few calls, and few miss many, as on
 * arrays. */
static unsigned
own_share(unsigned mean)
{
	double share = -log(1 - uniform()) * mean;

	return share < 800 ? (unsigned)share : 800;
}

static uint16_t *
make_keeps(size_t width)
{
	const size_t n = 4 * width + 64;
	uint16_t *keeps = room(n, sizeof(*keeps));

	for (size_t k = 0; k < n; k++)
		keeps[k] = (uint16_t)vs_rng_below(&rng, 1025);
	return keeps;
}

/* ---- files ---- */

static FILE *
begin(const char *prefix, const char *tail)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s%s", prefix, tail);
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		exit(4);
	}
	return f;
}

static void
end(FILE *f)
{
	if (fclose(f)) {
		perror("gen_bed");
		exit(4);
	}
}

static void
write_names(const char *prefix, int n_var, int n_sample)
{
	FILE *f = begin(prefix, ".bim");

	for (int k = 0; k < n_var; k++)
		fprintf(f, "1\tv%d\t0\t%d\tA\tG\n", k, k + 1);
	end(f);
	f = begin(prefix, ".fam");
	for (int k = 0; k < n_sample; k++)
		fprintf(f, "s%d s%d 0 0 0 -9\n", k, k);
	end(f);
}

static void
write_codes(const char *prefix, int n_var, int n_sample, bool linked,
	double share, unsigned missing)
{
	size_t width = ((size_t)n_sample + 3) / 4;
	uint8_t *codes = room(width + 16, 1);
	uint8_t *copies = room(4 * width, 1);
	int *stack = room(2 * (size_t)n_sample + 1, sizeof(int));
	FILE *f = begin(prefix, ".bed");
	struct tree tree = { 0 };
	uint16_t *keeps = linked && missing ? make_keeps(width) : NULL;

	if (linked)
		tree_make(&tree, 2 * n_sample);
	fwrite("\x6c\x1b\x01", 1, 3, f);
	for (int k = 0; k < n_var; k++) {
		if (linked) {
			memset(copies, 0, 4 * width);
			next_site(&tree, share, copies, stack);
			pack_copies(copies, width, codes);
		} else {
			draw(width, codes);
		}
		if (missing)
			drop(linked ? own_share(2 * missing) : missing, keeps,
				width, codes);
		/* the last byte ends with zeros, as in PLINK's files */
		if (n_sample % 4)
			codes[width - 1] &=
				(uint8_t) ~(~0u << n_sample % 4 * 2);
		fwrite(codes, 1, width, f);
	}
	end(f);
	tree_free(&tree);
	free(keeps);
	free(stack);
	free(copies);
	free(codes);
}

int
main(int argc, char **argv)
{
	int64_t n_var, n_sample;
	double share, missing = 0;
	bool linked = argc > 1 && !strcmp(argv[1], "ld");

	if (argc < 6 || argc > 6 + linked ||
		(!linked && strcmp(argv[1], "hwe")) ||
		(argc > 6 && !vs_num_real(argv[6], &missing)) ||
		!vs_num_int(argv[2], &n_var) ||
		!vs_num_int(argv[3], &n_sample) ||
		!vs_num_real(argv[4], &share) || n_var < 1 || n_sample < 2 ||
		n_var > 1 << 28 || n_sample > 1 << 28 || share < 0 ||
		share > 0.4 || missing < 0 || missing > 0.4) {
		fputs("usage: gen_bed hwe VARIANTS SAMPLES MISSING PREFIX\n"
		      "       gen_bed ld VARIANTS SAMPLES MAF PREFIX "
		      "[MISSING]\n",
			stderr);
		return 2;
	}
	vs_rng_seed(&rng, 1);
	write_names(argv[5], (int)n_var, (int)n_sample);
	if (!linked)
		missing = share;
	write_codes(argv[5], (int)n_var, (int)n_sample, linked, share,
		(unsigned)lrint(missing * 1024));
	return 0;
}
