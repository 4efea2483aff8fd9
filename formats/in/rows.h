/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Inputs, each by its file's name: READER(genotypes), in the order of vsim-pack
 * --help, and MATRIX(numbers), of which the last takes any text.
 */
READER(bed)
READER(pgen)
READER(vcf)
READER(tsv)
READER(tped)
READER(ped)
READER(eigenstrat)
MATRIX(npy)
MATRIX(market)
MATRIX(vcf)
MATRIX(table)
