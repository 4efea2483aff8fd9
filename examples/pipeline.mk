# SPDX-License-Identifier: BSD-3-Clause
# The whole way as rules of make, from a VCF to a table of edges or of clusters.
# usage: make -f pipeline.mk VCF=chr20.vcf.gz T=0.7 chr20.tsv
#        make -f pipeline.mk VCF=chr20.vcf.gz RANKS='mpirun -n 4' chr20.clusters.tsv
#        make -j 4 -f pipeline.mk VCF=chr20.vcf.gz PARTS=4 RANKS=4 chr20.tsv
#
# RANKS is how vsim-run is started, or a number of ranks that mpiexec starts.
# PARTS processes pack a part of the VCF each, as many at a time as -j says.
#
# Each threshold has a run of its own, X-T.run, that is never thrown away: one
# that was killed is gone on with by the next make, on any number of ranks.
# Where the vectors are others than they were, vsim-run says so and stops;
# remove or rename the directory then.
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

# what -f replaces here is made again from the run
$X.res.h5: $(RUN)/complete.yaml $X.settings
	vsim-merge -f -o $@ $(RUN)

# written last by vsim-run, so that a run without it is not complete
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

# a part that is gone is not made again where the vectors are there
.SECONDARY: $(PART)
endif

.DELETE_ON_ERROR:
.PHONY: all
