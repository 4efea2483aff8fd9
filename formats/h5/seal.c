/* SPDX-License-Identifier: BSD-3-Clause */
/* Seal of 512 bytes: reading, writing and checking without HDF5. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/seal.h"
#include "libcore/base/digest.h"
#include "libcore/base/fail.h"
#include "libcore/base/file.h"
#include "libcore/base/mem.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	"files are little-endian and are written as memory has them");

/* Offsets within the 512 bytes; all other bytes are zero. */
enum {
	AT_MAGIC = 0,
	AT_VERSION = 8,
	AT_KIND = 10,
	AT_FLAGS = 12,
	AT_STATE = 16,
	AT_SIZE = 24,
	AT_UUID = 32,
	AT_CONTENT = 48,
	AT_PAYLOAD = 64,
	AT_SAVED = 80,
	AT_ZERO = 104,
	AT_HASH = 504,
};

#define SEAL_VERSION 1
#define HAS_PAYLOAD 1u

/* Larger payloads are not digested: reading them a second time takes
 * minutes. */

#define PIECE (128u << 10) /* fits in L2 */

static const char magic[8] = { '\x89', 'V', 'S', 'I', 'M', '\r', '\n', '\x1a' };
static const char hdf5[8] = { '\x89', 'H', 'D', 'F', '\r', '\n', '\x1a', '\n' };
static const char open_state[] = "OPEN    ", sealed_state[] = "SEALED  ";

const char *
vs_seal_kind_name(enum vs_kind kind)
{
	switch (kind) {
	case VS_KIND_VECTORS:
		return "a vectors file";
	case VS_KIND_SHARD:
		return "a shard of a run";
	case VS_KIND_MERGED:
		return "a merged result";
	}
	return "a file of an unknown kind";
}

static int
put(int fd, const char *path, const struct vs_seal *s, const char *state)
{
	uint8_t b[VS_SEAL_BYTES] = { 0 };
	uint16_t version = SEAL_VERSION, kind = (uint16_t)s->kind;
	uint32_t flags = s->has_payload ? HAS_PAYLOAD : 0;
	uint64_t hash;

	memcpy(b + AT_MAGIC, magic, 8);
	memcpy(b + AT_VERSION, &version, 2);
	memcpy(b + AT_KIND, &kind, 2);
	memcpy(b + AT_FLAGS, &flags, 4);
	memcpy(b + AT_STATE, state, 8);
	memcpy(b + AT_SIZE, &s->size, 8);
	memcpy(b + AT_UUID, s->uuid, 16);
	memcpy(b + AT_CONTENT, s->content, 16);
	memcpy(b + AT_PAYLOAD, s->payload, 16);
	hash = vs_digest_64(b, AT_HASH);
	memcpy(b + AT_HASH, &hash, 8);
	return vs_file_put(fd, path, b, sizeof(b), 0);
}

/* Digest of [VS_SEAL_BYTES, size). */
static int
digest_payload(int fd, const char *path, uint64_t size, uint8_t out[16])
{
	struct vs_digest *d = NULL;
	uint8_t *piece = NULL;
	int code = vs_mem_room(&piece, PIECE, 1, "piece of a file");

	if (!code)
		code = vs_digest_new(&d);
	for (uint64_t at = VS_SEAL_BYTES; !code && at < size; at += PIECE) {
		size_t n = size - at < PIECE ? (size_t)(size - at) : PIECE;

		code = vs_file_get(fd, path, piece, n, at);
		if (!code)
			vs_digest_add(d, piece, n);
	}
	if (!code)
		vs_digest_get(d, out);
	vs_digest_free(d);
	free(piece);
	return code;
}

int
vs_seal_open(int fd, const char *path, const struct vs_seal *seal)
{
	return put(fd, path, seal, open_state);
}

bool
vs_seal_has_checkpoint(const char *path)
{
	static const uint8_t none[AT_ZERO - AT_SAVED];
	uint8_t b[VS_SEAL_BYTES];
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	bool has = fd >= 0 && read(fd, b, sizeof(b)) == sizeof(b) &&
		!memcmp(b + AT_MAGIC, magic, 8) &&
		!memcmp(b + AT_STATE, open_state, 8) &&
		memcmp(b + AT_SAVED, none, sizeof(none)) != 0;

	if (fd >= 0)
		close(fd);
	return has;
}

int
vs_seal_close(int fd, const char *path, struct vs_seal *seal)
{
	struct stat st;
	int code = 0;

	if (fstat(fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	seal->size = (uint64_t)st.st_size;
	seal->has_payload = seal->size <= VS_SEAL_MOST_PAYLOAD;
	if (seal->has_payload)
		code = digest_payload(fd, path, seal->size, seal->payload);
	return code ? code : put(fd, path, seal, sealed_state);
}

int (*vs_seal_hint)(const char *name, struct vs_text *words, bool *known);

static int
of_others(const char *path)
{
	struct vs_text words = { 0 };
	bool known = false;
	int code = vs_seal_hint ? vs_seal_hint(path, &words, &known) : 0;

	if (!code)
		code = vs_fail(VS_EINPUT, "%s: is not a vsim file; %s%s", path,
			known ? "it is for " : "vsim-pack makes one from ",
			known ? words.bytes : "genotypes");
	vs_text_free(&words);
	return code;
}

static int
not_ours(const char *path, const uint8_t *b, size_t n, unsigned flags,
	struct vs_seal *seal)
{
	if (n < 8 || memcmp(b, hdf5, 8))
		return of_others(path);
	if (flags & VS_H5_UNSEALED) {
		memset(seal, 0, sizeof(*seal));
		return 0;
	}
	return vs_fail(VS_EINPUT,
		"%s: is HDF5 but has no vsim seal: written by another program, "
		"or rewritten by h5repack",
		path);
}

static int
parse(const char *path, const uint8_t b[VS_SEAL_BYTES], struct vs_seal *s)
{
	uint16_t version, kind;
	uint32_t flags;
	uint64_t hash;

	memcpy(&hash, b + AT_HASH, 8);
	if (hash != vs_digest_64(b, AT_HASH))
		return vs_fail(VS_EINPUT,
			"%s: is damaged: its seal is inconsistent; "
			"restore it or recreate it",
			path);
	memcpy(&version, b + AT_VERSION, 2);
	if (version != SEAL_VERSION)
		return vs_fail(VS_EINPUT,
			"%s: has seal version %u, but this vsim reads only %u; "
			"use a newer one",
			path, version, SEAL_VERSION);
	if (memcmp(b + AT_STATE, sealed_state, 8))
		return vs_fail(VS_EINPUT,
			"%s: was never finished by its writer; recreate it",
			path);
	memcpy(&kind, b + AT_KIND, 2);
	memcpy(&flags, b + AT_FLAGS, 4);
	s->kind = (enum vs_kind)kind;
	s->has_payload = flags & HAS_PAYLOAD;
	memcpy(&s->size, b + AT_SIZE, 8);
	memcpy(s->uuid, b + AT_UUID, 16);
	memcpy(s->content, b + AT_CONTENT, 16);
	memcpy(s->payload, b + AT_PAYLOAD, 16);
	return 0;
}

bool
vs_seal_is_foreign(const char *path)
{
	uint8_t b[VS_SEAL_BYTES + sizeof(hdf5)] = { 0 };
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = 0;
	bool regular;

	if (fd < 0)
		return false;
	regular = !fstat(fd, &st) && S_ISREG(st.st_mode);
	if (regular)
		n = pread(fd, b, sizeof(b), 0);
	close(fd);
	return !regular ||
		(n > 0 && memcmp(b + AT_MAGIC, magic, sizeof(magic)) &&
			memcmp(b + VS_SEAL_BYTES, hdf5, sizeof(hdf5)));
}

/* Describe the requested kinds in words. */
static const char *
wanted(unsigned kinds)
{
	if (kinds & (1u << VS_KIND_VECTORS))
		return vs_seal_kind_name(VS_KIND_VECTORS);
	if (kinds == 1u << VS_KIND_SHARD)
		return vs_seal_kind_name(VS_KIND_SHARD);
	if (kinds == 1u << VS_KIND_MERGED)
		return vs_seal_kind_name(VS_KIND_MERGED);
	return "a shard or a merged result";
}

/* Check that the file is unchanged since it was sealed. */
static int
changed(int fd, const char *path, uint64_t size, unsigned flags,
	const struct vs_seal *s)
{
	uint8_t payload[16];
	int code;

	if (flags & VS_H5_HEAD ? s->size > size : s->size != size)
		return vs_fail(VS_EINPUT,
			"%s: %s: has %llu bytes, was sealed with %llu; restore "
			"it or recreate it",
			path, s->size > size ? "is cut short" : "has grown",
			(unsigned long long)size, (unsigned long long)s->size);
	if (!s->has_payload || (flags & VS_H5_FAST))
		return 0;
	code = digest_payload(fd, path, s->size, payload);
	if (!code && memcmp(payload, s->payload, 16))
		code = vs_fail(VS_EINPUT,
			"%s: is damaged: payload digest differs; restore it or "
			"recreate it",
			path);
	return code;
}

static int
check(int fd, const char *path, unsigned kinds, unsigned flags,
	struct vs_seal *s)
{
	uint8_t b[VS_SEAL_BYTES];
	struct stat st;
	size_t n;
	int code;

	if (fstat(fd, &st))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot access", path);
	if (!S_ISREG(st.st_mode))
		return vs_fail(VS_EINPUT, "%s: is %s", path,
			S_ISDIR(st.st_mode) ? "a directory, not a vsim file; "
					      "vsim-merge makes one of a run"
					    : "not a regular file");
	n = st.st_size < VS_SEAL_BYTES ? (size_t)st.st_size : VS_SEAL_BYTES;
	if (!n)
		return vs_fail(VS_EINPUT, "%s: is empty; recreate it", path);
	code = vs_file_get(fd, path, b, n, 0);
	if (code)
		return code;
	if (n < 8 || memcmp(b, magic, 8))
		return not_ours(path, b, n, flags, s);
	if (n < VS_SEAL_BYTES)
		return vs_fail(VS_EINPUT,
			"%s: is cut short: has %zu bytes; restore it or "
			"recreate it",
			path, n);
	code = parse(path, b, s);
	if (code)
		return code;
	if (s->kind > VS_KIND_MERGED || !(kinds & (1u << s->kind)))
		return vs_fail(VS_EINPUT, "%s: is %s; expected %s", path,
			vs_seal_kind_name(s->kind), wanted(kinds));
	code = changed(fd, path, (uint64_t)st.st_size, flags, s);
	/* a rewritten file has a seal that no longer matches */
	if (code == VS_EINPUT && (flags & VS_H5_UNSEALED)) {
		vs_fail_clear();
		memset(s, 0, sizeof(*s));
		code = 0;
	}
	return code;
}

int
vs_seal_check(const char *path, unsigned kinds, unsigned flags,
	struct vs_seal *seal)
{
	struct vs_seal s = { 0 };
	struct stat stamp = { 0 };
	/* a FIFO must not block us */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), code;

	if (fd < 0)
		return vs_fail_input(path, "open");
	/* before its bytes are read: a later change is then found */
	code = fstat(fd, &stamp)
		? vs_fail_errno(VS_EMACHINE, "%s: cannot access", path)
		: check(fd, path, kinds, flags, &s);
	s.stamp = stamp;
	s.head = flags & VS_H5_HEAD;
	if (!code && !(flags & VS_H5_OURS))
		code = vs_file_note_input(fd, path);
	close(fd);
	if (!code)
		*seal = s;
	return code;
}
