/* SPDX-License-Identifier: BSD-3-Clause */
/* A file that one process at a time can hold. */
#ifndef VS_TOOLS_SHARED_LOCK_H
#define VS_TOOLS_SHARED_LOCK_H

struct vs_lock {
	char *path; /* null: not held */
	int fd;
};

/*
 * Hold dir/.lock, in which stands who does; host: this machine, or "". Who is
 * killed holds it no more, whatever is left of the file. Where the file system
 * knows no locks there is none, and that is no failure.
 * returns  0; VS_EINPUT: another holds it, who is named; VS_EMACHINE
 */
int vs_lock_take(struct vs_lock *l, const char *dir, const char *host);

/* Remove the file and let others have it; safe on one that is all zero. */
void vs_lock_drop(struct vs_lock *l);

#endif
