/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-up and exit of a program: options, messages, signals, progress. Every
 * line on stderr is also in the file of --log.
 */
#ifndef VS_TOOLS_SHARED_TOOL_H
#define VS_TOOLS_SHARED_TOOL_H

#include <stdbool.h>
#include <stdlib.h>

#include "libcore/base/opt.h"
#include "libcore/base/opt_rules.h"
#include "libcore/base/text.h"

struct vs_tool {
	const char *name;     /* "vsim-pack" */
	const char *purpose;  /* one line */
	const char *synopsis; /* text after the name */
	const char *lesson;   /* examples and notes that --help ends with */
	struct vs_opt *opts;  /* ends with a row of zeros */
	const struct vs_opt_rule *rules; /* likewise; null: none */
	int n_least, n_most;             /* operands; n_most < 0: any number */
	bool ranks;                      /* ranks of MPI share its work */
};

/* Operands and verbosity of the command line; belong to argv. */
struct vs_args {
	int n_operand;
	char **operands;
	int verbose; /* 0 or 1 */
};

/*
 * Take the program's name and command line, parse, print --help or --version.
 * returns  0: go on; VS_DONE: help or version printed; VS_EUSAGE
 */
int vs_tool_begin(const struct vs_tool *tool, int argc, char **argv,
	struct vs_args *args);

/*
 * Check the rules of the program, with the facts that they name.
 * vs_tool_begin() has checked those that name none, unless ranks share work.
 * returns  0; VS_EUSAGE; VS_EMACHINE
 */
int vs_tool_check(const struct vs_opt_fact *facts);

/* Fail by VS_EUSAGE; vs_tool_end() shows the synopsis below the sentence. */
int vs_tool_fail_usage(const char *why);

/*
 * Print the recorded error once, close stdout and let a failure there count
 * (a reader that went away is none). The message comes only from the process
 * where speak is true (rank 0, or the lowest rank that failed).
 * returns  the exit code
 */
int vs_tool_end(int code, bool speak);

/*
 * The same of a program that runs others: where nothing failed but one of
 * these it ends with that one's exit code, status, or by the signal it noted.
 */
int vs_tool_end_as(int code, int status);

/* "vsim-pack" */
const char *vs_tool_name(void);

/* The command line as it was typed, quoted for a shell; lives to the end. */
const char *vs_tool_command(void);

/* "vsim-pack 1.0.0 (git 1a2b3c4)" */
const char *vs_tool_generator(void);

/* A line on stderr, "vsim-pack: ...", only with -v. */
void vs_tool_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A line on stderr without -v: what the user must know though all is well. */
void vs_tool_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* A line on stderr, whatever the rank: the last words of a rank. */
void vs_tool_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * The closing line on stderr, "vsim-pack: 10 vectors, 0.05 s: x.vec.h5", where
 * that is a terminal, or with -v. The seconds are those since the beginning.
 * output  the file or directory; "-": stdout
 */
void vs_tool_close(const char *output, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A line behind it, on a terminal: the command that usually comes next. Within
 * a chain of programs, where VSIM_STEP is set, neither is printed without -v.
 */
void vs_tool_next(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* True within such a chain, whose files go when it ends. */
static inline bool
vs_tool_is_step(void)
{
	return getenv("VSIM_STEP") != NULL;
}

/* Say nothing from here on but errors: ranks other than the first. */
void vs_tool_mute(void);

/* An exit() from here on is meant; any before it is a library's and ends with
 * 4. vs_tool_end() does so itself. */
void vs_tool_leave(void);

/*
 * For vs_comm_begin(): say that MPI failed, and why, and remove unfinished
 * files.
 */
void vs_tool_broken(const char *why);

/* True once a signal to end has come, after vs_tool_catch(). */
bool vs_tool_stopped(void);
bool vs_tool_stop(void *unused); /* the same, as a callback */

/*
 * See to it that the program ends, with 4, soon after a signal, or after its
 * launcher or make has gone, whatever its threads are at: at once in the early
 * phase; in those of work and at last, when nothing is to be saved any more,
 * half a second later, if it has not by itself; while it saves something as
 * soon as that is done. rescue, called by another thread, has to save what is
 * there, if that is the phase of work, to clean up, and to say a line; what it
 * calls must be safe beside all that goes on. Signals are noted from now on.
 * launched  the parent is a launcher of MPI
 * returns   0; VS_EMACHINE
 */
enum vs_phase {
	VS_PHASE_EARLY,
	VS_PHASE_WORK,
	VS_PHASE_SAVE,
	VS_PHASE_LATE,
};
int vs_tool_guard(bool launched, void (*rescue)(void *ctx, bool work),
	void *ctx);

/* The next phase begins; does not return when the end has begun. */
void vs_tool_phase(enum vs_phase phase);

/* Let SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2 only be noted, for
 * tools that can stop cleanly. Without it a signal removes unfinished files and
 * ends the program. What came ignored, as by nohup, stays so. */
void vs_tool_catch(void);

/*
 * All ranks end by the signal that one of them noted, if one did. For SIGINT,
 * SIGTERM and SIGHUP a program that ends before its work is done ends by that
 * signal, behind the end of main.
 * collective  yes
 */
void vs_tool_share_signal(void);

/*
 * Progress on stderr: a line rewritten on a terminal, as long as that is wide,
 * one line every half minute elsewhere; nothing before a second has passed.
 */
struct vs_tool_progress {
	const char *what;
	double total, started, said, logged;
	bool tty;
};

void vs_tool_progress_begin(struct vs_tool_progress *p, const char *what,
	double total);
/* done of total; note (may be null) is put behind, e.g. a rate. */
void vs_tool_progress_step(struct vs_tool_progress *p, double done,
	const char *note);
void vs_tool_progress_end(struct vs_tool_progress *p);

#endif
