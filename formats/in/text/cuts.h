/* SPDX-License-Identifier: BSD-3-Clause */
/* Division of a text file, plain or packed by bgzip, into parts by bytes. */
#ifndef VS_FORMATS_IN_TEXT_CUTS_H
#define VS_FORMATS_IN_TEXT_CUTS_H

#include "formats/in/text/source.h"
#include "formats/vectors/part.h"

/*
 * Set the byte range of a part whose k and n are set: about equal shares of the
 * file after some bytes of text; with bgzip each begins at a block.
 *
 * blocks  the source is packed by bgzip
 * text    bytes of text, unpacked, before the first part
 * first   byte of the source where reading of the first part starts
 * before  bytes of text before that
 * returns 0; VS_EINPUT: invalid blocks; VS_EMACHINE
 */
int vs_cuts_choose(const struct vs_source *s, bool blocks, uint64_t text,
	struct vs_part *part, uint64_t *first, uint64_t *before);

/* Whether the source begins with a block of bgzip. 0; VS_EINPUT; VS_EMACHINE */
int vs_cuts_blocks(const struct vs_source *s, bool *blocks);

#endif
