/* SPDX-License-Identifier: BSD-3-Clause */
/* Reading of HDF5 files that other programs wrote. */
#ifndef VS_FORMATS_H5_H5_FOREIGN_H
#define VS_FORMATS_H5_H5_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

#include "formats/h5/h5.h"
#include "libcore/base/text.h"

/* An attribute or a one-dimensional data set that a file must have. */
struct vs_h5_want {
	const char *object;
	const char *attr; /* of the object; null: the object is a data set */
	/* VS_I64, of any integers; VS_F64, of any numbers that it holds
	 * exactly; VS_STR, of texts of fixed or variable length */
	enum vs_type type;
	uint64_t n;               /* out */
	void *values;             /* out, of numbers: int64_t or double */
	struct vs_text_pool text; /* out, of texts */
};

/*
 * Read n things whole, in their order; a child process reads them first. Memory
 * is in proportion to the file. Free them by vs_h5_foreign_free() after a
 * failure, too.
 *
 * remedy   end of the message about a file that lacks one, or has another type
 * returns  0; VS_EINPUT naming file, place and remedy; VS_EMACHINE
 */
int vs_h5_foreign_read(const char *path, struct vs_h5_want *want, size_t n,
	const char *remedy);
void vs_h5_foreign_free(struct vs_h5_want *want, size_t n);

#endif
