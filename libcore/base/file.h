/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files that appear whole or not at all: written under a temporary name
 * beside the target, flushed to the disk, then renamed.
 */
#ifndef VS_BASE_FILE_H
#define VS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vs_file {
	char *path;     /* the name it will have */
	char *temp;     /* the name it has while being written */
	int fd;         /* read and write; -1 when closed */
	bool force;     /* what has the name then may be replaced */
	size_t parents; /* of vs_file_parents() */
};

/*
 * Make the directories above path that are missing.
 *
 * made     length of the first that was made, 0: none was
 * returns  0; VS_EMACHINE
 */
int vs_file_parents(const char *path, size_t *made);

/* Remove those that were made, from the deepest, as far as they are empty. */
void vs_file_parents_drop(const char *path, size_t made);

/*
 * Make a directory, and those above it that are missing.
 *
 * shown    its name in the sentence on why it cannot be made
 * made     false: something of that name is there already
 * parents  of vs_file_parents(); for its caller to drop, also after a failure
 * returns  0; VS_EMACHINE
 */
int vs_file_make_dir(const char *dir, const char *shown, bool *made,
	size_t *parents);

/* An output's name: VS_EUSAGE where it is empty or "-", no stream. */
int vs_file_name_check(const char *path);

/*
 * The file behind fd is read from: from now on no output of this process may
 * take its place, whatever the name. path is for the message.
 */
int vs_file_note_input(int fd, const char *path);

/*
 * Create path's temporary, path.tmp-XXXXXXXX from eight digits of tag, and
 * the directories above it that are missing.
 * Refuses what exists at path unless force, and always anything at path that
 * is no regular file, or was read from. Says which directory cannot be written.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_create(struct vs_file *f, const char *path, uint32_t tag,
	bool force);

/*
 * fsync, close, rename to path, fsync of the directory. Without force what came
 * to be at path meanwhile stays.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_commit(struct vs_file *f);

/* Close and remove the temporary, if any; safe on all-zero and after commit. */
void vs_file_abandon(struct vs_file *f);

/* A whole small file in one call; what exists at path is replaced. */
int vs_file_write(const char *path, const void *bytes, size_t n);

/* fsync of the directory that holds path. */
int vs_file_sync_dir(const char *path);

/* Remove each unfinished temporary; may be called from a signal handler. */
void vs_file_unlink_all(void);

/* Write or read exactly n bytes at offset. path is for the message. */
int vs_file_put(int fd, const char *path, const void *bytes, size_t n,
	uint64_t offset);
int vs_file_get(int fd, const char *path, void *bytes, size_t n,
	uint64_t offset);

#endif
