/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Files with a seal that fits and an inside that does not: made by HDF5
 * itself, sealed again. Each is refused with a sentence that says what is odd.
 */
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/seal.h"
#include "formats/h5/zst.h"
#include "formats/vectors/packed.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define NAME "t.vec.h5"
#define N 300
#define F 70
#define PLANE 16 /* bytes */

static int
make(void)
{
	struct vs_packed_plan plan = { .path = NAME,
		.n_field = F,
		.n_vec = N,
		.allele_rule = "minor1",
		.codec = { VS_CODEC_ZSTD, 1 },
		.generator = "t",
		.force = true };
	struct vs_packed_writer *w = NULL;
	struct vs_provenance p = { 0 };
	struct vs_samples m = { .n = F };
	struct vs_sites s = { 0 };
	struct vs_vec b;
	int code = vs_vec_new(&b, N, F);

	for (size_t q = 0; q < F; q++)
		vs_text_pool_add(&m.id, "s", 1);
	for (size_t v = 0; v < N; v++)
		vs_sites_add(&s,
			&(struct vs_site){ .id = "",
				.contig = "",
				.allele = { "", "" },
				.count = { F },
				.source_row = 0 });
	if (!code)
		code = vs_packed_create(&w, &plan);
	if (!code)
		code = vs_packed_add(w, &b, 0, N);
	if (!code)
		code = vs_packed_finish(w, &s, &m, NULL, &p, NULL);
	vs_sites_samples_free(&m);
	vs_sites_free(&s);
	vs_vec_free(&b);
	return code;
}

/* ---- what is done to the inside ---- */

static void
attribute(hid_t f, const char *object, const char *name, hid_t type,
	const void *v, hsize_t n)
{
	hid_t s = n ? H5Screate_simple(1, &n, NULL) : H5Screate(H5S_SCALAR), a;

	H5Adelete_by_name(f, object, name, H5P_DEFAULT);
	a = H5Acreate_by_name(f, object, name, type, s, H5P_DEFAULT,
		H5P_DEFAULT, H5P_DEFAULT);
	H5Awrite(a, type, v);
	H5Aclose(a);
	H5Sclose(s);
}

static void
text(hid_t f, const char *object, const char *name, const char *v)
{
	hid_t t = H5Tcopy(H5T_C_S1);

	H5Tset_size(t, strlen(v) + 1);
	attribute(f, object, name, t, v, 0);
	H5Tclose(t);
}

static void
major(hid_t f)
{
	attribute(f, "/", "format_version", H5T_STD_I32LE, (int32_t[]){ 2, 0 },
		2);
}

static void
minor(hid_t f)
{
	attribute(f, "/", "format_version", H5T_STD_I32LE, (int32_t[]){ 1, 99 },
		2);
}

static void
feature(hid_t f)
{
	text(f, "/", "required_features", "bit2 telepathy");
}

static void
format(hid_t f)
{
	text(f, "/", "format", "vsim-merged");
}

static void
content(hid_t f)
{
	text(f, "/", "content_xxh128", "00000000000000000000000000000000");
}

static void
no_attribute(hid_t f)
{
	H5Adelete_by_name(f, "/vectors", "allele_rule", H5P_DEFAULT);
}

static void
endless_text(hid_t f)
{
	hid_t t = H5Tcopy(H5T_C_S1);
	const char *v = "minor1";

	H5Tset_size(t, H5T_VARIABLE);
	attribute(f, "/vectors", "allele_rule", t, &v, 0);
	H5Tclose(t);
}

static void
count(hid_t f)
{
	attribute(f, "/vectors", "n_vectors", H5T_STD_I64LE,
		(int64_t[]){ N + 1 }, 0);
}

static void
negative(hid_t f)
{
	attribute(f, "/vectors", "n_vectors", H5T_STD_I64LE, (int64_t[]){ -1 },
		0);
}

static void
element(hid_t f)
{
	text(f, "/vectors", "element", "f16");
}

static void
soft_link(hid_t f)
{
	H5Lcreate_soft("/vectors/id", f, "/vectors/alias", H5P_DEFAULT,
		H5P_DEFAULT);
}

static void
external_link(hid_t f)
{
	H5Lcreate_external("/etc/passwd", "/x", f, "/vectors/planes2",
		H5P_DEFAULT, H5P_DEFAULT);
}

static void
planes_elsewhere(hid_t f)
{
	H5Ldelete(f, "/vectors/planes", H5P_DEFAULT);
	H5Lcreate_external("other.h5", "/x", f, "/vectors/planes", H5P_DEFAULT,
		H5P_DEFAULT);
}

static void
cycle(hid_t f)
{
	H5Lcreate_hard(f, "/vectors", f, "/samples/vectors", H5P_DEFAULT,
		H5P_DEFAULT);
}

/* A data set of rank n_dim, from a list of creation properties. */
static hid_t
data_set(hid_t f, const char *path, hid_t type, int n_dim, const hsize_t *dim,
	const hsize_t *most, hid_t list)
{
	hid_t s = H5Screate_simple(n_dim, dim, most);
	hid_t d = H5Dcreate2(f, path, type, s, H5P_DEFAULT, list, H5P_DEFAULT);

	H5Sclose(s);
	return d;
}

static void
short_type(hid_t f)
{
	hsize_t n = 3;

	H5Dclose(
		data_set(f, "/extra", H5T_STD_I16LE, 1, &n, NULL, H5P_DEFAULT));
}

static void
other_filter(hid_t f)
{
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	hsize_t n = 3;

	H5Pset_chunk(list, 1, &n);
	H5Pset_nbit(list);
	H5Dclose(data_set(f, "/extra", H5T_STD_U8LE, 1, &n, NULL, list));
	H5Pclose(list);
}

static void
compact(hid_t f)
{
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	hsize_t n = 3;

	H5Pset_layout(list, H5D_COMPACT);
	H5Dclose(data_set(f, "/extra", H5T_STD_U8LE, 1, &n, NULL, list));
	H5Pclose(list);
}

static void
elsewhere(hid_t f)
{
	hid_t list = H5Pcreate(H5P_DATASET_CREATE);
	hsize_t n = 3;

	H5Pset_external(list, "/etc/passwd", 0, 3);
	H5Dclose(data_set(f, "/extra", H5T_STD_U8LE, 1, &n, NULL, list));
	H5Pclose(list);
}

static void
strange_name(hid_t f)
{
	hsize_t n = 3;

	H5Dclose(data_set(f, "/Extra one", H5T_STD_U8LE, 1, &n, NULL,
		H5P_DEFAULT));
}

static void
named_type(hid_t f)
{
	hid_t t = H5Tcopy(H5T_STD_U8LE);

	H5Tcommit2(f, "/extra", t, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	H5Tclose(t);
}

/* Planes again in one chunk of N rows, unwritten; filter 0, 1 or 32015. */
static hid_t
planes(hid_t f, uint64_t n_row, hsize_t chunk_rows, int filter)
{
	hid_t list = H5Pcreate(H5P_DATASET_CREATE), d;
	hsize_t dim[3] = { n_row, 2, PLANE }, most[3] = { n_row, 2, PLANE };
	hsize_t chunk[3] = { chunk_rows, 2, PLANE };
	unsigned level = 1;

	if (n_row > N)
		most[0] = H5S_UNLIMITED;
	H5Pset_fill_time(list, H5D_FILL_TIME_NEVER);
	H5Pset_chunk(list, 3, chunk);
	if (filter == 1)
		H5Pset_deflate(list, 1);
	else if (filter)
		H5Pset_filter(list, filter, H5Z_FLAG_MANDATORY, 1, &level);
	H5Ldelete(f, "/vectors/planes", H5P_DEFAULT);
	d = data_set(f, "/vectors/planes", H5T_STD_U8LE, 3, dim, most, list);
	H5Pclose(list);
	return d;
}

static void
put_chunk(hid_t d, uint32_t mask, size_t n, const void *bytes)
{
	static const hsize_t at[3];

	if (H5Dwrite_chunk(d, H5P_DEFAULT, mask, at, n, bytes) < 0)
		printf("# chunk not written\n");
	H5Dclose(d);
}

static uint8_t zeros[2 * N * 2 * PLANE];

static void
chunk_missing(hid_t f)
{
	H5Dclose(planes(f, N, N, 32015));
}

static void
chunk_rubbish(hid_t f)
{
	put_chunk(planes(f, N, N, 32015), 0, 100, zeros);
}

static void
chunk_inflated(hid_t f)
{
	put_chunk(planes(f, N, N, 1), 0, 100, zeros);
}

static void
packed_chunk(hid_t f, size_t n, uint32_t mask, size_t more)
{
	static uint8_t out[2 * sizeof(zeros)];
	struct vs_zst *z = NULL;
	size_t got = 0;

	vs_zst_new(&z);
	vs_zst_pack(z, 1, zeros, n, out, sizeof(out), &got);
	vs_zst_free(z);
	put_chunk(planes(f, N, N, 32015), mask, got + more, out);
}

static void
chunk_short(hid_t f)
{
	packed_chunk(f, N * 2 * PLANE - 1, 0, 0);
}

static void
chunk_long(hid_t f)
{
	packed_chunk(f, N * 2 * PLANE + 1, 0, 0);
}

static void
chunk_two(hid_t f)
{
	packed_chunk(f, N * 2 * PLANE, 0, 1);
}

static void
chunk_masked(hid_t f)
{
	put_chunk(planes(f, N, N, 32015), 1, N * 2 * PLANE, zeros);
}

static void
chunk_bloated(hid_t f)
{
	packed_chunk(f, N * 2 * PLANE, 0, N * 4 * PLANE);
}

static void
chunk_huge(hid_t f)
{
	H5Dclose(planes(f, 1u << 30, 4u << 20, 32015));
	attribute(f, "/vectors", "n_vectors", H5T_STD_I64LE,
		(int64_t[]){ 1 << 30 }, 0);
}

static void
promises(hid_t f)
{
	H5Dclose(planes(f, 1ull << 31, 100, 32015));
	attribute(f, "/vectors", "n_vectors", H5T_STD_I64LE,
		(int64_t[]){ 1ll << 31 }, 0);
}

/* Nothing is stored of it, and HDF5 would read zeros. */
static void
promises_flat(hid_t f)
{
	hsize_t dim[3] = { 1ull << 31, 2, PLANE };

	H5Ldelete(f, "/vectors/planes", H5P_DEFAULT);
	H5Dclose(data_set(f, "/vectors/planes", H5T_STD_U8LE, 3, dim, NULL,
		H5P_DEFAULT));
	attribute(f, "/vectors", "n_vectors", H5T_STD_I64LE,
		(int64_t[]){ 1ll << 31 }, 0);
}

static void
tail(hid_t f)
{
	zeros[PLANE - 1] = 0x80;
	packed_chunk(f, N * 2 * PLANE, 0, 0);
	zeros[PLANE - 1] = 0;
}

static void
whole_chunk(hid_t f)
{
	packed_chunk(f, N * 2 * PLANE, 0, 0);
}

static void
flat(hid_t f)
{
	hsize_t dim[3] = { N, 2, PLANE };
	hid_t d;

	H5Ldelete(f, "/vectors/planes", H5P_DEFAULT);
	d = data_set(f, "/vectors/planes", H5T_STD_U8LE, 3, dim, NULL,
		H5P_DEFAULT);
	H5Dwrite(d, H5T_STD_U8LE, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros);
	H5Dclose(d);
}

static void
nothing(hid_t f)
{
	(void)f;
}

static const struct {
	void (*change)(hid_t);
	const char *what, *words; /* null words: accepted */
} cases[] = {
	{ nothing, "nothing changed", NULL },
	{ minor, "a later minor version", NULL },
	{ whole_chunk, "planes in a chunk of another shape", NULL },
	{ flat, "planes in no chunk", NULL },
	{ major, "a later major version",
		"has format version 2.0, but this vsim reads only 1" },
	{ feature, "an unknown feature", "needs the feature telepathy" },
	{ format, "another format", "format differs from that of its seal" },
	{ content, "another content", "names are others than its seal says" },
	{ no_attribute, "a missing attribute", "has no attribute allele_rule" },
	{ endless_text, "a text of variable length", "attribute allele_rule" },
	{ count, "another number of vectors", "must have 301" },
	{ negative, "a negative number", "states inconsistent sizes" },
	{ element, "another element", "vectors of f16" },
	{ soft_link, "a soft link", "leads to another place" },
	{ external_link, "an external link", "leads to another place" },
	{ planes_elsewhere, "planes in another file", "/vectors/planes" },
	{ cycle, "a cycle", "met before" },
	{ short_type, "a type not ours", "a type that no vsim file has" },
	{ other_filter, "a filter not ours", "filters that vsim does not use" },
	{ compact, "a compact layout", "laid out in an unknown way" },
	{ elsewhere, "data in another file", "data in other files" },
	{ strange_name, "a strange name", "a member of a strange name" },
	{ named_type, "a named type", "neither group nor data set" },
	{ chunk_missing, "a missing chunk", "fewer bytes" },
	{ chunk_rubbish, "a chunk of zeros", "not one whole zstd frame" },
	{ chunk_inflated, "a chunk that is not a deflate stream", "deflated" },
	{ chunk_short, "a chunk that unpacks short", "to another size" },
	{ chunk_long, "a chunk that unpacks long", "chunk 0,0" },
	{ chunk_two, "a chunk with bytes behind", "not one whole zstd frame" },
	{ chunk_masked, "a chunk stored past its filter", "not packed as" },
	{ chunk_bloated, "a chunk stored too large", "more bytes than it can" },
	{ chunk_huge, "chunks beyond the limit", "chunks too large" },
	{ promises, "more rows than the file can hold", "fewer bytes" },
	{ promises_flat, "more rows, none of them stored", "fewer bytes" },
	{ tail, "bits past the last field", "bits past its last field" },
};

static int
read_all(unsigned flags)
{
	struct vs_packed *p = NULL;
	struct vs_vec b = { 0 };
	int code = vs_packed_open(&p, NAME, flags);

	if (!code)
		code = vs_vec_new(&b, N, F);
	if (!code)
		code = vs_packed_read(p, 0, N, &b, 0);
	if (!code)
		code = vs_h5_reader_check(p->file, &vs_packed_content, NULL);
	vs_packed_close(p);
	vs_vec_free(&b);
	return code;
}

static void
one(size_t k)
{
	struct vs_seal seal;
	int code = make(), fd;
	hid_t f = -1;

	if (!code)
		code = vs_seal_check(NAME, 1u << VS_KIND_VECTORS, 0, &seal);
	if (!code)
		f = H5Fopen(NAME, H5F_ACC_RDWR, H5P_DEFAULT);
	if (!T_OK(f >= 0, "%s: made %s", cases[k].what, vs_fail_text()))
		return;
	cases[k].change(f);
	H5Fclose(f);
	fd = open(NAME, O_RDWR);
	code = vs_seal_close(fd, NAME, &seal);
	close(fd);
	if (!code)
		code = read_all(k % 2 ? 0 : VS_H5_TRUSTED);
	if (!cases[k].words)
		T_OK(!code, "%s: accepted %s", cases[k].what, vs_fail_text());
	else
		T_OK(code == VS_EINPUT &&
				strstr(vs_fail_text(), cases[k].words),
			"%s: %s", cases[k].what, vs_fail_text());
	vs_fail_clear();
	unlink(NAME);
}

/*
 * Texts of variable length, which our files never have, break HDF5 when
 * damaged. A file so made and sealed again: a child finds out.
 */
static void
guarded(void)
{
	const char *many[16];
	struct vs_seal seal;
	struct vs_rng r;
	uint8_t *whole;
	hsize_t n = 16;
	hid_t f, t = H5Tcopy(H5T_C_S1);
	long size;
	int fd, code, broke = 0, odd = 0;

	H5Tset_size(t, H5T_VARIABLE);
	for (int k = 0; k < 16; k++)
		many[k] = "a text that is as long as it likes to be";
	if (make() || vs_seal_check(NAME, 1u << VS_KIND_VECTORS, 0, &seal))
		return;
	f = H5Fopen(NAME, H5F_ACC_RDWR, H5P_DEFAULT);
	for (int k = 0; k < 16; k++) {
		char name[16];

		snprintf(name, sizeof(name), "v%d", k);
		attribute(f, "/", name, t, many, n);
	}
	H5Tclose(t);
	H5Fclose(f);
	fd = open(NAME, O_RDWR);
	size = lseek(fd, 0, SEEK_END);
	whole = malloc((size_t)size);
	if (pread(fd, whole, (size_t)size, 0) != size)
		abort();
	vs_rng_seed(&r, 8);
	for (int k = 0; k < 100; k++) {
		size_t at = 512 + vs_rng_below(&r, (uint64_t)size - 512);
		uint8_t bad = whole[at] ^ (uint8_t)(1 << k % 8);

		if (pwrite(fd, &bad, 1, (off_t)at) != 1 ||
			vs_seal_close(fd, NAME, &seal))
			abort();
		code = read_all(0);
		broke += strstr(vs_fail_text(), "HDF5 crashes") != NULL;
		odd += code && code != VS_EINPUT;
		vs_fail_clear();
		if (pwrite(fd, &whole[at], 1, (off_t)at) != 1)
			abort();
	}
	close(fd);
	free(whole);
	unlink(NAME);
	T_OK(!odd, "forged files: accepted or refused; HDF5 broke on %d of 100",
		broke);
}

static int dying;

static void
die(void)
{
	if (!dying)
		return;
	signal(dying, SIG_DFL); /* sanitizers have handlers */
	kill(getpid(), dying);
}

/* A crash of the child is reported as damage; what another has sent, as the
 * kernel does where memory ends, as the machine's failure. */
static void
child_dies(int by, int want, const char *words)
{
	int code = make();

	dying = by;
	if (!code)
		code = read_all(0);
	dying = 0;
	T_OK(code == want && strstr(vs_fail_text(), words),
		"a reader that dies: %s", vs_fail_text());
	vs_fail_clear();
	unlink(NAME);
}

int
main(void)
{
	char dir[] = "/tmp/t_profile.XXXXXX";

	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	for (size_t k = 0; k < sizeof(cases) / sizeof(cases[0]); k++)
		one(k);
	guarded();
	pthread_atfork(NULL, NULL, die);
	child_dies(SIGSEGV, VS_EINPUT, "HDF5 crashes on it");
	child_dies(SIGABRT, VS_EINPUT, "HDF5 crashes on it");
	child_dies(SIGPROF, VS_EINPUT, "HDF5 crashes on it");
	child_dies(SIGKILL, VS_EMACHINE, "was killed (Killed)");
	child_dies(SIGALRM, VS_EMACHINE, "was killed (Alarm clock)");
	rmdir(dir);
	return T_DONE();
}
