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

/* Names in the file: required ones, which help marks, then others. */
#define ROW(name, word, kind, field, ...)                          \
	{                                                          \
		0, name, word, kind, &read_into.field, __VA_ARGS__ \
	}
#define REAL(name, field, lo, hi, ...) \
	ROW(name, "X", VS_OPT_REAL, field, lo, hi, __VA_ARGS__)
#define NEEDED .help = "needed"
#define OTHER .help = NULL
static struct vs_opt table[] = {
	ROW("node_ranks", "N", VS_OPT_INT, ranks, 1, 4096, NEEDED),
	REAL("node_cores", cores, 0.001, 1e6, NEEDED),
	ROW("node_memory", "SIZE", VS_OPT_SIZE, memory, NEEDED),
	REAL("node_copy", copy, 1, HUGE_RATE, NEEDED),
	REAL("node_link", link, 1, HUGE_RATE, NEEDED),
	REAL("node_latency", latency, 0, 1e3, NEEDED),
	REAL("node_files", files, 1, HUGE_RATE, NEEDED),
	REAL("all_files", all_files, 1, HUGE_RATE, NEEDED),
	REAL("file_create", create, 0, 1e3, NEEDED),
	REAL("start", start, 0, 1e5, NEEDED),
	REAL("core_rate", core, TINY, HUGE_RATE, NEEDED),
	REAL("core_rate_triples", core_triples, TINY, HUGE_RATE, NEEDED),
	ROW("core_cache", "SIZE", VS_OPT_SIZE, cache, OTHER),
	ROW("node_gpus", "N", VS_OPT_INT, gpus, 0, 4096, OTHER),
	REAL("gpu_rate", gpu, 0, HUGE_RATE, OTHER),
	REAL("gpu_rate_triples", gpu_triples, 0, HUGE_RATE, OTHER),
	REAL("pruned", pruned, 1, 1e12, OTHER),
	REAL("records", records, 0, 1e12, OTHER),
	{ 0 },
};

int
vs_cluster_read(struct vs_cluster *c, const char *path)
{
	char *input = NULL;
	int code;

	read_into = (struct vs_cluster){ .pruned = 1, .cache = 1 << 20 };
	code = vs_runfile_read(path, table, &input);
	if (!code && input)
		code = vs_fail(VS_EUSAGE,
			"%s: input belongs in a runfile, not in a model: "
			"remove it",
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
	const double core = n_way == 3 ? c->core_triples : c->core,
		     gpu = n_way == 3 ? c->gpu_triples : c->gpu;

	return (c->cores * core + (double)c->gpus * gpu) / (double)c->ranks;
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
