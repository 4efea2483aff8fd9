/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The contract of a fuzz target: LLVMFuzzerTestOneInput() takes any bytes and
 * aborts where a property does not hold. libFuzzer drives it in BUILD=fuzz,
 * driver.c in all other builds.
 */
#ifndef VS_TESTS_FUZZ_FUZZ_H
#define VS_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

/* Mutated inputs that make check-dev tries: a second's worth in release. */
extern const unsigned fuzz_rounds;

/*
 * Inputs to begin with, besides the files of tests/fuzz/corpus/NAME: take() is
 * called for each and copies it. The current directory is the top folder.
 */
void fuzz_seeds(void (*take)(const void *bytes, size_t n));

/* A property that holds whatever the bytes are. */
#define FUZZ_HOLDS(cond, ...)                                           \
	do {                                                            \
		if (!(cond)) {                                          \
			fprintf(stderr, "%s:%d: ", __FILE__, __LINE__); \
			fprintf(stderr, __VA_ARGS__);                   \
			fputc('\n', stderr);                            \
			abort();                                        \
		}                                                       \
	} while (0)

#endif
