/* SPDX-License-Identifier: BSD-3-Clause */
/* Collective reader of a merged result by parallel HDF5, without any code of
 * vsim: each rank reads its share of the columns, and the first one prints the
 * number of records and what /records/i, j and value sum to. */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int
main(int argc, char **argv)
{
	static const char *const name[] = { "/records/i", "/records/j",
		"/records/value" };
	double sum[3] = { 0 }, all[3];
	hsize_t n = 0;
	int rank, size, bad = 0;
	hid_t access, transfer, file;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	access = H5Pcreate(H5P_FILE_ACCESS);
	transfer = H5Pcreate(H5P_DATASET_XFER);
	bad |= H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL) < 0;
	bad |= H5Pset_dxpl_mpio(transfer, H5FD_MPIO_COLLECTIVE) < 0;
	file = H5Fopen(argc > 1 ? argv[1] : "", H5F_ACC_RDONLY, access);
	bad |= file < 0;
	for (int c = 0; c < 3 && !bad; c++) {
		hid_t set = H5Dopen2(file, name[c], H5P_DEFAULT), space, room;
		hsize_t lo, count;
		double *v;

		space = H5Dget_space(set);
		H5Sget_simple_extent_dims(space, &n, NULL);
		lo = n * (hsize_t)rank / (hsize_t)size;
		count = n * (hsize_t)(rank + 1) / (hsize_t)size - lo;
		v = malloc((count + 1) * sizeof(*v));
		room = H5Screate_simple(1, &count, NULL);
		bad |= !v ||
			H5Sselect_hyperslab(space, H5S_SELECT_SET, &lo, NULL,
				&count, NULL) < 0 ||
			H5Dread(set, H5T_NATIVE_DOUBLE, room, space, transfer,
				v) < 0;
		for (hsize_t k = 0; k < count && !bad; k++)
			sum[c] += v[k];
		free(v);
		H5Sclose(room);
		H5Sclose(space);
		H5Dclose(set);
	}
	MPI_Reduce(sum, all, 3, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (!rank && !bad)
		printf("%llu %.0f %.0f %.6f\n", (unsigned long long)n, all[0],
			all[1], all[2]);
	if (file >= 0)
		H5Fclose(file);
	H5Pclose(access);
	H5Pclose(transfer);
	MPI_Finalize();
	return bad;
}
