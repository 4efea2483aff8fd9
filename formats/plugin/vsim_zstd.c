/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * HDF5 zstd filter 32015 as a plugin: a chunk is one zstd frame with a
 * checksum. With HDF5_PLUGIN_PATH naming its folder, other HDF5 programs
 * (h5dump, h5py, rhdf5) read our files. Needs libzstd and nothing else: HDF5
 * takes buffers from malloc() and frees them.
 */
#include <H5PLextern.h>
#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <zstd.h>

#include "formats/plugin/vsim_zstd.h"

#define FILTER_ID 32015

/* A chunk of HDF5 is below 4 GiB. */
#define MAX_CHUNK UINT32_MAX

static size_t
unpack(size_t nbytes, size_t *room, void **buf)
{
	unsigned long long size = ZSTD_getFrameContentSize(*buf, nbytes);
	void *out;
	size_t did;

	if (size == ZSTD_CONTENTSIZE_UNKNOWN ||
		size == ZSTD_CONTENTSIZE_ERROR || size == 0 || size > MAX_CHUNK)
		return 0;
	out = malloc((size_t)size);
	if (!out)
		return 0;
	did = ZSTD_decompress(out, (size_t)size, *buf, nbytes);
	if (ZSTD_isError(did) || did != size) {
		free(out);
		return 0;
	}
	free(*buf);
	*buf = out;
	*room = did;
	return did;
}

static size_t
pack(int level, size_t nbytes, size_t *room, void **buf)
{
	size_t bound = ZSTD_compressBound(nbytes), did = 0;
	ZSTD_CCtx *c = ZSTD_createCCtx();
	void *out = malloc(bound);

	if (c && out) {
		ZSTD_CCtx_setParameter(c, ZSTD_c_compressionLevel, level);
		ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1);
		did = ZSTD_compress2(c, out, bound, *buf, nbytes);
		if (ZSTD_isError(did))
			did = 0;
	}
	ZSTD_freeCCtx(c);
	if (!did) {
		free(out);
		return 0;
	}
	free(*buf);
	*buf = out;
	*room = bound;
	return did;
}

static size_t
filter(unsigned flags, size_t n_cd, const unsigned cd[], size_t nbytes,
	size_t *room, void **buf)
{
	if (flags & H5Z_FLAG_REVERSE)
		return unpack(nbytes, room, buf);
	return pack(n_cd && cd[0] <= INT_MAX ? (int)cd[0] : 3, nbytes, room,
		buf);
}

static const H5Z_class2_t class = {
	H5Z_CLASS_T_VERS,
	FILTER_ID,
	1, /* packs */
	1, /* unpacks */
	"zstd",
	NULL,
	NULL,
	filter,
};

const void *
vs_zstd_filter(void)
{
	return &class;
}

H5PL_type_t
H5PLget_plugin_type(void)
{
	return H5PL_TYPE_FILTER;
}

const void *
H5PLget_plugin_info(void)
{
	return &class;
}
