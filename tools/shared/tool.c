/* SPDX-License-Identifier: BSD-3-Clause */
/* Start-up and exit of a program: options, messages, signals, progress. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "formats/h5/seal.h"
#include "formats/in/hint.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/limits.h"
#include "libcore/base/mem.h"
#include "libcore/base/sanitized.h"
#include "libcore/base/thread.h"
#include "libcore/bits/affinity.h"
#include "libcore/plan/comm.h"
#include "tools/shared/elsewhere.h"
#include "tools/shared/help.h"
#include "tools/shared/message_log.h"
#include "tools/shared/tool.h"

static const struct vs_tool *self;
static struct vs_text command, generator;
static int verbose; /* 1: -v; -1: muted */
static double began;
/* for a handler, the thread that ends the program, and the others */
static atomic_bool caught, ending;
static atomic_int ended_with = -VS_EMACHINE;
static atomic_int caught_number;    /* the first signal; 0: none */
static atomic_int progress_columns; /* of the progress line; 0: none */
_Static_assert(ATOMIC_BOOL_LOCK_FREE == 2, "a handler sets them");

/* A thread that ends the program after a signal. */
static struct {
	atomic_bool running;
	sem_t called, begun;
	pthread_mutex_t lock; /* stays locked once it ends the program */
	enum vs_phase phase;
	double since; /* when the phase began */
	pid_t parent; /* pid of the parent to end with; 0: none */
	void (*rescue)(void *ctx, bool work);
	void *ctx;
} guard = { .lock = PTHREAD_MUTEX_INITIALIZER };

#define AGAIN 1          /* seconds; later a second signal ends at once */
#define POLL_SECONDS 0.1 /* seconds between two checks */
#define LINES 30.0       /* seconds between two progress lines */
#define GRACE 0.4 /* seconds to end by itself; half of that in the last phase */
#define SAVING 10.0 /* seconds to write what there is */

static struct {
	bool help, version, verbose;
	const char *log;
} common;

static struct vs_opt common_opts[] = {
	{ 'v', "verbose", NULL, VS_OPT_FLAG, &common.verbose,
		.group = "Messages and help",
		.help = "report progress and choices on stderr" },
	{ 0, "log", "FILE", VS_OPT_TEXT, &common.log,
		.help = "also append each message to FILE, dated" },
	{ 'h', "help", NULL, VS_OPT_FLAG, &common.help,
		.help = "print all options and exit; -h: the common ones",
		.elsewhere = VS_OPTIONS_ELSEWHERE },
	{ 0, "version", NULL, VS_OPT_FLAG, &common.version,
		.help = "print the versions of program and libraries" },
	{ 0 },
};

static void
say_log_failed(void)
{
	char why[256];

	fprintf(stderr, "%s: %s: cannot write: %s\n", vs_tool_name(),
		common.log, strerror_r(errno, why, sizeof(why)));
}

static void
log_line(const char *text)
{
	if (vs_message_log_add(text))
		say_log_failed();
}

/* Width of the terminal on stderr. */
static int
terminal_columns(void)
{
	struct winsize size;

	return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) || !size.ws_col
		? 80
		: size.ws_col;
}

/*
 * Clear the progress line and the ^C that a terminal echoed after it. When a
 * terminal becomes narrower, tmux and VTE, recognised by their variables, wrap
 * the line.
 */
static void
clear_progress(void)
{
	int shown = atomic_exchange(&progress_columns, 0),
	    columns = terminal_columns();

	if (!shown)
		return;
	for (; shown > columns && (getenv("TMUX") || getenv("VTE_VERSION"));
		shown -= columns)
		fputs("\033[A", stderr);
	fputs("\r\033[J", stderr);
}

/* The text with the input that the user named, see vs_tool_is_step(). */
static const char *
name_input(const char *text, char *out, size_t room)
{
	const char *file = getenv("VSIM_STEP"),
		   *input = file ? strchr(file, '\t') : NULL,
		   *at = input
		? memmem(text, strlen(text), file, (size_t)(input - file))
		: NULL;

	if (!at || input == file)
		return text;
	snprintf(out, room, "%.*s%s%s", (int)(at - text), text, input + 1,
		at + (input - file));
	return out;
}

/* A line on stderr and in the log; MPI may fail before a tool begins. */
static void
put_line(const char *text)
{
	char named[4096];

	text = name_input(text, named, sizeof(named));
	clear_progress();
	fprintf(stderr, "%s: %s\n", vs_tool_name(), text);
	log_line(text);
}

/* End by the signal's default action, so that a shell ends its loop. */
static void
die(int number)
{
	sigset_t one;

	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	pthread_sigmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
}

/*
 * End by the signal that was noted, if it asks to end and the program was not
 * done before it; else return. Batch systems send other signals as a warning:
 * the program then ends by itself.
 */
static void
die_if_asked(int status)
{
	int number = caught_number;

	if (status &&
		(number == SIGINT || number == SIGTERM || number == SIGHUP))
		die(number);
}

static void
on_signal(int number)
{
	vs_file_unlink_all();
	if (progress_columns && write(STDERR_FILENO, "\r\033[J", 4) < 0)
		errno = 0;
	die(number);
}

/* Two simultaneous signals, from a launcher and from its parent, count as one;
 * a later second one ends the program. */
static void
on_signal_noted(int number)
{
	static _Atomic time_t first;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!caught) {
		first = now.tv_sec;
		caught_number = number;
	} else if (now.tv_sec - first > AGAIN) {
		on_signal(number);
	}
	caught = true;
	if (guard.running)
		sem_post(&guard.called);
}

static const int crashes[] = { SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL };
#define CRASH_STACK (64u << 10)
#define N_CRASH (sizeof(crashes) / sizeof(crashes[0]))
static struct sigaction former[N_CRASH];
static const char ended_text[] = "a library ended it: out of memory or threads";
static char ended_line[128]; /* written by a handler */
static pid_t process;

/*
 * HDF5 goes on after failed allocations: errno still shows them, and the
 * machine failed. In a child, the parent reports that, so the status is not one
 * of ours. Any other crash takes its course.
 */
static void
on_crash(int number)
{
	bool own = getpid() == process, memory = errno == ENOMEM;

	if (own)
		vs_file_unlink_all();
	if (!own && memory)
		_exit(1 - VS_EMACHINE);
	if (memory && !ending) {
		vs_fail_unmute();
		(void)vs_message_log_add(ended_text);
		if (write(STDERR_FILENO, ended_line, strlen(ended_line)) < 0)
			_exit(-VS_EMACHINE);
		_exit(-VS_EMACHINE);
	}
	for (size_t k = 0; k < N_CRASH; k++)
		if (crashes[k] == number)
			sigaction(number, &former[k], NULL);
	raise(number);
}

static void
handle_crashes(void)
{
	/* the stack may have overflowed: out of memory, HDF5 recurses endlessly
	 * while reporting that */
	static char stack[CRASH_STACK];
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction act = { .sa_handler = on_crash,
		.sa_flags = SA_ONSTACK };

	if (!VS_SANITIZED)
		sigaltstack(&own, NULL);
	process = getpid();
	snprintf(ended_line, sizeof(ended_line), "%s: %s\n", self->name,
		ended_text);
	for (size_t k = 0; k < N_CRASH; k++)
		sigaction(crashes[k], &act, &former[k]);
}

/*
 * Runs at the end of main, but also when a library exits: OpenMP's with 1 if it
 * gets no thread, HDF5's with 255 if it gets no memory. Then the machine
 * failed, and 1 would be an answer.
 */
static void
at_exit(void)
{
	if (ending) {
		/* after MPI's and HDF5's own handlers, which were registered
		 * later */
		die_if_asked(ended_with);
		return;
	}
	/* a parent handles the exit code of its child */
	if (getpid() != process)
		_exit(1 - VS_EMACHINE);
	vs_fail_unmute();
	put_line(ended_text);
	vs_file_unlink_all();
	_exit(-VS_EMACHINE);
}

static void
handle_signals(void (*handler)(int))
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP, SIGXCPU,
		SIGUSR1, SIGUSR2 };
	struct sigaction act = { .sa_handler = handler,
		.sa_flags = SA_RESTART },
			 old;

	/* nohup and shells that start a background job ignore some of them */
	for (size_t k = 0; k < sizeof(numbers) / sizeof(numbers[0]); k++)
		if (!sigaction(numbers[k], NULL, &old) &&
			old.sa_handler != SIG_IGN)
			sigaction(numbers[k], &act, NULL);
}

/*
 * No file of ours may get the descriptor of a standard stream that was closed,
 * or messages on stderr would be written to it. Reading and writing fail as
 * before.
 */
static int
hold_streams(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return vs_fail_errno(VS_EMACHINE,
				"/dev/null: cannot open");
	return 0;
}

void
vs_tool_leave(void)
{
	ending = true;
}

void
vs_tool_mute(void)
{
	verbose = -1;
}

void
vs_tool_broken(const char *why)
{
	char text[1024];

	ending = true;
	snprintf(text, sizeof(text), "rank %d: MPI failed: %s", vs_comm_rank(),
		why);
	vs_fail_one_line(text);
	vs_fail_unmute();
	put_line(text);
	vs_file_unlink_all();
}

/* How long the program may take to end by itself. */
static const double grace[] = {
	[VS_PHASE_EARLY] = 0,
	[VS_PHASE_WORK] = GRACE,
	[VS_PHASE_LATE] = GRACE / 2,
	[VS_PHASE_SAVE] = SAVING,
};

static void
end_program(void)
{
	guard.rescue(guard.ctx, guard.phase == VS_PHASE_WORK);
	ending = true;
	vs_file_unlink_all();
	die_if_asked(-VS_EMACHINE);
	_exit(-VS_EMACHINE);
}

static void *
stand_guard(void *unused)
{
	double first = 0, over = 0;

	(void)unused;
	sem_post(&guard.begun);
	for (;;) {
		struct timespec until = vs_clock_deadline(
			first > 0 ? POLL_SECONDS / 5 : POLL_SECONDS);
		double now;

		(void)sem_clockwait(&guard.called, CLOCK_MONOTONIC, &until);
		if (guard.parent && getppid() != guard.parent)
			caught = true;
		if (!caught)
			continue;
		now = vs_clock();
		if (!first)
			first = now;
		if (ending && !over)
			over = now;
		/* only MPI remains, which may wait for ranks that are gone;
		 * print the last line first */
		if (ending && now - first > GRACE && now - over > GRACE / 2) {
			die_if_asked(ended_with);
			_exit(ended_with);
		}
		if (ending)
			continue;
		pthread_mutex_lock(&guard.lock);
		if (now - fmax(first, guard.since) >= grace[guard.phase] ||
			now - first > SAVING)
			end_program();
		pthread_mutex_unlock(&guard.lock);
	}
	return NULL;
}

/*
 * True if the program should end with its parent: a launcher of MPI, or make,
 * recognised by their variables, since a shell in between does not pass on the
 * signal. Not so if it was meant to stay behind, by nohup or setsid.
 */
static bool
follows_parent(bool launched)
{
	struct sigaction old;

	if (launched)
		return true;
	return getenv("MAKELEVEL") && getsid(0) != getpid() &&
		!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN;
}

int
vs_tool_guard(bool launched, void (*rescue)(void *ctx, bool work), void *ctx)
{
	pthread_t thread;
	int code;

	guard.rescue = rescue;
	guard.ctx = ctx;
	if (follows_parent(launched) && getppid() > 1)
		guard.parent = getppid();
	if (sem_init(&guard.called, 0, 0) || sem_init(&guard.begun, 0, 0))
		return vs_fail_errno(VS_EMACHINE, "cannot start a thread");
	code = vs_thread_start(&thread, stand_guard, NULL);
	if (code)
		return code;
	pthread_detach(thread);
	/* while starting it may hold a lock of a sanitizer's allocator, which a
	 * child forked at that moment would wait for */
	while (sem_wait(&guard.begun) && errno == EINTR)
		;
	guard.running = true;
	vs_tool_catch();
	return 0;
}

void
vs_tool_phase(enum vs_phase phase)
{
	pthread_mutex_lock(&guard.lock);
	guard.phase = phase;
	guard.since = phase == VS_PHASE_LATE ? vs_clock() : 0;
	pthread_mutex_unlock(&guard.lock);
}

void
vs_tool_catch(void)
{
	handle_signals(on_signal_noted);
}

void
vs_tool_share_signal(void)
{
	double number = caught_number;

	vs_comm_max_f64(&number, 1);
	caught_number = (int)number;
}

bool
vs_tool_stopped(void)
{
	return caught;
}

bool
vs_tool_stop(void *unused)
{
	(void)unused;
	return caught;
}

/* The command line, quoted for a shell. */
static int
keep_command(int argc, char **argv)
{
	for (int k = 0; k < argc; k++) {
		vs_text_put(&command, " ", k > 0);
		vs_text_put_quoted(&command, k ? argv[k] : self->name);
	}
	return command.code;
}

#define PARTS ", or let each do a part of it by --part"

/* The option of this name, or null. */
static const struct vs_opt *
option(const char *name)
{
	const struct vs_opt *o = self->opts;

	while (o->name && strcmp(o->name, name))
		o++;
	return o->name ? o : NULL;
}

int
vs_tool_check(const struct vs_opt_fact *facts)
{
	return vs_opt_rules_check(self->opts, self->rules, facts);
}

static bool show_usage; /* after the recorded error */

int
vs_tool_fail_usage(const char *why)
{
	show_usage = true;
	return vs_fail(VS_EUSAGE, "%s", why);
}

/* Set limits, signals and exit handlers of the process. */
static int
prepare(int argc, char **argv)
{
	int code;

	vs_seal_hint = vs_hint_of;
	began = vs_clock();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN); /* writing beyond ulimit -f then fails */
	handle_signals(on_signal);
	handle_crashes();
	code = hold_streams();
	if (!code)
		code = vs_limits_stack();
	if (!code)
		code = keep_command(argc, argv);
	if (!code && atexit(at_exit))
		code = vs_fail(VS_EMACHINE, "cannot watch over the exit");
	return code;
}

int
vs_tool_begin(const struct vs_tool *tool, int argc, char **argv,
	struct vs_args *args)
{
	struct vs_opt *tables[2] = { tool->opts, common_opts };
	int first, asked, code;
	bool all = false;

	self = tool;
	code = prepare(argc, argv);
	if (code)
		return code;
	if (argc == 1 && tool->n_least > 0)
		return vs_tool_fail_usage("nothing to do");
	if (argc == 2 && vs_help_list(tool, common_opts, argv[1]))
		return VS_DONE;
	asked = vs_affinity_limit_threads();
	for (int k = 1; k < argc; k++)
		all |= !strcmp(argv[k], "--help");
	code = vs_opt_parse(tables, 2, argc, argv, &first);
	if (common.help) {
		vs_help_print(tool, common_opts, all);
		return VS_DONE;
	}
	/* so that a wrong option after it is logged, too */
	if (common.log && !common.version) {
		int opened = vs_message_log_open(common.log, tool->name);

		code = code ? code : opened;
	}
	if (code)
		return code;
	if (common.version) {
		vs_help_versions(tool->name);
		return VS_DONE;
	}
	if (!self->ranks)
		code = vs_comm_check_single(self->name,
			self->remedy             ? self->remedy
				: option("part") ? PARTS
						 : "");
	if (code)
		return code;
	if (verbose >= 0)
		verbose = common.verbose;
	if (asked)
		vs_tool_say("OMP_NUM_THREADS %d: limited to the allowed cores; "
			    "-j overrides",
			asked);
	args->n_operand = argc - first;
	args->operands = argv + first;
	args->verbose = verbose;
	if (args->n_operand < tool->n_least)
		return vs_tool_fail_usage("missing operand");
	if (tool->n_most >= 0 && args->n_operand > tool->n_most)
		return vs_fail(VS_EUSAGE, "%s: %s",
			args->operands[tool->n_most],
			tool->n_most ? "too many operands"
				     : "inputs are named by options, "
				       "--help lists them");
	/* all ranks refuse together, with one message */
	return self->ranks ? 0 : vs_tool_check(NULL);
}

int
vs_tool_end(int code, bool speak)
{
	vs_tool_leave();
	/* a reader that closes early, such as head, is not a failure */
	if ((fflush(stdout) || ferror(stdout)) && errno != EPIPE && code >= 0)
		code = vs_fail_errno(VS_EMACHINE, "cannot write stdout");
	else if (close(STDOUT_FILENO) && errno != EBADF && code >= 0)
		code = vs_fail_errno(VS_EMACHINE, "cannot close stdout");
	if (code < 0 && speak && *vs_fail_text())
		put_line(vs_fail_text());
	if (code == VS_EUSAGE && speak && show_usage)
		fprintf(stderr, "usage: %s %s\n", self->name, self->synopsis);
	if (vs_message_log_end()) {
		if (errno)
			say_log_failed();
		code = code < 0 ? code : VS_EMACHINE;
	}
	vs_file_unlink_all();
	vs_text_free(&command);
	vs_text_free(&generator);
	ended_with = code < 0 ? -code : 0;
	return ended_with;
}

int
vs_tool_end_as(int code, int status)
{
	code = vs_tool_end(code, true);
	ended_with = code ? code : status;
	return ended_with;
}

const char *
vs_tool_name(void)
{
	/* MPI may fail before the tool begins */
	return self ? self->name : program_invocation_short_name;
}

const char *
vs_tool_command(void)
{
	return command.bytes ? command.bytes : "";
}

const char *
vs_tool_generator(void)
{
	if (!generator.bytes)
		vs_text_add(&generator, "%s %s", self->name, vs_help_version());
	return generator.bytes ? generator.bytes : "";
}

void
vs_tool_line_at(int least, const char *fmt, ...)
{
	char text[4096];
	va_list ap;

	if (verbose < least)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vs_fail_one_line(text);
	put_line(text);
}

int
vs_tool_threads(int64_t asked)
{
	const int most = vs_mem_cores_allowed();

	if (asked > most && (self->ranks || !vs_tool_is_step()))
		vs_tool_warn("--threads %d: more than the %d core%s allowed",
			(int)asked, most, vs_text_s((uint64_t)most));
	return asked ? (int)asked : most;
}

bool
vs_tool_is_watched(void)
{
	return isatty(STDERR_FILENO) && !vs_tool_is_step();
}

void
vs_tool_close(const char *output, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	if (verbose < 0 ||
		(!verbose &&
			!(output ? vs_tool_is_watched()
				 : isatty(STDERR_FILENO))))
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	vs_tool_warn("%s, %.2f s%s%s", text, vs_clock() - began,
		output ? ": " : "",
		!output                       ? ""
			: strcmp(output, "-") ? output
					      : "standard output");
}

void
vs_tool_progress_begin(struct vs_tool_progress *p, const char *what,
	double total)
{
	p->what = what;
	p->total = total;
	p->started = vs_clock();
	p->said = p->logged = p->started;
	p->tty = isatty(STDERR_FILENO);
}

/*
 * Show a line that leaves room for ^C on the terminal; parts that do not fit
 * are dropped, last ones first. end: where the first two parts end
 */
static void
show_progress(char *text, const int end[2])
{
	const int most = terminal_columns() - 3,
		  name = (int)strlen(self->name) + 2;
	char line[600];

	for (int k = 2; k-- > 0 && name + (int)strlen(text) > most;)
		text[end[k]] = 0;
	snprintf(line, sizeof(line), "%s: %s", self->name, text);
	clear_progress();
	progress_columns = fprintf(stderr, "%.*s", most < 1 ? 1 : most, line);
	fflush(stderr);
}

void
vs_tool_progress_step(struct vs_tool_progress *p, double done, const char *note)
{
	const double now = vs_clock(), share = done / fmax(p->total, 1e-300);
	char text[512];
	int end[2];

	if (verbose < 0 || now - p->said < (p->tty ? 0.2 : LINES) ||
		now - p->started < 1)
		return;
	p->said = now;
	end[0] = p->total > 0
		? snprintf(text, sizeof(text), "%s %.1f %%", p->what,
			  100 * share)
		: snprintf(text, sizeof(text), "%s %.0f", p->what, done);
	end[1] = end[0];
	if (p->total > 0)
		end[1] += snprintf(text + end[0], sizeof(text) - (size_t)end[0],
			", %.0f s left",
			share > 0 ? (now - p->started) * (1 - share) / share
				  : 0);
	if (note)
		snprintf(text + end[1], sizeof(text) - (size_t)end[1], ", %s",
			note);
	if (!p->tty) {
		put_line(text);
		return;
	}
	if (now - p->logged >= LINES) {
		p->logged = now;
		log_line(text);
	}
	show_progress(text, end);
}

void
vs_tool_progress_end(struct vs_tool_progress *p)
{
	if (p->tty)
		clear_progress();
}
