# vsim: one Makefile, GNU make, no recursion, no configure.  `make help` lists
# targets and settings.  Settings may also live in an uncommitted config.mk.
-include config.mk
VERSION := 1.0.0
TOOLS   := vsim vsim-pack vsim-permute vsim-run vsim-threshold vsim-merge \
	vsim-verify vsim-view

# ---- settings --------------------------------------------------------------
BUILD  ?= $(if $(filter-out 0,$(SAN)),asan,release)
ifeq ($(origin CC),default)
CC := $(if $(filter fuzz tsan,$(BUILD)),clang,gcc)
endif
PREFIX ?= /usr/local
O      := build/$(BUILD)
Q      := $(if $(filter-out 0,$(V)),,@)
say     = $(if $(filter-out 0,$(V)),,@printf '  %-5s %s\n' '$(1)' '$(2)')
PYTHON ?= $(if $(wildcard /usr/bin/python3),/usr/bin/python3,python3)

flags_release := -O2
# with -Og gcc 14 cannot inline everything that xxHash requires
flags_debug   := -Og -g3 -DXXH_NO_INLINE_HINTS=1
flags_asan    := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
flags_tsan    := -O1 -Wno-pass-failed -fno-omit-frame-pointer -fsanitize=thread
flags_cov     := -O0 --coverage
flags_fuzz    := $(flags_asan) -Wno-pass-failed -fsanitize=fuzzer-no-link -DVS_FUZZ
ifndef flags_$(BUILD)
$(error BUILD=$(BUILD): known are release debug asan tsan cov fuzz)
endif

# ---- sources: by wildcard, a tool not written yet is not built ---------------
CORE_C   := $(sort $(wildcard libcore/*/*.c libcore/*/*/*.c))
PLUG_C   := $(sort $(wildcard formats/plugin/*.c))
FMT_C    := $(sort $(wildcard formats/*/*.c formats/*/*/*.c))
CUDA_C   := $(sort $(wildcard cuda/*.c))
SHARED_C := $(sort $(wildcard tools/*/*.c))
TOOL_C   := $(wildcard $(TOOLS:%=tools/%.c))
UNIT_C   := $(sort $(wildcard tests/unit/t_*.c))
BENCH_C  := $(sort $(wildcard tests/bench/*.c))
FUZZ_C   := $(sort $(wildcard tests/fuzz/f_*.c))
ALL_C    := $(CORE_C) $(FMT_C) $(CUDA_C) $(SHARED_C) $(TOOL_C) $(UNIT_C) $(BENCH_C) \
	$(FUZZ_C) $(wildcard tests/fuzz/driver.c)
ALL_H    := $(sort $(wildcard libcore/*/*.h libcore/*/*/*.h formats/*/*.h \
	formats/*/*/*.h cuda/*.h tools/*/*.h tests/unit/*.h tests/sim/*.h tests/bench/*.h \
	tests/fuzz/*.h))
FORMATTED = $(ALL_C) $(ALL_H) $(wildcard tests/sim/*.c)

BIN      := $(TOOL_C:tools/%.c=$(O)/%)
SCRIPT   := $(if $(wildcard tools/vsim-plot),$(O)/vsim-plot)
TOOLS_A  := $(O)/libvstools.a
LIBS_A   := $(O)/libvsfmt.a $(O)/libvscuda.a $(O)/libvscore.a
PLUGIN   := $(if $(PLUG_C),$(O)/plugin/libvsim_zstd.so)
UNIT     := $(UNIT_C:%.c=$(O)/%)
BENCHES  := $(BENCH_C:%.c=$(O)/%)
FUZZ     := $(FUZZ_C:%.c=$(O)/%)
MAN      := $(wildcard man/*.[157])

all: $(LIBS_A) $(BIN) $(SCRIPT) $(PLUGIN)

# ---- what must be installed --------------------------------------------------
DEPS_SH := CC='$(CC)' MPI='$(MPI)' PYTHON='$(PYTHON)' DEPS='$(DEPS)' \
	CPPFLAGS='$(CPPFLAGS)' LDFLAGS='$(LDFLAGS)' sh tests/deps.sh

BARE := help clean deb deps deps-more dist format lint-format uninstall cuda check-gpu
GOALS := $(or $(MAKECMDGOALS),all)
CHECKS := $(filter deps% check check-dev check-more check-cli check-flow check-house,$(GOALS))
$(if $(filter deps deps-more,$(GOALS)),$(shell rm -f build/probe.mk))
ASK := $(if $(filter-out $(BARE),$(GOALS))$(CHECKS),$(DEPS_SH) update $(if $(CHECKS),check) &&) \
	$(if $(filter deb,$(GOALS)),$(DEPS_SH) need deb &&)
# deps.sh says what is missing: make stops here and, with -q, adds no message
ifeq ($(shell { $(ASK) :; } >&2 && echo all),)
MAKEFLAGS += -q
override CUDA := 0
endif
-include build/probe.mk

deps:; @$(DEPS_SH) want extra
deps-more: deps
	@$(DEPS_SH) want more

# what cannot be installed is asked for only once
tried = [ -e build/tried-$(1) ] || { $(DEPS_SH) want $(1); touch build/tried-$(1); }
deps-check:; @$(call tried,judge)
deps-check-dev: deps-check
	@$(call tried,extra)
deps-check-more: deps-check-dev
	@$(call tried,more)

# ---- how things are built ----------------------------------------------------
WARN     := -Wall -Wextra
CPPF     := -I. -D_GNU_SOURCE $(H5_CFLAGS) $(DEP_CFLAGS) \
	$(if $(filter none,$(MPI_FLAVOUR)),-DVSIM_NO_MPI)
BASE     := -std=gnu11 $(WARN) -g -fopenmp -ffp-contract=off -fno-math-errno
# the user's setting for fortified functions takes precedence
HARDEN    = $(if $(filter release,$(BUILD)),-fstack-protector-strong $(if $(or \
	$(findstring FORTIFY,$(CPPFLAGS)$(CFLAGS)),$(filter -O0,$(CFLAGS))),,\
	-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2))
NOW      := -Wl,-z,relro,-z,now
COMPILE   = $(CC) $(CPPF) $(BASE) $(flags_$(BUILD)) $(HARDEN) $(CPPFLAGS) $(CFLAGS)
LINK     := $(CC) -fopenmp $(flags_$(BUILD)) -Wl,--as-needed $(NOW) $(LDFLAGS)
LIBS     := $(H5_LIBS) $(DEP_LIBS) -ldl -lm $(LDLIBS)
COMMIT   := $(shell [ -e .git ] && git describe --always --dirty 2>/dev/null || \
	sed -n '/^[0-9a-f]/p' .ci/commit 2>/dev/null)
# leave out the build folder, so that equal sources make equal programs
FLAGS_IN := $(filter-out $(foreach m,file debug macro,-f$m-prefix-map=%),$(CFLAGS))
ABOUT    := -DVSIM_VERSION='"$(VERSION)"' -DVSIM_COMMIT='"$(or $(COMMIT),unknown)"' \
	-DVSIM_STATIC='"$(if $(findstring libhdf5.a,$(H5_LIBS)),HDF5 and )xxHash"' \
	-DVSIM_FLAGS='"$(strip $(CC) $(BUILD) $(flags_$(BUILD)) $(FLAGS_IN))"'

# gcc unrolls the kernels' loops over rows and counts only at -O3: twice the rate
FAST := $(if $(filter release,$(BUILD)),-O3)
$(O)/libcore/kern/%.o $(O)/tools/threshold/prune_vectors.o: ONE := $(FAST)
$(O)/libcore/engine/histogram/summary_%.o: ONE := -fno-trapping-math
$(O)/libcore/kern/value_run.o: ONE := $(FAST) -fno-trapping-math
$(O)/libcore/kern/%.o: HARDEN :=
# threads of an emulated GPU jump between stacks
$(O)/tests/unit/t_cuda_%.o: ONE := -U_FORTIFY_SOURCE
$(O)/tests/unit/t_cuda_mma.o: ONE += -fno-sanitize=thread
$(O)/libcore/kern/%_scalar.o: ONE := $(FAST) -fno-tree-vectorize -fno-tree-slp-vectorize
$(O)/tools/shared/%.o: ONE = $(ABOUT)
$(patsubst %.c,$(O)/%.o,$(filter tools/shared/%,$(SHARED_C))): $(O)/about

# a stamp is rewritten only if its text changes
stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','\'',$(1))' >$@
$(O)/flags: FORCE
	$(call stamp,$(COMPILE) $(LINK) $(LIBS))
$(O)/about: FORCE
	$(call stamp,$(ABOUT))
$(O)/sources: FORCE
	$(call stamp,$(CORE_C) $(FMT_C) $(CUDA_C) $(SHARED_C))

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(ONE) -MMD -MP -c -o $@ $< 2>$(@:o=said); r=$$?; cat $(@:o=said) >&2; exit $$r

$(O)/libvscore.a: $(CORE_C:%.c=$(O)/%.o)
$(O)/libvsfmt.a: $(FMT_C:%.c=$(O)/%.o)
$(O)/libvscuda.a: $(CUDA_C:%.c=$(O)/%.o)
# members are named by stem, unique within a library; a program is linked only with
# the members that it calls
$(O)/libvstools.a: $(SHARED_C:%.c=$(O)/%.o)
$(LIBS_A) $(TOOLS_A): $(O)/sources
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $(filter %.o,$^)

$(BIN): $(O)/%: $(O)/tools/%.o $(TOOLS_A) $(LIBS_A)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

$(SCRIPT): $(O)/%: tools/% $(O)/about
	$(call say,LINK,$@)
	$(Q)sed -e '1s|.*|#!$(if $(findstring /,$(PYTHON)),,/usr/bin/env )$(PYTHON)|' \
	-e 's|@VERSION@|$(VERSION) (git $(or $(COMMIT),unknown))|' $< >$@.new
	$(Q)chmod 755 $@.new && mv $@.new $@

$(UNIT) $(BENCHES): %: %.o $(LIBS_A)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

# driven by libFuzzer if clang has it, else by the driver next to the targets
$(FUZZ): %: %.o $(if $(filter fuzz,$(BUILD)),,$(O)/tests/fuzz/driver.o) $(LIBS_A)
	$(call say,LINK,$@)
	$(Q)$(LINK) $(if $(filter fuzz,$(BUILD)),-fsanitize=fuzzer) -o $@.new $^ $(LIBS) && \
	mv $@.new $@

# loaded by other people's HDF5 programs: no sanitizer, no HDF5 of our own
$(PLUGIN): $(PLUG_C) $(ALL_H) $(O)/flags
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPF) -std=gnu11 $(WARN) -g -O2 $(HARDEN) $(CFLAGS) -fPIC -shared \
	$(NOW) $(LDFLAGS) -o $@ $(PLUG_C) -lzstd

-include $(ALL_C:%.c=$(O)/%.d) $(wildcard cuda/rules.mk)

# ---- tests -------------------------------------------------------------------
export VSIM_BUILD  := $(CURDIR)/$(O)
export PYTHON STRICT
ifeq ($(BUILD),tsan)
# archer, installed next to libomp, tells the sanitizer what waits for what
export TSAN_OPTIONS := die_after_fork=0:exitcode=66:handle_segv=0:handle_sigbus=0:ignore_noninstrumented_modules=1
export OMP_TOOL_LIBRARIES := $(realpath $(shell $(CC) -print-resource-dir)/../../libarcher.so)
endif
ifneq ($(filter asan tsan,$(BUILD)),)
export ASAN_OPTIONS  := detect_leaks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS  := suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS := print_stacktrace=1
endif
BATS := $(foreach d,flow flow/* cli house,$(sort $(wildcard tests/$d/*.bats)))
# a bats test with the tag install, or a program with T_INSTALL, belongs to check;
# with the tag long, or T_LONG, to check-more; all others belong to check-dev
UNIT_INSTALL = $(patsubst %.c,$(O)/%,$(shell grep -lw T_INSTALL $(UNIT_C)))
UNIT_LONG    = $(patsubst %.c,$(O)/%,$(shell grep -lw T_LONG $(UNIT_C)))

check: all $(UNIT_INSTALL) deps-check
	@TIER=install tests/run $(O)/$@.log $(BATS) $(UNIT_INSTALL)
check-dev: all $(UNIT) $(FUZZ) deps-check-dev
	@TIER=dev tests/run $(O)/$@.log $(BATS) $(filter-out $(UNIT_INSTALL),$(UNIT)) $(FUZZ)
check-more: all $(UNIT_LONG) deps-check-more
	@TIER=long tests/run $(O)/$@.log $(BATS) $(UNIT_LONG)
check-unit: $(UNIT)
	@tests/run $(O)/$@.log $(UNIT)
check-fuzz: $(FUZZ)
	@tests/run $(O)/$@.log $(FUZZ)
fuzzers: $(FUZZ)
check-cli check-flow check-house: check-%: all deps-check-dev
	@tests/run $(O)/$@.log $(sort $(wildcard tests/$*/*.bats tests/$*/*/*.bats))

bench: all $(BENCHES)
	@PATH=$(CURDIR)/$(O):$(CURDIR)/$(O)/tests/bench:$$PATH \
	tests/bench/$(if $(filter ablation,$(BENCH)),ablation,table).sh

campaign: all $(FUZZ)
	@tests/faults/campaign.sh $(O) $(or $(TIME),600) $(SEED)

demo: all
	@PATH="$(CURDIR)/$(O):$$PATH" sh examples/demo.sh

format: ; clang-format -i $(FORMATTED)
lint-format:
	@clang-format --dry-run -Werror $(FORMATTED)

# ---- completion by bash and zsh, of the tools' tables of options -------------
COMPLETE := $(wildcard .packaging/completion.sh)
completion: all
	@sh $(COMPLETE) $(O)

# ---- install -----------------------------------------------------------------
DEST := $(DESTDIR)$(PREFIX)
# mode:file:place; INSTALL is Debian's
PLACES = $(foreach t,$(BIN) $(SCRIPT),755:$t:bin/$(notdir $t)) \
	$(PLUGIN:%=644:%:lib/vsim/plugin/libvsim_zstd.so) 644:LICENSE:share/doc/vsim/LICENSE \
	$(if $(CUDA_WORKS),755:$(CUDA_SO):lib/vsim/vsim-cuda.so) \
	$(foreach m,$(MAN),644:$m:share/man/man$(subst .,,$(suffix $m))/$(notdir $m)) \
	$(foreach m,$(wildcard tools/plot/*.py examples/python/*.*),644:$m:share/vsim/python/$(patsubst tools/%,%,$(m:examples/python/%=%))) \
	$(foreach e,$(filter-out examples/python,$(wildcard examples/*)),$(if $(shell [ -x $e ] && echo x),755,644):$e:share/doc/vsim/$e) \
	$(if $(COMPLETE),$(patsubst %,644:$(O)/completion/vsim.bash:share/bash-completion/completions/%,$(TOOLS) vsim-plot) \
	644:$(O)/completion/_vsim:share/zsh/site-functions/_vsim)

install: all $(if $(COMPLETE),completion)
	$(call say,INST,$(DEST))
	$(Q)sh .packaging/install.sh install '$(DEST)' $(PLACES)
uninstall:
	$(Q)sh .packaging/install.sh uninstall '$(DEST)' lib/vsim/vsim-cuda.so share/vsim/python \
	$(foreach i,$(PLACES),$(lastword $(subst :, ,$i)))

# ---- the pages as a site: HTML by mandoc, one stylesheet -------------------
html: all
	$(Q)PATH="$(CURDIR)/$(O):$$PATH" sh .packaging/site.sh $(CURDIR)/build/html

dist:
	@mkdir -p build
	git archive --prefix=vsim-$(VERSION)/ -o build/vsim-$(VERSION).tar.gz HEAD
	@echo build/vsim-$(VERSION).tar.gz

# in a copy of the tree, with the folder debian that Debian's programs need
deb:
	@sh .packaging/deb.sh $(VERSION)

clean:; rm -rf build

help:
	@sed -n 's/^#> \{0,1\}//p' Makefile $(wildcard cuda/rules.mk)

.PHONY: all completion deps deps-check deps-check-dev deps-more deps-check-more check \
	check-dev check-more check-unit \
	campaign check-cli check-flow check-fuzz check-house fuzzers bench demo format lint-format install uninstall html deb dist clean help FORCE

#> make [target] [SETTING=value]
#>
#> all            the tools, the libraries, the HDF5 plugin (the default)
#> deps           install what is missing (apt-get, as root or by sudo)
#> check          test what was built: each program, format, kernel, and ranks
#> check-dev      all other quick tests, before each commit; parts of both tiers:
#>                check-unit check-cli check-flow check-fuzz check-house
#> check-more     long tests, with emulators and other compilers; deps-more installs
#>                these
#> campaign       fault injection, forged files, power cuts and fuzzing, for TIME=600
#>                seconds; fuzzers: only build the fuzz targets
#> demo           the tour on real data
#> bench          benchmarks, one minute; BENCH=long: larger data; BENCH=ablation: the
#>                gain of each bound and filter
#> completion     for bash and zsh, in build/release/completion
#> install        into DESTDIR PREFIX; uninstall removes the same files
#> format         format all sources; lint-format only checks
#> html           build/html, the pages as a web site (needs mandoc)
#> deb            build/deb/*.deb, the Debian packages, checked by lintian
#> dist           build/vsim-VERSION.tar.gz;  clean: remove build/
#>
#> BUILD=release  or debug asan tsan cov; SAN=1 means BUILD=asan; tsan (with libomp's
#>                archer) and fuzz (libFuzzer) need clang
#> CC=gcc         or clang;  CFLAGS and LDFLAGS come after ours
#> MPI=           openmpi, mpich, or none for one process; empty: that of the HDF5 found
#> PREFIX=/usr/local  DESTDIR=  PYTHON=/usr/bin/python3
#> V=1            show commands;  STRICT=1: a skipped test is a failure
#> DEPS=0         name what is missing instead of installing it with apt-get
