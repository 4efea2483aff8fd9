/* SPDX-License-Identifier: BSD-3-Clause */
/* Provenance of a file: tools, commands and sources, groups /provenance and
 * /sources. */
#ifndef VS_FORMATS_H5_PROVENANCE_H
#define VS_FORMATS_H5_PROVENANCE_H

#include "formats/h5/h5.h"
#include "libcore/base/text.h"

/* One step per tool, oldest first. All pools and arrays have n rows. */
struct vs_provenance {
	size_t n;
	struct vs_text_pool tool, version, command, started, finished;
	struct vs_text_pool input_content, output_uuid, host;
	/* original inputs (VCF, .bed, text): n_source rows */
	size_t n_source;
	struct vs_text_pool source_name, source_xxh128, source_probe;
	int64_t *source_size; /* -1 for a stream */
	size_t room_source;
};

/*
 * One step to append; null texts are written empty, but for the last step:
 * finished is filled in with the time of writing, output_uuid with the uuid of
 * the file written.
 */
struct vs_step {
	const char *tool, *version, *command, *started, *finished;
	const char *input_content, *output_uuid, *host;
};

int vs_provenance_add(struct vs_provenance *p, const struct vs_step *step);
int vs_provenance_source(struct vs_provenance *p, const char *name,
	int64_t size, const char *xxh128, const char *probe);

/* Append the steps and sources that a file states. */
int vs_provenance_read(struct vs_provenance *p, struct vs_h5_reader *r);

/* Return text k of step s and set its name; null if a step has no text k. */
const char *vs_provenance_text(const struct vs_provenance *p, size_t s,
	size_t k, const char **name, size_t *len);

/* Leave out the first step of a tool and all behind it. */
void vs_provenance_cut(struct vs_provenance *p, const char *tool);
int vs_provenance_write(const struct vs_provenance *p, struct vs_h5_writer *w,
	struct vs_codec codec);
void vs_provenance_free(struct vs_provenance *p);

#endif
