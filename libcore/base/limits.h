/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Resource limits of this process: memory and cores, from control groups
 * (cgroup v1 and v2, every level from the process's own to the root), Slurm,
 * rlimit and affinity.
 *
 * root  prefix of /proc and of the mount points found there: "" outside tests
 */
#ifndef VS_BASE_LIMITS_H
#define VS_BASE_LIMITS_H

#include <stdint.h>

/*
 * The smallest of: memory available, RLIMIT_AS and RLIMIT_DATA; memory.max,
 * memory.high and memory.limit_in_bytes of each level; SLURM_MEM_PER_NODE,
 * SLURM_MEM_PER_CPU times SLURM_CPUS_ON_NODE, SLURM_MEM_PER_GPU times
 * SLURM_GPUS_ON_NODE. All but the first are shared by the ranks of a machine.
 */
uint64_t vs_limits_memory(const char *root);

/*
 * The smallest of: cpu.max and cpu.cfs_quota_us of each level, rounded up;
 * SLURM_CPUS_ON_NODE. INT_MAX: there is no limit. Shared by the ranks of a
 * machine.
 */
int vs_limits_quota(const char *root);

/*
 * The CPUs that this process may run on: adds 1 to count[c] for each such CPU c
 * below most. returns their number, including those from most on; 1 if unknown
 */
int vs_limits_affinity(uint64_t *count, int most);

/* Refuse a stack limit too small for the programs; threads get a stack of that
 * size by default. 0; VS_EMACHINE */
int vs_limits_stack(void);

/* The smaller of quota and affinity; >= 1. */
int vs_limits_cores(const char *root);

#endif
