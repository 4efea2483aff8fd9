/* SPDX-License-Identifier: BSD-3-Clause */
/* HDF5 types, errors and threads that readers and writers share. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "formats/h5/h5_common.h"
#include "formats/h5/zst.h"
#include "formats/plugin/vsim_zstd.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"

#define ROOM_BYTES (16u << 20) /* metadata of our files take some of it */
#define BATCH_BYTES (32u << 20)
#define SMALL_BATCH (16u << 20)

/* H5open() with stderr shut, where it would print why it does not start. */
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
 * HDF5 crashes where it gets no memory for small things: see to it that there
 * is some before it begins. The pages are not touched.
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
	/* at exit it would say on stderr what it could not close */
	H5dont_atexit();
	if (start_silently() || H5PLset_loading_state(0) < 0 ||
		H5Zregister(vs_zstd_filter()) < 0)
		return vs_fail(VS_EMACHINE, "the HDF5 library does not start");
	begun = true;
	return 0;
}

/* The innermost words of the error stack, and the errno named anywhere, that
 * of want of memory too. */
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
	/* not all that HDF5 does in want of memory is on its stack */
	if (!w.error && error == ENOMEM)
		w.error = ENOMEM;
	if (w.error)
		return vs_fail(VS_EMACHINE, "%s: cannot %s %s: %s", path, what,
			object, strerror(w.error));
	if (code == VS_EINPUT)
		return vs_fail(code,
			"%s: is damaged: cannot %s %s%s%s; restore it or make "
			"it anew",
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

bool
vs_h5_type_of(hid_t type, enum vs_type *out, size_t *width)
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

/* ---- content digest ---- */

static int
add_values(struct vs_text *t, enum vs_type type, const void *v, size_t n)
{
	int code = 0;

	for (size_t k = 0; k < n && !code; k++) {
		const char *comma = k ? "," : "";

		if (type == VS_I32)
			code = vs_text_add(t, "%s%" PRId32, comma,
				((const int32_t *)v)[k]);
		else if (type == VS_I64)
			code = vs_text_add(t, "%s%" PRId64, comma,
				((const int64_t *)v)[k]);
		else if (type == VS_U64)
			code = vs_text_add(t, "%s%" PRIu64, comma,
				((const uint64_t *)v)[k]);
		else
			code = vs_text_add(t, "%s%a", comma,
				((const double *)v)[k]);
	}
	return code;
}

/* The value of an attribute; a text without its padding. */
static int
add_attr(struct vs_text *t, hid_t attr, const char *path, const char *name)
{
	union {
		char text[VS_H5_MAX_TEXT + 1];
		uint64_t v[VS_H5_MAX_ATTR];
	} room;
	hid_t type = H5Aget_type(attr), space = H5Aget_space(attr);
	hssize_t n = H5Sget_simple_extent_npoints(space);
	enum vs_type ours;
	size_t width;
	int code;

	if (type < 0 || space < 0) {
		code = vs_h5_fail(VS_EINPUT, path, "read attribute", name);
	} else if (!vs_h5_type_of(type, &ours, &width) || n < 1 ||
		n > VS_H5_MAX_ATTR ||
		(ours == VS_STR && (n > 1 || width > VS_H5_MAX_TEXT)) ||
		ours == VS_U8 || ours == VS_U16 || ours == VS_U32 ||
		ours == VS_F32) {
		code = vs_fail(VS_EINPUT,
			"%s: attribute %s has a type or size "
			"it must not have",
			path, name);
	} else if (H5Aread(attr, type, &room) < 0) {
		code = vs_h5_fail(VS_EINPUT, path, "read attribute", name);
	} else if (ours == VS_STR) {
		code = vs_text_put(t, room.text, strnlen(room.text, width));
	} else {
		code = add_values(t, ours, &room, (size_t)n);
	}
	if (type >= 0)
		H5Tclose(type);
	if (space >= 0)
		H5Sclose(space);
	return code;
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
	 * lead nowhere but into this file
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

/* "/run:metric" -> a line "metric=ccc"; an absent one is passed over. */
static int
content_attr(hid_t file, const char *path, const char *spec,
	struct vs_digest *d)
{
	const char *colon = strchr(spec, ':');
	char object[64];
	struct vs_text t = { 0 };
	hid_t attr;
	bool has;
	int code;

	snprintf(object, sizeof(object), "%.*s", (int)(colon - spec), spec);
	code = vs_h5_has_attr(file, path, object, colon + 1, &has);
	if (code || !has)
		return code;
	attr = H5Aopen_by_name(file, object, colon + 1, H5P_DEFAULT,
		H5P_DEFAULT);
	if (attr < 0)
		return vs_h5_fail(VS_EINPUT, path, "read attribute", colon + 1);
	code = vs_text_add(&t, "%s=", colon + 1);
	if (!code)
		code = add_attr(&t, attr, path, colon + 1);
	if (!code)
		code = vs_text_put(&t, "\n", 1);
	if (!code)
		vs_digest_add(d, t.bytes, t.len);
	H5Aclose(attr);
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
		snprintf(type, sizeof(type), "%s", types[p->type].name);
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

/* ---- chunks ---- */

void
vs_h5_grid_make(struct vs_h5_grid *g, size_t size, int n_dim,
	const uint64_t *dim, const uint64_t *chunk)
{
	*g = (struct vs_h5_grid){ .size = size, .n_dim = n_dim };
	for (int k = 0; k < 3; k++)
		g->dim[k] = g->chunk[k] = 1;
	g->dim[0] = dim[0];
	g->chunk[0] = chunk[0];
	/* of two dimensions the second is the last, the middle is 1 */
	for (int k = 1; k < n_dim; k++) {
		g->dim[3 - n_dim + k] = dim[k];
		g->chunk[3 - n_dim + k] = chunk[k];
	}
	g->n_part = ((g->dim[1] + g->chunk[1] - 1) / g->chunk[1]) *
		((g->dim[2] + g->chunk[2] - 1) / g->chunk[2]);
	g->row_bytes = size * g->dim[1] * g->dim[2];
	g->chunk_bytes = size * g->chunk[0] * g->chunk[1] * g->chunk[2];
}

/* First element of chunk part along the middle and the last dimension. */
static void
start_of(const struct vs_h5_grid *g, uint64_t part, uint64_t *m, uint64_t *l)
{
	uint64_t across = (g->dim[2] + g->chunk[2] - 1) / g->chunk[2];

	*m = part / across * g->chunk[1];
	*l = part % across * g->chunk[2];
}

void
vs_h5_grid_offset(const struct vs_h5_grid *g, uint64_t band, uint64_t part,
	hsize_t *offset)
{
	uint64_t m, l;

	start_of(g, part, &m, &l);
	offset[0] = band * g->chunk[0];
	if (g->n_dim == 2)
		offset[1] = l;
	if (g->n_dim == 3) {
		offset[1] = m;
		offset[2] = l;
	}
}

static inline uint64_t
least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void
vs_h5_grid_gather(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *rows, uint64_t n_rows, uint8_t *chunk)
{
	size_t line = g->size * g->chunk[2], used;
	uint64_t m0, l0, n_mid;

	start_of(g, part, &m0, &l0);
	n_mid = least(g->chunk[1], g->dim[1] - m0);
	used = g->size * least(g->chunk[2], g->dim[2] - l0);
	if (n_rows < g->chunk[0] || n_mid < g->chunk[1] || used < line)
		memset(chunk, 0, g->chunk_bytes);
	for (uint64_t r = 0; r < n_rows; r++)
		for (uint64_t m = 0; m < n_mid; m++)
			memcpy(chunk + (r * g->chunk[1] + m) * line,
				rows + r * g->row_bytes +
					((m0 + m) * g->dim[2] + l0) * g->size,
				used);
}

void
vs_h5_grid_scatter(const struct vs_h5_grid *g, uint64_t part,
	const uint8_t *chunk, uint8_t *rows, uint64_t n_rows)
{
	size_t line = g->size * g->chunk[2], used;
	uint64_t m0, l0, n_mid;

	start_of(g, part, &m0, &l0);
	n_mid = least(g->chunk[1], g->dim[1] - m0);
	used = g->size * least(g->chunk[2], g->dim[2] - l0);
	for (uint64_t r = 0; r < n_rows; r++)
		for (uint64_t m = 0; m < n_mid; m++)
			memcpy(rows + r * g->row_bytes +
					((m0 + m) * g->dim[2] + l0) * g->size,
				chunk + (r * g->chunk[1] + m) * line, used);
}

static int n_threads;

void
vs_h5_threads(int n)
{
	n_threads = n;
}

int
vs_h5_n_thread(void)
{
	return n_threads ? n_threads : omp_get_max_threads();
}

size_t
vs_h5_batch(size_t chunk_bytes)
{
	size_t threads = (size_t)vs_h5_n_thread(), n = 2 * threads;

	/* large chunks balance the threads by themselves */
	while (n > threads && n * chunk_bytes > BATCH_BYTES)
		n--;
	/* small chunks belong to columns, and a file has several of them */
	if (chunk_bytes < 1u << 20 && n > SMALL_BATCH / chunk_bytes)
		n = SMALL_BATCH / chunk_bytes;
	return n ? n : 1;
}

/* Fit a slot; its former bytes are discarded. */
static int
slot_fit(struct vs_h5_slot *s, size_t bytes)
{
	int code;

	if (bytes <= s->room)
		return 0;
	free(s->bytes);
	s->bytes = NULL;
	s->room = 0;
	code = vs_mem_room(&s->bytes, bytes, 1, "chunk");
	s->room = code ? 0 : bytes;
	return code;
}

int
vs_h5_bench_fit(struct vs_h5_bench *b, size_t n_slot, size_t bytes,
	size_t scratch_bytes)
{
	size_t n_thread = (size_t)vs_h5_n_thread();
	int code = 0;

	if (n_slot > b->n_slot) {
		struct vs_h5_slot *more = NULL;

		code = vs_mem_new(&more, n_slot, sizeof(*more), "chunks");
		if (code)
			return code;
		if (b->n_slot)
			memcpy(more, b->slot, b->n_slot * sizeof(*more));
		free(b->slot);
		b->slot = more;
		b->n_slot = n_slot;
	}
	if (n_thread > b->n_thread) {
		struct vs_codec_state **c = NULL;
		struct vs_h5_slot *s = NULL;

		code = vs_mem_new(&c, n_thread, sizeof(*c), "chunks");
		if (!code)
			code = vs_mem_new(&s, n_thread, sizeof(*s), "chunks");
		if (code) {
			free(c);
			return code;
		}
		for (size_t t = 0; t < b->n_thread; t++) {
			c[t] = b->chunker[t];
			s[t] = b->scratch[t];
		}
		free(b->chunker);
		free(b->scratch);
		b->chunker = c;
		b->scratch = s;
		b->n_thread = n_thread;
	}
	for (size_t k = 0; k < n_slot && !code; k++)
		code = slot_fit(&b->slot[k], bytes);
	for (size_t t = 0; t < b->n_thread && !code; t++) {
		code = slot_fit(&b->scratch[t], scratch_bytes);
		if (!code && !b->chunker[t])
			code = vs_codec_new(&b->chunker[t]);
	}
	return code;
}

void
vs_h5_bench_free(struct vs_h5_bench *b)
{
	for (size_t k = 0; k < b->n_slot; k++)
		free(b->slot[k].bytes);
	for (size_t t = 0; t < b->n_thread; t++) {
		free(b->scratch[t].bytes);
		vs_codec_free(b->chunker[t]);
	}
	free(b->slot);
	free(b->scratch);
	free(b->chunker);
	memset(b, 0, sizeof(*b));
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
