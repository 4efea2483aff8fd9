/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * The fast parser of VCF lines against htslib: a line that it takes has the
 * same site and calls there. htslib may refuse what the parser does not
 * look at: names of contigs, QUAL, INFO, and what stands behind GT. The first
 * byte says how many samples there are.
 */
#include <htslib/vcf.h>
#include <string.h>

#include "formats/in/reader.h"
#include "formats/in/vcf/vcf_line.h"
#include "tests/fuzz/fuzz.h"

const unsigned fuzz_rounds = 300000;

#define MOST 8 /* samples */

static bcf_hdr_t *head[MOST + 1];

static void
heads(void)
{
	static const char *const lines[] = { "##fileformat=VCFv4.2",
		"##contig=<ID=20>", "##contig=<ID=X>", "##FILTER=<ID=q10>",
		"##INFO=<ID=AC,Number=1,Type=Integer,Description=\"\">",
		"##FORMAT=<ID=GT,Number=1,Type=String,Description=\"\">",
		"##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"\">" };
	char name[] = "s0";

	hts_set_log_level(HTS_LOG_OFF);
	for (int n = 0; n <= MOST; n++) {
		head[n] = bcf_hdr_init("w");
		for (size_t k = 0; k < sizeof(lines) / sizeof(*lines); k++)
			bcf_hdr_append(head[n], lines[k]);
		for (int q = 0; q < n; q++) {
			name[1] = (char)('0' + q);
			bcf_hdr_add_sample(head[n], name);
		}
		bcf_hdr_add_sample(head[n], NULL);
		if (bcf_hdr_sync(head[n]))
			exit(4);
	}
}

/* The code, as reader.h has it, of a call of htslib; half: of one allele. */
static unsigned
code_of(const int32_t *gt, int64_t *half)
{
	int n_missing = bcf_gt_is_missing(gt[0]) + bcf_gt_is_missing(gt[1]);

	*half += n_missing == 1;
	if (n_missing)
		return VS_CODE_MISSING;
	switch (bcf_gt_allele(gt[0]) + bcf_gt_allele(gt[1])) {
	case 0:
		return VS_CODE_0;
	case 1:
		return VS_CODE_1;
	default:
		return VS_CODE_2;
	}
}

/* The contig is known, QUAL, FILTER and INFO are dots, FORMAT is GT, and no
 * call begins with a phase, which not all versions of htslib take. */
static int
is_simple(const char *line)
{
	if (strstr(line, "\t/") || strstr(line, "\t|"))
		return 0;
	if (strncmp(line, "20\t", 3) && strncmp(line, "X\t", 2))
		return 0;
	for (int c = 0; c < 5; c++)
		line = strchr(line, '\t') + 1;
	return !strncmp(line, ".\t.\t.\tGT\t", 9);
}

static void
compare(const char *line, size_t len, int n_sample, const struct vs_site *site,
	const uint8_t *codes, int64_t half)
{
	kstring_t text = { len, len + 1, strdup(line) };
	bcf_hdr_t *h = bcf_hdr_dup(head[n_sample]);
	bcf1_t *rec = bcf_init();
	int32_t *gt = NULL;
	int n_gt = 0, got;
	int64_t half_want = 0;

	if (!text.s || !h || !rec)
		exit(4);
	/* a contig or filter that the header lacks is added */
	if (vcf_parse(&text, h, rec)) {
		FUZZ_HOLDS(!is_simple(line), "htslib refuses \"%s\"", line);
		goto out;
	}
	FUZZ_HOLDS(!bcf_unpack(rec, BCF_UN_ALL), "htslib: \"%s\"", line);
	FUZZ_HOLDS(!strcmp(bcf_seqname(h, rec), site->contig), "contig \"%s\"",
		site->contig);
	FUZZ_HOLDS(rec->pos + 1 == site->pos, "position %lld, not %lld",
		(long long)site->pos, (long long)rec->pos + 1);
	FUZZ_HOLDS(!strcmp(rec->d.id, site->id), "id \"%s\"", site->id);
	FUZZ_HOLDS(rec->n_allele == 2 &&
			!strcmp(rec->d.allele[0], site->allele[0]) &&
			!strcmp(rec->d.allele[1], site->allele[1]),
		"%d alleles, \"%s\" \"%s\"", rec->n_allele, site->allele[0],
		site->allele[1]);
	got = bcf_get_genotypes(h, rec, &gt, &n_gt);
	FUZZ_HOLDS(got == 2 * n_sample, "%d calls of htslib", got);
	for (int q = 0; q < n_sample; q++)
		FUZZ_HOLDS(code_of(gt + 2 * q, &half_want) ==
				(codes[q / 4] >> 2 * (q % 4) & 3u),
			"call %d of \"%s\"", q, line);
	FUZZ_HOLDS(half == half_want, "%lld half-missing calls, not %lld",
		(long long)half, (long long)half_want);
out:
	free(gt);
	free(text.s);
	bcf_destroy(rec);
	bcf_hdr_destroy(h);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	struct vs_site site = { 0 };
	uint8_t codes[(MOST + 3) / 4 + 8];
	int64_t half = 0;
	char *line, *copy;
	int n_sample;

	if (!head[0])
		heads();
	/* line readers refuse a NUL and end at a line feed; 7 is how htslib
	 * keeps a dot in a string */
	if (!n || memchr(bytes + 1, 0, n - 1) ||
		memchr(bytes + 1, '\n', n - 1) || memchr(bytes + 1, 7, n - 1))
		return 0;
	n_sample = 1 + bytes[0] % MOST;
	line = malloc(n);
	copy = malloc(n);
	if (!line || !copy)
		exit(4);
	memcpy(line, bytes + 1, n - 1);
	line[n - 1] = 0;
	memcpy(copy, line, n);
	if (vs_vcf_line(line, n - 1, (size_t)n_sample, &site, codes, &half))
		compare(copy, n - 1, n_sample, &site, codes, half);
	else
		FUZZ_HOLDS(!memcmp(line, copy, n) && !half,
			"a line that is left is changed: \"%s\"", copy);
	free(line);
	free(copy);
	return 0;
}

void
fuzz_seeds(void (*take)(const void *bytes, size_t n))
{
#define HEAD "20\t7\trs1\tA\tG\t.\tPASS\tAC=1\t"
	static const char *const text[] = { "\4" HEAD
					    "GT\t0|0\t0/1\t1|0\t1/1\t./.",
		"\2" HEAD "GT:DP\t0|0:7\t./1:.\t1|.:8",
		"\1X\t16050075\t.\tACGT\t<DEL>\t30.5\tq10\t.\tGT\t1|1\t0|0",
		"\3"
		"20\t9\tr\tA\tG\t.\t.\t.\tGT\t0|0\t1/.\t1|0\t1|1",
		"\1" HEAD "DP:GT\t1:0|0\t2:0|1", "\1" HEAD "GT\t0\t1",
		"\1" HEAD "GT\t0|0\t0|2", "\1" HEAD "GT\t0|0\t0|1\r" };

	for (size_t k = 0; k < sizeof(text) / sizeof(*text); k++)
		take(text[k], strlen(text[k]));
}
