/* SPDX-License-Identifier: BSD-3-Clause */
/* Genotype inputs; the order is that of vsim-pack --help. */
X(bed)
X(vcf)
X(tsv)
X(tped)
