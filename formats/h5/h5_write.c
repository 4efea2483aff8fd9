/* SPDX-License-Identifier: BSD-3-Clause */
/* Writer of a sealed HDF5 file: created as NAME.part, renamed when whole. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/h5/h5_write.h"
#include "libcore/base/clock.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define FORMAT_URL "man:vsim-vectors(5), man:vsim-results(5)"

/* Up to this many attributes and links stay in the header of their object. */
#define MAX_COMPACT 64

/* ---- beginning ---- */

static hid_t
create_list(hid_t class)
{
	hid_t p = H5Pcreate(class);

	if (p < 0)
		return p;
	if (H5Pset_obj_track_times(p, 0) >= 0 &&
		H5Pset_attr_phase_change(p, MAX_COMPACT, 0) >= 0 &&
		H5Pset_link_phase_change(p, MAX_COMPACT, 0) >= 0)
		return p;
	H5Pclose(p);
	return -1;
}

static int
open_file(struct vs_h5_writer *w, bool is_new)
{
	hid_t create = create_list(H5P_FILE_CREATE), access = vs_h5_access();
	void *handle = NULL;
	int code = 0;

	if (create >= 0 && access >= 0 &&
		H5Pset_userblock(create, VS_SEAL_BYTES) >= 0)
		w->file = is_new
			? H5Fcreate(w->f.temp, H5F_ACC_TRUNC, create, access)
			: H5Fopen(w->f.temp, H5F_ACC_RDWR, access);
	if (w->file < 0 || H5Fget_vfd_handle(w->file, H5P_DEFAULT, &handle) < 0)
		code = vs_h5_fail(VS_EMACHINE, w->f.path, "create", "the file");
	else
		memcpy(&w->theirs, handle, sizeof(w->theirs));
	vs_h5_close(create);
	vs_h5_close(access);
	return code;
}

int
vs_h5_writer_lend(struct vs_h5_writer *w)
{
	int code = w->code ? w->code : vs_h5_writer_last_rows(w);

	if (code)
		return code;
	for (size_t k = 0; k < w->n_data; k++) {
		vs_h5_close(w->data[k]->set);
		w->data[k]->set = -1;
	}
	if (H5Fclose(w->file) < 0)
		code = vs_h5_fail(VS_EMACHINE, w->f.path, "write", "the file");
	w->file = -1;
	return code;
}

int
vs_h5_writer_reclaim(struct vs_h5_writer *w)
{
	int code = open_file(w, false);

	for (size_t k = 0; k < w->n_data && !code; k++) {
		struct vs_h5_writer_data *d = w->data[k];

		d->set = H5Dopen2(w->file, d->part.path, H5P_DEFAULT);
		if (d->set < 0)
			code = vs_h5_fail(VS_EMACHINE, w->f.path, "write",
				d->part.path);
	}
	return code;
}

static int
root_attributes(struct vs_h5_writer *w, const char *features,
	const char *generator)
{
	static const int32_t version[2] = VS_H5_VERSION;
	char date[21];

	vs_clock_date(date);
	vs_h5_writer_text(w, "/", "format", vs_h5_format(w->seal.kind));
	vs_h5_writer_i32(w, "/", "format_version", version, 2);
	if (features)
		vs_h5_writer_text(w, "/", "required_features", features);
	vs_h5_writer_text(w, "/", "format_url", FORMAT_URL);
	vs_h5_writer_text(w, "/", "uuid", w->uuid);
	vs_h5_writer_text(w, "/", "generator", generator);
	return vs_h5_writer_text(w, "/", "created", date);
}

int
vs_h5_writer_create(struct vs_h5_writer **w, const char *path,
	enum vs_kind kind, const char *features, const char *generator,
	bool force)
{
	struct vs_h5_writer *p = NULL;
	uint32_t tag;
	int code = vs_h5_begin();

	VS_MEM_NEW(&code, p, 1, "output");
	if (code)
		return code;
	p->file = p->theirs = -1;
	p->f.fd = -1;
	p->seal.kind = kind;
	code = vs_digest_uuid_make(p->seal.uuid);
	if (!code) {
		vs_digest_uuid_text(p->seal.uuid, p->uuid);
		tag = (uint32_t)strtoul((char[9]){ p->uuid[0], p->uuid[1],
						p->uuid[2], p->uuid[3],
						p->uuid[4], p->uuid[5],
						p->uuid[6], p->uuid[7], 0 },
			NULL, 16);
		code = vs_file_create(&p->f, path, tag, force);
	}
	if (!code)
		code = open_file(p, true);
	if (!code)
		code = vs_seal_open(p->f.fd, p->f.path, &p->seal);
	if (!code)
		code = root_attributes(p, features, generator);
	if (code) {
		vs_h5_writer_abandon(p);
		return code;
	}
	*w = p;
	return 0;
}

void
vs_h5_writer_reproducible(struct vs_h5_writer *w)
{
	w->reproducible = true;
}

const char *
vs_h5_writer_uuid(const struct vs_h5_writer *w)
{
	return w->uuid;
}

int
vs_h5_writer_code(const struct vs_h5_writer *w)
{
	return w->code;
}

int
vs_h5_writer_group(struct vs_h5_writer *w, const char *path)
{
	hid_t create, g = -1;

	if (w->code)
		return w->code;
	create = create_list(H5P_GROUP_CREATE);
	if (create >= 0)
		g = H5Gcreate2(w->file, path, H5P_DEFAULT, create, H5P_DEFAULT);
	if (g < 0 || H5Gclose(g) < 0)
		w->code = vs_h5_fail(VS_EMACHINE, w->f.path, "write", path);
	vs_h5_close(create);
	return w->code;
}

/* ---- end ---- */

static int
state_content(struct vs_h5_writer *w, const struct vs_content *content,
	char text[VS_DIGEST_TEXT])
{
	struct vs_h5_part *part = NULL;
	int code =
		vs_mem_new(&part, w->n_data, sizeof(*part), "content digest");

	if (code)
		return code;
	for (size_t k = 0; k < w->n_data; k++)
		part[k] = w->data[k]->part;
	code = vs_h5_content(w->file, w->f.path, content, part, w->n_data,
		w->seal.content);
	free(part);
	if (code)
		return code;
	vs_digest_text(w->seal.content, text);
	return vs_h5_writer_text(w, "/", "content_xxh128", text);
}

/* A uuid made of the content digest, of version 8, and the date of no clock. */
static int
state_reproducible(struct vs_h5_writer *w)
{
	char date[21] = "1970-01-01T00:00:00Z";

	vs_clock_date_fixed(date);
	memcpy(w->seal.uuid, w->seal.content, sizeof(w->seal.uuid));
	w->seal.uuid[6] = (uint8_t)(0x80 | (w->seal.uuid[6] & 0x0f));
	w->seal.uuid[8] = (uint8_t)(0x80 | (w->seal.uuid[8] & 0x3f));
	vs_digest_uuid_text(w->seal.uuid, w->uuid);
	vs_h5_writer_retext(w, "/", "created", date);
	return vs_h5_writer_retext(w, "/", "uuid", w->uuid);
}

/* Bytes that HDF5 may still add when it closes a file. */
#define CLOSING (64 << 10)

/*
 * A file whose closing has failed stays open in HDF5 (1.10.8: the metadata
 * cache cannot be flushed a second time), and the library falls over it when
 * MPI ends. So room for all that it will write is allocated beforehand, where
 * the file system supports it.
 */
static int
reserve(struct vs_h5_writer *w)
{
	hsize_t size;

	if (H5Fget_filesize(w->file, &size) < 0)
		return vs_h5_fail(VS_EMACHINE, w->f.path, "write", "the file");
	if (fallocate(w->f.fd, FALLOC_FL_KEEP_SIZE, 0, (off_t)size + CLOSING) &&
		(errno == ENOSPC || errno == EDQUOT || errno == EFBIG))
		return vs_fail_errno(VS_EMACHINE, "%s: cannot write",
			w->f.path);
	return 0;
}

int
vs_h5_writer_finish(struct vs_h5_writer **to_free,
	const struct vs_content *content, char content_hex[VS_DIGEST_TEXT])
{
	struct vs_h5_writer *w = *to_free;
	char text[VS_DIGEST_TEXT];
	struct stat st;
	int code = w->code ? w->code : vs_h5_writer_last_rows(w);

	for (size_t k = 0; k < w->n_data && !code; k++)
		code = vs_h5_writer_data_end(w->data[k]);
	if (!code)
		code = state_content(w, content, text);
	if (!code && w->reproducible)
		code = state_reproducible(w);
	if (!code)
		code = reserve(w);
	if (!code) {
		if (H5Fclose(w->file) < 0)
			code = vs_h5_fail(VS_EMACHINE, w->f.path, "write",
				"the file");
		w->file = -1;
	}
	if (!code && (fstat(w->f.fd, &st) || ftruncate(w->f.fd, st.st_size)))
		code = vs_fail_errno(VS_EMACHINE, "%s: cannot write",
			w->f.path);
	if (!code)
		code = vs_seal_close(w->f.fd, w->f.path, &w->seal);
	if (!code)
		code = vs_file_commit(&w->f);
	if (!code && content_hex)
		memcpy(content_hex, text, sizeof(text));
	vs_h5_writer_abandon(w);
	*to_free = NULL;
	return code;
}

/* Redirect what HDF5 still writes into memory: see reserve(). */
static void
let_go(struct vs_h5_writer *w)
{
	struct stat st;
	int fd = memfd_create("vsim", MFD_CLOEXEC);

	if (fd >= 0 && !fstat(w->f.fd, &st) && !ftruncate(fd, st.st_size))
		dup2(fd, w->theirs);
	if (fd >= 0)
		close(fd);
}

void
vs_h5_writer_abandon(struct vs_h5_writer *w)
{
	if (!w)
		return;
	vs_team_free(w->team);
	if (w->file >= 0 && w->theirs >= 0)
		let_go(w);
	for (size_t k = 0; k < w->n_data; k++)
		vs_h5_writer_data_free(w->data[k]);
	vs_h5_close(w->file);
	vs_file_abandon(&w->f);
	for (int k = 0; k < 2; k++) {
		vs_h5_bench_free(&w->batch[k].bench);
		free(w->batch[k].piece);
	}
	free(w->free_rows);
	free(w->data);
	free(w);
}
