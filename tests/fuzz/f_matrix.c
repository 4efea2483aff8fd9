/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Matrix readers on any bytes: two bytes of options, then the file. Every
 * number that a reader gives is finite, or missing unless an integer type is
 * asked for.
 */
#include <math.h>
#include <string.h>

#include "formats/in/numbers/matrix.h"
#include "libcore/base/fail.h"
#include "libcore/base/mem.h"
#include "tests/fuzz/corpus.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/scratch.h"

const unsigned fuzz_rounds = 5000;

static void
read_lines(struct vs_matrix *m)
{
	const bool reals =
		m->how.smallest || !vs_element_is_integer(m->how.element);
	uint64_t n_given = 0;
	double *cell;
	int code = 0;

	/* a header of three words states what nobody has room for */
	if (m->n_cell > 1 << 20)
		return;
	cell = malloc(m->n_cell * sizeof(*cell));
	if (!cell)
		exit(4);
	while (n_given < 1 << 16 && (code = vs_matrix_next(m, cell)) == 1) {
		n_given++;
		for (uint64_t k = 0; k < m->n_cell; k++)
			FUZZ_HOLDS(isfinite(cell[k]) ||
					(isnan(cell[k]) && reals),
				"number %g", cell[k]);
		FUZZ_HOLDS(!m->line_id_len ||
				!memchr(m->line_id, 0, m->line_id_len),
			"an id holds a NUL");
	}
	FUZZ_HOLDS(code >= 0 || *vs_fail_text(), "code %d, no sentence", code);
	FUZZ_HOLDS(code || m->n_line == VS_ROWS_UNKNOWN || m->n_line == n_given,
		"%llu lines stated, %llu given", (unsigned long long)m->n_line,
		(unsigned long long)n_given);
	free(cell);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct vs_matrix_how how;
	struct vs_matrix m;
	char path[SCRATCH_PATH];
	int code;

	if (n < 2)
		return 0;
	how = (struct vs_matrix_how){ .transpose = bytes[0] & 1,
		.missing_as_zero = bytes[0] >> 1 & 1,
		.smallest = bytes[0] >> 2 & 1,
		.table = { .header = bytes[0] >> 3 & 1 ? bytes[0] >> 4 & 1 : -1,
			.text_columns = bytes[0] >> 5 & 1 ? bytes[0] >> 6 : -1,
			.decimal = bytes[1] & 0x40 ? ',' : '.',
			.id = bytes[1] & 0x20 ? "2" : NULL,
			.drop = bytes[1] & 0x10 ? "3,1" : NULL },
		.element = (bytes[1] & 0xf) % (VS_NUM_F64 + 1) };
	scratch_path(path, "x");
	scratch_file(path, bytes + 2, n - 2);
	code = vs_matrix_open(&m, path, &how);
	FUZZ_HOLDS(code != VS_EMACHINE || n < 20,
		"a file is the machine's fault: %s", vs_fail_text());
	FUZZ_HOLDS(code >= 0 || *vs_fail_text(), "code %d, no sentence", code);
	if (!code)
		read_lines(&m);
	vs_matrix_close(&m);
	vs_fail_clear();
	return 0;
}

static void
seed(const char *path, void *data)
{
	void (**take)(const void *, size_t) = data;
	static struct corpus_input x;
	const char *end = strrchr(path, '.');

	if (!strcmp(end, ".want") || !strcmp(end, ".says") ||
		!strcmp(end, ".options") || !strcmp(end, ".warns"))
		return;
	memcpy(x.bytes, "\4", 2);
	x.n = 2;
	corpus_add(&x, path);
	(*take)(x.bytes, x.n);
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
	/* f32 of a VCF */
	static const char dosages[] =
		"\0\204##fileformat=VCFv4.2\n##contig=<ID=1>\n"
		"##FORMAT=<ID=DS,Number=A,Type=Float,Description=\"x\">\n"
		"#CHROM\tPOS\tID\tREF\tALT\tQUAL\tFILTER\tINFO\tFORMAT\t"
		"a\tb\n1\t10\trs1\tA\tC\t.\t.\t.\tGT:DS\t0/0:0.5\t1/1:2\n"
		"1\t20\t.\tA\tC\t.\t.\t.\tDS\t1.25\t0\n";

	take(dosages, sizeof(dosages) - 1);
	corpus_each("tests/data/in/matrix/good/*", seed, &take);
	corpus_each("tests/data/in/matrix/bad/*", seed, &take);
}
