# SPDX-License-Identifier: BSD-3-Clause
# examples/vsim.R, the reader of files for R, against vsim-view.
# bats file_tags=long
load ../../helpers

made() {
	requires cmd Rscript
	Rscript -e 'q(status = !requireNamespace("rhdf5", quietly = TRUE))' \
		>/dev/null 2>&1 || skip "R has no package rhdf5"
	vsim-pack --vcf "$TOP/examples/chr20.vcf.gz" --maf 0.05 --codec deflate \
		-o x.vec.h5 2>/dev/null
}

@test "vsim.R: genotypes, numbers and records are those of vsim-view" {
	made
	printf 'id\ta\tb\nx\t1.5\t2\ny\t0\t3.25\n' >m.tsv
	vsim-pack --matrix m.tsv --codec none -o m.vec.h5
	printf 'id\ta\tb\nx\t3000000000\t2\ny\t0\t3\n' >u.tsv
	vsim-pack --matrix u.tsv --codec none -o u.vec.h5
	vsim-pack --bfile "$TOP/tests/data/in/bfile/good/five-samples" \
		--codec none -o b.vec.h5
	vsim-run -t 0.75 -o run x.vec.h5
	vsim-merge --codec deflate -o e.res.h5 run
	Rscript - "$TOP/examples/vsim.R" <<-'R'
	source(commandArgs(TRUE)[1])
	for (x in c("x", "m", "b")) {
	  g <- vsim_vectors(paste0(x, ".vec.h5"))
	  write.table(g, paste0(x, ".got"), sep = "\t", quote = FALSE, col.names = FALSE)
	}
	stopifnot(dim(vsim_vectors("x.vec.h5", 5, 7))[1] == 3)
	stopifnot(vsim_vectors("u.vec.h5") == c(3e9, 0, 2, 3))
	e <- vsim_result("e.res.h5")
	e$value <- sprintf("%.17g", e$value)
	write.table(e[, c("id1", "chrom1", "pos1", "allele1", "id2", "chrom2", "pos2", "allele2",
	                    "cell", "value")], "e.got", sep = "\t",
	            quote = FALSE, row.names = FALSE, col.names = FALSE)
	write.table(vsim_variants("x.vec.h5"), "v.got", sep = "\t", quote = FALSE,
	            row.names = FALSE, col.names = FALSE)
	says <- function(path, what)
	  stopifnot(conditionMessage(tryCatch(vsim_result(path), error = identity)) ==
	            paste0(path, ": ", what))
	says("x.vec.h5", "is not a merged result")
	says("missing", "No such file or directory")
	says("run", "is a directory; vsim-merge -o NAME.res.h5 run makes a result of a run")
	says("m.tsv", "is not an HDF5 file")
	R
	local x
	for x in x m b; do
		vsim-view -g --no-header $x.vec.h5 | cmp - $x.got || complain "$x"
	done
	[ "$(wc -l <e.got)" -gt 100 ]
	vsim-view --no-header -c id1,chrom1,pos1,allele1,id2,chrom2,pos2,allele2,cell,value \
		e.res.h5 | awk -F '\t' -v OFS='\t' '{ $10 = sprintf("%.17g", $10) } 1' |
		cmp - e.got
	vsim-view --no-header -c id,chrom,pos,allele0,allele1 x.vec.h5 | cmp - v.got
	# packed by zstd: the filter is found beside vsim-run, else the remedy is named
	vsim-pack --matrix m.tsv -o z.vec.h5
	unset HDF5_PLUGIN_PATH
	Rscript -e 'source(commandArgs(TRUE)[1]); stopifnot(dim(vsim_vectors("z.vec.h5")) > 0)' \
		"$TOP/examples/vsim.R"
	PATH=/usr/bin:/bin run -1 Rscript -e 'source(commandArgs(TRUE)[1]); vsim_vectors("z.vec.h5")' \
		"$TOP/examples/vsim.R"
	[[ $output == "Error: z.vec.h5: is compressed with zstd, and rhdf5 has no filter for it"* ]]
}
