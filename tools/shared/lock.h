/* SPDX-License-Identifier: BSD-3-Clause */
/* Lock file of a directory, held by one process at a time. */
#ifndef VS_TOOLS_SHARED_LOCK_H
#define VS_TOOLS_SHARED_LOCK_H

#include <stdbool.h>

struct vs_lock {
	char *path; /* null: not acquired */
	int fd;
	bool held; /* false: the file system knows no locks */
};

/*
 * Lock dir/.lock, which names the holder; host: this machine, or "". A killed
 * process releases the lock, even if the file is left. A file system without
 * locks is not an error.
 * returns  0; VS_EINPUT: another holds it, and is named, or the file is a link,
 *          has other names or is not a regular file; VS_EMACHINE
 */
int vs_lock_acquire(struct vs_lock *l, const char *dir, const char *host);

/* The directory has been renamed. 0; VS_EMACHINE */
int vs_lock_move(struct vs_lock *l, const char *dir);

/* The directories of two locks have exchanged their names. */
void vs_lock_exchange(struct vs_lock *a, struct vs_lock *b);

/* Unlock but leave the file; safe on all zero. */
void vs_lock_leave(struct vs_lock *l);

/* Remove the file and unlock; safe on all zero. */
void vs_lock_drop(struct vs_lock *l);

#endif
