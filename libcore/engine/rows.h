/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds and filters that VSIM_WITHOUT switches off, and the joining of sealed
 * shards while a rank runs, ABLATION(ID, name): no value and no record depends
 * on any of them. Gains in user time that no file's header states. Triples:
 * candidates 6 to 50 times, cost-model 1.2 to 4 if exhaustive counting is
 * faster, triangle-bound 3 to 8 with missing calls, threshold-steps 6 to 16 for
 * --top 1000, 1.3 to 2 for interaction. Triples counted exhaustively:
 * column-bound 12, with missing calls 42, pair-bound 1.6, for PS 6, range-bound
 * 1.6. Row-filter 4 to 13 (r2), row-histogram 7 to 10, triple-histogram 8 to
 * 10; single-vector saves memory: 22 MiB instead of 56 for CCC on 1/f data of
 * 60,000 vectors.
 */
ABLATION(SINGLE_VECTOR, "single-vector")
ABLATION(BLOCK_BOUND, "block-bound")
ABLATION(REPRESENTATIVES, "representatives")
ABLATION(PREFIX, "prefix")
ABLATION(BATCH_FILTER, "batch-filter")
ABLATION(ROW_FILTER, "row-filter")
ABLATION(BYTE_BOUND, "byte-bound")
ABLATION(BYTE_EDGES, "byte-edges")
ABLATION(CANDIDATES, "candidates")
ABLATION(COST_MODEL, "cost-model")
ABLATION(TRIANGLE_BOUND, "triangle-bound")
ABLATION(PAIR_BOUND, "pair-bound")
ABLATION(RANGE_BOUND, "range-bound")
ABLATION(COLUMN_BOUND, "column-bound")
ABLATION(THRESHOLD_STEPS, "threshold-steps")
ABLATION(ROW_HISTOGRAM, "row-histogram")
ABLATION(TRIPLE_HISTOGRAM, "triple-histogram")
ABLATION(ORDER, "order")
