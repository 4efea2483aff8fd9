/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Atomic file output: written under a temporary name next to the target,
 * flushed to disk, then renamed.
 */
#ifndef VS_BASE_FILE_H
#define VS_BASE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct vs_file {
	char *path;     /* final name */
	char *temp;     /* temporary name while it is being written */
	int fd;         /* open for reading and writing; -1 when closed */
	bool force;     /* an existing file of the final name is replaced */
	size_t parents; /* made by vs_file_parents(), bytes of path */
};

/*
 * Make the directories above path that are missing.
 *
 * made     length of the first that was made, 0: none was
 * returns  0; VS_EMACHINE
 */
int vs_file_parents(const char *path, size_t *made);

/*
 * Remove the directories that were made, deepest first, as long as they are
 * empty.
 */
void vs_file_parents_drop(const char *path, size_t made);

/*
 * Make a directory and its missing parents.
 * shown    name of the directory in the error message
 * made     false: something of that name exists already
 * parents  of vs_file_parents(); for its caller to drop, also after a failure
 * returns  0; VS_EMACHINE
 */
int vs_file_make_dir(const char *dir, const char *shown, bool *made,
	size_t *parents);

/* Check an output's name: VS_EUSAGE if it is empty or "-", not a file. */
int vs_file_name_check(const char *path);

/*
 * Register fd as an input: from now on no output of this process may replace
 * the file, whatever its name. path is for the message.
 */
int vs_file_note_input(int fd, const char *path);

/* Kinds of what a name, or a symbolic link of that name, leads to. */
enum vs_file_kind {
	VS_FILE_NONE,
	VS_FILE_REGULAR,
	VS_FILE_DIR,
	VS_FILE_OTHER,
};

/*
 * returns  0; VS_EINPUT or VS_EMACHINE: that cannot be determined, which is not
 *          VS_FILE_NONE
 */
int vs_file_kind(const char *path, enum vs_file_kind *kind);

/*
 * Length of the prefix of path that a name with `more` further bytes can keep:
 * all of path unless the name became too long.
 */
size_t vs_file_stem(const char *path, size_t more);

/* Bytes of .tmp-XXXXXXXX */
#define VS_FILE_TEMP 13

/*
 * Create path's temporary file, path.tmp-XXXXXXXX from eight digits of tag, and
 * its missing parent directories. Of a name that is too long for that it has
 * the beginning.
 * A file that is replaced leaves its mode to the new one, which nobody else may
 * open before.
 * Refuses an existing path unless force, and always one that is not a regular
 * file or is an input. The message names the directory that cannot be written.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_create(struct vs_file *f, const char *path, uint32_t tag,
	bool force);

/*
 * New files whose path is dir and a name get this mode from now on, whatever
 * the umask: those that they replace are removed by then. One directory at a
 * time; before other threads make files.
 * returns  0; VS_EMACHINE
 */
int vs_file_set_mode(const char *dir, unsigned mode);

/*
 * fsync, close, rename to path, fsync of the directory. Without force a file
 * that appeared at path in the meantime stays.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_commit(struct vs_file *f);

/*
 * Close and remove the temporary file, if any; safe on all-zero and after
 * commit.
 */
void vs_file_abandon(struct vs_file *f);

/*
 * A whole file for this program's own use, which a signal that ends it removes.
 * The caller keeps path until vs_file_scratch_end(), which removes the file, or
 * vs_file_scratch_keep(), which lets it stay.
 * returns  0; VS_EMACHINE: too many
 */
int vs_file_scratch(char *path);
void vs_file_scratch_end(char *path);
void vs_file_scratch_keep(char *path);

/* Write a whole small file; an existing one is replaced. */
int vs_file_write(const char *path, const void *bytes, size_t n);

/* fsync of the directory that holds path. */
int vs_file_sync_dir(const char *path);

/* Remove all unfinished temporary files that this process has made, not its
 * parent; async-signal-safe. */
void vs_file_unlink_all(void);

/* Write or read exactly n bytes at offset. path is for the message. */
int vs_file_put(int fd, const char *path, const void *bytes, size_t n,
	uint64_t offset);
int vs_file_get(int fd, const char *path, void *bytes, size_t n,
	uint64_t offset);

#endif
