/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Records of BCF of a bounded length. htslib allocates the length that a record
 * states before it reads any of it, so the stated length is checked first.
 */
#include <errno.h>
#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/in/bcf_record.h"
#include "formats/in/lines.h"
#include "formats/in/vcf_feed.h"
#include "libcore/base/fail.h"

#define N_MAGIC 5
#define PIECE 65536

/* The sum of n numbers of 32 bits. */
static uint64_t
sum_of(const uint8_t *at, size_t n)
{
	uint64_t sum = 0;

	for (size_t k = 0; k < n; k++, at += 4)
		sum += at[0] | at[1] << 8 | at[2] << 16 | (uint64_t)at[3] << 24;
	return sum;
}

/*
 * The next bytes of the file, if n of them stand in one block; null in *at if
 * not. false: the file ends here, or cannot be read
 */
static bool
look(BGZF *b, size_t n, const uint8_t **at)
{
	if (bgzf_peek(b) < 0)
		return false;
	*at = NULL;
	if ((size_t)(b->block_length - b->block_offset) >= n)
		*at = (const uint8_t *)b->uncompressed_block + b->block_offset;
	return true;
}

int
vs_bcf_record_check_header(htsFile *file, const char *name)
{
	const uint8_t *at;

	if (!look(file->fp.bgzf, N_MAGIC + 4, &at))
		return 0;
	if (!at)
		return vs_fail(VS_EINPUT,
			"%s: its first block has less than the %d bytes that "
			"tell how long the header is; bcftools view -Ob makes "
			"it anew",
			name, N_MAGIC + 4);
	if (sum_of(at + N_MAGIC, 1) > VS_LINES_MOST)
		return vs_vcf_feed_fail_long(name);
	return 0;
}

static bool
put(int fd, const uint8_t *bytes, size_t n)
{
	while (n) {
		ssize_t did = write(fd, bytes, n);

		if (did < 0 && errno == EINTR)
			continue;
		if (did <= 0)
			return false;
		bytes += did;
		n -= (size_t)did;
	}
	return true;
}

/*
 * Copy a record whose two lengths lie across blocks, as far as there is any, to
 * a file that begins with no gzip's magic number.
 * returns  0; -2; said: VS_EINPUT, VS_EMACHINE
 */
static int
copy_record(BGZF *from, int fd, const char *name)
{
	uint8_t bytes[PIECE] = { 0 };
	uint64_t left;
	ssize_t got;

	if (bgzf_read(from, bytes + 1, 8) != 8)
		return -2;
	left = sum_of(bytes + 1, 2);
	if (left > VS_LINES_MOST)
		return vs_vcf_feed_fail_long(name);
	if (!put(fd, bytes, 9))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot copy a record",
			name);
	for (; left; left -= (uint64_t)got) {
		got = bgzf_read(from, bytes, left < PIECE ? left : PIECE);
		if (got <= 0)
			return -2;
		if (!put(fd, bytes, (size_t)got))
			return vs_fail_errno(VS_EMACHINE,
				"%s: cannot copy a record", name);
	}
	return 0;
}

/* Let bcf_read() have the copy. It closes fd. */
static int
read_copy(htsFile *file, bcf_hdr_t *header, bcf1_t *site, int fd)
{
	BGZF *whole = file->fp.bgzf, *copy = NULL;
	hFILE *stream = lseek(fd, 0, SEEK_SET) ? NULL : hdopen(fd, "r");
	int said = -2;

	if (!stream)
		close(fd);
	else
		copy = bgzf_hopen(stream, "r");
	if (stream && !copy)
		hclose_abruptly(stream);
	if (!copy) {
		errno = ENOMEM;
		return -2;
	}
	if (!bgzf_getc(copy)) {
		file->fp.bgzf = copy;
		said = bcf_read(file, header, site);
		file->fp.bgzf = whole;
	}
	bgzf_close(copy);
	return said;
}

int
vs_bcf_record_read(htsFile *file, bcf_hdr_t *header, bcf1_t *site,
	const char *name)
{
	const uint8_t *at = NULL;
	bool more = look(file->fp.bgzf, 8, &at);
	int fd, code;

	if (at && sum_of(at, 2) > VS_LINES_MOST)
		return vs_vcf_feed_fail_long(name);
	errno = 0;
	/* an end or a failure is bcf_read()'s to say */
	if (at || !more)
		return bcf_read(file, header, site);
	fd = memfd_create("vsim-bcf", MFD_CLOEXEC);
	if (fd < 0)
		return vs_fail_errno(VS_EMACHINE, "%s: cannot copy a record",
			name);
	code = copy_record(file->fp.bgzf, fd, name);
	if (!code)
		return read_copy(file, header, site, fd);
	close(fd);
	return code;
}
