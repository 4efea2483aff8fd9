/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of recipes, RECIPE(name, purpose, input, example, option of
 * vsim-pack for a text table, columns, what each program always gets, the step
 * that may do all alone, options).
 */
#define PLACES "id1,chrom1,pos1,id2,chrom2,pos2"

RECIPE(ld, "pairs of variants in linkage disequilibrium (r2)", "INPUT",
	"vsim ld x.vcf.gz --maf 0.05 --min-r2 0.5 --window-kb 1000 >pairs.tsv",
	"tsv", PLACES ",value", STEPS(PACK(""), RUN("-m r2"), VIEW("")),
	ALONE(RUN, "--allow-empty -o -"),
	{ "min-r2", "X", VS_STEP_RUN, "-t", LEAST, "0.2",
		"report pairs with r2 of at least X [0.2]", NULL,
		"ld-window-r2,r2,threshold" },
	{ "window-kb", "X", VS_STEP_RUN, "--max-kb", WORD, "1000",
		"compare variants at most X kb apart, or all [1000]", NULL,
		"ld-window-kb,window" })
RECIPE(prune, "variants that LD pruning keeps, as lists", "INPUT",
	"vsim prune x.bed --out x --window 50 --step 5 --r2 0.2", "tsv", NULL,
	STEPS(PACK(""), PRUNE("")), ALONE(PRUNE, ""),
	{ "out", "PREFIX", VS_STEP_PRUNE, "--prune", WORD, "vsim",
		"write PREFIX.prune.in and PREFIX.prune.out [vsim]", NULL,
		NULL },
	{ "window", "N|Xkb", VS_STEP_PRUNE, "--window", WORD, "50",
		"window of N variants, or of X kb [50]", NULL,
		"indep-pairwise,indep,indep-pairphase" },
	{ "step", "N", VS_STEP_PRUNE, "--step", WORD, NULL,
		"variants from one window to the next [1]", NULL,
		"indep-pairwise" },
	{ "r2", "X", VS_STEP_PRUNE, "--above", ABOVE, "0.2",
		"keep no two variants of a window with r2 above X [0.2]", NULL,
		"indep-pairwise" })
RECIPE(epistasis, "variants that interact in a case-control study", "INPUT",
	"vsim epistasis x.bed --maf 0.05 --permutations 99 >hits.tsv", "tsv",
	PLACES, STEPS(PACK(""), RUN("-m inter"), VIEW("--sort value")),
	NOT_ALONE,
	{ "triples", NULL, VS_STEP_RUN, "-w 3", WORD, NULL,
		"compare three variants at a time", "id3,chrom3,pos3", NULL },
	{ "top", "N", VS_STEP_RUN, "--top", WORD, "100",
		"report the N strongest [100]", "value,inter_p", NULL },
	{ "min-kb", "X", VS_STEP_RUN, "--min-kb", WORD, NULL,
		"skip pairs closer than X kb, often one locus", NULL, "gap" },
	{ "permutations", "N", VS_STEP_RUN, "--permutations", WORD, NULL,
		"p-values from N permutations of the case status",
		"p_permuted,p_family", NULL })
RECIPE(correlate, "rows of a table that correlate", "TABLE",
	"vsim correlate table.tsv --min 0.8 --spearman >edges.tsv", "matrix",
	"id1,id2,value", STEPS(PACK(""), RUN("-m r"), VIEW("--sort value")),
	NOT_ALONE,
	{ "metric", "NAME", VS_STEP_RUN, "-m", WORD, NULL,
		"r (Pearson), cosine, ps (1 - Bray-Curtis) ... [r]", NULL,
		"method,pearson,bray,cosine,euclid" },
	{ "min", "X", VS_STEP_RUN, "-t", LEAST, "0.8",
		"report pairs with a value of at least X [0.8]", NULL, NULL },
	{ "spearman", NULL, VS_STEP_RUN, "-m spearman", WORD, NULL,
		"correlate ranks (Spearman)", NULL, NULL })
#undef PLACES
