/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs, by their files' names: READER(genotypes), in the order of vsim-pack
 * --help, and MATRIX(numbers), the last of which accepts any text.
 */
READER(bed)
READER(pgen)
READER(vcf)
READER(bgen)
READER(tsv)
READER(tped)
READER(ped)
READER(eigenstrat)
MATRIX(npy)
MATRIX(market)
MATRIX(biom)
MATRIX(table)
