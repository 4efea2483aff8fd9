/* SPDX-License-Identifier: BSD-3-Clause */
/* The one array of a NumPy archive, .npz: a zip file, stored or deflated. */
#ifndef VS_FORMATS_IN_NUMBERS_NPZ_H
#define VS_FORMATS_IN_NUMBERS_NPZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/in/text/lines.h"

/* True for the first bytes of a zip file. */
bool vs_npz_is(const char *bytes, size_t n);

/*
 * Unpack the .npy file in it, n bytes; free with free(). The checksum is
 * checked.
 * returns  0; VS_EINPUT: damaged, or it does not hold one array of below 2 GiB;
 *          VS_EMACHINE
 */
int vs_npz_read(struct vs_lines *l, uint8_t **bytes, size_t *n);

#endif
