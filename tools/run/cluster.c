/* SPDX-License-Identifier: BSD-3-Clause */
/* Reader of models of clusters. */
#include <math.h>
#include <stdlib.h>

#include "formats/h5/runfile.h"
#include "libcore/base/fail.h"
#include "tools/run/cluster.h"

#define TINY 1e-30
#define HUGE_RATE 1e30

static struct vs_cluster read_into;

/* Names of the file; those without help may be left out. */
#define NEEDED "needed"
static struct vs_opt table[] = {
	{ 0, "node_ranks", "N", VS_OPT_INT, &read_into.ranks, 1, 4096,
		.help = NEEDED },
	{ 0, "node_cores", "X", VS_OPT_REAL, &read_into.cores, 0.001, 1e6,
		.help = NEEDED },
	{ 0, "node_memory", "SIZE", VS_OPT_SIZE, &read_into.memory,
		.help = NEEDED },
	{ 0, "node_copy", "X", VS_OPT_REAL, &read_into.copy, 1, HUGE_RATE,
		.help = NEEDED },
	{ 0, "node_link", "X", VS_OPT_REAL, &read_into.link, 1, HUGE_RATE,
		.help = NEEDED },
	{ 0, "node_latency", "X", VS_OPT_REAL, &read_into.latency, 0, 1e3,
		.help = NEEDED },
	{ 0, "node_files", "X", VS_OPT_REAL, &read_into.files, 1, HUGE_RATE,
		.help = NEEDED },
	{ 0, "all_files", "X", VS_OPT_REAL, &read_into.all_files, 1, HUGE_RATE,
		.help = NEEDED },
	{ 0, "file_create", "X", VS_OPT_REAL, &read_into.create, 0, 1e3,
		.help = NEEDED },
	{ 0, "start", "X", VS_OPT_REAL, &read_into.start, 0, 1e5,
		.help = NEEDED },
	{ 0, "core_rate", "X", VS_OPT_REAL, &read_into.core, TINY, HUGE_RATE,
		.help = NEEDED },
	{ 0, "core_rate_triples", "X", VS_OPT_REAL, &read_into.core_triples,
		TINY, HUGE_RATE, .help = NEEDED },
	{ 0, "node_gpus", "N", VS_OPT_INT, &read_into.gpus, 0, 4096,
		.help = NULL },
	{ 0, "gpu_rate", "X", VS_OPT_REAL, &read_into.gpu, 0, HUGE_RATE,
		.help = NULL },
	{ 0, "pruned", "X", VS_OPT_REAL, &read_into.pruned, 1, 1e12,
		.help = NULL },
	{ 0, "records", "X", VS_OPT_REAL, &read_into.records, 0, 1e12,
		.help = NULL },
	{ 0 },
};

int
vs_cluster_read(struct vs_cluster *c, const char *path)
{
	char *input = NULL;
	int code;

	read_into = (struct vs_cluster){ .pruned = 1 };
	code = vs_runfile_read(path, table, &input);
	if (!code && input)
		code = vs_fail(VS_EUSAGE,
			"%s: input is of a runfile, not of a model: leave it "
			"out",
			path);
	free(input);
	for (const struct vs_opt *o = table; o->name && !code; o++)
		if (!o->seen && o->help)
			code = vs_fail(VS_EUSAGE,
				"%s: %s is missing, see vsim-scale(7)", path,
				o->name);
	*c = read_into;
	return code;
}

double
vs_cluster_rate(const struct vs_cluster *c, int n_way)
{
	double cores = c->cores * (n_way == 3 ? c->core_triples : c->core);

	/* triples are the CPU's */
	return (cores + (n_way == 3 ? 0 : (double)c->gpus * c->gpu)) /
		(double)c->ranks;
}

int
vs_cluster_threads(const struct vs_cluster *c)
{
	double n = floor(c->cores / (double)c->ranks);

	return n < 1 ? 1 : n > 4096 ? 4096 : (int)n;
}

double
vs_cluster_files(const struct vs_cluster *c, int n_rank)
{
	return fmin(c->files / vs_cluster_ranks(c, n_rank),
		c->all_files / n_rank);
}

int
vs_cluster_ranks(const struct vs_cluster *c, int n_rank)
{
	return n_rank < c->ranks ? n_rank : (int)c->ranks;
}

int
vs_cluster_nodes(const struct vs_cluster *c, int n_rank)
{
	return (int)((n_rank + c->ranks - 1) / c->ranks);
}
