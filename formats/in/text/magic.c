/* SPDX-License-Identifier: BSD-3-Clause */
/* Magic numbers of files that another program has to unpack. */
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "formats/in/text/magic.h"
#include "libcore/base/fail.h"

/* The first row that matches is used. */
static const struct row {
	const char *magic;   /* ? is any byte */
	size_t len, at;      /* length of the magic number */
	const char *within;  /* text within the first bytes; or null */
	const char *what;    /* null: it is read as it is */
	const char *command; /* that writes the file's text; null: none */
} rows[] = {
	/* a BGEN, which begins with a number of any bytes */
	{ "bgen", 4, 16, NULL, NULL, NULL },
	{ "\xfd\x37zXZ", 5, 0, NULL, "is packed by xz", "xz -dc" },
	{ "1AY&SY", 6, 4, NULL, "is packed by bzip2", "bzip2 -dc" },
	{ "\x1f\x8b", 2, 0, NULL, "is packed twice, by gzip inside",
		"gzip -dc" },
	{ "\x28\xb5\x2f\xfd", 4, 0, NULL, "is packed twice, by zstd inside",
		"zstd -dc" },
	{ "\x1f\x9d", 2, 0, NULL, "is packed by compress", "gzip -dc" },
	{ "\x04\x22\x4d\x18", 4, 0, NULL, "is packed by lz4", "lz4 -dc" },
	{ "LZIP\x01", 5, 0, NULL, "is packed by lzip", "lzip -dc" },
	{ "\x5d\0\0", 3, 0, NULL, "is packed by lzma", "xz -dc" },
	{ "7z\xbc\xaf\x27\x1c", 6, 0, NULL, "is a 7z archive", "7z x -so" },
	/* an archive of NumPy, .npz, which --matrix reads */
	{ "PK\3\4", 4, 0, ".npy", NULL, NULL },
	{ "PK\3\4", 4, 0, "[Content_Types].xml",
		"is a spreadsheet; save it as tab-separated text", NULL },
	{ "PK\3\4", 4, 0, NULL, "is a zip archive", "unzip -p" },
	{ "{", 1, 0, "Biological Observation Matrix",
		"is BIOM 1.0; convert it with biom convert --to-hdf5", NULL },
	{ "ustar", 5, 257, NULL, "is a tar archive", "tar -xOf" },
	{ "\xff\xfe?\0", 4, 0, NULL, "is text in UTF-16, not UTF-8",
		"iconv -f UTF-16 -t UTF-8" },
	{ "\xfe\xff\0", 3, 0, NULL, "is text in UTF-16, not UTF-8",
		"iconv -f UTF-16 -t UTF-8" },
};

static bool
fits(const struct row *r, const char *bytes, size_t n)
{
	if (n < r->at + r->len)
		return false;
	for (size_t k = 0; k < r->len; k++)
		if (r->magic[k] != '?' && bytes[r->at + k] != r->magic[k])
			return false;
	return !r->within || memmem(bytes, n, r->within, strlen(r->within));
}

static int
refuse(const char *path, const char *what, const char *command)
{
	bool in = !strcmp(path, "-");

	if (!command)
		return vs_fail(VS_EINPUT, "%s: %s",
			in ? "standard input" : path, what);
	return in
		? vs_fail(VS_EINPUT, "standard input: %s" VS_MAGIC_COMMAND "%s",
			  what, command)
		: vs_fail(VS_EINPUT, "%s: %s" VS_MAGIC_COMMAND "%s %s", path,
			  what, command, path);
}

int
vs_magic_check(const char *path, const void *bytes, size_t n)
{
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		if (fits(&rows[k], bytes, n))
			return !rows[k].what
				? 0
				: refuse(path, rows[k].what, rows[k].command);
	return 0;
}

int
vs_magic_check_url(const char *path)
{
	static const char *const schemes[] = { "http://", "https://", "ftp://",
		"s3://", "gs://", "file://" };

	for (size_t k = 0; k < sizeof(schemes) / sizeof(*schemes); k++)
		if (!strncasecmp(path, schemes[k], strlen(schemes[k])))
			return k < 3 ? refuse(path, "is a URL, not a file",
					       "curl -s")
				     : refuse(path,
					       "is a URL, not a file; copy it "
					       "here first",
					       NULL);
	return 0;
}
