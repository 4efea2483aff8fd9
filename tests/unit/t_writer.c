/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines of text formats; labels of abc that are never ambiguous. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/out/writer.h"
#include "libcore/base/fail.h"
#include "tests/unit/test.h"

static struct vs_text said;

/* Output of the writer of this name for the records, into said. */
static int
say(const char *kind, const struct vs_show *show, const struct vs_line *line,
	int n)
{
	char path[] = "/tmp/vsim-writer-XXXXXX", bytes[4096];
	int fd = mkstemp(path), code;
	struct vs_writer w = { 0 };
	struct vs_out out;
	ssize_t got;

	close(fd);
	code = vs_out_open(&out, path, true);
	if (!code)
		code = vs_writer_begin(&w, vs_writer_find(kind), show, &out);
	for (int k = 0; k < n && !code; k++)
		w.kind->line(&w, &line[k]);
	vs_writer_end(&w);
	if (!code)
		code = vs_out_finish(&out);
	else
		vs_out_abandon(&out);
	fd = open(path, 0);
	got = read(fd, bytes, sizeof(bytes));
	close(fd);
	unlink(path);
	said.len = 0;
	return code ? code : vs_text_put(&said, bytes, (size_t)got);
}

static bool
is(const char *text)
{
	if (!strcmp(said.bytes, text))
		return true;
	printf("# %s", said.bytes);
	return false;
}

static int
add(struct vs_sites *s, const char *id, const char *contig, int64_t pos,
	const char *a0, const char *a1)
{
	struct vs_site x = { .id = id,
		.contig = contig,
		.pos = pos,
		.allele = { a0, a1 },
		.id_len = strlen(id),
		.contig_len = strlen(contig),
		.allele_len = { strlen(a0), strlen(a1) },
		.count = { 1, 2, 1, 1 },
		.source_row = (int64_t)s->n + 10 };

	return vs_sites_add(s, &x);
}

int
main(void)
{
	const struct vs_column *column[VS_COLUMNS_MOST];
	struct vs_sites s = { 0 };
	struct vs_show show = { .sites = &s,
		.column = column,
		.head = true,
		.cells = true,
		.n_field = 5 };
	struct vs_line line[] = {
		{ .rec = { 0, 1, VS_NO_VEC, -1, 0.75, 6, 1 },
			.row = { 0, 1 },
			.vec = { 0, 1 } },
		{ .rec = { 2, 3, VS_NO_VEC, 4, 1. / 3, 5, 2 },
			.row = { 2, 3 },
			.vec = { 2, 3 } },
	};
	int bad = add(&s, "rs1", "20", 61098, "A", "C") ||
		add(&s, "rs\"2", "", 0, "", "") ||
		add(&s, "d", "X", 7, "A", "T") ||
		add(&s, "d", "X", 7, "A", "G");

	T_OK(!bad, "four sites");
	bad = vs_column_parse(vs_columns_record,
		"i,j,a,b,cell,num,n,value,id1,chrom1,pos1,allele1,freq1,id2,"
		"chrom2,pos2,allele2,freq2",
		VS_NEEDS_CORRELATION, column, &show.n_column);
	T_OK(!bad && show.n_column == 18, "all columns");
	bad = say("tsv", &show, line, 2);
	T_OK(!bad &&
			is("i\tj\ta\tb\tcell\tnum\tn\tvalue\tid1\tchrom1\tpos1"
			   "\t"
			   "allele1\tfreq1\tid2\tchrom2\tpos2\tallele2\tfreq2\n"
			   "0\t1\t0\t1\t1\t6\t5\t0.75\trs1\t20\t61098\tA\t0.5\t"
			   "rs\"2\t.\t0\t1\t0.5\n"
			   "2\t3\t1\t0\t2\t5\t4\t0."
			   "3333333333333333\td\tX\t7\tT\t"
			   "0.5\td\tX\t7\tA\t0.5\n"),
		"every column as tsv");
	bad = say("csv", &show, line, 1);
	T_OK(!bad &&
			is("i,j,a,b,cell,num,n,value,id1,chrom1,pos1,allele1,"
			   "freq1,id2,chrom2,pos2,allele2,freq2\n"
			   "0,1,0,1,1,6,5,0.75,rs1,20,61098,A,0.5,"
			   "\"rs\"\"2\",,,1,0.5\n"),
		"every column as csv: %s", said.bytes);
	bad = say("json-lines", &show, line, 1);
	T_OK(!bad &&
			is("{\"i\":0,\"j\":1,\"a\":0,\"b\":1,\"cell\":1,"
			   "\"num\":6,"
			   "\"n\":5,\"value\":0.75,\"id1\":\"rs1\",\"chrom1\":"
			   "\"20\",\"pos1\":61098,\"allele1\":\"A\",\"freq1\":"
			   "0.5,"
			   "\"id2\":\"rs\\\"2\",\"chrom2\":null,\"pos2\":null,"
			   "\"allele2\":\"1\",\"freq2\":0.5}\n"),
		"every column as json, unknown ones null");
	show.f32 = true;
	bad = say("abc", &show, line, 2);
	T_OK(!bad &&
			is("rs1:A\trs\"2:1\t0.75\n"
			   "d:T#12\td:A#13\t0.33333334\n"),
		"abc: an id that occurs twice is numbered; f32 shortest");
	bad = add(&s, "x:C", "1", 1, "G", "T") ||
		add(&s, "x", "1", 2, "C:G", "A") ||
		add(&s, "y", "1", 3, "N", "N") ||
		add(&s, "p q", "1", 3, "A", "G");
	line[0].row[0] = 4;
	line[0].row[1] = 5;
	line[1].row[0] = 6;
	line[1].row[1] = 7;
	line[0].rec.cell = 0;
	show.f32 = false;
	bad = bad || say("abc", &show, line, 2);
	T_OK(!bad &&
			is("x:C:G#14\tx:C:G#15\t0.75\n"
			   "y:N#16.1\tp_q:A\t0.3333333333333333\n"),
		"abc: odd names stay apart");
	/* one value a pair */
	show.cells = false;
	show.metric = "r2";
	line[0].row[0] = 0;
	line[0].row[1] = 1;
	line[1].row[0] = 2;
	line[1].row[1] = 3;
	line[0].rec.cell = line[1].rec.cell = VS_NO_CELL;
	bad = say("abc", &show, line, 2);
	T_OK(!bad &&
			is("rs1\trs\"2\t0.75\nd#12\td#13\t"
			   "0.3333333333333333\n"),
		"abc: vectors where alleles do not matter");
	bad = say("ld", &show, line, 2);
	T_OK(!bad &&
			is(" CHR_A         BP_A       SNP_A CHR_B         BP_B "
			   "      SNP_B           R2\n"
			   "    20        61098         rs1     0            0 "
			   "       rs\"2         0.75\n"
			   "     X            7           d     X            7 "
			   "          d 0.3333333333333333\n"),
		"ld: where and who");
	bad = say("bedpe", &show, line, 2);
	T_OK(!bad &&
			is("20\t61097\t61098\t.\t-1\t-1\trs1-rs\"2\t0.75\t."
			   "\t.\nX\t6\t7\tX\t6\t7\td-d\t"
			   "0.3333333333333333\t.\t.\n"),
		"bedpe: one base each, and an unknown place");
	/* the first allele of the source carries label 1 */
	bad = add(&s, "del", "1", 1, "A", "CTNa") ||
		add(&s, "a b", "1", 9, "A", "<DEL>");
	line[0].row[0] = s.n - 2;
	line[0].row[1] = s.n - 1;
	bad = bad || say("bedpe", &show, line, 1);
	T_OK(!bad && is("1\t0\t4\t1\t8\t9\tdel-a_b\t0.75\t.\t.\n"),
		"bedpe: bases of the first allele, one where they are not "
		"spelt out");
	line[0].row[0] = 0;
	line[0].row[1] = 1;
	bad = vs_column_parse(vs_columns_record, "a,cell,id1,allele1,freq2",
		VS_NEEDS_CORRELATION, column, &show.n_column);
	bad = bad || say("tsv", &show, line, 1);
	T_OK(!bad &&
			is("a\tcell\tid1\tallele1\tfreq2\n"
			   ".\t.\trs1\tC\t0.5\n"),
		"what there is not is a dot; alleles are those labelled 1");
	show.metric = "ccc";
	T_OK(say("ld", &show, line, 1) == VS_EUSAGE, "ld: %s", vs_fail_text());
	vs_fail_clear();
	T_OK(vs_column_parse(vs_columns_record, "i,,j", VS_NEEDS_CORRELATION,
		     column, &show.n_column) == VS_EUSAGE,
		"no such column: %s", vs_fail_text());
	vs_text_free(&said);
	vs_sites_free(&s);
	return T_DONE();
}
