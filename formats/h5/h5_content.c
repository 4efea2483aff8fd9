/* SPDX-License-Identifier: BSD-3-Clause */
/* Content digest of a file: its named attributes, and digests of its data. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_common.h"
#include "libcore/base/fail.h"

static int
add_values(struct vs_text *t, enum vs_type type, const void *v, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		vs_text_add(t, "%s", k ? "," : "");
		if (type == VS_I32)
			vs_text_add(t, "%" PRId32, ((const int32_t *)v)[k]);
		else if (type == VS_I64)
			vs_text_add(t, "%" PRId64, ((const int64_t *)v)[k]);
		else if (type == VS_U64)
			vs_text_add(t, "%" PRIu64, ((const uint64_t *)v)[k]);
		else
			vs_text_add(t, "%a", ((const double *)v)[k]);
	}
	return t->code;
}

/* The value of an attribute; texts without padding. */
static int
add_attr(struct vs_text *t, const struct vs_h5_attr *a, const char *path,
	const char *object, const char *name)
{
	union {
		char text[VS_H5_MAX_TEXT + 1];
		uint64_t v[VS_H5_MAX_ATTR];
	} room;

	if (a->type == VS_STR ? a->n > 1
			      : a->type == VS_U8 || a->type == VS_U16 ||
				a->type == VS_U32 || a->type == VS_F32)
		return vs_h5_attr_wrong(path, object, name);
	if (H5Aread(a->id, a->stored, &room) < 0)
		return vs_h5_fail(VS_EINPUT, path, "read attribute", name);
	return a->type == VS_STR
		? vs_text_put(t, room.text, strnlen(room.text, a->width))
		: add_values(t, a->type, &room, (size_t)a->n);
}

/* "/run:metric" adds a line "metric=ccc"; an absent attribute is skipped. */
static int
content_attr(hid_t file, const char *path, const char *spec,
	struct vs_digest *d)
{
	const char *colon = strchr(spec, ':');
	char object[64];
	struct vs_text t = { 0 };
	struct vs_h5_attr a;
	bool has;
	int code;

	snprintf(object, sizeof(object), "%.*s", (int)(colon - spec), spec);
	code = vs_h5_has_attr(file, path, object, colon + 1, &has);
	if (code || !has)
		return code;
	code = vs_h5_attr_open(file, path, object, colon + 1, &a);
	vs_text_add(&t, "%s=", colon + 1);
	if (!code)
		code = add_attr(&t, &a, path, object, colon + 1);
	if (!code)
		code = vs_text_put(&t, "\n", 1);
	if (!code)
		vs_digest_add(d, t.bytes, t.len);
	vs_h5_attr_close(&a);
	vs_text_free(&t);
	return code;
}

static void
content_part(const struct vs_h5_part *p, struct vs_digest *d)
{
	char type[32];
	uint64_t n_dim = (uint64_t)p->n_dim;

	if (p->type == VS_STR)
		snprintf(type, sizeof(type), "s%zu", p->width);
	else
		snprintf(type, sizeof(type), "%s", vs_h5_type_name(p->type));
	vs_digest_add(d, p->path, strlen(p->path) + 1);
	vs_digest_add(d, type, strlen(type) + 1);
	vs_digest_add(d, &n_dim, 8);
	vs_digest_add(d, p->dim, 8 * (size_t)p->n_dim);
	vs_digest_add(d, p->digest, 16);
}

static bool
matches(const char *path, const char *spec)
{
	size_t n = strlen(spec);

	if (spec[n - 1] != '*')
		return !strcmp(path, spec);
	return !strncmp(path, spec, n - 1) && !strchr(path + n - 1, '/');
}

static int
by_path(const void *a, const void *b)
{
	const struct vs_h5_part *const *x = a, *const *y = b;

	return strcmp((*x)->path, (*y)->path);
}

int
vs_h5_content(hid_t file, const char *path, const struct vs_content *content,
	const struct vs_h5_part *part, size_t n, uint8_t out[16])
{
	const struct vs_h5_part **sorted = NULL;
	struct vs_digest *d = NULL;
	int code = vs_digest_new(&d);

	if (code)
		return code;
	sorted = calloc(n + 1, sizeof(*sorted));
	if (!sorted)
		code = vs_fail_memory("content digest", n);
	for (size_t k = 0; !code && k < n; k++)
		sorted[k] = &part[k];
	if (!code)
		qsort(sorted, n, sizeof(*sorted), by_path);
	for (const char *const *a = content->attrs; !code && *a; a++)
		if (**a)
			code = content_attr(file, path, *a, d);
	for (const char *const *s = content->data; !code && *s; s++)
		for (size_t k = 0; k < n; k++)
			if (matches(sorted[k]->path, *s))
				content_part(sorted[k], d);
	if (!code)
		vs_digest_get(d, out);
	free(sorted);
	vs_digest_free(d);
	return code;
}
