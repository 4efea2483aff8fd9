/* SPDX-License-Identifier: BSD-3-Clause */
/* YAML scalar of any text: quoted, escaped, or binary. */
#ifndef VS_BASE_YAML_SCALAR_H
#define VS_BASE_YAML_SCALAR_H

#include "libcore/base/text.h"

/* The tag, in full, of a scalar in base64. */
#define VS_YAML_SCALAR_BINARY "tag:yaml.org,2002:binary"

/*
 * Append text as one scalar on one line, which a YAML 1.1 reader turns back
 * into the same bytes: in single quotes; in double quotes with escapes if YAML
 * cannot print some character; or as !!binary if the bytes are not UTF-8. Null
 * is the empty text.
 */
int vs_yaml_scalar_put(struct vs_text *to, const char *text);

/*
 * Decode base64 (RFC 4648, white space allowed anywhere) in place and add a
 * NUL. returns the number of bytes; -1: not base64
 */
long vs_yaml_scalar_decode(char *text);

#endif
