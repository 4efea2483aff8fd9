/* SPDX-License-Identifier: BSD-3-Clause */
/* Opening of an HDF5 file for reading: its kind, version and features. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/h5/h5_inner.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

/* Features that a file may require; query_rows.h adds features of results. */
static const char known_features[] =
	" bit2 ploidy1 u8 u16 u32 f32 f64 signed missing zstd deflate way2 "
	"way3 part chromosomes haploid cm "
	"annotations "
#define FEATURE_ALWAYS(name)
#define FEATURE_IF_ANY(name)
#define FEATURE_NEEDED(name) #name " "
#define MEMBER(type, declaration, name, files, when, digest, agree, engine, \
	words)                                                              \
	FEATURE_##when(name)
#include "libcore/metric/query_rows.h"
	;

/* ---- opening ---- */

static int
open_file(struct vs_h5_reader *r)
{
	hid_t access = vs_h5_access();
	int code = 0;

	if (access >= 0)
		r->file = H5Fopen(r->path, H5F_ACC_RDONLY, access);
	if (r->file < 0)
		code = vs_h5_fail(VS_EINPUT, r->path, "open", "the file");
	vs_h5_close(access);
	return code;
}

/* Whole word of a list that begins and ends with a space. */
static bool
knows(const char *word, size_t n)
{
	char padded[64];

	if (n > sizeof(padded) - 3)
		return false;
	snprintf(padded, sizeof(padded), " %.*s ", (int)n, word);
	return strstr(known_features, padded);
}

static int
check_features(struct vs_h5_reader *r)
{
	char *all = NULL, *word, *rest;
	int code = vs_h5_reader_text(r, "/", "required_features", &all);

	if (code)
		return code;
	for (word = strtok_r(all, " ", &rest); word && !code;
		word = strtok_r(NULL, " ", &rest))
		if (!knows(word, strlen(word)))
			code = vs_fail(VS_EINPUT,
				"%s: needs the feature %.40s, which this "
				"version does not know; a newer vsim reads it",
				r->path, word);
	free(all);
	return code;
}

/* The kind that the attributes state; they and the seal must agree. */
static int
check_kind(struct vs_h5_reader *r, unsigned kinds)
{
	enum vs_kind kind = 0;
	char *format = NULL;
	bool has;
	int code = vs_h5_reader_has_attr(r, "/", "format", &has);

	if (code)
		return code;
	if (!has)
		return vs_fail(VS_EINPUT, "%s: is HDF5 but not a vsim file",
			r->path);
	code = vs_h5_reader_text(r, "/", "format", &format);
	if (code)
		return code;
	for (int k = VS_KIND_VECTORS; k <= VS_KIND_MERGED; k++)
		if (!strcmp(format, vs_h5_format((enum vs_kind)k)))
			kind = (enum vs_kind)k;
	free(format);
	if (!kind || (r->seal.kind && r->seal.kind != kind))
		return vs_fail(VS_EINPUT,
			"%s: is damaged: its format differs from that of its "
			"seal",
			r->path);
	if (!(kinds & (1u << kind)))
		return vs_fail(VS_EINPUT,
			"%s: is %s, which is not expected here", r->path,
			vs_seal_kind_name(kind));
	r->seal.kind = kind;
	return 0;
}

static int
check_version(struct vs_h5_reader *r)
{
	int32_t version[2];
	int code = vs_h5_reader_i32(r, "/", "format_version", version, 2);

	if (!code && version[0] != VS_H5_MAJOR)
		code = vs_fail(VS_EINPUT,
			"%s: has format version %d.%d, but this vsim reads "
			"only %d; use a newer one",
			r->path, version[0], version[1], VS_H5_MAJOR);
	return code;
}

/* Check that the content digest and uuid inside the file match its seal. */
static int
check_names(struct vs_h5_reader *r, bool sealed)
{
	char *content = NULL, *uuid = NULL, want[VS_DIGEST_TEXT], want_uuid[37];
	int code = vs_h5_reader_text(r, "/", "content_xxh128", &content);

	if (!code)
		code = vs_h5_reader_text(r, "/", "uuid", &uuid);
	vs_digest_text(r->seal.content, want);
	vs_digest_uuid_text(r->seal.uuid, want_uuid);
	if (!code && sealed &&
		(strcmp(content, want) || strcmp(uuid, want_uuid)))
		code = vs_fail(VS_EINPUT,
			"%s: is damaged: its names are others than its seal "
			"says",
			r->path);
	free(content);
	free(uuid);
	return code;
}

int
vs_h5_reader_begin(struct vs_h5_reader **r, const char *path, unsigned kinds,
	const struct vs_seal *seal, enum vs_kind *kind)
{
	struct vs_h5_reader *p = NULL;
	int code = vs_h5_begin();

	VS_MEM_NEW(&code, p, 1, path);
	if (code)
		return code;
	p->file = -1;
	p->seal = *seal;
	code = vs_mem_copy_text(&p->path, path);
	if (!code)
		code = open_file(p);
	if (!code)
		code = vs_h5_reader_unchanged(p);
	if (!code)
		code = check_kind(p, kinds);
	if (!code)
		code = check_version(p);
	if (!code)
		code = check_features(p);
	if (!code)
		code = check_names(p, seal->kind != 0);
	if (code) {
		vs_h5_reader_close(p);
		return code;
	}
	if (kind)
		*kind = p->seal.kind;
	*r = p;
	return 0;
}

void
vs_h5_reader_close(struct vs_h5_reader *r)
{
	if (!r)
		return;
	vs_h5_close(r->file);
	vs_h5_bench_free(&r->bench);
	free(r->path);
	free(r);
}

void
vs_h5_reader_rest(struct vs_h5_reader *r)
{
	vs_h5_bench_free(&r->bench);
}

const char *
vs_h5_reader_path(const struct vs_h5_reader *r)
{
	return r->path;
}

uint64_t
vs_h5_reader_size(const struct vs_h5_reader *r)
{
	return r->seal.size;
}

/* ---- attributes and names ---- */

static herr_t
add_name(hid_t group, const char *name, const H5L_info_t *info, void *arg)
{
	(void)group;
	(void)info;
	return vs_text_pool_add(arg, name, strlen(name));
}

int
vs_h5_reader_members(struct vs_h5_reader *r, const char *group,
	struct vs_text_pool *names)
{
	hsize_t at = 0;

	if (H5Literate_by_name(r->file, group, H5_INDEX_NAME, H5_ITER_INC, &at,
		    add_name, names, H5P_DEFAULT) < 0)
		return vs_h5_fail(VS_EINPUT, r->path, "read", group);
	return 0;
}
