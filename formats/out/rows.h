/* SPDX-License-Identifier: BSD-3-Clause */
/* Text formats, WRITER(file name), in the order of vsim-view --help. */
WRITER(tsv)
WRITER(csv)
WRITER(abc)
WRITER(graphml)
WRITER(ld)
WRITER(bedpe)
WRITER(json)
WRITER(matrix)
WRITER(npy)
WRITER(dist)
WRITER(knn)
WRITER(sets)
