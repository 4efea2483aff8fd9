/* SPDX-License-Identifier: BSD-3-Clause */
/* Fletcher-32 checksum of an unpacked chunk, as in HDF5. */
#ifndef VS_FORMATS_H5_FLETCHER_H
#define VS_FORMATS_H5_FLETCHER_H

#include <stddef.h>
#include <stdint.h>

#define VS_FLETCHER_BYTES 4 /* after the chunk, least significant first */

uint32_t vs_fletcher_sum(const void *bytes, size_t n);

#endif
