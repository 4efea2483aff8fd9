/* SPDX-License-Identifier: BSD-3-Clause */
/* Options of vsim-pack --synthetic epistasis: the planted set and its model. */
#ifndef VS_TOOLS_PACK_PLANTED_OPTIONS_H
#define VS_TOOLS_PACK_PLANTED_OPTIONS_H

#include "libcore/bits/planted.h"

/* The settings, for vs_planted_begin(). 0; VS_EUSAGE */
int vs_planted_options_read(struct vs_planted *p);

#endif
