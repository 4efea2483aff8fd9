/* SPDX-License-Identifier: BSD-3-Clause */
/* vsim-verify: integrity and correctness of files and runs, yes or no. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/check/check.h"
#include "formats/check/compare.h"
#include "formats/h5/seal.h"
#include "formats/results/complete.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"
#include "libcore/base/sanitized.h"
#include "libcore/base/text.h"
#include "tools/shared/option_rows.h"
#include "tools/shared/tool.h"
#include "tools/verify/closed_form.h"
#include "tools/verify/recompute.h"

static struct job {
	const char *against, *closed, *compare;
	int64_t sample, seed, threads;
	uint64_t memory;
	bool unsealed;
} job = { .seed = 1 };

static struct vs_opt opts[] = {
	{ 0, "against", "X.vec.h5", VS_OPT_TEXT, &job.against,
		.group = "Checks", .common = true,
		.help = "recompute all values from the vectors (slow)" },
	{ 0, "sample", "N", VS_OPT_INT, &job.sample, .lo = 1, .hi = 1e9,
		.common = true,
		.help = "with --against: only N records and N random pairs" },
	VS_OPT_SEED(&job.seed, 0x1p53, "--sample"),
	{ 0, "closed-form", "X.vec.h5", VS_OPT_TEXT, &job.closed,
		.help = "check the known values of --synthetic analytic" },
	{ 0, "compare", "OTHER", VS_OPT_TEXT, &job.compare, .common = true,
		.help = "report the first difference from OTHER" },
	{ 0, "allow-unsealed", NULL, VS_OPT_FLAG, &job.unsealed,
		.help = "accept files rewritten by other programs" },

	VS_OPT_THREADS(&job.threads, "all allowed cores", .group = "Resources"),
	VS_OPT_MEMORY(&job.memory, "for records and vectors [1G at most]"),
	{ 0 },
};

static const struct vs_opt_rule rules[] = {
	VS_EXCLUDES("compare", "@second", .why = "it compares one operand"),
	VS_NEEDS("sample", "against"),
	{ 0 },
};

static const struct vs_tool tool = {
	.name = "vsim-verify",
	.purpose = "Check files, runs and results; no output means all is "
		   "correct.",
	.synopsis = "[options] FILE|RUNDIR...",
	.lesson = "examples:\n"
		  "  vsim-verify -v x.vec.h5 run e.res.h5\n"
		  "  vsim-verify --against x.vec.h5 --sample 10000 e.res.h5\n"
		  "  vsim-verify --compare other.res.h5 e.res.h5\n",
	.opts = opts,
	.rules = rules,
	.n_least = 1,
	.n_most = -1,
};

/* ---- a child process that may crash ---- */

#define MOST_MEMORY (1ull << 30) /* unless --memory gives more */

/* Limits of the child process while a file's structure is unchecked. */
#define ROOM_BYTES (4ull << 30)
#define ROOM_SECONDS 600

/* State that the child sends before its sentence, so that a crash is judged by
 * what it was doing. */
#define GUARDED '\001'
#define TRUSTED '\002'
static int to_parent = -1;

static void
tell(const char *text)
{
	size_t n = strlen(text);
	ssize_t did;

	for (; n; text += did, n -= (size_t)did) {
		did = write(to_parent, text, n);
		if (did <= 0)
			return;
	}
}

/* size: of the file about to be walked; 0 lifts the limits. */
static void
limit(uint64_t size)
{
	uint64_t room = ROOM_BYTES + ((uint64_t)vs_mem_cores_allowed() << 28);
	char mark[2] = { size ? GUARDED : TRUSTED, 0 };
	struct rlimit r;

	tell(mark);
	alarm(size ? ROOM_SECONDS + (unsigned)(size >> 23) : 0);
	if (VS_SANITIZED || getrlimit(RLIMIT_AS, &r))
		return;
	r.rlim_cur = size && room < r.rlim_max ? room : r.rlim_max;
	setrlimit(RLIMIT_AS, &r);
}

static void
become_child(void)
{
	struct rlimit none = { 0, 0 }, files;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setrlimit(RLIMIT_CORE, &none);
	/* a run directory may hold many shards */
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
	signal(SIGALRM, SIG_DFL);
}

static int
read_sentence(int fd, struct vs_text *text)
{
	char bytes[4096];
	ssize_t n;
	int code = 0;

	while ((n = read(fd, bytes, sizeof(bytes))) > 0 ||
		(n < 0 && errno == EINTR))
		if (n > 0 && !code)
			code = vs_text_put(text, bytes, (size_t)n);
	return code;
}

/* A file may crash or stall its reader. A signal from outside tells nothing
 * about the file, nor does a crash over data known to be sound. */
static int
judge_death(int number, bool guarded, const char *path)
{
	bool outside = number == SIGKILL || number == SIGTERM ||
		number == SIGINT || number == SIGHUP || number == SIGXCPU;

	if (!guarded || outside)
		return vs_fail(VS_EMACHINE,
			"%s: the checking process died (%s)", path,
			strsignal(number));
	if (number == SIGALRM)
		return vs_fail(VS_ENO,
			"%s: checking its structure takes too long", path);
	return vs_fail(VS_ENO, "%s: its structure crashes the reader (%s)",
		path, strsignal(number));
}

/* Wait for the child; its code and sentence become ours. */
static int
hear(pid_t child, int fd, const char *path)
{
	struct vs_text text = { 0 };
	int status = 0, code = read_sentence(fd, &text);
	size_t at = 0;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	while (at < text.len &&
		(text.bytes[at] == GUARDED || text.bytes[at] == TRUSTED))
		at++;
	if (!code && WIFSIGNALED(status))
		code = judge_death(WTERMSIG(status),
			at && text.bytes[at - 1] == GUARDED, path);
	else if (!code && WEXITSTATUS(status) > -VS_EMACHINE)
		code = vs_fail(VS_EMACHINE,
			"%s: the checking process ran out of memory or threads",
			path);
	else if (!code && WEXITSTATUS(status))
		code = vs_fail(-WEXITSTATUS(status), "%s",
			at < text.len ? text.bytes + at
				      : "the checking process failed");
	vs_text_free(&text);
	return code;
}

static int
in_child(int (*work)(const char *), const char *path)
{
	int pipes[2], code;
	pid_t child;

	if (pipe(pipes))
		return vs_fail_errno(VS_EMACHINE, "cannot make a pipe");
	fflush(NULL);
	child = fork();
	if (child < 0) {
		code = vs_fail_errno(VS_EMACHINE, "cannot make a process");
	} else if (!child) {
		close(pipes[0]);
		to_parent = pipes[1];
		become_child();
		code = work(path);
		if (code)
			tell(vs_fail_text());
		close(pipes[1]);
		vs_tool_leave();
		exit(code < 0 ? -code : 0);
	} else {
		close(pipes[1]);
		code = hear(child, pipes[0], path);
		pipes[1] = -1;
	}
	close(pipes[0]);
	if (pipes[1] >= 0)
		close(pipes[1]);
	return code;
}

/* ---- one file or run ---- */

#define ALL (1u << VS_KIND_VECTORS | 1u << VS_KIND_SHARD | 1u << VS_KIND_MERGED)

/* A file of vectors, or the results in a file or a directory. */
struct subject {
	const char *path;
	bool is_run;
	struct vs_packed *vectors;
	struct vs_result **results;
	size_t n;
};

static uint64_t
memory(void)
{
	uint64_t quarter = vs_mem_allowed() / 4;

	return job.memory               ? job.memory
		: quarter < MOST_MEMORY ? quarter
					: MOST_MEMORY;
}

static unsigned
flags(void)
{
	return job.unsealed ? VS_H5_UNSEALED : 0;
}

static void
close_subject(struct subject *s)
{
	for (size_t k = 0; k < s->n; k++)
		vs_result_close(s->results[k]);
	free(s->results);
	vs_packed_close(s->vectors);
	memset(s, 0, sizeof(*s));
}

static int
check_vectors(struct subject *s, const char *path)
{
	int code = vs_packed_open(&s->vectors, path, flags() | VS_PACKED_PART);

	if (!code)
		code = vs_check_structure_packed(s->vectors);
	limit(0);
	if (!code)
		vs_tool_say("%s: seal, structure and digest of %llu vectors "
			    "with %llu fields",
			path, (unsigned long long)s->vectors->n_vec,
			(unsigned long long)s->vectors->n_field);
	if (!code)
		code = vs_check_packed(s->vectors);
	if (!code)
		code = vs_h5_reader_unchanged(s->vectors->file);
	if (!code)
		vs_tool_say("%s: %s and columns", path,
			s->vectors->element == VS_BIT2 ? "genotypes, counts"
						       : "numbers, sums");
	return code;
}

static int
check_records(struct subject *s, const char *path)
{
	struct vs_result *r = NULL;
	int code = vs_result_open(&r, path, flags());

	if (!code)
		code = vs_check_structure_result(r);
	limit(0);
	if (!code)
		vs_tool_say("%s: seal, structure and digest of a %s", path,
			r->kind == VS_KIND_MERGED ? "merged result" : "shard");
	if (!code)
		code = vs_check_result(r, memory());
	if (!code)
		code = vs_h5_reader_unchanged(r->file);
	if (code) {
		vs_result_close(r);
		return code;
	}
	vs_tool_say("%s: %llu record%s", path, (unsigned long long)r->n_records,
		vs_text_s(r->n_records));
	s->results[s->n++] = r;
	return 0;
}

static int
check_file(struct subject *s, const char *path)
{
	struct vs_h5_reader *file = NULL;
	enum vs_kind kind;
	struct stat st;
	int code;

	if (stat(path, &st))
		return vs_fail_input(path, "read");
	limit((uint64_t)st.st_size + 1);
	code = vs_h5_reader_open(&file, path, ALL, flags() | VS_H5_FAST, &kind);
	vs_h5_reader_close(file);
	if (!code && kind == VS_KIND_VECTORS)
		code = s->is_run ? vs_fail(VS_ENO, "%s: is not a shard", path)
				 : check_vectors(s, path);
	else if (!code)
		code = check_records(s, path);
	limit(0);
	return code;
}

/* The completion file says which shards there were; they are what is judged. */
static int
say_completion(const struct subject *s)
{
	struct vs_complete mark, found = { .n_shards = s->n };
	bool has, reads = false;
	int code = vs_complete_has(s->path, &has);

	if (!code)
		code = vs_complete_read(s->path, &mark, &reads);
	if (code)
		return code;
	for (size_t k = 0; k < s->n; k++) {
		found.n_records += s->results[k]->n_records;
		vs_digest_sum_add(&found.sum, &s->results[k]->sum);
	}
	reads = reads && mark.n_shards == found.n_shards &&
		mark.n_records == found.n_records &&
		!memcmp(&mark.sum, &found.sum, sizeof(mark.sum));
	vs_tool_say("%s: %s", s->path,
		!has            ? "no complete.yaml: shards may be missing"
			: reads ? "complete.yaml matches these shards"
				: "complete.yaml belongs to other shards");
	return 0;
}

static int
check_complete(struct subject *s)
{
	uint64_t n_tile = 0;
	int code = vs_check_run(s->results, s->n, &n_tile);

	if (code)
		return vs_fail_at(code, "%s", s->path);
	vs_tool_say("%s: shards: %zu, tiles: %llu, each once", s->path, s->n,
		(unsigned long long)n_tile);
	return say_completion(s);
}

/* All checks of one operand; what was opened stays open in *s. */
static int
check_subject(struct subject *s, const char *path)
{
	struct vs_text_pool files = { 0 };
	enum vs_file_kind what;
	int code = vs_file_kind(path, &what);

	s->path = path;
	s->is_run = what == VS_FILE_DIR;
	if (!code)
		code = vs_run_shards(path, &files);
	if (!code && !files.n)
		code = vs_fail(VS_ENO, "%s: contains no shards", path);
	VS_MEM_NEW(&code, s->results, files.n, "shards");
	if (!code)
		code = vs_h5_reader_look(&files, ALL, flags());
	for (size_t k = 0; k < files.n && !code; k++)
		code = check_file(s, vs_text_pool_string(&files, k));
	if (!code && s->is_run)
		code = check_complete(s);
	vs_text_pool_free(&files);
	/* the file is what is judged: that it is wrong is the answer, but
	 * another program's file gets none */
	return code == VS_EINPUT && (s->is_run || !vs_seal_is_foreign(path))
		? VS_ENO
		: code;
}

/* ---- against vectors, against another ---- */

/* Open the vectors file that an option judges results by; if it is wrong, that
 * is an error, not an answer. */
static int
open_vectors(const struct subject *s, struct subject *vectors,
	const char *option, const char *path)
{
	int code;

	if (s->vectors)
		return vs_fail(VS_EUSAGE,
			"%s: is a vectors file; %s judges results", s->path,
			option);
	code = check_subject(vectors, path);
	if (code == VS_ENO)
		return VS_EINPUT;
	if (!code && !vectors->vectors)
		code = vs_fail(VS_EINPUT, "%s: is not a vectors file", path);
	return code;
}

static int
recompute(const struct subject *s)
{
	struct subject vectors = { 0 };
	struct vs_recompute r = {
		.name = s->path,
		.r = s->results,
		.n = s->n,
		.sample = (uint64_t)job.sample,
		.seed = (uint64_t)job.seed,
		.n_thread = (int)job.threads,
		.memory = memory(),
	};
	int code = open_vectors(s, &vectors, "--against", job.against);

	r.vectors = vectors.vectors;
	if (!code)
		code = vs_recompute(&r);
	if (!code && !vs_summary_ask_alone(s->results[0]->run.summary))
		vs_tool_say("%s: %llu records recomputed, %llu pairs searched "
			    "for values not listed",
			s->path, (unsigned long long)r.n_record,
			(unsigned long long)r.n_pair);
	close_subject(&vectors);
	return code;
}

static int
check_closed(const struct subject *s)
{
	struct subject vectors = { 0 };
	struct vs_closed_form c = { .name = s->path,
		.r = s->results,
		.n = s->n };
	int code = open_vectors(s, &vectors, "--closed-form", job.closed);

	if (!code && !s->is_run && s->results[0]->kind == VS_KIND_SHARD)
		code = vs_fail(VS_EUSAGE,
			"%s: is one shard; --closed-form judges whole runs",
			s->path);
	c.vectors = vectors.vectors;
	if (!code)
		code = vs_closed_form_check(&c);
	if (!code)
		vs_tool_say("%s: %llu records, all of the closed form", s->path,
			(unsigned long long)c.n_record);
	close_subject(&vectors);
	return code;
}

static int
compare(const struct subject *s)
{
	struct subject other = { 0 };
	int code = check_subject(&other, job.compare);

	if (!code && !s->vectors != !other.vectors)
		code = vs_fail(VS_ENO, "%s and %s: vectors against results",
			s->path, other.path);
	else if (!code && s->vectors)
		code = vs_compare_packed(s->vectors, other.vectors);
	else if (!code)
		code = vs_compare_results(
			&(struct vs_compared){ s->path, s->results, s->n },
			&(struct vs_compared){ other.path, other.results,
				other.n },
			memory());
	if (!code)
		vs_tool_say("%s and %s: equal", s->path, other.path);
	close_subject(&other);
	return code;
}

static int
judge(const char *path)
{
	struct subject s = { 0 };
	int code = check_subject(&s, path);

	if (!code && job.against)
		code = recompute(&s);
	if (!code && job.closed)
		code = check_closed(&s);
	if (!code && job.compare)
		code = compare(&s);
	close_subject(&s);
	return code;
}

/* ---- the whole ---- */

/* A file that cannot be read is an error, not a verdict. */
static int
check_readable(const char *path)
{
	if (path && access(path, R_OK))
		return vs_fail_input(path, "read");
	return 0;
}

int
main(int argc, char **argv)
{
	struct vs_args args;
	int worst = vs_tool_begin(&tool, argc, argv, &args), code;

	if (!worst)
		worst = vs_tool_check((const struct vs_opt_fact[]){
			{ "second", args.n_operand > 1, args.operands[1] },
			{ 0 } });
	if (!worst)
		worst = check_readable(job.against);
	if (!worst)
		worst = check_readable(job.closed);
	if (!worst)
		worst = check_readable(job.compare);
	if (worst)
		return vs_tool_end(worst, true);
	job.threads = vs_tool_threads(job.threads);
	vs_h5_threads((int)job.threads);
	for (int k = 0; k < args.n_operand; k++) {
		code = check_readable(args.operands[k]);
		if (!code)
			code = in_child(judge, args.operands[k]);
		if (!code)
			continue;
		/* each operand has its own answer and sentence */
		vs_tool_warn("%s", vs_fail_text());
		vs_fail_clear();
		worst = code < worst ? code : worst;
	}
	return vs_tool_end(worst, true);
}
