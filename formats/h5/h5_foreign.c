/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Data sets and attributes of other programs' files, read whole by HDF5 itself,
 * which converts their types and unpacks their chunks.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/h5/h5_foreign.h"
#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Most bytes that a stored one expands to, which is deflate's limit: a forged
 * size takes no more memory than that. */
#define MOST_EXPANDED 1032

struct foreign {
	const char *path, *remedy;
	struct vs_h5_want *want;
	size_t n;
	hid_t file;
	uint64_t size; /* of the file */
	/* of what is being read: */
	hid_t id, type, space;
	char place[160];
};

static int
wrong(const struct foreign *f, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: %s %s; %s", f->path, f->place, what,
		f->remedy);
}

static int
unreadable(const struct foreign *f)
{
	return vs_h5_fail(VS_EINPUT, f->path, "read", f->place);
}

/* ---- shape and storage ---- */

static bool
type_fits(hid_t type, enum vs_type want)
{
	const H5T_class_t class = H5Tget_class(type);
	const size_t size = H5Tget_size(type);

	if (want == VS_STR)
		return class == H5T_STRING;
	return size <= 8 &&
		(class == H5T_INTEGER ||
			(want == VS_F64 && class == H5T_FLOAT));
}

/* Check that HDF5 can unpack a data set, and that its bytes are in the file. */
static int
check_storage(const struct foreign *f, uint64_t n)
{
	hid_t list = H5Dget_create_plist(f->id);
	const double stored = (double)H5Dget_storage_size(f->id);
	const double room = MOST_EXPANDED *
		(stored < (double)f->size ? stored : (double)f->size);
	int code = 0;

	if (list < 0)
		return unreadable(f);
	for (int k = 0; k < H5Pget_nfilters(list) && !code; k++) {
		size_t none = 0;
		unsigned flags, config;
		H5Z_filter_t id = H5Pget_filter2(list, (unsigned)k, &flags,
			&none, NULL, 0, NULL, &config);

		if (id < 0 || H5Zfilter_avail(id) <= 0)
			code = vs_fail(VS_EINPUT,
				"%s: %s is packed by filter %d, which is not "
				"supported; h5repack -f GZIP=4 repacks it",
				f->path, f->place, (int)id);
	}
	if (!code &&
		(H5Pget_external_count(list) != 0 ||
			H5Pget_layout(list) == H5D_VIRTUAL))
		code = wrong(f, "stores its data in another file");
	if (!code && (double)n * (double)H5Tget_size(f->type) > room)
		code = wrong(f, "has fewer bytes than its size needs");
	H5Pclose(list);
	return code;
}

/* Open a thing, and check its type and size. */
static int
open_thing(struct foreign *f, struct vs_h5_want *w)
{
	bool has;
	int n_dim, code;
	hssize_t n;

	snprintf(f->place, sizeof(f->place), "%s%s%s%s",
		w->attr ? "attribute " : "", w->attr ? w->attr : "",
		w->attr ? " of " : "", w->object);
	code = w->attr
		? vs_h5_has_attr(f->file, f->path, w->object, w->attr, &has)
		: vs_h5_has(f->file, f->path, w->object, &has);
	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT, "%s: is HDF5, but lacks %s; %s",
			f->path, f->place, f->remedy);
	f->id = w->attr ? H5Aopen_by_name(f->file, w->object, w->attr,
				  H5P_DEFAULT, H5P_DEFAULT)
			: H5Dopen2(f->file, w->object, H5P_DEFAULT);
	if (f->id < 0)
		return unreadable(f);
	f->type = w->attr ? H5Aget_type(f->id) : H5Dget_type(f->id);
	f->space = w->attr ? H5Aget_space(f->id) : H5Dget_space(f->id);
	n_dim = H5Sget_simple_extent_ndims(f->space);
	n = H5Sget_simple_extent_npoints(f->space);
	if (f->type < 0 || n_dim < 0 || n < 0)
		return unreadable(f);
	w->n = (uint64_t)n;
	if (!type_fits(f->type, w->type))
		return wrong(f, "has values of an unexpected type");
	if (w->attr ? n > VS_H5_MAX_ATTR : n_dim != 1)
		return wrong(f,
			"has an unexpected number of dimensions or values");
	return w->attr ? 0 : check_storage(f, w->n);
}

/* ---- values ---- */

static int
get(const struct foreign *f, const struct vs_h5_want *w, hid_t type, void *out)
{
	const herr_t said = !w->n ? 0
		: w->attr
		? H5Aread(f->id, type, out)
		: H5Dread(f->id, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, out);

	return said < 0 ? unreadable(f) : 0;
}

static int
read_numbers(struct foreign *f, struct vs_h5_want *w)
{
	const bool real = w->type == VS_F64,
		   wide = H5Tget_class(f->type) == H5T_INTEGER &&
		H5Tget_size(f->type) == 8;
	int code = vs_mem_room(&w->values, w->n, sizeof(double), f->place);

	if (!code)
		code = get(f, w, real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
			w->values);
	for (uint64_t k = 0; k < w->n && real && wide && !code; k++)
		if (fabs(((double *)w->values)[k]) >= 0x1p53)
			code = wrong(f, "has integers of 2^53 or more");
	return code;
}

/* Texts as C strings: one pointer each, or width bytes each. */
static int
read_texts(struct foreign *f, struct vs_h5_want *w)
{
	const bool vary = H5Tis_variable_str(f->type) > 0;
	const size_t width = vary ? sizeof(char *) : H5Tget_size(f->type) + 1;
	hid_t type = H5Tcopy(H5T_C_S1);
	char *room = NULL;
	hsize_t bytes = 0;
	int code = vs_mem_new(&room, w->n, width, f->place);

	if (!code &&
		(H5Tset_size(type, vary ? H5T_VARIABLE : width) < 0 ||
			H5Tset_cset(type, H5Tget_cset(f->type)) < 0))
		code = unreadable(f);
	/* names may share their bytes, which then expand without end */
	if (!code && vary && w->n &&
		(H5Dvlen_get_buf_size(f->id, type, f->space, &bytes) < 0 ||
			bytes > f->size))
		code = wrong(f, "has fewer bytes than its size needs");
	if (!code)
		code = get(f, w, type, room);
	for (uint64_t k = 0; k < w->n && !code; k++) {
		const char *text = vary ? ((char **)room)[k] : room + k * width;

		code = vs_text_pool_add(&w->text, text ? text : "",
			text ? strlen(text) : 0);
	}
	if (vary && room && w->n)
		H5Dvlen_reclaim(type, f->space, H5P_DEFAULT, room);
	vs_h5_close(type);
	free(room);
	return code;
}

/* Read all; also what the child does. */
static int
read_all(const char *path, void *arg)
{
	struct foreign *f = arg;
	hid_t access = vs_h5_access();
	int code = 0;

	f->file = access < 0 ? -1 : H5Fopen(path, H5F_ACC_RDONLY, access);
	if (f->file < 0)
		code = vs_h5_fail(VS_EINPUT, path, "open", "the file");
	vs_h5_close(access);
	for (size_t k = 0; k < f->n && !code; k++) {
		struct vs_h5_want *w = &f->want[k];

		f->id = f->type = f->space = -1;
		code = open_thing(f, w);
		if (!code)
			code = w->type == VS_STR ? read_texts(f, w)
						 : read_numbers(f, w);
		vs_h5_close(f->space);
		vs_h5_close(f->type);
		vs_h5_close(f->id);
	}
	vs_h5_close(f->file);
	return code;
}

int
vs_h5_foreign_read(const char *path, struct vs_h5_want *want, size_t n,
	const char *remedy)
{
	struct foreign f = { .path = path,
		.remedy = remedy,
		.want = want,
		.n = n };
	struct stat st;
	int code = 0;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return vs_fail(VS_EINPUT,
			"%s: is HDF5, which cannot be read from a pipe; save "
			"it to a file first",
			path);
	f.size = (uint64_t)st.st_size;
	code = vs_h5_begin();
	if (!code)
		code = vs_h5_guard(path, read_all, &f);
	return code ? code : read_all(path, &f);
}

void
vs_h5_foreign_free(struct vs_h5_want *want, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		free(want[k].values);
		vs_text_pool_free(&want[k].text);
	}
}
