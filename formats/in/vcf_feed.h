/* SPDX-License-Identifier: BSD-3-Clause */
/* Pipe that feeds htslib by a thread with the bytes of a VCF or BCF. */
#ifndef VS_FORMATS_IN_VCF_FEED_H
#define VS_FORMATS_IN_VCF_FEED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/in/source.h"

#ifdef VS_FUZZ
#define VS_VCF_FEED_BLOCK (1 << 9) /* small inputs have many blocks */
#else
#define VS_VCF_FEED_BLOCK (1 << 18)
#endif
/* bytes of the empty block that ends a BGZF file */
#define VS_VCF_FEED_END 28

struct vs_vcf_feed {
	struct vs_source source;
	int fd; /* the end that is written to */
	pthread_t thread;
	bool running;
	int code;
	uint8_t *block;
	size_t n_block;
	uint8_t last[VS_VCF_FEED_END]; /* bytes of the file so far */
	bool bgzf, plain;
	uint64_t open; /* bytes of the header so far, then of the last line */
	bool headed;   /* of plain text, the header is over */
};

/*
 * Open a file, or "-", and begin; f is all zero but for source.fd, which is -1.
 * fd_read  the end to read from, the caller's to close
 * returns  0; VS_EINPUT: empty, or no VCF or BCF; VS_EMACHINE
 */
int vs_vcf_feed_start(struct vs_vcf_feed *f, const char *name, int *fd_read);

/* Wait for the thread; the end to read from is closed by now. */
void vs_vcf_feed_stop(struct vs_vcf_feed *f);

/* After that: whether all was read, and the file was whole. 0; f->code;
 * VS_EINPUT */
int vs_vcf_feed_check_end(const struct vs_vcf_feed *f);

/* VS_EINPUT: a header or a line has more than VS_LINES_MOST bytes. */
int vs_vcf_feed_fail_long(const char *name);

#endif
