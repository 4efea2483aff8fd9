/* SPDX-License-Identifier: BSD-3-Clause */
/* Log file: lines of a program with UTC date and process id, appended. */
#ifndef VS_TOOLS_SHARED_MESSAGE_LOG_H
#define VS_TOOLS_SHARED_MESSAGE_LOG_H

/*
 * Open path, or make it; name is the program's, and stays valid to the end.
 * Refuses a symbolic link, what is not a regular file, and a file that has
 * other lines.
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_message_log_open(const char *path, const char *name);

/*
 * Append "2026-11-25T14:00:00Z vsim-run[1234]: text" in one write, so that
 * lines of several processes do not mix; without an open log do nothing.
 * text     one line, without its end
 * returns  0; VS_EMACHINE, with errno, for the first line that cannot be
 *          written; later ones are dropped silently
 * threads  safe; async-signal-safe
 */
int vs_message_log_add(const char *text);

/*
 * Close.
 * returns  0; VS_EMACHINE, with errno, if a line is missing; errno is 0 where
 *          vs_message_log_add() returned that
 */
int vs_message_log_end(void);

#endif
