/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 filter 32015 (zstd), as a plugin and for H5Zregister(). */
#ifndef VS_FORMATS_PLUGIN_VSIM_ZSTD_H
#define VS_FORMATS_PLUGIN_VSIM_ZSTD_H

/* The filter's H5Z_class2_t. */
const void *vs_zstd_filter(void);

#endif
