/* SPDX-License-Identifier: BSD-3-Clause */
/* Kind of an input, found by its content: which option reads it. */
#ifndef VS_FORMATS_IN_RECOGNIZE_H
#define VS_FORMATS_IN_RECOGNIZE_H

#include <stdbool.h>

/*
 * Recognize a file by its first bytes, unpacked, and a PREFIX by the files
 * there are: VCF, BCF, .bed, .pgen, .tped and .ped of PLINK, EIGENSTRAT, .npy,
 * Matrix Market, vectors files. A pipe, such as standard input, is a VCF.
 * option   out: the option of vsim-pack that reads it; null: a vectors file;
 *          "": any other text, which may be a table
 * returns  0; VS_EINPUT: no such file, or none that can be read
 */
int vs_recognize(const char *name, const char **option);

/* True for - and for pipes, whose first bytes can be read only once. */
bool vs_recognize_pipe(const char *name);

#endif
