/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 attributes: typed write and read. */
#include <stdio.h>
#include <string.h>

#include "formats/h5/h5_inner.h"
#include "formats/h5/h5_write.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* ---- writing ---- */

static int
write_attr(struct vs_h5_writer *w, const char *object, const char *name,
	hid_t type, const void *v, size_t n)
{
	hsize_t dim = n;
	hid_t space, attr = -1;
	char place[128];

	if (w->code)
		return w->code;
	space = n == 1 ? H5Screate(H5S_SCALAR)
		       : H5Screate_simple(1, &dim, NULL);
	if (type >= 0 && space >= 0)
		attr = H5Acreate_by_name(w->file, object, name, type, space,
			H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
	if (attr < 0 || H5Awrite(attr, type, v) < 0) {
		snprintf(place, sizeof(place), "attribute %s of %s", name,
			object);
		w->code = vs_h5_fail(VS_EMACHINE, w->f.path, "write", place);
	}
	vs_h5_close(attr);
	vs_h5_close(space);
	return w->code;
}

int
vs_h5_writer_text(struct vs_h5_writer *w, const char *object, const char *name,
	const char *text)
{
	size_t n = strlen(text);
	hid_t type;
	int code;

	if (!w->code && n > VS_H5_MAX_TEXT)
		w->code = vs_fail(VS_EINPUT,
			"%s: attribute %s of %s: has %zu characters, %d are "
			"the most",
			w->f.path, name, object, n, VS_H5_MAX_TEXT);
	type = vs_h5_type(VS_STR, n ? n : 1);
	code = write_attr(w, object, name, type, text, 1);
	H5Tclose(type);
	return code;
}

int
vs_h5_writer_retext(struct vs_h5_writer *w, const char *object,
	const char *name, const char *text)
{
	struct vs_h5_attr a;

	if (w->code)
		return w->code;
	w->code = vs_h5_attr_open(w->file, w->f.path, object, name, &a);
	if (!w->code &&
		(a.width != strlen(text) || H5Awrite(a.id, a.stored, text) < 0))
		w->code = vs_h5_fail(VS_EMACHINE, w->f.path, "write", name);
	vs_h5_attr_close(&a);
	return w->code;
}

/* ---- reading ---- */

int
vs_h5_reader_has(struct vs_h5_reader *r, const char *path, bool *has)
{
	return vs_h5_has(r->file, r->path, path, has);
}

int
vs_h5_reader_has_attr(struct vs_h5_reader *r, const char *object,
	const char *name, bool *has)
{
	return vs_h5_has_attr(r->file, r->path, object, name, has);
}

/* Read an attribute that must have n values of a type. */
static int
read_attr(struct vs_h5_reader *r, const char *object, const char *name,
	enum vs_type type, void *v, size_t n)
{
	struct vs_h5_attr a;
	bool has;
	int code = vs_h5_reader_has_attr(r, object, name, &has);

	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT,
			"%s: %s has no attribute %s; recreate the file",
			r->path, object, name);
	code = vs_h5_attr_open(r->file, r->path, object, name, &a);
	if (!code && (a.type != type || (size_t)a.n != n))
		code = vs_h5_attr_wrong(r->path, object, name);
	if (!code && H5Aread(a.id, a.stored, v) < 0)
		code = vs_h5_fail(VS_EINPUT, r->path, "read attribute", name);
	vs_h5_attr_close(&a);
	return code;
}

int
vs_h5_reader_text(struct vs_h5_reader *r, const char *object, const char *name,
	char **text)
{
	char room[VS_H5_MAX_TEXT + 1] = "";
	int code = read_attr(r, object, name, VS_STR, room, 1);

	return code ? code : vs_mem_copy_text(text, room);
}

/* ---- both, by the type of the numbers ---- */

#define BY_TYPE(put, get, c_type, type, disk)                                 \
	int put(struct vs_h5_writer *w, const char *object, const char *name, \
		const c_type *v, size_t n)                                    \
	{                                                                     \
		return write_attr(w, object, name, disk, v, n);               \
	}                                                                     \
	int get(struct vs_h5_reader *r, const char *object, const char *name, \
		c_type *v, size_t n)                                          \
	{                                                                     \
		return read_attr(r, object, name, type, v, n);                \
	}

BY_TYPE(vs_h5_writer_i32, vs_h5_reader_i32, int32_t, VS_I32, H5T_STD_I32LE)
BY_TYPE(vs_h5_writer_i64, vs_h5_reader_i64, int64_t, VS_I64, H5T_STD_I64LE)
BY_TYPE(vs_h5_writer_u64, vs_h5_reader_u64, uint64_t, VS_U64, H5T_STD_U64LE)
BY_TYPE(vs_h5_writer_f64, vs_h5_reader_f64, double, VS_F64, H5T_IEEE_F64LE)
