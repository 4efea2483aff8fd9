/* SPDX-License-Identifier: BSD-3-Clause */
/* Names and original rows of the vectors of a result. */
#ifndef VS_TOOLS_SHARED_VECTOR_NAMES_H
#define VS_TOOLS_SHARED_VECTOR_NAMES_H

#include "formats/results/result.h"
#include "formats/vectors/packed.h"

/*
 * Open the vectors file of a run: the one given, or that at its former path, or
 * one of that name next to the result or in the directory above. Its content
 * digest must be the run's.
 *
 * result     the file that refers to it, for messages
 * given      of --vectors, or null
 * otherwise  what else the user can do, appended to "use --vectors FILE"
 */
int vs_vector_names_open(struct vs_packed **p, const struct vs_run *run,
	const char *result, const char *given, const char *otherwise);

struct vs_vector_names {
	struct vs_sites sites; /* as indices and labels in the result */
	uint64_t n_vec;
	int64_t *row; /* [n_vec] row of sites of each vector, -1: not known */
	bool whole;   /* every vector has a row, not only those that occur */
	char *from;   /* the file they are from */
};

/*
 * Names for a result: from the vectors file when given is set, else from its
 * own nodes, else from the vectors file of its run.
 */
int vs_vector_names_of_result(struct vs_vector_names *names,
	struct vs_result *result, const char *given, const char *otherwise);

/*
 * Names for a run whose vectors file is open. source: vectors are identified by
 * their original rows, and alleles labelled as in the source.
 */
int vs_vector_names_of_vectors(struct vs_vector_names *names,
	struct vs_packed *vectors, bool source);

/* Only the rows that occur, as the nodes of a merged file. used: [n_vec] */
int vs_vector_names_nodes(const struct vs_vector_names *names,
	const uint8_t *used, struct vs_nodes *nodes);

void vs_vector_names_free(struct vs_vector_names *names);

/* Mapping of records to the source's names, for vs_run_record_to_source(). */
struct vs_vector_names_map {
	int64_t *row;
	uint8_t *allele1;
	uint64_t n;
};

/* The same, only for vectors that names has; others must not be looked up. */
int vs_vector_names_map_of_names(struct vs_vector_names_map *m,
	const struct vs_vector_names *names);

/* Refuses rows that are not a permutation of 0 .. n_vec - 1. */
int vs_vector_names_map_read(struct vs_vector_names_map *m,
	struct vs_packed *vectors);
void vs_vector_names_map_free(struct vs_vector_names_map *m);

/*
 * Rows of the vectors file by rows of the source, if the run's records name
 * vectors by these.
 * place  from malloc(); null: records name them by their row in the file
 */
int vs_vector_names_places(const struct vs_run *run, struct vs_packed *vectors,
	uint64_t **place);

#endif
