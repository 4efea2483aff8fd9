# SPDX-License-Identifier: BSD-3-Clause
# The examples for workflow managers: Snakemake's rules, a module for Nextflow.
load ../../helpers

# bats test_tags=long
@test "vsim.nf: the script of the module makes a result and versions.yml" {
	# what Nextflow puts in place of the variables, and of its escapes
	awk '/^    """$/ { n++; next } n == 1' "$TOP/examples/vsim.nf" |
		sed 's/\${task\.memory[^}]*}/1G/; s/\$task\.cpus/2/
			s/\$args/-m r2 -t 0.8/; s/\${prefix}/x/g
			s/\${task\.process}/VSIM_RUN/; s/\$vectors/x.vec.h5/
			s/\\\\/\\/g; s/\\\$/$/g; s/^    //' >script
	zcat "$TOP/examples/chr20.vcf.gz" | head -n 2000 | vsim-pack --vcf - -o x.vec.h5
	sh -eu script
	vsim-run -m r2 -t 0.8 -o other --merge other.res.h5 x.vec.h5
	[ "$(vsim-view --no-header x.res.h5 | wc -l)" -gt 10 ]
	cmp <(vsim-view x.res.h5) <(vsim-view other.res.h5)
	[ "$(cat versions.yml)" = "\"VSIM_RUN\":
    vsim: $(sed -n 's/^VERSION := //p' "$TOP/Makefile")" ] ||
		complain "$(cat versions.yml)"
}

# bats test_tags=long
@test "Snakefile: the table of the programs alone, and then nothing to do" {
	requires cmd snakemake
	local vcf=$TOP/examples/chr20.vcf.gz
	rules() {
		HOME=$PWD snakemake -q -s "$TOP/examples/Snakefile" --cores 2 \
			--config vcf="$vcf" t="$1" "${@:2}" 2>said ||
			complain "$(cat said)"
	}
	rules 0.7
	vsim-pack --vcf "$vcf" -o x.vec.h5
	vsim-run -t 0.7 -o run --merge x.res.h5 x.vec.h5
	cmp <(vsim-view x.res.h5) chr20-ccc-0.7.tsv
	HOME=$PWD run snakemake -n -s "$TOP/examples/Snakefile" --config \
		vcf="$vcf" t=0.7
	[[ $output == *"Nothing to be done"* ]] || complain "$output"
	# of another threshold by the same vectors
	local stamp
	stamp=$(stat -c %Y.%i chr20.vec.h5)
	rules 0.8
	[ "$(wc -l <chr20-ccc-0.8.tsv)" -lt "$(wc -l <chr20-ccc-0.7.tsv)" ]
	[ "$(stat -c %Y.%i chr20.vec.h5)" = "$stamp" ]
}
