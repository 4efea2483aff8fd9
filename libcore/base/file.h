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
	bool force;     /* replace an existing file of the final name */
	size_t parents; /* from vs_file_parents(): bytes of path */
};

/*
 * Make the directories above path that are missing.
 *
 * made     length of path up to the first directory made; 0: none was
 * returns  0; VS_EMACHINE
 */
int vs_file_parents(const char *path, size_t *made);

/*
 * Remove the directories that were made, deepest first, while they are empty.
 */
void vs_file_parents_drop(const char *path, size_t made);

/*
 * Make a directory and its missing parents.
 * shown    name of the directory in the error message
 * made     false: something of that name exists already
 * parents  as for vs_file_parents(); the caller drops them, also after a
 *          failure
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

/* Kind of file that a name, or a symbolic link of that name, leads to. */
enum vs_file_kind {
	VS_FILE_NONE,
	VS_FILE_REGULAR,
	VS_FILE_DIR,
	VS_FILE_OTHER,
};

/*
 * returns  0; VS_EINPUT or VS_EMACHINE: the kind cannot be determined, which
 *          differs from VS_FILE_NONE
 */
int vs_file_kind(const char *path, enum vs_file_kind *kind);

/*
 * Length of the prefix of path to which `more` bytes can be appended without
 * making the name too long; usually all of path.
 */
size_t vs_file_stem(const char *path, size_t more);

/* Bytes of .tmp-XXXXXXXX */
#define VS_FILE_TEMP 13

/*
 * Create path's temporary file, path.tmp-XXXXXXXX from eight digits of tag, and
 * its missing parent directories. If that is too long, path's name is
 * truncated.
 * A new file takes the mode of the file it replaces; until then nobody else can
 * open it.
 * Refuses an existing path unless force, and always one that is not a regular
 * file or is an input. If a directory cannot be written to, the message names
 * it.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_create(struct vs_file *f, const char *path, uint32_t tag,
	bool force);

/*
 * From now on, give files created directly in dir this mode, whatever the
 * umask; the files that they replace have been removed by then. One directory
 * at a time; call it before other threads create files.
 * returns  0; VS_EMACHINE
 */
int vs_file_set_mode(const char *dir, unsigned mode);

/*
 * fsync, close, rename to path, fsync of the directory. Without force a file
 * that has appeared at path meanwhile is kept.
 * returns  0; VS_EUSAGE (exists); VS_EMACHINE
 */
int vs_file_commit(struct vs_file *f);

/*
 * Close and remove the temporary file, if any; safe on all-zero and after
 * commit.
 */
void vs_file_abandon(struct vs_file *f);

/*
 * A scratch file of this program, which is removed if a signal ends the
 * program. The caller keeps path valid until vs_file_scratch_end(), which
 * removes the file, or vs_file_scratch_keep(), which leaves it in place.
 * returns  0; VS_EMACHINE: too many
 */
int vs_file_scratch(char *path);
void vs_file_scratch_end(char *path);
void vs_file_scratch_keep(char *path);

/* Write a whole small file; an existing one is replaced. */
int vs_file_write(const char *path, const void *bytes, size_t n);

/* fsync of the directory that holds path. */
int vs_file_sync_dir(const char *path);

/* Remove all unfinished temporary files of this process, not those of its
 * parent; async-signal-safe. */
void vs_file_unlink_all(void);

/* Write or read exactly n bytes at offset. path is for the message. */
int vs_file_put(int fd, const char *path, const void *bytes, size_t n,
	uint64_t offset);
int vs_file_get(int fd, const char *path, void *bytes, size_t n,
	uint64_t offset);

#endif
