/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 library for readers and writers: start, errors, types, links. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/h5/h5_common.h"
#include "formats/h5/zst.h"
#include "formats/plugin/vsim_zstd.h"
#include "libcore/base/fail.h"

#define ROOM_BYTES (16u << 20) /* bytes; our files' metadata take some of it */

/* H5open() with stderr muted, where it would print why it fails. */
static int
start_silently(void)
{
	int code;

	vs_fail_mute();
	code = H5open() < 0 || H5Eset_auto2(H5E_DEFAULT, NULL, NULL) < 0;
	vs_fail_unmute();
	return code;
}

/*
 * HDF5 crashes if small allocations fail: make sure that there is some memory
 * before it starts. The pages are not touched.
 */
static int
check_room(void)
{
	void *room = mmap(NULL, ROOM_BYTES, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (room == MAP_FAILED)
		return vs_fail_memory("HDF5", ROOM_BYTES);
	munmap(room, ROOM_BYTES);
	return 0;
}

int
vs_h5_begin(void)
{
	static bool begun;
	int code = check_room();

	if (code)
		return code;
	if (begun)
		return 0;
	/* at exit it would report on stderr what it could not close */
	H5dont_atexit();
	if (start_silently() || H5PLset_loading_state(0) < 0 ||
		H5Zregister(vs_zstd_filter()) < 0)
		return vs_fail(VS_EMACHINE,
			"cannot initialize the HDF5 library");
	begun = true;
	return 0;
}

/* The innermost message of the error stack, and any errno found there; also
 * detects lack of memory. */
struct why {
	char text[256];
	int error;
};

static herr_t
note_error(unsigned n, const H5E_error2_t *e, void *arg)
{
	struct why *w = arg;
	const char *at = e->desc ? strstr(e->desc, "errno = ") : NULL;

	if (n == 0 && e->desc)
		snprintf(w->text, sizeof(w->text), "%s", e->desc);
	if (at && !w->error)
		w->error = atoi(at + strlen("errno = "));
	else if (e->desc && strstr(e->desc, "stat info") && !w->error)
		w->error = EIO;
	else if (e->maj_num == H5E_RESOURCE && !w->error &&
		(e->min_num == H5E_NOSPACE || e->min_num == H5E_CANTALLOC))
		w->error = ENOMEM;
	return 0;
}

int
vs_h5_fail(int code, const char *path, const char *what, const char *object)
{
	struct why w = { "", 0 };
	int error = errno;

	H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_error, &w);
	H5Eclear2(H5E_DEFAULT);
	/* not every failed allocation of HDF5 is on its stack */
	if (!w.error && error == ENOMEM)
		w.error = ENOMEM;
	if (w.error)
		return vs_fail(VS_EMACHINE, "%s: cannot %s %s: %s", path, what,
			object, strerror(w.error));
	if (code == VS_EINPUT)
		return vs_fail(code,
			"%s: is damaged: cannot %s %s%s%s; restore it or "
			"recreate it",
			path, what, object, *w.text ? ": " : "", w.text);
	return vs_fail(code, "%s: cannot %s %s: %s", path, what, object,
		*w.text ? w.text : "HDF5 failed");
}

static const struct {
	const char *name;
	size_t size;
} types[] = {
	[VS_U8] = { "u8", 1 },
	[VS_U16] = { "u16", 2 },
	[VS_U32] = { "u32", 4 },
	[VS_I32] = { "i32", 4 },
	[VS_I64] = { "i64", 8 },
	[VS_U64] = { "u64", 8 },
	[VS_F32] = { "f32", 4 },
	[VS_F64] = { "f64", 8 },
	[VS_STR] = { "s", 0 },
};

static hid_t
standard(enum vs_type type)
{
	switch (type) {
	case VS_U8:
		return H5T_STD_U8LE;
	case VS_U16:
		return H5T_STD_U16LE;
	case VS_U32:
		return H5T_STD_U32LE;
	case VS_I32:
		return H5T_STD_I32LE;
	case VS_I64:
		return H5T_STD_I64LE;
	case VS_U64:
		return H5T_STD_U64LE;
	case VS_F32:
		return H5T_IEEE_F32LE;
	case VS_F64:
		return H5T_IEEE_F64LE;
	case VS_STR:
		break;
	}
	return H5T_C_S1;
}

hid_t
vs_h5_type(enum vs_type type, size_t width)
{
	hid_t t = H5Tcopy(standard(type));

	if (type == VS_STR && t >= 0 &&
		(H5Tset_size(t, width) < 0 ||
			H5Tset_strpad(t, H5T_STR_NULLPAD) < 0 ||
			H5Tset_cset(t, H5T_CSET_UTF8) < 0)) {
		H5Tclose(t);
		return -1;
	}
	return t;
}

size_t
vs_h5_size(enum vs_type type, size_t width)
{
	return type == VS_STR ? width : types[type].size;
}

const char *
vs_h5_type_name(enum vs_type type)
{
	return types[type].name;
}

/* Our type of an HDF5 type; VS_STR with its width. false: there is none. */
static bool
type_of(hid_t type, enum vs_type *out, size_t *width)
{
	for (int t = VS_U8; t < VS_STR; t++)
		if (H5Tequal(type, standard((enum vs_type)t)) > 0) {
			*out = (enum vs_type)t;
			*width = 0;
			return true;
		}
	if (H5Tget_class(type) != H5T_STRING || H5Tis_variable_str(type) != 0)
		return false;
	*out = VS_STR;
	*width = H5Tget_size(type);
	return *width > 0;
}

int
vs_h5_shape(hid_t set, const char *path, struct vs_h5_part *p)
{
	hid_t type = H5Dget_type(set), space = H5Dget_space(set);
	hsize_t dim[VS_H5_MAX_DIMS];
	int code = 0;

	p->n_dim = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
	if (type < 0 || space < 0)
		code = vs_h5_fail(VS_EINPUT, path, "read", p->path);
	else if (!type_of(type, &p->type, &p->width))
		code = vs_fail(VS_EINPUT,
			"%s: %s: has a type that no vsim file has; recreate "
			"the file",
			path, p->path);
	else if (p->n_dim < 1 || p->n_dim > VS_H5_MAX_DIMS)
		code = vs_fail(VS_EINPUT,
			"%s: %s: has no or too many dimensions; recreate the "
			"file",
			path, p->path);
	else if (H5Sget_simple_extent_dims(space, dim, NULL) != p->n_dim)
		code = vs_h5_fail(VS_EINPUT, path, "read", p->path);
	for (int k = 0; k < p->n_dim && !code; k++)
		p->dim[k] = dim[k];
	vs_h5_close(type);
	vs_h5_close(space);
	return code;
}

int
vs_h5_attr_wrong(const char *path, const char *object, const char *name)
{
	return vs_fail(VS_EINPUT,
		"%s: attribute %s of %s has a wrong type or size; recreate the "
		"file",
		path, name, object);
}

int
vs_h5_attr_open(hid_t file, const char *path, const char *object,
	const char *name, struct vs_h5_attr *a)
{
	hid_t space = -1;
	hssize_t n = 0;
	int code = 0;

	*a = (struct vs_h5_attr){ .stored = -1 };
	a->id = H5Aopen_by_name(file, object, name, H5P_DEFAULT, H5P_DEFAULT);
	if (a->id >= 0) {
		a->stored = H5Aget_type(a->id);
		space = H5Aget_space(a->id);
		n = H5Sget_simple_extent_npoints(space);
	}
	if (a->stored < 0 || space < 0)
		code = vs_h5_fail(VS_EINPUT, path, "read attribute", name);
	else if (!type_of(a->stored, &a->type, &a->width) || n < 1 ||
		n > VS_H5_MAX_ATTR || a->width > VS_H5_MAX_TEXT)
		code = vs_h5_attr_wrong(path, object, name);
	a->n = (int)n;
	vs_h5_close(space);
	return code;
}

void
vs_h5_attr_close(struct vs_h5_attr *a)
{
	vs_h5_close(a->stored);
	vs_h5_close(a->id);
}

const char *
vs_h5_format(enum vs_kind kind)
{
	switch (kind) {
	case VS_KIND_VECTORS:
		return "vsim-vectors";
	case VS_KIND_SHARD:
		return "vsim-shard";
	case VS_KIND_MERGED:
		return "vsim-merged";
	}
	return "";
}

/* ---- existence ---- */

int
vs_h5_has(hid_t file, const char *file_path, const char *object, bool *has)
{
	H5L_info_t link;
	char part[256];

	*has = !strcmp(object, "/");
	/*
	 * each link on the way must exist before the next is asked for, and
	 * must not lead out of this file
	 */
	for (const char *s = object; s && !*has;) {
		size_t n;
		htri_t is;

		s = strchr(s + 1, '/');
		n = s ? (size_t)(s - object) : strlen(object);
		if (n >= sizeof(part))
			return 0;
		snprintf(part, sizeof(part), "%.*s", (int)n, object);
		is = H5Lexists(file, part, H5P_DEFAULT);
		if (is < 0 ||
			(is && H5Lget_info(file, part, &link, H5P_DEFAULT) < 0))
			return vs_h5_fail(VS_EINPUT, file_path, "look for",
				object);
		if (!is || link.type != H5L_TYPE_HARD)
			return 0;
		*has = !s;
	}
	return 0;
}

int
vs_h5_has_attr(hid_t file, const char *file_path, const char *object,
	const char *name, bool *has)
{
	int code = vs_h5_has(file, file_path, object, has);
	htri_t is;

	if (code || !*has)
		return code;
	is = H5Aexists_by_name(file, object, name, H5P_DEFAULT);
	*has = is > 0;
	return is < 0
		? vs_h5_fail(VS_EINPUT, file_path, "look for attribute", name)
		: 0;
}

/* File access list without locks, if HDF5 has the setting: locks fail on some
 * cluster disks. */
#if H5_VERSION_GE(1, 12, 1) || (H5_VERS_MINOR == 10 && H5_VERS_RELEASE >= 7)
#define CAN_UNLOCK 1
#else
#define CAN_UNLOCK 0
#endif

hid_t
vs_h5_access(void)
{
	hid_t a = H5Pcreate(H5P_FILE_ACCESS);

	if (a < 0)
		return a;
	if (H5Pset_fapl_sec2(a) < 0 ||
		H5Pset_fclose_degree(a, H5F_CLOSE_STRONG) < 0 ||
		H5Pset_libver_bounds(a, H5F_LIBVER_V110, H5F_LIBVER_V110) < 0)
		goto fail;
#if CAN_UNLOCK
	if (H5Pset_file_locking(a, 0, 1) < 0)
		goto fail;
#endif
	return a;
fail:
	H5Pclose(a);
	return -1;
}

const char *
vs_h5_version(void)
{
	static char text[64];
	unsigned major = 0, minor = 0, release = 0;

	H5get_libversion(&major, &minor, &release);
	snprintf(text, sizeof(text), "HDF5 %u.%u.%u, zstd %s", major, minor,
		release, vs_zst_version());
	return text;
}
