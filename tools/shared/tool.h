/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Start-up and exit of a program: options, messages, signals, progress. Every
 * line on stderr also goes to the file of --log.
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
	const char *synopsis; /* operands and so on, after the name */
	const char *lesson;   /* examples and notes that --help ends with */
	struct vs_opt *opts;  /* ends with a row of zeros */
	const struct vs_opt_rule *rules; /* likewise; null: none */
	int n_least, n_most;             /* operands; n_most < 0: any number */
	bool ranks;                      /* ranks of MPI share its work */
	/* what several copies could do instead; null: known from --part */
	const char *remedy;
};

/* Operands and verbosity from the command line; owned by argv. */
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

/*
 * Threads to use, given what --threads asks for; 0: all cores allowed. More are
 * used, too, but a line says so; in a chain, of vsim-run alone.
 */
int vs_tool_threads(int64_t asked);

/* Fail with VS_EUSAGE; vs_tool_end() shows the synopsis below the message. */
int vs_tool_fail_usage(const char *why);

/*
 * Print the recorded error once and close stdout, where a failure counts, too
 * (except that of a reader that went away). The message comes only from the
 * process where speak is true (rank 0, or the lowest rank that failed).
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

/* The command line as typed, quoted for a shell; stays valid to the end. */
const char *vs_tool_command(void);

/* "vsim-pack 1.0.0 (git 1a2b3c4)" */
const char *vs_tool_generator(void);

/*
 * A line on stderr, "vsim-pack: ...": only with -v; what the user must know
 * despite success; and from any rank, its last words.
 */
#define vs_tool_say(...) vs_tool_line_at(1, __VA_ARGS__)
#define vs_tool_warn(...) vs_tool_line_at(0, __VA_ARGS__)
#define vs_tool_line(...) vs_tool_line_at(-1, __VA_ARGS__)
void vs_tool_line_at(int least, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * The closing line on stderr, "vsim-pack: 10 vectors, 0.05 s: x.vec.h5", if
 * that is a terminal, or with -v. The seconds count from the start.
 * output  the file or directory; "-": stdout; null: none, as within a chain
 */
void vs_tool_close(const char *output, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * A line after it, on a terminal: the command that usually comes next. Within a
 * chain of programs, where VSIM_STEP is set, neither is printed without -v.
 */
#define vs_tool_next(...) \
	vs_tool_line_at(vs_tool_is_watched() ? 0 : 2, "next: " __VA_ARGS__)

/* True if this command was typed at a terminal, not run as a step. */
bool vs_tool_is_watched(void);

/*
 * True within such a chain, whose temporary files are removed at its end.
 * VSIM_STEP=FILE<tab>INPUT: messages that would name FILE name INPUT, of which
 * the chain made it.
 */
static inline bool
vs_tool_is_step(void)
{
	return getenv("VSIM_STEP") != NULL;
}

/* From here on print only errors: for ranks other than the first. */
void vs_tool_mute(void);

/* From here on exit() is intended; an earlier exit() comes from a library and
 * ends with 4. vs_tool_end() calls this itself. */
void vs_tool_leave(void);

/*
 * For vs_comm_begin(): report that MPI failed, and why, and remove unfinished
 * files.
 */
void vs_tool_broken(const char *why);

/* True once a signal to end has arrived, after vs_tool_catch(). */
bool vs_tool_stopped(void);
bool vs_tool_stop(void *unused); /* the same, as a callback */

/*
 * Make sure that the program ends, with 4, soon after a signal, or after its
 * launcher or make is gone, whatever its threads are doing: at once in the
 * early phase; half a second later in the phase of work and in the last phase,
 * when nothing is left to save, unless it ends by itself; while it saves
 * something, as soon as that is done. In the phase of work, another thread
 * calls rescue(), which has to save what there is, clean up and print a line;
 * it may call only what is safe concurrently with all other work. Signals are
 * noted from now on.
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

/* Enter the next phase; does not return once the end has begun. */
void vs_tool_phase(enum vs_phase phase);

/* Only note SIGINT, SIGTERM, SIGHUP, SIGXCPU, SIGUSR1 and SIGUSR2, for tools
 * that can stop cleanly. Otherwise a signal removes unfinished files and ends
 * the program. Signals that were ignored at the start, as by nohup, stay
 * ignored. */
void vs_tool_catch(void);

/*
 * End all ranks by the signal that one of them noted, if any. After SIGINT,
 * SIGTERM or SIGHUP a program that ends before its work is done ends by that
 * signal, after main.
 * collective  yes
 */
void vs_tool_share_signal(void);

/*
 * Progress on stderr: on a terminal a line, as wide as that, that is rewritten;
 * elsewhere one line every half minute; nothing in the first second.
 */
struct vs_tool_progress {
	const char *what;
	double total, started, said, logged;
	bool tty;
};

void vs_tool_progress_begin(struct vs_tool_progress *p, const char *what,
	double total);
/* done of total; note (may be null) is appended, e.g. a rate. */
void vs_tool_progress_step(struct vs_tool_progress *p, double done,
	const char *note);
void vs_tool_progress_end(struct vs_tool_progress *p);

#endif
