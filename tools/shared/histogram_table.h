/* SPDX-License-Identifier: BSD-3-Clause */
/* Table of a histogram of values. */
#ifndef VS_TOOLS_SHARED_HISTOGRAM_TABLE_H
#define VS_TOOLS_SHARED_HISTOGRAM_TABLE_H

#include "libcore/base/text.h"
#include "libcore/engine/histogram/value_histogram.h"

/* Append the table. 0; VS_EMACHINE */
int vs_histogram_table(struct vs_text *t, const struct vs_value_histogram *b);

/* "LLH" and so on: L for label 0, H for label 1. */
void vs_histogram_table_class(int n_class, int class, char name[4]);

#endif
