/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-merge: the shards of a run -> one sorted, indexed, complete
 * NAME.res.h5. */
#include "formats/h5/h5.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tools/merge/merge_shards.h"
#include "tools/shared/tool.h"

#define MOST_THREADS 4096

static struct vs_merge_shards job = { .codec = VS_MERGE_SHARDS_CODEC };
static int64_t threads;

static struct vs_opt opts[] = {
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out,
		.help = "the merged file to write" },
	{ 0, "unpermute", NULL, VS_OPT_FLAG, &job.unpermute,
		.help = "indices, order and allele labels of the first input, "
			"before vsim-permute and vsim-pack's labelling" },
	{ 0, "part", "K/N", VS_OPT_TEXT, &job.part,
		.help = "write the K-th of N parts of the records in order, so "
			"that N processes share the work" },
	{ 0, "partial", NULL, VS_OPT_FLAG, &job.partial,
		.help = "merge an unfinished run; the file says what is "
			"missing" },
	{ 0, "reproducible", NULL, VS_OPT_FLAG, &job.reproducible,
		.help = "leave out who computed it, when and how, so that "
			"equal results are equal files, byte by byte" },
	{ 0, "vectors", "FILE", VS_OPT_TEXT, &job.vectors,
		.help = "the vectors file of the run, when it has moved" },
	{ 0, "no-nodes", NULL, VS_OPT_FLAG, &job.no_nodes,
		.help = "leave out the names of vectors" },
	{ 0, "codec", "NAME", VS_OPT_CHOICE, &job.codec,
		.choices = "deflate|zstd|none",
		.help = "packing: deflate (unless given), zstd or none" },
	{ 0, "level", "N", VS_OPT_INT, &job.level, 1, 19,
		.help = "packing effort: 1 (unless given) to 9 of deflate, to "
			"19 of zstd" },
	{ 0, "memory", "SIZE", VS_OPT_SIZE, &job.memory,
		.help = "room for sorting, such as 2G; 256M unless given; "
			"shards that fit it badly are sorted by way of a "
			"file" },
	{ 'j', "threads", "N", VS_OPT_INT, &threads, 1, MOST_THREADS,
		.help = "threads; the cores allowed unless given" },
	{ 'f', "force", NULL, VS_OPT_FLAG, &job.force,
		.help = "replace an output that exists" },
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-merge",
	.purpose = "Merge the shards of a run into one sorted, indexed result; "
		   "gaps and\noverlaps are refused.",
	.synopsis = "-o E.res.h5 [options] RUNDIR|SHARD...",
	.lesson = "examples:\n"
		  "  vsim-merge -o e.res.h5 run\n"
		  "  vsim-merge --unpermute -o e.res.h5 run/*.shard.h5\n",
	.opts = opts,
	.n_least = 1,
	.n_most = -1,
};

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = vs_tool_begin(&tool, argc, argv, &args);

	if (!code && !job.out)
		code = vs_fail(VS_EUSAGE, "no output: -o FILE names it");
	if (!code) {
		vs_h5_threads(threads ? (int)threads : vs_mem_cores_allowed());
		job.from = args.operands;
		job.n_from = args.n_operand;
		code = vs_merge_shards_write(&job);
	}
	return vs_tool_end(code, true);
}
