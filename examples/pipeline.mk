# SPDX-License-Identifier: BSD-3-Clause
# The whole way as rules of make: an interrupted step leaves nothing that make
# would take for whole.
# usage: make -f pipeline.mk VCF=chr20.vcf.gz T=0.7 chr20.tsv
VCF ?= chr20.vcf.gz
T   ?= 0.7
X   := $(basename $(basename $(notdir $(VCF))))

$X.tsv: $X.res.h5
	vsim-view -o $@ $<

$X.res.h5: $X.run/shard-00000.shard.h5
	vsim-merge -f -o $@ $X.run

$X.run/shard-00000.shard.h5: $X.vec.h5
	vsim-run -f -t $T -o $X.run $<

$X.vec.h5: $(VCF)
	vsim-pack -f --vcf $< -o $@

.DELETE_ON_ERROR:
