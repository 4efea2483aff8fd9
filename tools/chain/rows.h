/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * List of recipes, RECIPE(name, purpose, input, example, option of
 * vsim-pack for a text table, columns, what each program always gets, the step
 * that may do all alone, names elsewhere, options).
 */
#define PLACES "id1,chrom1,pos1,id2,chrom2,pos2"

RECIPE(ld, "pairs of variants in linkage disequilibrium (r2)", "INPUT",
	"vsim ld x.vcf.gz --maf 0.05 --min-r2 0.5 --window-kb 1000 >pairs.tsv",
	"tsv", PLACES ",value", STEPS(PACK(""), RUN("--allow-empty"), VIEW("")),
	ALONE(RUN, "-o -"),
	"ld-window-r2=--min-r2 X|r2=--min-r2 X|threshold=--min-r2 X|"
	"ld-window-kb=--window-kb X|window=--window-kb X|"
	"ld-window-cm=--max-cm X|cm-map=--map FILE|"
	"dprime=--metric dprime|r2-phased=--metric r2em",
	{ "metric", "NAME", VS_STEP_RUN, "-m", WORD, "r2",
		"r2; or of haplotypes: dprime (|D'|), r2em (r2) [r2]", NULL },
	{ "min-r2", "X", VS_STEP_RUN, "-t", LEAST, "0.2",
		"report pairs with r2, or the metric, of at least X [0.2]",
		NULL },
	{ "window-kb", "X", VS_STEP_RUN, "--max-kb", OR_ALL, "1000",
		"compare variants at most X kb apart, or all [1000]", NULL })
RECIPE(prune, "variants that LD pruning keeps, as lists", "INPUT",
	"vsim prune x.bed --out x --window 50 --step 5 --r2 0.2", "tsv", NULL,
	STEPS(PACK(""), PRUNE("")), ALONE(PRUNE, ""),
	"indep-pairwise=--window N --step N --r2 X|"
	"indep=--window N|indep-pairphase=--window N",
	{ "out", "PREFIX", VS_STEP_PRUNE, "--prune", WORD, "vsim",
		"write PREFIX.prune.in and PREFIX.prune.out [vsim]", NULL },
	{ "window", "N|Xkb", VS_STEP_PRUNE, "--window", WORD, "50",
		"window of N variants, or of X kb [50]", NULL },
	{ "step", "N", VS_STEP_PRUNE, "--step", WORD, NULL,
		"variants from one window to the next [1]", NULL },
	{ "r2", "X", VS_STEP_PRUNE, "--above", ABOVE, "0.2",
		"keep no two variants of a window with r2 above X [0.2]",
		NULL })
RECIPE(epistasis, "variants that interact in a case-control study", "INPUT",
	"vsim epistasis x.bed --maf 0.05 --permutations 99 >hits.tsv", "tsv",
	PLACES,
	STEPS(PACK(""), RUN("-m inter --allow-empty"), VIEW("--sort value")),
	NOT_ALONE,
	"gap=--min-kb X|mperm=--permutations N|perm=--permutations N|"
	"epi1=--top N|fast-epistasis=-m inter, which is the default|"
	"boost=-m inter, which is the default",
	{ "triples", NULL, VS_STEP_RUN, "-w 3", WORD, NULL,
		"compare three variants at a time", "id3,chrom3,pos3" },
	{ "top", "N", VS_STEP_RUN, "--top", WORD, "100",
		"report the N strongest [100]", "value,inter_p" },
	{ "min-kb", "X", VS_STEP_RUN, "--min-kb", WORD, NULL,
		"skip pairs closer than X kb, often one locus", NULL },
	{ "permutations", "N", VS_STEP_RUN, "--permutations", WORD, NULL,
		"p-values from N permutations of the case status",
		"p_permuted,p_family" },
	{ "covar", "FILE", VS_STEP_VIEW, "--covar", WORD, NULL,
		"effects with covariates: a table, FID IID and columns",
		"effect,effect_se,effect_p,effect_or,effect_n" })
RECIPE(correlate, "rows of a table that correlate", "TABLE",
	"vsim correlate table.tsv --min 0.8 --spearman >edges.tsv", "matrix",
	"id1,id2,value",
	STEPS(PACK(""), RUN("--allow-empty"), VIEW("--sort value")), NOT_ALONE,
	"method=--metric NAME|pearson=--metric r|bray=--metric ps|"
	"cosine=--metric cosine|euclid=--metric euclid",
	{ "metric", "NAME", VS_STEP_RUN, "-m", WORD, "r",
		"r (Pearson), cosine, ps (1 - Bray-Curtis) ... [r]", NULL },
	{ "min", "X", VS_STEP_RUN, "-t", LEAST, "0.8",
		"report pairs with a value of at least X [0.8]", NULL },
	{ "spearman", NULL, VS_STEP_RUN, "-m spearman", WORD, NULL,
		"correlate ranks (Spearman)", NULL })
#undef PLACES
