/* SPDX-License-Identifier: BSD-3-Clause */
/* The interface to HDF5: every type, packing and chunk shape is read back. */
#include <fcntl.h>
#include <hdf5.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/h5.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "libcore/base/text.h"
#include "tests/unit/test.h"

#define NAME "t.h5"

static const struct vs_codec codecs[] = { { VS_CODEC_ZSTD, 1 },
	{ VS_CODEC_DEFLATE, 4 }, { VS_CODEC_NONE, 0 } };
static const char *const codec_name[] = { "zstd", "deflate", "none" };
static const char *const no_attr[] = { "/:format", NULL };
static const char *const all_data[] = { "/g/*", NULL };
static const struct vs_content all = { no_attr, all_data };

static size_t
size_of(const struct vs_h5_writer_shape *s)
{
	static const size_t size[] = { 1, 2, 4, 4, 8, 8, 4, 8 };

	return s->type == VS_STR ? s->width : size[s->type];
}

/* Write rows in pieces of step, read them back in other pieces. */
static bool
there_and_back(const struct vs_h5_writer_shape *shape, uint64_t n,
	uint64_t step, bool no_copy, char content[VS_DIGEST_TEXT])
{
	struct vs_h5_writer_data *d = NULL;
	struct vs_h5_reader_data *e = NULL;
	struct vs_h5_reader *r = NULL;
	struct vs_h5_writer *w = NULL;
	size_t row = size_of(shape), width = 0;
	uint64_t dim[VS_H5_MAX_DIMS], now;
	uint8_t *from, *to, *room;
	struct vs_rng rng;
	bool same = false;
	int code;

	for (int k = 1; k < shape->n_dim; k++)
		row *= shape->dim[k];
	from = malloc(n * row + 1);
	to = malloc(n * row + 1);
	vs_rng_seed(&rng, n);
	for (size_t k = 0; k < n * row; k++)
		from[k] = (uint8_t)vs_rng_below(&rng, 7);
	unlink(NAME); /* what was read is not replaced */
	code = vs_h5_writer_create(&w, NAME, VS_KIND_VECTORS, "bit2", "t",
		true);
	if (!code)
		code = vs_h5_writer_group(w, "/g");
	if (!code)
		code = vs_h5_writer_data(w, "/g/d", shape, &d);
	for (uint64_t at = 0; at < n && !code; at += now) {
		now = n - at < step ? n - at : step;
		if (no_copy) {
			code = vs_h5_writer_room(d, now, &room, &now);
			if (code)
				break;
			memcpy(room, from + at * row, now * row);
			code = vs_h5_writer_filled(d, now);
		} else {
			code = vs_h5_writer_append(d, from + at * row, now);
		}
	}
	if (code)
		vs_h5_writer_abandon(w);
	else
		code = vs_h5_writer_finish(&w, &all, content);
	if (!code)
		code = vs_h5_reader_open(&r, NAME, 1u << VS_KIND_VECTORS, 0,
			NULL);
	memcpy(dim, shape->dim, sizeof(dim));
	dim[0] = VS_ROWS_UNKNOWN;
	if (!code)
		code = vs_h5_reader_data(r, "/g/d", shape->type, shape->n_dim,
			dim, &width, &e);
	if (!code)
		code = vs_h5_reader_rows(e, 0, n, to);
	same = !code && dim[0] == n && !memcmp(from, to, n * row) &&
		(shape->type != VS_STR || width == shape->width);
	memset(to, 0xee, n * row);
	for (uint64_t at = 0; at < n && !code; at += now) {
		now = 1 + vs_rng_below(&rng, n - at);
		code = vs_h5_reader_rows(e, at, at + now, to + at * row);
	}
	same = same && !code && !memcmp(from, to, n * row);
	if (!code)
		code = vs_h5_reader_check(r, &all, NULL);
	if (code)
		printf("# %s\n", vs_fail_text());
	vs_fail_clear();
	vs_h5_reader_data_close(e);
	vs_h5_reader_close(r);
	free(from);
	free(to);
	return same && !code;
}

static void
types(void)
{
	static const char *const name[] = { "u8", "u16", "u32", "i32", "i64",
		"u64", "f32", "f64", "text" };
	static const uint64_t n[] = { 0, 1, 999, 65536, 65537, 150000 };

	for (int t = VS_U8; t <= VS_STR; t++)
		for (int c = 0; c < 3; c++) {
			char first[VS_DIGEST_TEXT] = "",
			     content[VS_DIGEST_TEXT];
			bool same = true, one = true;

			/* three chunks, of some types by each codec */
			for (int k = 0; k < (T_LONG || t % 3 == c ? 12 : 10);
				k++) {
				struct vs_h5_writer_shape s = {
					.type = (enum vs_type)t,
					.width = t == VS_STR ? 11 : 0,
					.n_dim = 1,
					.dim = { k % 2 ? n[k / 2]
						       : VS_ROWS_UNKNOWN },
					.codec = codecs[c],
					.shuffle = t != VS_STR
				};

				same = same &&
					there_and_back(&s, n[k / 2],
						k % 3 ? 1000 : 1000000,
						k % 4 < 2, content);
				if (k % 2)
					one = one && !strcmp(first, content);
				strcpy(first, content);
			}
			T_OK(same, "%s, %s: comes back", name[t],
				codec_name[c]);
			T_OK(one, "%s, %s: streamed or not, one content",
				name[t], codec_name[c]);
		}
}

static void
shapes(void)
{
	static const struct {
		uint64_t n, dim1, dim2, chunk[3];
		int n_dim;
	} s[] = {
		{ 100, 2, 24, { 16, 2, 8 }, 3 },
		{ 100, 2, 24, { 100, 2, 24 }, 3 },
		{ 101, 2, 24, { 16, 2, 16 }, 3 },
		{ 1, 2, 40, { 64, 2, 16 }, 3 },
		{ 17, 3, 5, { 4, 2, 3 }, 3 },
		{ 1000, 5, 1, { 64, 4, 0 }, 2 },
		{ 1000, 4, 1, { 0, 0, 0 }, 2 },
		{ 0, 4, 1, { 0, 0, 0 }, 2 },
		{ 30, 2, 70000, { 8, 2, 35008 }, 3 },
	};
	char first[VS_DIGEST_TEXT], content[VS_DIGEST_TEXT];

	for (size_t k = 0; k < sizeof(s) / sizeof(s[0]); k++) {
		bool same = true, one = true;

		for (int c = 0; c < 6; c++) {
			struct vs_h5_writer_shape x = {
				.type = s[k].n_dim == 2 ? VS_I64 : VS_U8,
				.n_dim = s[k].n_dim,
				.dim = { c < 3 ? s[k].n : VS_ROWS_UNKNOWN,
					s[k].dim1, s[k].dim2 },
				.chunk = { s[k].chunk[0], s[k].chunk[1],
					s[k].chunk[2] },
				.codec = codecs[c % 3],
				.shuffle = s[k].n_dim == 2,
			};

			same = same &&
				there_and_back(&x, s[k].n, 7 + (uint64_t)c,
					c % 2, content);
			one = one && (!c || !strcmp(first, content));
			strcpy(first, content);
		}
		T_OK(same, "%llu x %llu x %llu in chunks: comes back",
			(unsigned long long)s[k].n,
			(unsigned long long)s[k].dim1,
			(unsigned long long)s[k].dim2);
		T_OK(one, "the same: one content however it is packed");
	}
}

static void
attributes(void)
{
	static const double f[2] = { 2.0 / 3, -0.0 };
	static const int64_t i[3] = { -1, INT64_MAX, INT64_MIN };
	static const uint64_t u[2] = { 0, UINT64_MAX };
	char long_text[4097], *text = NULL, *empty = NULL;
	struct vs_h5_writer *w = NULL;
	struct vs_h5_reader *r = NULL;
	int64_t gi[3];
	uint64_t gu[2];
	int32_t g32;
	bool has;
	double gf[2];
	enum vs_kind kind = 0;

	memset(long_text, 'x', 4096);
	long_text[4096] = 0;
	unlink(NAME);
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_MERGED, "way2", "t",
		     true) &&
			!vs_h5_writer_group(w, "/g") &&
			!vs_h5_writer_f64(w, "/g", "f", f, 2) &&
			!vs_h5_writer_i64(w, "/g", "i", i, 3) &&
			!vs_h5_writer_u64(w, "/g", "u", u, 2) &&
			!vs_h5_writer_i32(w, "/g", "one", (int32_t[]){ -7 },
				1) &&
			!vs_h5_writer_text(w, "/g", "text", long_text) &&
			!vs_h5_writer_text(w, "/g", "empty", "") &&
			!vs_h5_writer_finish(&w, &all, NULL) &&
			!vs_h5_reader_open(&r, NAME, 1u << VS_KIND_MERGED, 0,
				&kind),
		"attributes: written %s", vs_fail_text());
	T_OK(kind == VS_KIND_MERGED && !vs_h5_reader_f64(r, "/g", "f", gf, 2) &&
			!memcmp(f, gf, sizeof(f)) &&
			!vs_h5_reader_i64(r, "/g", "i", gi, 3) &&
			!memcmp(i, gi, sizeof(i)) &&
			!vs_h5_reader_u64(r, "/g", "u", gu, 2) &&
			!memcmp(u, gu, sizeof(u)) &&
			!vs_h5_reader_i32(r, "/g", "one", &g32, 1) &&
			g32 == -7 &&
			!vs_h5_reader_text(r, "/g", "text", &text) &&
			!strcmp(text, long_text) &&
			!vs_h5_reader_text(r, "/g", "empty", &empty) && !*empty,
		"attributes: come back");
	T_OK(vs_h5_reader_i64(r, "/g", "i", gi, 2) == VS_EINPUT &&
			vs_h5_reader_i64(r, "/g", "u", gi, 2) == VS_EINPUT,
		"attributes: another type or number is refused: %s",
		vs_fail_text());
	vs_fail_clear();
	T_OK(!vs_h5_reader_has(r, "/x/y/z", &has) && !has &&
			!vs_h5_reader_has_attr(r, "/x", "y", &has) && !has &&
			!vs_h5_reader_has(r, "/g", &has) && has,
		"what is not there is not there");
	vs_h5_reader_close(r);
	free(text);
	free(empty);
}

static void
texts(void)
{
	struct vs_text_pool p = { 0 }, q = { 0 }, s = { 0 }, names = { 0 };
	struct vs_h5_writer *w = NULL;
	struct vs_h5_reader *r = NULL;
	char long_text[5000];
	size_t len;
	bool same = true;

	memset(long_text, 'y', sizeof(long_text));
	for (int k = 0; k < 70000; k++)
		vs_text_pool_add(&p, long_text, (size_t)(k % 41));
	vs_text_pool_add(&p, long_text, 4096);
	unlink(NAME);
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t", true) &&
			!vs_h5_writer_group(w, "/g") &&
			!vs_h5_writer_strings(w, "/g/s", &p, codecs[0]) &&
			!vs_h5_writer_pool(w, "/g/p", &p, codecs[0]) &&
			!vs_h5_writer_pool(w, "/g/none", &q, codecs[0]) &&
			!vs_h5_writer_strings(w, "/g/void", &q, codecs[0]) &&
			!vs_h5_writer_finish(&w, &all, NULL) &&
			!vs_h5_reader_open(&r, NAME, 1u << VS_KIND_SHARD, 0,
				NULL) &&
			!vs_h5_reader_strings(r, "/g/s", p.n, &s) &&
			!vs_h5_reader_pool(r, "/g/p", p.n, &q) &&
			!vs_h5_reader_members(r, "/g", &names),
		"texts: written and read %s", vs_fail_text());
	for (size_t k = 0; k < p.n; k++) {
		size_t a, b;

		vs_text_pool_get(&p, k, &len);
		vs_text_pool_get(&s, k, &a);
		vs_text_pool_get(&q, k, &b);
		same = same && a == len && b == len;
	}
	T_OK(same && s.n == p.n && q.n == p.n, "texts: come back");
	T_OK(names.n == 4 && !memcmp(vs_text_pool_get(&names, 1, &len), "p", 1),
		"members: in alphabetical order");
	vs_h5_reader_close(r);
	vs_text_pool_free(&q);
	vs_text_pool_free(&s);
	vs_text_pool_free(&names);
	vs_text_pool_add(&p, long_text, 4097);
	unlink(NAME);
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t", true) &&
			vs_h5_writer_strings(w, "/s", &p, codecs[0]) ==
				VS_EINPUT,
		"texts: too long: %s", vs_fail_text());
	T_OK(vs_h5_writer_group(w, "/g") == VS_EINPUT &&
			vs_h5_writer_i32(w, "/", "n", &(int32_t){ 1 }, 1) ==
				VS_EINPUT &&
			vs_h5_writer_text(w, "/", "t", "") == VS_EINPUT &&
			vs_h5_writer_column(w, "/c", VS_U8, "a", 1,
				codecs[0]) == VS_EINPUT &&
			vs_h5_writer_code(w) == VS_EINPUT &&
			vs_h5_writer_finish(&w, &all, NULL) == VS_EINPUT &&
			!w && access(NAME, F_OK),
		"texts: nothing is written after what failed: %s",
		vs_fail_text());
	vs_fail_clear();
	vs_text_pool_free(&p);
}

/* Only what was there before. */
static bool
clean(const char *left)
{
	char command[256];

	snprintf(command, sizeof(command), "test \"$(ls | xargs)\" = \"%s\"",
		left);
	return !system(command);
}

static void
endings(void)
{
	struct vs_h5_writer_shape s = { .type = VS_I64,
		.n_dim = 1,
		.dim = { 2 } };
	static const int64_t three[3];
	struct vs_h5_writer_data *d = NULL;
	struct vs_h5_writer *w = NULL;

	unlink(NAME);
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t",
		     false) &&
			access(NAME, F_OK) && !clean(""),
		"being written it has another name");
	vs_h5_writer_abandon(w);
	T_OK(clean(""), "given up: nothing is left");
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t",
		     false) &&
			!vs_h5_writer_data(w, "/d", &s, &d) &&
			!vs_h5_writer_append(d, three, 1) &&
			vs_h5_writer_finish(&w, &all, NULL) == VS_EMACHINE &&
			clean(""),
		"fewer rows than announced: %s", vs_fail_text());
	vs_fail_clear();
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t",
		     false) &&
			!vs_h5_writer_data(w, "/d", &s, &d) &&
			vs_h5_writer_append(d, three, 3) == VS_EMACHINE,
		"more rows than announced: %s", vs_fail_text());
	vs_fail_clear();
	vs_h5_writer_abandon(w);
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t",
		     false) &&
			!vs_h5_writer_finish(&w, &all, NULL) && clean(NAME),
		"finished: it has its name");
	T_OK(vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t", false) ==
				VS_EUSAGE &&
			clean(NAME),
		"there already: %s", vs_fail_text());
	vs_fail_clear();
	T_OK(!vs_h5_writer_create(&w, NAME, VS_KIND_SHARD, "way2", "t", true),
		"there already, by force");
	vs_h5_writer_abandon(w);
	T_OK(clean(NAME), "given up: what was there is there");
	T_OK(vs_h5_writer_create(&w, "/dev/null/no.h5", VS_KIND_SHARD, "way2",
		     "t", false) == VS_EMACHINE,
		"no directory can be made there: %s", vs_fail_text());
	vs_fail_clear();
	unlink(NAME);
}

static atomic_bool eating;

/* Another program that takes the remaining room. */
static void *
eat(void *arg)
{
	static const char crumb[4096];
	int fd = open("disk/other", O_WRONLY | O_CREAT, 0600);

	(void)arg;
	while (eating && fd >= 0)
		if (write(fd, crumb, sizeof(crumb)) < 0)
			usleep(10);
	close(fd);
	unlink("disk/other");
	return NULL;
}

/* Fill a small disk, from n bytes before it is full. */
static bool
fill_disk(size_t room)
{
	struct vs_h5_writer_shape s = { .type = VS_U8,
		.n_dim = 1,
		.dim = { VS_ROWS_UNKNOWN },
		.chunk = { 4096 } };
	static uint8_t rows[100000];
	struct vs_h5_writer_data *d = NULL;
	struct vs_h5_writer *w = NULL;
	char size[32], name[16], text[4001] = "";
	pthread_t eater;
	bool ok;
	int code;

	snprintf(size, sizeof(size), "size=%zu", room);
	if (mkdir("disk", 0700) || mount("none", "disk", "tmpfs", 0, size))
		return false;
	code = vs_h5_writer_create(&w, "disk/" NAME, VS_KIND_SHARD, "way2", "t",
		false);
	eating = room % 8192 == 0;
	if (eating)
		pthread_create(&eater, NULL, eat, NULL);
	if (!code) {
		code = vs_h5_writer_group(w, "/g");
		if (!code)
			code = vs_h5_writer_data(w, "/g/d", &s, &d);
		/* what HDF5 keeps to itself until the end */
		memset(text, 'x', 4000);
		for (int k = 0; k < 10 && !code; k++) {
			snprintf(name, sizeof(name), "/g%d", k);
			code = vs_h5_writer_group(w, name);
			if (!code)
				code = vs_h5_writer_text(w, name, "text", text);
		}
		for (int k = 0; k < 10 && !code; k++)
			code = vs_h5_writer_append(d, rows, sizeof(rows));
		if (code)
			vs_h5_writer_abandon(w);
		else
			code = vs_h5_writer_finish(&w, &all, NULL);
	}
	if (eating) {
		eating = false;
		pthread_join(eater, NULL);
	}
	/* at the largest size it fits */
	ok = !code ? room > 1000000 && !access("disk/" NAME, F_OK)
		   : code == VS_EMACHINE &&
			strstr(vs_fail_text(), "No space left on device") &&
			!system("test -z \"$(ls -A disk)\"");
	if (!ok)
		printf("# %zu bytes: %s\n", room, vs_fail_text());
	vs_fail_clear();
	umount("disk");
	rmdir("disk");
	return ok;
}

static void
full_disk(void)
{
	bool ok = true;

	if (mkdir("disk", 0700) ||
		mount("none", "disk", "tmpfs", 0, "size=65536")) {
		rmdir("disk");
		T_SKIP("cannot mount a small disk here");
		return;
	}
	umount("disk");
	rmdir("disk");
	for (size_t room = 4096; room < 990000 && ok; room += 61440)
		ok = fill_disk(room);
	/* the data fit, but not what HDF5 writes about them at the end */
	for (size_t room = 991232; room < 1050000 && ok; room += 4096)
		ok = fill_disk(room);
	T_OK(ok, "a full disk: said so, nothing left");
}

int
main(void)
{
	char dir[] = "/tmp/t_h5.XXXXXX";

	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	types();
	shapes();
	attributes();
	texts();
	endings();
	full_disk();
	/* HDF5 crashes on files that it could not close, as it does under
	 * MPI */
	T_OK(H5close() >= 0, "HDF5 ends in peace");
	rmdir(dir);
	return T_DONE();
}
