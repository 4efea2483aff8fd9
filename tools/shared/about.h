/* SPDX-License-Identifier: BSD-3-Clause */
/* Metadata of a file as lines "#key: value". */
#ifndef VS_TOOLS_SHARED_ABOUT_H
#define VS_TOOLS_SHARED_ABOUT_H

#include "formats/out/out.h"
#include "formats/results/result.h"
#include "formats/vectors/packed.h"

int vs_about_packed(struct vs_packed *p, struct vs_out *out);
int vs_about_result(struct vs_result *r, struct vs_out *out);

#endif
