/* SPDX-License-Identifier: BSD-3-Clause */
/* Report of a result: a page of HTML that needs no other file. */
#ifndef VS_TOOLS_PLOT_HTML_REPORT_H
#define VS_TOOLS_PLOT_HTML_REPORT_H

#include "tools/plot/plot.h"

/*
 * Write the plots of a result, its strongest records, all that is known of the
 * file and how it was made.
 * returns  0; VS_EINPUT; VS_EMACHINE
 */
int vs_html_report_write(const struct vs_plot *p, struct vs_out *out);

#endif
