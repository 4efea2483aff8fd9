/* SPDX-License-Identifier: BSD-3-Clause */
/* Columns of one file that ranks write together, by parallel HDF5. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/h5/h5_write.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "libcore/plan/comm.h"

#define TEXT 4096 /* longest name */

/* A column by the name that the first rank tells the others. */
struct column {
	char path[64];
	enum vs_type type;
};

struct vs_h5_joint {
	struct vs_h5_writer *w; /* of the first rank */
	struct vs_h5_writer_data *data[VS_H5_JOINT_MOST];
	char path[TEXT], temp[TEXT];
	char *scratch; /* temp, once a signal removes it */
	struct column column[VS_H5_JOINT_MOST];
	int n;
	hid_t file, set[VS_H5_JOINT_MOST], how;
	struct vs_digest *digest[VS_H5_JOINT_MOST];
	/* the rows whose turn it is to be digested */
	void *const *rows;
	uint64_t n_rows;
	uint8_t state[VS_H5_JOINT_MOST][VS_DIGEST_STATE];
};

#if defined(H5_HAVE_PARALLEL) && H5_VERSION_GE(1, 10, 2)
static bool
set_parallel(hid_t access, hid_t how)
{
	return H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) >= 0 &&
		H5Pset_dxpl_mpio(how, H5FD_MPIO_COLLECTIVE) >= 0;
}

bool
vs_h5_is_parallel(void)
{
	return true;
}
#else
static bool
set_parallel(hid_t access, hid_t how)
{
	return access < 0 && how < 0;
}

bool
vs_h5_is_parallel(void)
{
	return false;
}
#endif

static void
give_up(const struct vs_h5_joint *j, const char *what)
{
	vs_h5_fail(VS_EMACHINE, j->path, "write", what);
	vs_comm_give_up(vs_fail_text());
}

/* The first rank closes the file and tells the others what to open. */
static int
lend(struct vs_h5_joint *j, struct vs_h5_writer *w,
	struct vs_h5_writer_data *const *column, int n)
{
	j->w = w;
	for (int c = 0; c < n; c++) {
		struct vs_h5_writer_data *d = column[c];

		if (!d)
			continue;
		j->data[j->n] = d;
		j->column[j->n].type = d->part.type;
		strncpy(j->column[j->n++].path, d->part.path,
			sizeof(j->column->path) - 1);
	}
	strncpy(j->path, w->f.path, TEXT - 1);
	strncpy(j->temp, w->f.temp, TEXT - 1);
	return vs_h5_writer_lend(w);
}

/* Whether this rank reaches the file, before all open it together. */
static int
reach(struct vs_h5_joint *j)
{
	int code = vs_h5_begin(), fd = open(j->temp, O_RDWR | O_CLOEXEC);

	if (fd < 0 && !code)
		code = vs_fail_errno(VS_EMACHINE, "%s: rank %d cannot open it",
			j->temp, vs_comm_rank());
	if (fd >= 0)
		close(fd);
	if (!code && vs_comm_rank() && !vs_file_scratch(j->temp))
		j->scratch = j->temp;
	for (int c = 0; c < j->n && !code; c++)
		code = vs_digest_new(&j->digest[c]);
	return code;
}

static void
open_together(struct vs_h5_joint *j)
{
	hid_t access = vs_h5_access();

	j->how = H5Pcreate(H5P_DATASET_XFER);
	if (access >= 0 && j->how >= 0 && set_parallel(access, j->how))
		j->file = H5Fopen(j->temp, H5F_ACC_RDWR, access);
	if (j->file < 0)
		give_up(j, "the file");
	vs_h5_close(access);
	for (int c = 0; c < j->n; c++) {
		j->set[c] = H5Dopen2(j->file, j->column[c].path, H5P_DEFAULT);
		if (j->set[c] < 0)
			give_up(j, j->column[c].path);
	}
}

int
vs_h5_joint_open(struct vs_h5_joint **joint, struct vs_h5_writer *w,
	struct vs_h5_writer_data *const *column, int n)
{
	struct vs_h5_joint *j = NULL;
	int code = vs_mem_new(&j, 1, sizeof(*j), "ranks");

	if (!code) {
		j->file = j->how = -1;
		if (w)
			code = lend(j, w, column, n);
	}
	code = vs_comm_agree(code);
	if (!code) {
		vs_comm_share(j->path, sizeof(j->path));
		vs_comm_share(j->temp, sizeof(j->temp));
		vs_comm_share(j->column, sizeof(j->column));
		vs_comm_share(&j->n, sizeof(j->n));
		code = vs_comm_agree(reach(j));
	}
	if (!code)
		open_together(j);
	*joint = j;
	return code;
}

/* Rows of a column, whole chunks but for the last. */
static void
write_column(const struct vs_h5_joint *j, int c, hsize_t lo, hsize_t n)
{
	hid_t type = vs_h5_type(j->column[c].type, 0),
	      space = H5Dget_space(j->set[c]),
	      rows = H5Screate_simple(1, &n, NULL);
	int failed = n ? H5Sselect_hyperslab(space, H5S_SELECT_SET, &lo, NULL,
				 &n, NULL)
		       : H5Sselect_none(space);

	if (failed < 0 || (!n && H5Sselect_none(rows) < 0) ||
		H5Dwrite(j->set[c], type, rows, space, j->how, j->rows[c]) < 0)
		give_up(j, j->column[c].path);
	vs_h5_close(rows);
	vs_h5_close(space);
	vs_h5_close(type);
}

/* A digest of a column takes its rows in order, and so its state goes from rank
 * to rank. */
static void
digest_rows(void *ctx)
{
	struct vs_h5_joint *j = ctx;

	for (int c = 0; c < j->n; c++) {
		if (vs_comm_rank())
			vs_digest_load(j->digest[c], j->state[c]);
		vs_digest_add(j->digest[c], j->rows[c],
			j->n_rows * vs_h5_size(j->column[c].type, 0));
		vs_digest_save(j->digest[c], j->state[c]);
	}
}

void
vs_h5_joint_write(struct vs_h5_joint *j, uint64_t lo, uint64_t n,
	void *const *rows)
{
	j->rows = rows;
	j->n_rows = n;
	vs_comm_turn(j->state, sizeof(j->state), digest_rows, j);
	for (int c = 0; c < j->n; c++) {
		if (!vs_comm_rank())
			vs_digest_load(j->digest[c], j->state[c]);
		write_column(j, c, lo, n);
	}
}

/* Add the rows of a column in the file to a digest; rows: room for a chunk. */
static int
read_rows(const struct vs_h5_joint *j, int c, void *rows, struct vs_digest *d)
{
	const hid_t type = vs_h5_type(j->column[c].type, 0);
	const uint64_t n = j->data[c]->shape.dim[0];
	int failed = 0;

	for (hsize_t lo = 0, some; lo < n && failed >= 0; lo += some) {
		hid_t space = H5Dget_space(j->data[c]->set), memory;

		some = n - lo < VS_H5_CHUNK_ROWS ? n - lo : VS_H5_CHUNK_ROWS;
		memory = H5Screate_simple(1, &some, NULL);
		failed = H5Sselect_hyperslab(space, H5S_SELECT_SET, &lo, NULL,
			&some, NULL);
		if (failed >= 0)
			failed = H5Dread(j->data[c]->set, type, memory, space,
				H5P_DEFAULT, rows);
		vs_digest_add(d, rows, some * vs_h5_size(j->column[c].type, 0));
		vs_h5_close(memory);
		vs_h5_close(space);
	}
	vs_h5_close(type);
	return failed < 0 ? VS_EMACHINE : 0;
}

/* MPI may lose a write that failed without telling HDF5: the file must hold
 * what was digested. */
static int
read_back(const struct vs_h5_joint *j)
{
	uint8_t want[16], got[16];
	struct vs_digest *d = NULL;
	void *rows = NULL;
	int code = vs_mem_room(&rows, VS_H5_CHUNK_ROWS, 8, "ranks");

	for (int c = 0; c < j->n && !code; c++) {
		bool same;

		code = vs_digest_new(&d);
		if (code)
			break;
		same = !read_rows(j, c, rows, d);
		vs_digest_get(d, got);
		vs_digest_get(j->digest[c], want);
		vs_digest_free(d);
		if (!same || memcmp(got, want, sizeof(got)))
			code = vs_fail(VS_EMACHINE,
				"%s: %s does not read back as written; merge "
				"with one process, or on another disk",
				j->path, j->column[c].path);
	}
	free(rows);
	return code;
}

/* The first rank's writer has the columns, as if it had written them. */
static int
reclaim(struct vs_h5_joint *j)
{
	int code = vs_h5_writer_reclaim(j->w);

	if (!code)
		code = read_back(j);
	for (int c = 0; c < j->n; c++) {
		j->data[c]->part.dim[0] = j->data[c]->shape.dim[0];
		vs_h5_writer_digest(j->data[c], j->digest[c]);
		j->digest[c] = NULL;
	}
	return code;
}

int
vs_h5_joint_close(struct vs_h5_joint *j)
{
	int code = 0;

	if (!j)
		return 0;
	if (j->file >= 0) {
		for (int c = 0; c < j->n; c++)
			vs_h5_close(j->set[c]);
		if (H5Fclose(j->file) < 0)
			give_up(j, "the file");
		code = j->w ? reclaim(j) : 0;
	}
	vs_h5_close(j->how);
	if (j->scratch)
		vs_file_scratch_keep(j->scratch);
	for (int c = 0; c < j->n; c++)
		vs_digest_free(j->digest[c]);
	free(j);
	return code;
}
