/* SPDX-License-Identifier: BSD-3-Clause */
/* LD pruning of genotypes as they are read. */
#include "tools/threshold/prune_vectors.h"

#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "tools/shared/prune_genotypes.h"

#define BLOCK (4ull << 20) /* bytes of vectors read together */

static int
read_all(struct vs_prune_genotypes *p, struct vs_packed *f,
	const struct vs_sites *sites)
{
	const uint64_t rows = BLOCK / (f->row_bytes + 1) + 1;
	struct vs_vec vec = { 0 };
	int code = vs_vec_new(&vec, rows, f->n_field);

	for (uint64_t lo = 0, hi; lo < f->n_vec && !code; lo = hi) {
		hi = f->n_vec - lo < rows ? f->n_vec : lo + rows;
		code = vs_packed_read(f, lo, hi, &vec, 0);
		if (!code)
			code = vs_prune_genotypes_add(p, &vec, 0, hi - lo,
				sites, f->ploidy);
	}
	vs_vec_free(&vec);
	return code;
}

/* Take vectors from a file. */
static int
prune_file(const struct vs_prune *asked, const char *path, double above)
{
	struct vs_prune_genotypes *p = NULL;
	struct vs_packed *f = NULL;
	struct vs_sites sites = { 0 };
	int code = vs_packed_open(&f, path, 0);

	if (!code) {
		code = vs_packed_want_genotypes(f);
		if (code)
			vs_fail_append("; of numbers give a result of vsim-run "
				       "-m r2 --merge");
	}
	if (!code)
		code = vs_packed_sites(f, &sites);
	if (!code)
		code = vs_prune_genotypes_new(&p, asked, above, f->n_field);
	if (!code)
		code = read_all(p, f, &sites);
	if (!code)
		code = vs_prune_genotypes_write(p, &sites);
	vs_prune_genotypes_free(p);
	vs_sites_free(&sites);
	vs_packed_close(f);
	return code;
}

static int
give(void *pruning, const struct vs_vec *vec, uint64_t lo, uint64_t hi,
	const struct vs_sites *sites)
{
	return vs_prune_genotypes_add(pruning, vec, lo, hi, sites, 2);
}

/* Take vectors from a reader. */
static int
prune_input(const struct vs_prune *asked, struct vs_genotypes *in, double above)
{
	struct vs_prune_genotypes *p = NULL;
	int code = vs_genotypes_open(in);

	if (!code)
		code = vs_prune_genotypes_new(&p, asked, above, in->samples->n);
	if (!code)
		code = vs_genotypes_read(in, give, p);
	if (!code)
		code = vs_prune_genotypes_write(p, &in->sites);
	if (!code) {
		vs_genotypes_warn_of_names(in);
		vs_genotypes_warn(in);
	}
	vs_prune_genotypes_free(p);
	return code;
}

int
vs_prune_vectors(const struct vs_prune *asked, struct vs_genotypes *in,
	const char *path, double above, bool force)
{
	int code = vs_prune_may_write(asked->prefix, force);

	if (code)
		return code;
	return in->kind ? prune_input(asked, in, above)
			: prune_file(asked, path, above);
}
