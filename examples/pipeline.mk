# SPDX-License-Identifier: BSD-3-Clause
# A pipeline for make, from a VCF to a table of pairs or of clusters.
# usage: make -f pipeline.mk VCF=chr20.vcf.gz T=0.7 chr20.tsv
#        make -f pipeline.mk VCF=chr20.vcf.gz RANKS='mpirun -n 4' chr20.clusters.tsv
#        make -j 4 -f pipeline.mk VCF=chr20.vcf.gz PARTS=4 RANKS=4 chr20.tsv
#
# RANKS is a command that starts vsim-run, or a number of ranks for mpiexec.
# PARTS processes each pack a part of the VCF, up to -j of them at a time.
#
# Each threshold has its own run, X-T.run, which is never deleted: the next make
# resumes an interrupted run on any number of ranks. If the vectors have changed,
# vsim-run stops with a message; remove or rename the directory then.
VCF   ?= chr20.vcf.gz
T     ?= 0.7
RANKS ?=
PARTS ?= 1
START := $(if $(filter-out $(shell seq 9999),$(RANKS)),$(RANKS),$(RANKS:%=mpiexec -n %))
X     := $(basename $(patsubst %.gz,%,$(notdir $(VCF))))
RUN   := $X-$T.run
HERE  := $(dir $(abspath $(lastword $(MAKEFILE_LIST))))

all: $X.tsv

# stamp FILE TEXT: a file that is rewritten only when the text changes
define stamp
ifneq ($$(shell cat $1 2>/dev/null),$2)
.PHONY: $1
endif
$1:
	@echo '$2' >$1
endef
$(eval $(call stamp,$X.from,$(abspath $(VCF))))
$(eval $(call stamp,$X.settings,-t $T))

$X.clusters.tsv: $X.res.h5
	$(HERE)clusters.sh $< >$@.part
	mv $@.part $@

$X.tsv: $X.res.h5
	vsim-view -f -o $@ $<

# -f is safe here: the result can be made again from the run
$X.res.h5: $(RUN)/complete.yaml $X.settings
	vsim-merge -f -o $@ $(RUN)

# vsim-run writes this file last, so it exists only for a complete run
$(RUN)/complete.yaml: $X.vec.h5
	$(START) vsim-run --resume -t $T -o $(RUN) $<

ifeq ($(PARTS),1)
$X.vec.h5: $(VCF) $X.from
	vsim-pack -f --vcf $< -o $@
else
PART := $(patsubst %,$X.%-of-$(PARTS).vec.h5,$(shell seq $(PARTS)))

$X.vec.h5: $(PART)
	vsim-pack --parts -f -o $@ $^
	rm -f $^

$(PART): $X.%-of-$(PARTS).vec.h5: $(VCF) $X.from
	vsim-pack -f --vcf $< --part $*/$(PARTS) -o $@

# parts that were removed are not made again if the vectors file exists
.SECONDARY: $(PART)
endif

.DELETE_ON_ERROR:
.PHONY: all
