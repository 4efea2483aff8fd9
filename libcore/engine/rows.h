/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Bounds and filters that VSIM_WITHOUT switches off, ABLATION(ID, name): no
 * value and no record depends on any of them. Gains of user time, where they
 * are not in the header of a file: candidates 6 to 50 times, column-bound 13,
 * and triangle-bound 5 to 17 on 200 to 400 samples with gaps, nothing without
 * gaps (triples); cost-model 1.2 to 4 (triples at 0.2 to 0.3, where exhaustive
 * counting is faster); pair-bound 2 and range-bound 1.3 (triples counted
 * exhaustively); row-filter 4 to 8 (r2), threshold-steps 9 to 16 (--top 1000 of
 * triples), row-histogram 7, triple-histogram 8; single-vector 1.4 times the
 * memory of pairs of 1/f data, and time of triples alone, up to 1.2 times.
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
