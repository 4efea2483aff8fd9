/* SPDX-License-Identifier: BSD-3-Clause */
/* Conformance check of a file with the profile of vsim-vectors(5), object by
 * object. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define MAX_DEPTH 4
#define MAX_NAME 64
#define PIECE (16u << 20) /* bytes unpacked at a time */

struct walk {
	struct vs_h5_reader *r;
	struct vs_h5_part *part;
	size_t n_part, room_part;
	haddr_t *seen; /* objects visited, to find one visited twice */
	size_t n_seen, room_seen;
	uint8_t *piece;
	size_t room_piece;
	char path[MAX_DEPTH * (MAX_NAME + 1) + 1];
	int depth;
	bool shallow; /* data are not read */
	int code;
};

static int
fault(struct walk *w, const char *what)
{
	return vs_fail(VS_EINPUT, "%s: %s: %s; recreate the file", w->r->path,
		*w->path ? w->path : "/", what);
}

static bool
plain_name(const char *name)
{
	size_t n = strlen(name);

	return n && n <= MAX_NAME &&
		strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == n;
}

/* ---- attributes ---- */

static herr_t
check_attr(hid_t object, const char *name, const H5A_info_t *info, void *arg)
{
	struct walk *w = arg;
	struct vs_h5_attr a;

	(void)object;
	(void)info;
	w->code = vs_h5_attr_open(w->r->file, w->r->path,
		*w->path ? w->path : "/", name, &a);
	if (!w->code && !plain_name(name))
		w->code = fault(w, "has an attribute of a strange name");
	vs_h5_attr_close(&a);
	return w->code;
}

static int
check_attrs(struct walk *w, hid_t object)
{
	hsize_t at = 0;

	if (H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_INC, &at, check_attr,
		    w) < 0 &&
		!w->code)
		w->code = vs_h5_fail(VS_EINPUT, w->r->path,
			"read attributes of", *w->path ? w->path : "/");
	return w->code;
}

/* ---- data sets ---- */

/* Unpack all of it and compute its digest. */
static int
digest_rows(struct walk *w, struct vs_h5_reader_data *d, uint8_t out[16])
{
	uint64_t n = d->grid.dim[0], band = d->grid.chunk[0], step;
	struct vs_digest *x = NULL;
	int code = vs_digest_new(&x);

	/* whole bands, as many as fit the piece, at least one */
	step = PIECE / d->grid.row_bytes / band * band;
	if (!step)
		step = d->chunked ? band : PIECE / d->grid.row_bytes + 1;
	if (step > n)
		step = n;
	if (!code)
		code = vs_mem_grow(&w->piece, &w->room_piece,
			step * d->grid.row_bytes, 1, d->path);
	for (uint64_t lo = 0; lo < n && !code; lo += step) {
		uint64_t hi = n - lo < step ? n : lo + step;

		code = vs_h5_reader_rows(d, lo, hi, w->piece);
		if (!code)
			vs_digest_add(x, w->piece,
				(hi - lo) * d->grid.row_bytes);
	}
	if (!code)
		vs_digest_get(x, out);
	vs_digest_free(x);
	return code;
}

static int
check_data(struct walk *w, struct vs_h5_part *p)
{
	struct vs_h5_reader_data *d = NULL;
	int code = vs_h5_reader_data(w->r, p->path, p->type, p->n_dim, p->dim,
		NULL, &d);

	if (!code && !w->shallow)
		code = digest_rows(w, d, p->digest);
	vs_h5_reader_data_close(d);
	return code;
}

/*
 * Note a data set, to be checked after the walk: a thread-safe HDF5 is locked
 * while it lists objects; other readers of the data would wait for that lock,
 * and this thread for them.
 */
static int
note_data(struct walk *w, hid_t set)
{
	struct vs_h5_part p = { 0 };
	int code = vs_mem_copy_text(&p.path, w->path);

	if (!code)
		code = vs_h5_shape(set, w->r->path, &p);
	if (!code)
		code = vs_mem_grow(&w->part, &w->room_part, w->n_part + 1,
			sizeof(*w->part), "data sets");
	if (code)
		free(p.path);
	else
		w->part[w->n_part++] = p;
	return w->code = code;
}

/* ---- the tree ---- */

static int
meet(struct walk *w, hid_t object)
{
	H5O_info_t info;

	if (H5Oget_info(object, &info) < 0)
		return w->code = vs_h5_fail(VS_EINPUT, w->r->path, "read",
			       w->path);
	for (size_t k = 0; k < w->n_seen; k++)
		if (w->seen[k] == info.addr)
			return w->code = fault(w, "is an object met before");
	w->code = vs_mem_grow(&w->seen, &w->room_seen, w->n_seen + 1,
		sizeof(*w->seen), "objects");
	if (!w->code)
		w->seen[w->n_seen++] = info.addr;
	return w->code;
}

static int check_group(struct walk *w, hid_t group);

static herr_t
check_link(hid_t group, const char *name, const H5L_info_t *info, void *arg)
{
	struct walk *w = arg;
	size_t end = strlen(w->path);
	hid_t object = -1;

	if (!plain_name(name))
		return w->code = fault(w, "has a member of a strange name");
	if (w->depth == MAX_DEPTH)
		return w->code = fault(w, "is nested too deep");
	snprintf(w->path + end, sizeof(w->path) - end, "/%s", name);
	w->depth++;
	if (info->type != H5L_TYPE_HARD)
		w->code = fault(w, "leads to another place or file");
	else if ((object = H5Oopen(group, name, H5P_DEFAULT)) < 0)
		w->code = vs_h5_fail(VS_EINPUT, w->r->path, "open", w->path);
	else if (!meet(w, object) && !check_attrs(w, object)) {
		H5I_type_t type = H5Iget_type(object);

		if (type == H5I_GROUP)
			check_group(w, object);
		else if (type == H5I_DATASET)
			note_data(w, object);
		else
			w->code = fault(w, "is neither group nor data set");
	}
	vs_h5_close(object);
	w->depth--;
	w->path[end] = 0;
	return w->code;
}

static int
check_group(struct walk *w, hid_t group)
{
	hsize_t at = 0;

	if (H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &at, check_link, w) <
			0 &&
		!w->code)
		w->code = vs_h5_fail(VS_EINPUT, w->r->path, "list",
			*w->path ? w->path : "/");
	return w->code;
}

/* Visit every object of the file, then the data. */
static int
walk_all(struct walk *w)
{
	hid_t root = H5Oopen(w->r->file, "/", H5P_DEFAULT);
	int code;

	if (root < 0)
		return vs_h5_fail(VS_EINPUT, w->r->path, "open", "/");
	code = meet(w, root);
	if (!code)
		code = check_attrs(w, root);
	if (!code)
		code = check_group(w, root);
	for (size_t k = 0; k < w->n_part && !code; k++)
		code = check_data(w, &w->part[k]);
	H5Oclose(root);
	return code;
}

static void
end_walk(struct walk *w)
{
	for (size_t k = 0; k < w->n_part; k++)
		free(w->part[k].path);
	free(w->part);
	free(w->seen);
	free(w->piece);
}

int
vs_h5_reader_check(struct vs_h5_reader *r, const struct vs_content *content,
	char content_hex[VS_DIGEST_TEXT])
{
	struct walk w = { .r = r };
	char *stated = NULL, found[VS_DIGEST_TEXT] = "";
	uint8_t digest[16];
	int code = walk_all(&w);

	if (!code)
		code = vs_h5_content(r->file, r->path, content, w.part,
			w.n_part, digest);
	if (!code)
		code = vs_h5_reader_text(r, "/", "content_xxh128", &stated);
	if (!code) {
		vs_digest_text(digest, found);
		if (strcmp(found, stated))
			code = vs_fail(VS_EINPUT,
				"%s: is damaged: its content has the digest "
				"%s, stated is %.32s; restore it or "
				"recreate it",
				r->path, found, stated);
	}
	if (!code && content_hex)
		memcpy(content_hex, found, sizeof(found));
	end_walk(&w);
	free(stated);
	return code;
}

int
vs_h5_reader_walk(struct vs_h5_reader *r)
{
	struct walk w = { .r = r, .shallow = true };
	int code = walk_all(&w);

	end_walk(&w);
	return code;
}
