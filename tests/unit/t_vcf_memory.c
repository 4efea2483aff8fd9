/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Reading of VCF and BCF without memory: whichever allocation fails, alone or
 * with all that follow, the reader gives every site as it is, or says that the
 * machine failed; it never waits for ever.
 */
#include <errno.h>
#include <htslib/vcf.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/in/readers.h"
#include "libcore/base/fail.h"
#include "libcore/base/sanitized.h"
#include "tests/unit/test.h"

#define PLACES 3000
#define SECONDS 20
#define MOST 4096

static long left = -1; /* allocations before the failure; < 0: there is none */
static bool once;

#if !VS_SANITIZED
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t),
	*__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);

static bool
fails(void)
{
	long n = __atomic_load_n(&left, __ATOMIC_SEQ_CST);

	if (n < 0)
		return false;
	n = __atomic_fetch_sub(&left, 1, __ATOMIC_SEQ_CST);
	if (n > 0 || (n < 0 && once))
		return false;
	if (!once)
		__atomic_store_n(&left, 0, __ATOMIC_SEQ_CST);
	errno = ENOMEM;
	return true;
}

void *
malloc(size_t n)
{
	return fails() ? NULL : __libc_malloc(n);
}

void *
calloc(size_t a, size_t b)
{
	return fails() ? NULL : __libc_calloc(a, b);
}

void *
realloc(void *p, size_t n)
{
	return fails() ? NULL : __libc_realloc(p, n);
}

void *
aligned_alloc(size_t align, size_t n)
{
	return fails() ? NULL : __libc_memalign(align, n);
}
#endif

/* Sites that htslib parses, haploid or with GT in second place or none at all,
 * a contig and a key that the header does not name, and a common site. */
static const char head[] =
	"##fileformat=VCFv4.2\n##contig=<ID=1,length=1000>\n"
	"##FORMAT=<ID=GT,Number=1,Type=String,Description=\"g\">\n"
	"##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"d\">\n"
	"##INFO=<ID=AF,Number=A,Type=Float,Description=\"a\">\n"
	"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\tann\tbob\tcy\n";
static const char sites[] =
	"1\t5\trs1\tA\tC\t.\tPASS\tAF=0.5\tGT\t0\t0/1\t1/1\n"
	"1\t6\trs2\tAG\tCTT\t9.5\t.\t.\tDP:GT\t3:0/1\t4:./.\t5:1|1\n"
	"1\t7\t.\tA\tC\t.\tPASS\tAF=0.25\tDP\t1\t2\t3\n"
	"1\t8\t.\tG\t.\t.\t.\t.\tGT\t0/0\t0/0\t./.\n"
	"1\t9\trs5\tG\tA,T\t.\t.\t.\tGT\t0/1\t0/2\t1/2\n"
	"1\t10\trs6longer\tG\tA\t.\t.\t.\tGT\t0/1\t0/0\t1/1\n";
static const char unknown[] =
	"chrX\t11\trs7\tG\tA\t.\t.\tNEW=1\tGT\t0\t0/0\t1\n";

static bool
write_text(const char *path, bool all)
{
	FILE *f = fopen(path, "w");

	return f && fputs(head, f) >= 0 && fputs(sites, f) >= 0 &&
		(!all || fputs(unknown, f) >= 0) && !fclose(f);
}

/* Pack by htslib, in its words for the kind. */
static bool
write_packed(const char *path, const char *from, const char *kind)
{
	htsFile *in = hts_open(from, "r"), *out = hts_open(path, kind);
	bcf_hdr_t *h = in ? bcf_hdr_read(in) : NULL;
	bcf1_t *site = bcf_init();
	bool good = h && out && !bcf_hdr_write(out, h);

	while (good && !bcf_read(in, h, site))
		good = !bcf_write(out, h, site);
	bcf_destroy(site);
	bcf_hdr_destroy(h);
	return !hts_close(in) && !hts_close(out) && good;
}

/* Read all sites and write them to fd. Returns the reader's code. */
static int
read_all(const char *path, int threads, int fd)
{
	struct vs_reader r = { 0 };
	struct vs_input_site x;
	int code = vs_reader_open(&r, &vs_reader_vcf, path,
		&(struct vs_reader_how){ .ploidy = 2, .threads = threads },
		NULL);

	for (size_t q = 0; q < r.samples.n && !code; q++) {
		size_t len;
		const char *id = vs_text_pool_get(&r.samples.id, q, &len);

		if (write(fd, id, len) < 0)
			_exit(9);
	}
	while (!code && (code = vs_reader_next(&r, &x)) == 1) {
		const struct vs_site *s = &x.site;

		if (dprintf(fd, "%.*s %lld %.*s %.*s %.*s %d\n",
			    (int)s->contig_len, s->contig, (long long)s->pos,
			    (int)s->id_len, s->id, (int)s->allele_len[0],
			    s->allele[0], (int)s->allele_len[1], s->allele[1],
			    x.codes[0]) < 0)
			code = VS_EMACHINE;
		else
			code = 0;
	}
	vs_reader_close(&r);
	return code;
}

/* Read in a child, of which allocation n_alloc fails. The code, positive; 128
 * and more where a signal ended it. */
static int
read_with(long n_alloc, const char *path, int threads, char got[MOST])
{
	int ends[2], status;
	size_t n = 0;
	ssize_t more;
	pid_t child;

	if (pipe(ends))
		exit(4);
	fflush(stdout);
	child = fork();
	if (!child) {
		alarm(SECONDS);
		left = n_alloc;
		_exit(-read_all(path, threads, ends[1]));
	}
	close(ends[1]);
	while ((more = read(ends[0], got + n, MOST - 1 - n)) > 0)
		n += (size_t)more;
	got[n] = 0;
	close(ends[0]);
	waitpid(child, &status, 0);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	/* programs say so of a library that crashes without memory */
	return WTERMSIG(status) == SIGSEGV ? 4 : 128 + WTERMSIG(status);
}

static void
try_all(const char *path, int threads)
{
	char want[MOST], got[MOST];
	int code = read_with(-1, path, threads, want);
	long n = 0, wrong = 0, first = -1;

	T_OK(!code && strstr(want, "rs6longer G A"), "%s", path);
	for (code = 4; !VS_SANITIZED && n < PLACES && (code || once); n++) {
		bool bad;

		code = read_with(n, path, threads, got);
		bad = code ? code != 4 : strcmp(got, want);
		if (bad && first < 0)
			first = n;
		wrong += bad;
		/* past the last one, which is not known beforehand */
		if (once && !code && !bad && n > PLACES / 10)
			break;
	}
	T_OK(!wrong, "%s, %d threads, %s: %ld of %ld wrong, first %ld", path,
		threads, once ? "once" : "from there on", wrong, n, first);
}

int
main(void)
{
	static const char *const kinds[] = { "w", "wz", "wb", "wbu" };
	char dir[] = "/tmp/t_vcf_memory.XXXXXX", path[2][64];

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	snprintf(path[0], sizeof(path[0]), "plain.vcf");
	T_OK(write_text("few.vcf", false) && write_text(path[0], true),
		"inputs");
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++) {
		const char *now = path[0];

		if (k) {
			now = path[1];
			snprintf(path[1], sizeof(path[1]), "%s.packed",
				kinds[k]);
			T_OK(write_packed(now, "few.vcf", kinds[k]), "%s", now);
		}
		for (int threads = 1; threads < 3; threads++)
			for (int o = 0; o < 2; o++) {
				once = o;
				try_all(now, threads);
			}
		unlink(now);
	}
	unlink("few.vcf");
	if (chdir("/") || rmdir(dir))
		return 1;
	return T_DONE();
}
