/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that the short way takes, and lines it must leave to htslib. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/vcf/vcf_line.h"
#include "tests/unit/test.h"

#define HEAD "20\t7\trs1\tA\tG\t.\tPASS\tAC=1\t"

static struct vs_site site;
static uint8_t codes[16];
static int64_t half;
static char *copy;

/* An exact copy, so that a byte too far is seen by the sanitizer. */
static int
parse(const char *line, size_t n_sample)
{
	free(copy);
	copy = strdup(line);
	half = 0;
	memset(codes, 0xee, sizeof(codes));
	return vs_vcf_line(copy, strlen(copy), n_sample, &site, codes, &half);
}

static void
taken(void)
{
	T_OK(parse(HEAD "GT\t0|0\t0/1\t1|0\t1/1\t./.", 5), "plain line");
	T_OK(codes[0] == 0xe8 && codes[1] == 0x01 && codes[2] == 0xee && !half,
		"its codes, and none behind them: %02x %02x", codes[0],
		codes[1]);
	T_OK(!strcmp(site.contig, "20") && site.pos == 7 &&
			!strcmp(site.id, "rs1") && site.id_len == 3 &&
			!strcmp(site.allele[0], "A") &&
			!strcmp(site.allele[1], "G"),
		"its columns");
	T_OK(parse(HEAD "GT:DP\t0|0:7\t./1:.:8\t1|.", 3) && half == 2 &&
			codes[0] == 0x14,
		"more in a call, half-missing calls: %02x", codes[0]);
}

static void
left(void)
{
	static const char *const lines[] = {
		"",
		"20",
		"\t\t\t\t\t\t\t\t\t\t",
		HEAD "GT",
		HEAD "GT\t",
		HEAD "GT\t0|0",
		HEAD "GT\t0|0\t",
		HEAD "GT\t0|0\t0|",
		HEAD "GT\t0|0\t0|1\t",
		HEAD "GT\t0|0\t0|1\t0|1",
		HEAD "GT\t0|0\t0|1\r",
		HEAD "GT\t0|0\t0|2",
		HEAD "GT\t0|0\t0",
		HEAD "GT\t0\t0|0",
		HEAD "GT\t0|0|1\t0|0",
		HEAD "GT\t0|0\t0|0|1",
		HEAD "GT\t0|0\t10|1",
		HEAD "GT\t0|0\t0 1",
		HEAD "GT:DP\t0|0:7:\t",
		HEAD "GT:DP\t0|0:7",
		HEAD "DP:GT\t0|0\t0|1",
		HEAD "GTX\t0|0\t0|1",
		HEAD "GT\t0|0:7\t0|1",
		"20\t7\trs1\tA\tG,T\t.\t.\t.\tGT\t0|0\t0|1",
		"20\t7\trs1\tA\t.\t.\t.\t.\tGT\t0|0\t0|0",
		"20\t-7\trs1\tA\tG\t.\t.\t.\tGT\t0|0\t0|1",
		"20\t7x\trs1\tA\tG\t.\t.\t.\tGT\t0|0\t0|1",
		"20\t9999999999999999\trs1\tA\tG\t.\t.\t.\tGT\t0|0\t0|1",
	};

	for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++) {
		int bad = parse(lines[k], 2) || half ||
			strcmp(copy, lines[k]) || codes[1] != 0xee;

		T_OK(!bad, "left as it was: number %zu", k);
	}
}

/* With GT:DP calls are decoded one by one, with GT four at a time. */
static void
four_at_a_time(void)
{
	static const char gt[] = HEAD "GT\t0|0\t1/0\t0/1\t1|1\t1|0\t0/0";
	static const char more[] = HEAD "GT:DP\t0|0\t1/0\t0/1\t1|1\t1|0\t0/0";
	char line[2][sizeof(more)];
	const size_t at = strlen(HEAD "GT\t");
	int differs = 0, n_taken = 0;

	for (size_t k = 0; k < 19; k++)
		for (int c = 1; c < 256; c++) {
			uint8_t was[sizeof(codes)];
			int64_t n_half;
			int took;

			if (c == ':')
				continue;
			memcpy(line[0], gt, sizeof(gt));
			memcpy(line[1], more, sizeof(more));
			line[0][at + k] = line[1][at + 3 + k] = (char)c;
			took = parse(line[0], 6);
			memcpy(was, codes, sizeof(codes));
			n_half = half;
			n_taken += took;
			differs += took != parse(line[1], 6) ||
				(took &&
					(n_half != half ||
						memcmp(was, codes, 3)));
		}
	T_OK(!differs, "%d lines differ by the way they are decoded", differs);
	/* 3 alleles, 2 separators or 1 tab each */
	T_OK(n_taken == 10 * 3 + 5 * 2 + 4, "%d lines are taken", n_taken);
}

int
main(void)
{
	taken();
	four_at_a_time();
	left();
	free(copy);
	return T_DONE();
}
