# SPDX-License-Identifier: BSD-3-Clause
# The plugin for CUDA devices, vsim-cuda.so, where nvcc is found and works.
CUDA ?= auto
NVCC ?= $(or $(shell command -v nvcc),/usr/local/cuda/bin/nvcc)
NVCC_GENCODE ?= $(foreach a,75 80 90 100 120,-gencode arch=compute_$a,code=sm_$a) \
	-gencode arch=compute_120,code=compute_120
CUDA_KEY := $(strip $(CUDA) $(NVCC) $(NVCC_GENCODE))
CUDA_CU  := $(sort $(wildcard cuda/*.cu))
CUDA_SO  := $(O)/vsim-cuda.so
CUDA_OWN := $(filter-out cuda/plugin.c,$(CUDA_C))
CUDA_LIB = $(patsubst %,-L$(dir $(NVCC))../%,lib64 targets/$(shell uname -m)-linux/lib)

# a compiler without its host compiler, its headers or one of the targets is none
ifneq ($(filter-out $(filter-out cuda,$(BARE)),$(or $(MAKECMDGOALS),all)),)
ifneq ($(CUDA),0)
ifneq ($(shell sed -n 's/^# for //p' build/cuda.mk 2>/dev/null),$(CUDA_KEY))
$(shell rm -f build/cuda.mk)
endif
include build/cuda.mk
endif
endif

build/cuda.mk: cuda/rules.mk
	@mkdir -p build
	@echo '# for $(CUDA_KEY)' >$@.tmp
	@printf '%s\n' '#include <cublas_v2.h>' '__global__ void k(int *p) { *p = 1; }' \
	>build/cuda.cu
	@if $(NVCC) $(NVCCF) $(NVCC_GENCODE) -c -o build/cuda.o build/cuda.cu >build/cuda.log 2>&1; then \
	echo 'CUDA_WORKS := yes' >>$@.tmp; \
	elif [ $(CUDA) = 1 ]; then \
	echo "CUDA=1: $(NVCC) does not work: build/cuda.log" >&2; exit 1; fi
	@mv $@.tmp $@

# needs no libstdc++; values are made without fused multiply-add; what ptxas
# says of registers is kept for the tests
NVCCF = -Xptxas -v -O3 -I. -fmad=false --compress-mode=size -Werror all-warnings \
	-Xcompiler -Wall,-Wextra,-fPIC,-fvisibility=hidden \
	-Xcompiler -fno-exceptions,-fno-rtti,-fno-threadsafe-statics
$(O)/cuda/wgmma.cu.o: override NVCC_GENCODE := -gencode arch=compute_90a,code=sm_90a
$(O)/cuda/flags: FORCE
	$(call stamp,$(NVCC) $(NVCCF) $(NVCC_GENCODE) $(NVCCFLAGS))
$(O)/%.cu.o: %.cu $(O)/cuda/flags
	$(call say,NVCC,$<)
	@mkdir -p $(@D)
	$(Q)$(NVCC) $(NVCCF) $(NVCC_GENCODE) $(NVCCFLAGS) -MMD -MP -MF $(@:.o=.d) \
	-c -o $@ $< 2>$(@:.o=.log) || { cat $(@:.o=.log) >&2; false; }
$(CUDA_SO): $(CUDA_CU:%=$(O)/%.o) $(CUDA_OWN) $(ALL_H) $(O)/flags
	$(call say,LINK,$@)
	$(Q)$(CC) $(CPPF) -std=gnu11 $(WARN) -g -O2 $(CFLAGS) -fPIC -fvisibility=hidden \
	-ffp-contract=off -shared -Wl,-z,defs,--exclude-libs,ALL -Wl,--gc-sections $(LDFLAGS) \
	-o $@ $(filter %.c %.o,$^) $(CUDA_LIB) -lcudart_static -ldl -lrt -lpthread -lm
-include $(CUDA_CU:%.cu=$(O)/%.cu.d)

format lint-format: ALL_H += $(wildcard cuda/*.cu cuda/*.cuh tests/gpu/*.c*)

cuda:
ifdef CUDA_WORKS
all cuda: $(CUDA_SO)
endif
check-gpu:
	@tests/gpu/check.sh
.PHONY: cuda check-gpu

#> cuda           vsim-cuda.so alone, the plugin for CUDA devices
#> check-gpu      all engines on the first device, right and how fast; minutes
#> CUDA=auto      1: it must be built; 0: it is not;  NVCC= NVCC_GENCODE= NVCCFLAGS=
