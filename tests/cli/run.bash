# SPDX-License-Identifier: BSD-3-Clause
# Words for the tests of vsim-run.

# table ROWS COLUMNS: genotypes, some alike, as TSV
table() {
	awk -v n="$1" -v m="$2" 'BEGIN {
		srand(7)
		for (v = 0; v < n; v++)
			for (q = 0; q < m; q++) {
				if (v % 4 == 0 || rand() < 0.2)
					g[q] = int(3 * rand())
				printf "%s%s", g[q], q + 1 < m ? "\t" : "\n"
			}
	}'
}

# packed ROWS COLUMNS: x.vec.h5
packed() {
	table "$1" "$2" >x.tsv
	vsim-pack --tsv x.tsv -o x.vec.h5
}

# edges RUNDIR: its records as text
edges() {
	rm -f e.res.h5
	vsim-merge -o e.res.h5 "$1" && vsim-view e.res.h5
}
