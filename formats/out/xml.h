/* SPDX-License-Identifier: BSD-3-Clause */
/* Text of XML 1.0 elements and attributes, escaped. */
#ifndef VS_FORMATS_OUT_XML_H
#define VS_FORMATS_OUT_XML_H

#include "formats/out/out.h"

/* Put len bytes of text; what XML cannot represent, such as bytes that are not
 * UTF-8, becomes '_'. */
void vs_xml_text(struct vs_out *o, const char *text, size_t len);

#endif
