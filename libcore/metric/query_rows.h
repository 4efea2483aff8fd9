/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Table of a query: the one description of a question. The struct of a run, the
 * attributes of its files, their digests and required features, the comparison
 * of shards and of results, vsim-view -H, the struct that engines get, and what
 * a device leaves to the CPU are all made from these rows.
 *
 * Members of struct vs_run, in the order of the files that state them:
 *
 *   TYPE(name, [room,] files, when, digest, agree, engine, words)
 *
 * TYPE    ROOM, a text of less than room bytes; TEXT, of any length; I32, I64,
 *         F64; LIMIT, a number or none: values beyond it are left out even if
 *         strong enough
 * files   SHARD, MERGED or BOTH: the files that have an attribute of this name
 * when    ALWAYS; IF_ANY: unless it is empty or 0; NEEDED: likewise, and it is
 *         a required feature, so that programs without this row refuse the file
 * digest  the content digest that it is part of: IN, of all files that state
 *         it; LATE, likewise, and of a merged file after all that are IN;
 *         IN_SHARD, of shards alone; OUT, of none; BESIDE, of none, though part
 *         of the question, since earlier programs left it out
 * agree   what has to be equal, and is compared:
 *         ASKED     in all results of one question, whatever the vectors
 *         CHOSEN    in all results of one question about the same vectors
 *         VECTORS   where the vectors are the same
 *         CUT       in all shards of one run
 *         GRID      likewise; it follows from the CUT rows
 *         OWN       nowhere: it concerns one file alone
 *         DERIVED   nowhere: it follows from other rows
 * engine  APART: engines know it by a row below or do not need it; CUDA: struct
 *         vs_query has it too, and every device supports it; CPU: likewise, but
 *         a device leaves a query to the CPU if it is not 0
 * words   what differs, for messages: "the shards differ in their ..."
 *
 * Members of struct vs_query that are made of these, or of the data:
 *
 *   QUERY(declaration, name, stated, engine)
 *
 * stated  the row above that states it, so that files which differ in it are
 *         not merged; SAME_BITS: no result depends on it
 * engine  CUDA or CPU, as above
 *
 * Options of vsim-run that set a member as they are:
 *
 *   OPTION(group, member, "name", "ARGUMENT", kind, least, most, "help")
 *
 * group   of --help: QUESTION or SIGNIFICANCE
 * kind    INT, REAL or LIMIT, enum vs_opt_kind
 */
#ifndef MEMBER
#define MEMBER(...)
#endif
#ifndef QUERY
#define QUERY(...)
#endif
#ifndef OPTION
#define OPTION(...)
#endif
#define ROOM(name, room, ...) MEMBER(ROOM, char name[room], name, __VA_ARGS__)
#define TEXT(name, ...) MEMBER(TEXT, char *name, name, __VA_ARGS__)
#define I32(name, ...) MEMBER(I32, int32_t name, name, __VA_ARGS__)
#define I64(name, ...) MEMBER(I64, int64_t name, name, __VA_ARGS__)
#define F64(name, ...) MEMBER(F64, double name, name, __VA_ARGS__)
#define LIMIT(name, ...) MEMBER(LIMIT, struct vs_limit name, name, __VA_ARGS__)

/* clang-format off */
ROOM(run_uuid, 37, BOTH, ALWAYS, IN_SHARD, OWN, APART, "")
ROOM(metric, 16, BOTH, ALWAYS, IN, ASKED, APART, "metric")
I32(n_way, BOTH, ALWAYS, IN, ASKED, APART, "number of ways")
ROOM(vectors_uuid, 37, BOTH, ALWAYS, IN_SHARD, OWN, APART, "")
ROOM(vectors_content, VS_DIGEST_TEXT, BOTH, ALWAYS, IN_SHARD, VECTORS, APART,
	"vectors file")
/* the file's path at the time, absolute */
TEXT(vectors_path, BOTH, ALWAYS, OUT, OWN, APART, "")
I64(n_vectors, BOTH, ALWAYS, IN, VECTORS, APART, "vectors file")
I64(n_fields, BOTH, ALWAYS, IN, VECTORS, APART, "vectors file")
/* f32 f64 */
ROOM(value_type, 4, BOTH, ALWAYS, IN, ASKED, APART, "type of value")
/* "cpu-lanes512" */
ROOM(compute, 32, BOTH, ALWAYS, IN_SHARD, OWN, APART, "")
F64(ccc_gamma, BOTH, ALWAYS, LATE, ASKED, APART, "gamma or multiplier")
F64(ccc_multiplier, BOTH, ALWAYS, LATE, ASKED, APART, "gamma or multiplier")
/* none skip */
ROOM(missing, 8, BOTH, ALWAYS, IN, CHOSEN, APART,
	"treatment of missing genotypes")
/* gt ge lt le class none */
ROOM(threshold_op, 8, BOTH, ALWAYS, IN, ASKED, APART, "threshold")
/* for classes: half a sum or more is above it */
F64(threshold, BOTH, ALWAYS, IN, ASKED, APART, "threshold")
/* as vs_thresholds_print(); or "" */
ROOM(class_thresholds, VS_THRESHOLDS_ROOM, BOTH, ALWAYS, IN, ASKED, APART,
	"threshold")
/* values of this or more are left out */
LIMIT(below, BOTH, NEEDED, IN, ASKED, CPU, "upper limit of values")
/* 1: values are stronger the farther they are from 0; 0: by the metric */
I64(absolute, BOTH, NEEDED, IN, ASKED, CPU, "use of absolute values")
/* bit c: cell c is kept */
I32(cell_mask, BOTH, ALWAYS, IN, ASKED, CUDA, "choice of cells")
/* other selection of records, so that some that pass the threshold are absent;
 * "": none */
ROOM(selection, 256, BOTH, ALWAYS, IN, ASKED, APART, "selection of records")
/* digest of the lists behind the selection; "": none */
ROOM(kept_list, VS_DIGEST_TEXT, BOTH, IF_ANY, BESIDE, ASKED, APART,
	"list of vectors whose records were kept")
/* fields that a combination must share for any of its values to pass; 0: any */
I64(min_joint, BOTH, NEEDED, IN, ASKED, CUDA, "least number of joint calls")
/* seed of vs_case_control_read(); 0: cases are as given */
I64(case_seed, BOTH, NEEDED, IN, ASKED, APART, "shuffling of cases")
/* number of searches of permuted data; 0: none */
I64(permutations, BOTH, NEEDED, IN, ASKED, APART, "number of permutations")
/* summaries of all values, vs_summary_ask_print(); "": none */
ROOM(summary, VS_SUMMARY_ROOM, BOTH, NEEDED, IN, ASKED, APART, "summary")
/* pairs wanted by chromosome and distance, vs_pair_rules_print(), "": all; and
 * their number */
ROOM(pair_filter, VS_PAIR_RULES_TEXT, BOTH, NEEDED, IN, ASKED, APART,
	"choice of pairs by chromosome and distance")
I64(filtered_pairs, BOTH, IF_ANY, IN, DERIVED, APART, "")
/* the two sets that pairs are between, as vs_sets_text(), "": there are no
 * sets; and their names, or null */
ROOM(between, VS_SETS_TEXT, BOTH, ALWAYS, IN, CHOSEN, APART,
	"choice of two sets of vectors")
TEXT(between_names, BOTH, ALWAYS, OUT, OWN, APART, "")
/* the earlier result that holds the other pairs or triples, as
 * vs_sets_against(); "": there is none */
ROOM(against, VS_SETS_AGAINST, SHARD, NEEDED, IN, CUT, APART, "earlier result")
/* the order of the vectors that the grid's blocks are runs of, vs_sets_order();
 * "": that of their file */
ROOM(order, VS_SETS_ORDER, SHARD, NEEDED, IN, GRID, APART, "order of vectors")
I64(tile, SHARD, ALWAYS, IN, GRID, APART, "size of tile")
I64(n_blocks, SHARD, ALWAYS, IN, GRID, APART, "size of tile")
/* 1: a tile is one block, vs_cube_row_tiles(); or 0 */
I64(row_tiles, SHARD, NEEDED, IN, GRID, APART, "size of tile")
I32(n_phases, SHARD, ALWAYS, IN, OWN, APART, "")
I32(phase_begin, SHARD, ALWAYS, IN, OWN, APART, "")
I32(phase_end, SHARD, ALWAYS, IN, OWN, APART, "")
I32(n_stages, SHARD, ALWAYS, IN, CUT, APART, "number of stages")
I32(stage_begin, SHARD, ALWAYS, IN, OWN, APART, "")
I32(stage_end, SHARD, ALWAYS, IN, OWN, APART, "")
I32(n_proc, SHARD, ALWAYS, IN, OWN, APART, "")
I32(shard, SHARD, ALWAYS, IN, OWN, APART, "")
/* full partial */
ROOM(coverage, 8, MERGED, ALWAYS, LATE, OWN, APART, "")
/* "2/4": the second of four equal parts of all records in order, which is
 * partial; "": not a part */
ROOM(part, 16, MERGED, IF_ANY, LATE, OWN, APART, "")
I32(n_shards, MERGED, ALWAYS, OUT, OWN, APART, "")
/* file: rows of the vectors file and its labels; source: rows and alleles of
 * the first input */
ROOM(index_space, 8, MERGED, ALWAYS, LATE, OWN, APART, "")

QUERY(const struct vs_metric *metric, metric, metric, CUDA)
/* the recipe, for metrics of alleles; else null */
QUERY(const struct vs_alleles *alleles, alleles, ccc_gamma, CUDA)
/* for metrics of tables: which samples are cases, and the logarithms that are
 * summed; else null */
QUERY(const struct vs_classes *classes, classes, case_seed, CUDA)
QUERY(const struct vs_log_tables *logs, logs, case_seed, CUDA)
/* for metrics of a trait, instead of logarithms: class 0 has the samples with
 * the trait, class 1 none; else null */
QUERY(const struct vs_trait *trait, trait, case_seed, CPU)
/* the strength of the threshold, for metrics where lower is stronger */
QUERY(double threshold, threshold, threshold, CUDA)
/* null: one threshold for all; else threshold is the lowest of them */
QUERY(const struct vs_thresholds *thresholds, thresholds, class_thresholds,
	CUDA)
/* the threshold as raised so far, see vs_query_now(); null: it is fixed. Code
 * that knows that no lower value is wanted raises it */
QUERY(double *shared_threshold, shared_threshold, selection, CUDA)
/* with shared_threshold: how many of the strongest records are wanted */
QUERY(uint64_t n_strongest, n_strongest, selection, CUDA)
/* round values to float after the comparison */
QUERY(bool f32, f32, value_type, CUDA)
/* some call in the data is missing: nvalid counts */
QUERY(bool has_missing, has_missing, missing, CUDA)
/* smallest number of present fields in any usable vector */
QUERY(int64_t least_present, least_present, vectors_content, CUDA)
/* summaries of all values; null: none */
QUERY(const struct vs_summary_plan *summary, summary, summary, CPU)
/* all values are wanted, for a summary or a histogram */
QUERY(bool values, values, SAME_BITS, CPU)
/* skip pairs that cannot pass */
QUERY(bool prune, prune, SAME_BITS, CUDA)
/* filters switched off, vs_ablation_read() */
QUERY(uint32_t without, without, SAME_BITS, CUDA)
/* the label whose allele is the common one more often */
QUERY(int lead, lead, SAME_BITS, CUDA)
/* share of fields that differ from the vector's commonest genotype */
QUERY(double listed, listed, SAME_BITS, CUDA)
/* blocks per rank, if there are several, for balance */
QUERY(int rounds, rounds, SAME_BITS, CUDA)
QUERY(size_t n_field, n_field, n_fields, CUDA)
/* what vectors are made of in memory */
QUERY(enum vs_element element, element, vectors_content, CUDA)
/* for inner products: sums are of whole numbers and all exact */
QUERY(bool whole, whole, vectors_content, CUDA)
/* numbers are all 0 or 1 */
QUERY(bool bits, bits, vectors_content, CUDA)
/* best instruction set that kernels may use */
QUERY(enum vs_cpu cpu, cpu, SAME_BITS, CUDA)
/* a kernel within cpu; null: the best */
QUERY(const char *kernel, kernel, SAME_BITS, CUDA)

OPTION(QUESTION, below, "below", "X", LIMIT, 0, 0,
	"keep only values < X; with -t, those in between")
OPTION(SIGNIFICANCE, case_seed, "shuffle-cases", "SEED", INT, 1, 0x1p53,
	"permute case/control labels with this seed")
OPTION(SIGNIFICANCE, permutations, "permutations", "N", INT, 1,
	VS_NULL_MAXIMA_MOST,
	"permute N times, for column p_family of vsim-view")
/* clang-format on */

#undef ROOM
#undef TEXT
#undef I32
#undef I64
#undef F64
#undef LIMIT
#undef MEMBER
#undef QUERY
#undef OPTION
