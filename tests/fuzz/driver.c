/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Driver of a fuzz target without libFuzzer: the corpus, then mutations of it
 * by a seeded generator, each in the same process.
 *
 *	f_NAME [ROUNDS [SEED]]  mutated inputs, by default as many as the target
 *	                        says, of seed 1
 *	f_NAME --run FILE...    these inputs alone
 *	f_NAME --seeds FOLDER   write the corpus to files of FOLDER
 *
 * An input that kills the program, or takes longer than TOO_LONG seconds, is
 * kept as crash-f_NAME in $VSIM_BUILD, or in the current directory.
 */
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "libcore/base/rng.h"
#include "tests/fuzz/fuzz.h"

#define TOO_LONG 30
#define MOST 65536 /* bytes of a mutated input */

struct input {
	uint8_t *bytes;
	size_t n;
};

static struct input *corpus, now;
static size_t n_corpus;
static char crash[4200];
static const char *name;
static pid_t process;
static unsigned long round_now;

static void
take(const void *bytes, size_t n)
{
	corpus = realloc(corpus, (n_corpus + 1) * sizeof(*corpus));
	if (!corpus || !(corpus[n_corpus].bytes = malloc(n + 1)))
		exit(4);
	memcpy(corpus[n_corpus].bytes, bytes, n);
	corpus[n_corpus++].n = n;
}

static void
take_file(const char *path)
{
	struct stat st;
	uint8_t *bytes;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) ||
		!(bytes = malloc((size_t)st.st_size + 1)) ||
		read(fd, bytes, (size_t)st.st_size) != st.st_size) {
		printf("not ok - %s: cannot read %s\n", name, path);
		exit(1);
	}
	close(fd);
	take(bytes, (size_t)st.st_size);
	free(bytes);
}

static int
by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

/* In the order of their names, whatever the file system has. */
static void
take_folder(void)
{
	struct dirent **entry;
	char path[600];
	int n;

	snprintf(path, sizeof(path), "tests/fuzz/corpus/%s", name + 2);
	n = scandir(path, &entry, NULL, by_name);
	for (int k = 0; k < n; k++) {
		snprintf(path, sizeof(path), "tests/fuzz/corpus/%s/%s",
			name + 2, entry[k]->d_name);
		if (entry[k]->d_name[0] != '.')
			take_file(path);
		free(entry[k]);
	}
	if (n >= 0)
		free(entry);
}

/*
 * Keep the input; by calls that a signal handler may make. A child that a
 * target makes may die.
 */
static void
keep(void)
{
	int fd;

	if (getpid() != process)
		return;
	fd = open(crash, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0 || write(fd, now.bytes, now.n) < 0)
		crash[0] = 0;
	dprintf(1, "not ok - %s: round %lu breaks it, kept as %s\n", name,
		round_now, crash);
}

static void
died(int number)
{
	keep();
	signal(number, SIG_DFL);
	raise(number);
}

/* Sanitizers end the program in their own way. */
__attribute__((weak)) void __sanitizer_set_death_callback(void (*)(void));

static void
watch(void)
{
	static const int deaths[] = { SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL,
		SIGALRM };
	const char *to = getenv("VSIM_BUILD");

	process = getpid();
	snprintf(crash, sizeof(crash), "%.4000s/crash-%s", to ? to : ".", name);
	for (size_t k = 0; k < sizeof(deaths) / sizeof(*deaths); k++)
		if (!__sanitizer_set_death_callback || deaths[k] == SIGALRM ||
			deaths[k] == SIGABRT)
			signal(deaths[k], died);
	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(keep);
}

/* In memory that ends where the input does. */
static void
try(const uint8_t *bytes, size_t n)
{
	now.bytes = malloc(n ? n : 1);
	now.n = n;
	if (!now.bytes)
		exit(4);
	memcpy(now.bytes, bytes, n);
	alarm(TOO_LONG);
	LLVMFuzzerTestOneInput(now.bytes, n);
	alarm(0);
	free(now.bytes);
}

/* ---- mutations ---- */

static const char *const words[] = { "\n", "\t", " ", "-9", "./.", "NA", "0",
	"1", "-1", "2", "3", "|", ",", "\r\n", "#", "\"", "1e400", "1e-400",
	"0x10", "nan", "inf", "-0", ".", ":", "2147483648", "4294967296",
	"9223372036854775808", "18446744073709551616", "\xff\xff\xff\xff",
	"\x80", "\x7f\xff\xff\xff", "999999999999999999999999999999999999" };
#define N_WORD (sizeof(words) / sizeof(*words))

/* Replace cut bytes at a place by n others, as far as there is room. */
static size_t
replace(uint8_t *to, size_t len, size_t at, size_t cut, const void *bytes,
	size_t n)
{
	if (cut > len - at)
		cut = len - at;
	if (len - cut + n > MOST)
		n = 0;
	memmove(to + at + n, to + at + cut, len - at - cut);
	memcpy(to + at, bytes, n);
	return len - cut + n;
}

static size_t
mutate(struct vs_rng *r, uint8_t *to, size_t len)
{
	const struct input *other = &corpus[vs_rng_below(r, n_corpus)];
	size_t at = vs_rng_below(r, len + 1), n, from;
	uint8_t copy[64];

	switch (vs_rng_below(r, 7)) {
	case 0:
		if (at < len)
			to[at] ^= (uint8_t)(1 << vs_rng_below(r, 8));
		return len;
	case 1:
		if (at < len)
			to[at] = (uint8_t)vs_rng_next(r);
		return len;
	case 2:
		return vs_rng_below(r, 8) ? len : at;
	case 3:
		n = vs_rng_below(r, N_WORD);
		return replace(to, len, at,
			vs_rng_below(r, 2) * strlen(words[n]), words[n],
			strlen(words[n]));
	case 4:
		n = 1 + vs_rng_below(r, sizeof(copy));
		n = n < len - at ? n : len - at;
		memcpy(copy, to + at, n);
		return replace(to, len, at, 0, copy, n);
	case 5:
		from = vs_rng_below(r, other->n + 1);
		n = vs_rng_below(r, 80);
		n = n < other->n - from ? n : other->n - from;
		return replace(to, len, at, vs_rng_below(r, 2) * n,
			other->bytes + from, n);
	default:
		return replace(to, len, at, 1 + vs_rng_below(r, 20), "", 0);
	}
}

static void
mutations(unsigned long rounds, uint64_t seed)
{
	static uint8_t bytes[MOST];
	struct vs_rng r;

	vs_rng_seed(&r, seed);
	for (round_now = 1; round_now <= rounds; round_now++) {
		const struct input *x = &corpus[vs_rng_below(&r, n_corpus)];
		size_t n = x->n < MOST ? x->n : MOST;

		memcpy(bytes, x->bytes, n);
		for (uint64_t k = 1 + vs_rng_below(&r, 6); k; k--)
			n = mutate(&r, bytes, n);
		try(bytes, n);
	}
}

static int
write_seeds(const char *folder)
{
	char path[4200];

	for (size_t k = 0; k < n_corpus; k++) {
		int fd;

		snprintf(path, sizeof(path), "%.4000s/%05zu", folder, k);
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		if (fd < 0 ||
			write(fd, corpus[k].bytes, corpus[k].n) !=
				(ssize_t)corpus[k].n ||
			close(fd)) {
			perror(path);
			return 4;
		}
	}
	return 0;
}

int
main(int argc, char **argv)
{
	bool given = argc > 1 && !strcmp(argv[1], "--run");
	unsigned long rounds = fuzz_rounds, seed = 1;

	name = strrchr(argv[0], '/');
	name = name ? name + 1 : argv[0];
	for (int k = 2; given && k < argc; k++)
		take_file(argv[k]);
	if (!given) {
		take("", 0);
		take_folder();
		fuzz_seeds(take);
		if (n_corpus == 1) {
			printf("not ok - %s: has no corpus\n", name);
			return 1;
		}
	}
	if (argc > 2 && !strcmp(argv[1], "--seeds"))
		return write_seeds(argv[2]);
	if (!given && argc > 1)
		rounds = strtoul(argv[1], NULL, 10);
	if (!given && argc > 2)
		seed = strtoul(argv[2], NULL, 10);
	watch();
	for (size_t k = 0; k < n_corpus; k++)
		try(corpus[k].bytes, corpus[k].n);
	if (!given)
		mutations(rounds, seed);
	printf("ok - %s: %zu inputs, %lu mutations of them\n", name, n_corpus,
		given ? 0 : rounds);
	while (n_corpus)
		free(corpus[--n_corpus].bytes);
	free(corpus);
	return 0;
}
