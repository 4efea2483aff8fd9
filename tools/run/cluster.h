/* SPDX-License-Identifier: BSD-3-Clause */
/* Model of a cluster: rates of nodes, links and file system, from a YAML file,
 * vsim-scale(7). */
#ifndef VS_TOOLS_RUN_CLUSTER_H
#define VS_TOOLS_RUN_CLUSTER_H

#include <stdint.h>

/* Bandwidths are in bytes per second, rates in comparisons per second. */
struct vs_cluster {
	/* of a node */
	int64_t ranks, gpus;
	double cores;
	uint64_t memory;
	double copy;          /* between its ranks, in total */
	double link, latency; /* to other nodes, each way; in seconds */
	double files;         /* of the file system */
	/* of all nodes */
	double all_files, create, start; /* seconds per file, and to start */
	uint64_t cache;                  /* a core's L2, bytes */
	/* of a core or a GPU, for pairs and for triples */
	double core, core_triples, gpu, gpu_triples;
	/* about the data: combinations per fully counted one, records per
	 * vector, if they are not estimated */
	double pruned, records;
};

/* returns 0; VS_EINPUT; VS_EUSAGE: a name is unknown, or one is missing */
int vs_cluster_read(struct vs_cluster *c, const char *path);

/* Comparisons per second of a rank, for pairs (2) or triples (3). */
double vs_cluster_rate(const struct vs_cluster *c, int n_way);

/* Threads of a rank, at least one. */
int vs_cluster_threads(const struct vs_cluster *c);

/* Bytes per second that each of n_rank ranks reads or writes if all do. */
double vs_cluster_files(const struct vs_cluster *c, int n_rank);

/* Ranks of the fullest node, and number of nodes, for n_rank ranks. */
int vs_cluster_ranks(const struct vs_cluster *c, int n_rank);
int vs_cluster_nodes(const struct vs_cluster *c, int n_rank);

#endif
