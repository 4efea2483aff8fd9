/* SPDX-License-Identifier: BSD-3-Clause */
/* Table and choice of devices: options --backend and --device. */
#include <stdio.h>
#include <string.h>

#include "cuda/card_query.h"
#include "cuda/plugin.h"
#include "libcore/base/fail.h"
#include "libcore/bits/affinity.h"
#include "libcore/engine/sched/thread_pool.h"
#include "libcore/kern/minima/minima.h"
#include "tools/run/devices.h"
#include "tools/shared/tool.h"

#define WORTH 0.05   /* least share of the rate for which the CPU helps */
#define SECONDS 0.5  /* of the CPU: shorter runs end before a device is open */
#define EXCLUDED 20  /* times that if bounds may exclude most of it */
#define WHY_ROOM 512 /* bytes of the reason for not having a device */

/* Check the text of the options. */
typedef int check_fn(const struct vs_devices_want *want);

/* True if the device has code for pairs, or triples, by the metric. */
typedef bool has_fn(const struct vs_query *q, bool triples);

/* backend null: there is none, for the reason in why. */
typedef int open_fn(const struct vs_devices_want *want,
	const struct vs_backend **backend, char *why);

static struct vs_plugin_want
want_cuda(const struct vs_devices_want *want)
{
	return (struct vs_plugin_want){ .engine = want->engine,
		.devices = want->list,
		.memory = want->memory };
}

static int
check_cuda(const struct vs_devices_want *want)
{
	const struct vs_plugin_want w = want_cuda(want);

	return vs_plugin_check(&w);
}

static int
open_cuda(const struct vs_devices_want *want, const struct vs_backend **backend,
	char *why)
{
	struct vs_plugin_want w = want_cuda(want);

	vs_affinity_local(&w.local_rank, &w.n_local);
	return vs_plugin_open(&w, backend, why, WHY_ROOM);
}

static bool
has_cuda(const struct vs_query *q, bool triples)
{
	return triples ? vs_card_has_triples(q) : vs_card_has(q);
}

static const struct {
	const char *name;
	check_fn *check;
	has_fn *has;
	open_fn *open;
} devices[] = {
#define X(name) { #name, check_##name, has_##name, open_##name },
#include "tools/run/rows.h"
#undef X
};
#define N_DEVICE (sizeof(devices) / sizeof(devices[0]))

const char vs_devices_choices[] = "auto|cpu"
#define X(name) "|" #name "|" #name "+cpu"
#include "tools/run/rows.h"
#undef X
	;

/* True if a backend may be row k: auto any, "cuda+cpu" cuda, cpu none. */
static bool
may_be(const char *backend, size_t k)
{
	const size_t len = strcspn(backend, "+");

	return !strcmp(backend, "auto") ||
		(strlen(devices[k].name) == len &&
			!strncmp(devices[k].name, backend, len));
}

int
vs_devices_check(const struct vs_devices_want *want)
{
	int code = 0;

	for (size_t k = 0; k < N_DEVICE && !code; k++)
		if (may_be(want->backend, k))
			code = devices[k].check(want);
	return code;
}

/* Open the first device that supports the metric; none: why. */
static int
open_first(const struct vs_devices_want *want, struct vs_job *job, char *why)
{
	int code = 0;

	for (size_t k = 0; k < N_DEVICE && !code && !job->device; k++)
		if (may_be(want->backend, k) &&
			devices[k].has(job->query, want->triples))
			code = devices[k].open(want, &job->device, why);
	return code;
}

/* The CPU's share of the combined rate; it counts a triple as two pairs. */
static double
share_of_cpu(const struct vs_job *job, bool triples)
{
	const struct vs_query *q = job->query;
	const double rate = job->backend->rate(q) * job->n_thread;

	return rate /
		(rate +
			(triples ? 2 * job->device->rate_triples(q)
				 : job->device->rate(q)));
}

/* Comparisons by which the CPU is done before a device is open. Triples of
 * alleles may be left to it when the device is. */
static double
too_few(const struct vs_devices_want *want, const struct vs_job *job)
{
	const struct vs_query *q = job->query;
	const bool some = want->triples && q->alleles && vs_query_prunes(q);

	return SECONDS * (some ? EXCLUDED : 1) * vs_thread_pool_rate(job);
}

void
vs_devices_drop(struct vs_job *job)
{
	/* it exists but cannot be opened: auto continues without it */
	vs_tool_say("%s: the CPU computes", vs_fail_text());
	vs_fail_clear();
	job->device = NULL;
	job->alone = job->dispensable = false;
}

/* The best device available, or none. */
static int
choose_any(const struct vs_devices_want *want, struct vs_job *job)
{
	char why[WHY_ROOM] = "";
	int code;

	if (want->comparisons < too_few(want, job)) {
		vs_tool_say("no device: the CPU finishes before one is opened");
		return 0;
	}
	code = open_first(want, job, why);
	if (code == VS_EUSAGE)
		return code;
	if (code) {
		vs_devices_drop(job);
		return 0;
	}
	if (job->device)
		vs_tool_say("device: %s", why);
	else
		vs_tool_say("%s: the CPU computes", why);
	job->dispensable = job->device != NULL;
	job->alone = job->device && share_of_cpu(job, want->triples) < WORTH;
	return 0;
}

/* Check that the device named, or one that auto may choose, supports the
 * metric. */
static bool
on_device(const struct vs_devices_want *want, const struct vs_query *q)
{
	bool has = !strcmp(want->backend, "cpu");

	for (size_t k = 0; k < N_DEVICE && !has; k++)
		has = may_be(want->backend, k) &&
			devices[k].has(q, want->triples);
	return has;
}

/* The backend of the CPU, if it supports the metric; else null. */
static const struct vs_backend *
cpu_of(const struct vs_query *q)
{
	return vs_query_family(q) == VS_FAMILY_NONE ? NULL : &vs_backend_cpu;
}

static int
cpu_alone(const struct vs_devices_want *want, const struct vs_query *q)
{
	const char *member = vs_query_beyond_devices(q);
	const char *what = member ? member
		: want->triples   ? "triples of this metric"
				  : "this metric";

	if (!strcmp(want->backend, "auto"))
		vs_tool_say("no device supports %s yet: the CPU computes",
			what);
	else if (strcmp(want->backend, "cpu"))
		return vs_fail(VS_EUSAGE,
			"--backend %s: no device supports %s yet, but the "
			"CPU does: omit it",
			want->backend, what);
	return 0;
}

bool
vs_devices_have_kernel(const struct vs_query *q)
{
	if (!vs_element_is_number(q->element))
		return vs_registry_dense_pick(q->cpu, q->kernel) != NULL;
	return vs_query_family(q) == VS_FAMILY_INNER
		? vs_registry_inner_pick(q->cpu, q->element, q->bits,
			  q->kernel) != NULL
		: vs_registry_minima_pick(q->cpu, q->element, q->bits,
			  q->kernel) != NULL;
}

int
vs_devices_choose(const struct vs_devices_want *want, struct vs_job *job)
{
	char why[WHY_ROOM] = "";
	int code;

	job->backend = cpu_of(job->query);
	job->device = NULL;
	job->alone = job->dispensable = false;
	if (!job->backend)
		return vs_fail(VS_EUSAGE,
			"--metric: no backend supports this metric for these "
			"vectors");
	if (!on_device(want, job->query))
		return cpu_alone(want, job->query);
	if (!strcmp(want->backend, "auto"))
		return choose_any(want, job);
	if (!strcmp(want->backend, "cpu"))
		return 0;
	code = open_first(want, job, why);
	if (!code && !job->device)
		code = vs_fail(VS_EMACHINE, "--backend %s: %s", want->backend,
			why);
	if (!code && *why)
		vs_tool_say("device: %s", why);
	job->alone = !strchr(want->backend, '+');
	return code;
}

void
vs_devices_describe(const struct vs_job *job, char *text, size_t room)
{
	size_t most = (size_t)job->plan->tile;
	char cpu[32], device[32];

	job->backend->describe(job->query, most, cpu, sizeof(cpu));
	if (job->device)
		job->device->describe(job->query, most, device, sizeof(device));
	if (!job->device)
		snprintf(text, room, "%s", cpu);
	else if (job->alone)
		snprintf(text, room, "%s", device);
	else
		snprintf(text, room, "%s+%s", device, cpu);
}
