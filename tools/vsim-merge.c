/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-merge: the shards of a run -> one sorted, indexed, complete
 * NAME.res.h5. */
#include "formats/h5/h5.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"
#include "tools/merge/merge_shards.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/tool.h"

static struct vs_merge_shards job = { .codec = VS_MERGE_SHARDS_CODEC };
static int64_t threads;

static struct vs_opt opts[] = {
	{ 'o', "output", "FILE", VS_OPT_TEXT, &job.out, .group = "Output",
		.common = true, .help = "the merged result to write" },
	VS_OPTS_OUTPUT(&job.force, &job.codec, &job.level, "deflate"),
	{ 0, "partial", NULL, VS_OPT_FLAG, &job.partial,
		.help = "merge an unfinished run; gaps are listed",
		.common = true },
	VS_OPT_PART(&job.part, "write part K of N of the sorted records"),
	{ 0, "unpermute", NULL, VS_OPT_FLAG, &job.unpermute, .common = true,
		.help = "use order and alleles from before vsim-permute" },
	{ 0, "reproducible", NULL, VS_OPT_FLAG, &job.reproducible,
		.help = "equal results are equal files: no date, no host" },
	{ 0, "no-nodes", NULL, VS_OPT_FLAG, &job.no_nodes,
		.help = "omit the names of variants" },
	VS_OPT_VECTORS(&job.vectors, "run"),

	VS_OPT_THREADS(&threads, "all allowed cores", .group = "Resources"),
	VS_OPT_MEMORY(&job.memory, "for sorting [256M]", .common = true),
	{ 0 },
};

static const struct vs_opt_rule rules[] = {
	VS_EXCLUDES("partial", "part", .why = "parts are of a whole run"),
	VS_EXCLUDES("part", "@ranks",
		.why = "ranks share out the records themselves"),
	VS_EXCLUDES("partial", "@ranks",
		.why = "what is unfinished changes: start one process"),
	VS_EXCLUDES("reproducible", "@ranks",
		.why = "they pack chunks by HDF5's codec: start one process"),
	VS_EXCLUDES("partial", "reproducible",
		.why = "what is missing depends on how the run was shared out"),
	VS_NEEDS("", "output", .why = "-o names the result"),
	{ 0 },
};

static struct vs_tool tool = {
	.name = "vsim-merge",
	.purpose = "Merge the shards of a run into one sorted, indexed result; "
		   "gaps and\noverlaps are refused.",
	.synopsis = "-o E.res.h5 [options] RUNDIR|SHARD...",
	.lesson = "examples:\n"
		  "  vsim-merge -o e.res.h5 run\n"
		  "  vsim-merge --unpermute -o e.res.h5 run/*.shard.h5\n",
	.opts = opts,
	.rules = rules,
	.n_least = 1,
	.n_most = -1,
};

#define SERIAL                                                           \
	", or let each do a part of it by --part; ranks write one file " \
	"together if vsim is built with MPI and parallel HDF5"

/* All ranks refuse together, with one message. */
static int
check(void)
{
	const struct vs_opt_fact facts[] = {
		{ "ranks", job.joint, "several ranks" },
		{ 0 },
	};
	int code = job.joint ? vs_comm_check_start() : 0;

	return code ? code : vs_tool_check(facts);
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int code = 0;

	job.joint = vs_h5_is_parallel() && vs_comm_is_copy(tool.name);
	tool.ranks = job.joint;
	tool.remedy = vs_h5_is_parallel() ? NULL : SERIAL;
	if (job.joint)
		code = vs_comm_begin(vs_tool_broken);
	if (vs_comm_rank())
		vs_tool_mute();
	if (!code)
		code = vs_tool_begin(&tool, argc, argv, &args);
	if (!code)
		code = check();
	code = vs_comm_agree(code);
	if (!code) {
		vs_h5_threads(vs_tool_threads(threads));
		job.from = args.operands;
		job.n_from = args.n_operand;
		code = vs_merge_shards_write(&job);
	}
	code = vs_comm_agree(code);
	code = vs_tool_end(code, vs_comm_speaks());
	vs_comm_end();
	return code;
}
