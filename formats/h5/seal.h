/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Seal of a file: its first 512 bytes, with kind, size and digests, read and
 * written without HDF5.
 */
#ifndef VS_FORMATS_H5_SEAL_H
#define VS_FORMATS_H5_SEAL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "formats/h5/h5.h"
#include "libcore/base/text.h"

#define VS_SEAL_BYTES 512
#define VS_SEAL_MOST_PAYLOAD (64ull << 30) /* larger files have no digest */

struct vs_seal {
	enum vs_kind kind;
	bool has_payload;
	uint64_t size; /* of the file */
	uint8_t uuid[16], content[16], payload[16];
	struct stat stamp; /* of the file that was checked */
	bool head;         /* VS_H5_HEAD: bytes follow the file */
};

/* True if both stamps belong to one file that has not changed since. */
static inline bool
vs_seal_same_stamp(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino &&
		a->st_size == b->st_size &&
		a->st_mtim.tv_sec == b->st_mtim.tv_sec &&
		a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* "a vectors file" */
const char *vs_seal_kind_name(enum vs_kind kind);

/* Mark a file as being written. returns 0; VS_EMACHINE */
int vs_seal_open(int fd, const char *path, const struct vs_seal *seal);

/*
 * Whether an unfinished file has a checkpoint, as earlier versions wrote
 * them into it.
 */
bool vs_seal_has_checkpoint(const char *path);

/*
 * Digest the payload, then write the seal; the payload must have been flushed.
 * Sets size, payload and has_payload.
 */
int vs_seal_close(int fd, const char *path, struct vs_seal *seal);

/*
 * True if path is another program's file or not a regular one: it has bytes,
 * but none of the marks by which even a damaged file of ours is recognised.
 */
bool vs_seal_is_foreign(const char *path);

/*
 * Check that path is a vsim file of one of these kinds, whole and unchanged.
 * flags    of vs_h5_reader_open(). VS_H5_UNSEALED accepts plain HDF5 files, and
 *          files whose seal does not match, as left by h5repack: *seal is then
 *          zero except for its stamp
 * returns  0; VS_EINPUT with a sentence; VS_EMACHINE
 */
int vs_seal_check(const char *path, unsigned kinds, unsigned flags,
	struct vs_seal *seal);

/*
 * The command that reads a file of another program, for the message about a
 * file without a seal: vs_hint_of(), once a program has set it. Null: no hint.
 */
extern int (
	*vs_seal_hint)(const char *name, struct vs_text *words, bool *known);

#endif
