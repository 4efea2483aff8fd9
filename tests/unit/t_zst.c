/* SPDX-License-Identifier: BSD-3-Clause */
/* Frames and streams of zstd, and chunks as HDF5's own filters read them. */
#include <fcntl.h>
#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "formats/h5/codec.h"
#include "formats/h5/zst.h"
#include "formats/plugin/vsim_zstd.h"
#include "libcore/base/fail.h"
#include "libcore/base/rng.h"
#include "tests/unit/test.h"

#define N 300000

static uint8_t plain[N], packed[2 * N], back[N + 1];

static void
frames(void)
{
	struct vs_zst *z = NULL;
	const char *why = "";
	size_t n = 0;
	int code;

	T_OK(!vs_zst_new(&z) &&
			!vs_zst_pack(z, 3, plain, N, packed, sizeof(packed),
				&n) &&
			vs_zst_is(packed, n) &&
			!vs_zst_unpack(z, packed, n, back, N, &why) &&
			!memcmp(plain, back, N),
		"a frame comes back");
	code = vs_zst_unpack(z, packed, n, back, N - 1, &why);
	T_OK(code == VS_EINPUT, "a frame larger than its room: %s", why);
	code = vs_zst_unpack(z, packed, n, back, N + 1, &why);
	T_OK(code == VS_EINPUT, "a frame smaller than it must be: %s", why);
	code = vs_zst_unpack(z, packed, n - 1, back, N, &why);
	T_OK(code == VS_EINPUT, "a frame cut short: %s", why);
	packed[n / 2] ^= 1;
	code = vs_zst_unpack(z, packed, n, back, N, &why);
	T_OK(code == VS_EINPUT, "a frame with a bit turned: %s", why);
	vs_zst_free(z);
}

/* Bytes of eight fields each, a field set with odds of one in four. */
static void
fields(struct vs_rng *r, uint8_t *to, size_t n)
{
	for (size_t k = 0; k < n; k++)
		to[k] = (uint8_t)(vs_rng_next(r) & vs_rng_next(r));
}

/* At level 1 what is left out of the search costs little in any case. */
static void
level_one(void)
{
	static const char *const what[] = { "vectors without likeness",
		"one vector of five like the one before",
		"vectors alike at both ends, nothing between" };
	static uint8_t in[N], ref[2 * N];
	struct vs_zst *z = NULL;
	const char *why = "";
	struct vs_rng r;
	size_t n = 0, row = 2500;

	vs_rng_seed(&r, 11);
	vs_zst_new(&z);
	for (int k = 0; k < 3; k++) {
		size_t theirs;
		bool ok;

		fields(&r, in, N);
		for (size_t v = row; k && v < N; v++)
			if (k == 1 ? v / row % 5 == 0 : v % 50 > 0)
				in[v] = in[v - row];
		if (k == 2)
			memset(in + N / 3, 0, N / 3);
		theirs = ZSTD_compress(ref, sizeof(ref), in, N, 1);
		ok = !vs_zst_pack(z, 1, in, N, packed, sizeof(packed), &n) &&
			!vs_zst_unpack(z, packed, n, back, N, &why) &&
			!memcmp(in, back, N);
		T_OK(ok && n < theirs + theirs / 20,
			"level 1, %s: %zu bytes, %zu by all of the search %s",
			what[k], n, theirs, why);
	}
	vs_zst_free(z);
}

static int
more(void *from, void *bytes, size_t room, size_t *got)
{
	ssize_t n = read(*(int *)from, bytes, room);

	*got = n > 0 ? (size_t)n : 0;
	return n < 0 ? VS_EMACHINE : 0;
}

/* Read a stream of n packed bytes, the first head of them given. */
static int
stream(size_t n, size_t head, size_t step, size_t *got)
{
	struct vs_zst_stream *s = NULL;
	int fd = open("s.zst", O_RDWR | O_CREAT | O_TRUNC, 0600), code;
	size_t now;

	if (fd < 0 || write(fd, packed, n) != (ssize_t)n ||
		lseek(fd, (off_t)head, SEEK_SET) != (off_t)head)
		return -1;
	code = vs_zst_stream_open(&s, more, &fd, "s.zst", packed, head);
	*got = 0;
	while (!code && *got <= N) {
		size_t room = N + 1 - *got < step ? N + 1 - *got : step;

		code = vs_zst_stream_read(s, back + *got, room, &now);
		if (code || !now)
			break;
		*got += now;
	}
	vs_zst_stream_close(s);
	close(fd);
	unlink("s.zst");
	return code;
}

static void
streams(void)
{
	struct vs_zst *z = NULL;
	size_t a = 0, b = 0, got;
	bool same = true;

	/* two frames end to end, the second empty of nothing */
	vs_zst_new(&z);
	vs_zst_pack(z, 1, plain, N / 3, packed, N, &a);
	vs_zst_pack(z, 1, plain + N / 3, N - N / 3, packed + a, N, &b);
	vs_zst_free(z);
	for (size_t step = 1; step <= 1000000; step *= 10)
		for (size_t head = 0; head <= a + b; head += (a + b) / 2)
			same = same && !stream(a + b, head, step, &got) &&
				got == N && !memcmp(plain, back, N);
	T_OK(same, "a stream of two frames, whatever was read ahead %s",
		vs_fail_text());
	T_OK(!stream(0, 0, 100, &got) && !got, "a stream of nothing");
	T_OK(stream(a + b - 1, 4, 1000, &got) == VS_EINPUT,
		"a stream cut short: %s", vs_fail_text());
	vs_fail_clear();
	T_OK(stream(a + 2, 4, 1000, &got) == VS_EINPUT,
		"a stream cut within the head of a frame: %s", vs_fail_text());
	vs_fail_clear();
	packed[a / 2] ^= 4;
	T_OK(stream(a + b, 0, 1000, &got) == VS_EINPUT, "a bit turned: %s",
		vs_fail_text());
	vs_fail_clear();
}

/* One chunk packed by us and unpacked by HDF5's filters, and back. */
static void
with_hdf5(enum vs_codec_id id, size_t width, const char *name)
{
	struct vs_codec codec = { id, 4 };
	hsize_t n = N / width, at = 0, stored = 0;
	hid_t type = H5Tcopy(width == 8 ? H5T_STD_I64LE
			: width == 4    ? H5T_STD_I32LE
					: H5T_STD_U8LE);
	hid_t list = H5Pcreate(H5P_DATASET_CREATE), space, file, d;
	struct vs_codec_state *c = NULL;
	const char *why = NULL;
	unsigned level = 4;
	uint32_t mask;
	size_t n_out = 0;
	bool theirs, ours;

	H5Pset_chunk(list, 1, &n);
	if (width > 1)
		H5Pset_shuffle(list);
	if (id == VS_CODEC_ZSTD)
		H5Pset_filter(list, 32015, H5Z_FLAG_MANDATORY, 1, &level);
	else
		H5Pset_deflate(list, 4);
	file = H5Fcreate("f.h5", H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
	space = H5Screate_simple(1, &n, NULL);
	vs_codec_new(&c);
	d = H5Dcreate2(file, "ours", type, space, H5P_DEFAULT, list,
		H5P_DEFAULT);
	theirs = !vs_codec_pack(c, codec, width, plain, N, packed,
			 sizeof(packed), &n_out) &&
		H5Dwrite_chunk(d, H5P_DEFAULT, 0, &at, n_out, packed) >= 0 &&
		H5Dread(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, back) >= 0 &&
		!memcmp(plain, back, N);
	H5Dclose(d);
	T_OK(theirs, "%s, %zu bytes wide: HDF5 reads what we pack", name,
		width);
	d = H5Dcreate2(file, "theirs", type, space, H5P_DEFAULT, list,
		H5P_DEFAULT);
	memset(back, 0, N);
	ours = H5Dwrite(d, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, plain) >= 0 &&
		H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 &&
		H5Dget_chunk_storage_size(d, &at, &stored) >= 0 &&
		H5Dread_chunk(d, H5P_DEFAULT, &at, &mask, packed) >= 0 &&
		!vs_codec_unpack(c, id, width, packed, stored, back, N, &why) &&
		!memcmp(plain, back, N);
	T_OK(ours, "%s, %zu bytes wide: we read what HDF5 packs %s", name,
		width, why ? why : "");
	H5Dclose(d);
	H5Fclose(file);
	H5Sclose(space);
	H5Pclose(list);
	H5Tclose(type);
	vs_codec_free(c);
	unlink("f.h5");
}

int
main(void)
{
	static const size_t width[] = { 1, 4, 8 };
	char dir[] = "/tmp/t_zst.XXXXXX";
	struct vs_rng r;

	setenv("HDF5_USE_FILE_LOCKING", "FALSE", 1);
	if (!mkdtemp(dir) || chdir(dir))
		return 1;
	vs_rng_seed(&r, 5);
	for (size_t k = 0; k < N; k++)
		plain[k] = (uint8_t)(vs_rng_below(&r, 5) * (k % 3));
	frames();
	level_one();
	streams();
	H5Zregister(vs_zstd_filter());
	for (int k = 0; k < 3; k++) {
		with_hdf5(VS_CODEC_ZSTD, width[k], "zstd");
		with_hdf5(VS_CODEC_DEFLATE, width[k], "deflate");
	}
	rmdir(dir);
	return T_DONE();
}
