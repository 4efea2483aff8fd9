# vsim: one Makefile, GNU make, no recursion, no configure.  `make help` lists
# targets and settings.  Settings may also live in an uncommitted config.mk.
-include config.mk
VERSION := 0.1.0
TOOLS   := vsim-pack vsim-permute vsim-run vsim-threshold vsim-merge \
	vsim-verify vsim-view

# ---- settings --------------------------------------------------------------
ifeq ($(origin CC),default)
CC := gcc
endif
BUILD  ?= $(if $(filter-out 0,$(SAN)),asan,release)
PREFIX ?= /usr/local
O      := build/$(BUILD)
Q      := $(if $(filter-out 0,$(V)),,@)
say     = $(if $(filter-out 0,$(V)),,@printf '  %-5s %s\n' '$(1)' '$(2)')
PYTHON ?= $(if $(wildcard /usr/bin/python3),/usr/bin/python3,python3)

flags_release := -O2
flags_debug   := -Og -g3
flags_asan    := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined
flags_tsan    := -O1 -fno-omit-frame-pointer -fsanitize=thread
flags_cov     := -O0 --coverage
ifndef flags_$(BUILD)
$(error BUILD=$(BUILD): known are release debug asan tsan cov)
endif

# ---- sources: by wildcard, a tool not written yet is not built ---------------
CORE_C   := $(sort $(wildcard libcore/*/*.c))
PLUG_C   := $(sort $(wildcard formats/plugin/*.c))
FMT_C    := $(sort $(wildcard formats/*.c)) $(PLUG_C)
CUDA_C   := $(sort $(wildcard cuda/*.c))
SHARED_C := $(sort $(wildcard tools/shared/*.c))
TOOL_C   := $(wildcard $(TOOLS:%=tools/%.c))
UNIT_C   := $(sort $(wildcard tests/unit/t_*.c))
BENCH_C  := $(sort $(wildcard tests/bench/*.c))
ALL_C    := $(CORE_C) $(FMT_C) $(CUDA_C) $(SHARED_C) $(TOOL_C) $(UNIT_C) $(BENCH_C)
ALL_H    := $(sort $(wildcard libcore/*/*.h formats/*.h formats/*/*.h \
	cuda/*.h tools/shared/*.h tests/unit/*.h tests/bench/*.h))

BIN      := $(TOOL_C:tools/%.c=$(O)/%)
LIBS_A   := $(O)/libvsfmt.a $(O)/libvscuda.a $(O)/libvscore.a
PLUGIN   := $(if $(PLUG_C),$(O)/plugin/libvsim_zstd.so)
UNIT     := $(UNIT_C:%.c=$(O)/%)
BENCHES  := $(BENCH_C:%.c=$(O)/%)
MAN      := $(wildcard man/*.[157])

all: $(LIBS_A) $(BIN) $(PLUGIN)

# ---- what must be installed --------------------------------------------------
# One shell text answers: which HDF5 and MPI, which Debian packages are missing,
# and how to get them.  HDF5 and MPI flavours must agree.
define DEPS_SH
pc() { pkg-config --exists "$$1" 2>/dev/null; }
hdf5() {
	[ -z '$(MPI)' ] || { echo hdf5-$(MPI); return; }
	for h in hdf5-openmpi hdf5-mpich hdf5-serial hdf5; do pc $$h && { echo $$h; return; }; done
	echo hdf5-openmpi
}
mpi() {
	case $$(hdf5) in
	*-openmpi) echo openmpi ;;
	*-mpich) echo mpich ;;
	*) if ! pc ompi-c && pc mpich; then echo mpich; else echo openmpi; fi ;;
	esac
}
mpi_pc() { case $$(mpi) in openmpi) echo ompi-c ;; *) echo mpich ;; esac; }
lack() { p=$$1; shift; "$$@" >/dev/null 2>&1 || echo $$p; }
header() { echo "#include <$$1>" | $(CC) -fopenmp -E -; }
launcher() { command -v mpiexec.$$(mpi) || command -v mpiexec; }
missing_build() {
	case '$(CC)' in
	*clang*) lack clang command -v $(firstword $(CC)); lack libomp-dev header omp.h ;;
	*) lack gcc command -v $(firstword $(CC)) ;;
	esac
	lack libc6-dev header stdio.h
	lack pkg-config command -v pkg-config
	case $$(hdf5) in
	hdf5 | hdf5-serial) ;;
	*) lack lib$$(hdf5)-dev pc $$(hdf5) ;;
	esac
	lack lib$$(mpi)-dev pc $$(mpi_pc)
	lack $$(if [ $$(mpi) = mpich ]; then echo mpich; else echo openmpi-bin; fi) launcher
	lack libhts-dev pc htslib
	lack libzstd-dev pc libzstd
	lack libyaml-dev pc yaml-0.1
	lack libxxhash-dev pc libxxhash
	lack libhwloc-dev pc hwloc
	lack zlib1g-dev pc zlib
}
missing_check() { lack bats command -v bats; }
missing_extra() {
	for m in numpy h5py; do lack python3-$$m $(PYTHON) -c "import $$m"; done
	lack libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/lib/libc.a
	for c in zstd mandoc mcl bcftools plink1.9 plink2 clang-format hdf5-tools:h5dump xxhash:xxh128sum \
		gcc-aarch64-linux-gnu:aarch64-linux-gnu-gcc qemu-user-static:qemu-aarch64-static; do lack $${c%:*} command -v $${c#*:}; done
}
as_root() { if [ $$(id -u) = 0 ]; then "$$@"; elif [ -t 0 ]; then sudo "$$@"; else sudo -n "$$@"; fi; }
can_install() { [ '$(DEPS)' != 0 ] && command -v apt-get >/dev/null && as_root true 2>/dev/null; }
apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq "$$@" >>build/deps.log 2>&1; }
get() { apt install -y --no-install-recommends "$$@"; }
fetch() {
	echo "deps: installing $$*"
	mkdir -p build
	: >build/deps.log
	get "$$@" || { apt update; get "$$@"; }
}
need() {
	m=$$(echo $$($$1))
	[ -n "$$m" ] || return 0
	if can_install && fetch $$m; then m=$$(echo $$($$1)); fi
	[ -n "$$m" ] || return 0
	echo "deps: missing, please install: $$m" >&2
	[ ! -s build/deps.log ] || echo "deps: apt-get's words are in build/deps.log" >&2
	exit 1
}
want() {
	m=$$(echo $$($$1))
	[ -n "$$m" ] && can_install || return 0
	fetch $$m || for p in $$m; do get $$p || echo "deps: cannot install $$p" >&2; done
}
# HDF5 in the program, where that links: its own libraries take half of every start
static() {
	s=$$(echo "$$*" | sed 's/-lhdf5\b/-l:libhdf5.a -lsz/'); m='int H5open(void); int main(void) { return H5open(); }'
	echo "$$m" | $(CC) -x c - -o build/probe.out $$s -lz -ldl -lm 2>/dev/null || s=$$*; echo "$$s"
}
probe() {
	m=$$(mpi) h=$$(hdf5)
	[ $$h != hdf5-serial ] || echo "probe: serial HDF5; libhdf5-$$m-dev is the parallel one" >&2
	echo "PROBED := $(CC)/$(MPI)"
	echo "MPI_FLAVOUR := $$m"
	echo "MPIEXEC := $$(launcher)"
	echo "HDF5_PC := $$h $$(pkg-config --modversion $$h)"
	for v in "H5 $$h" "DEP $$(mpi_pc) htslib libzstd yaml-0.1 libxxhash hwloc zlib"; do
		set -- $$v; n=$$1; shift
		echo "$${n}_CFLAGS := $$(pkg-config --cflags $$*)"
		echo "$${n}_LIBS := $$(static $$(pkg-config --libs $$*))"
	done
}
endef
export DEPS_SH

BARE := help clean deps dist format lint-format uninstall cuda check-gpu
ifneq ($(filter-out $(BARE),$(or $(MAKECMDGOALS),all)),)
ifneq ($(shell sed -n 's/^PROBED := //p' build/probe.mk 2>/dev/null),$(CC)/$(MPI))
$(shell rm -f build/probe.mk)
endif
include build/probe.mk
endif

build/probe.mk: Makefile
	@mkdir -p build
	@eval "$$DEPS_SH"; need missing_build && probe >$@.tmp && mv $@.tmp $@

deps:
	@eval "$$DEPS_SH"; need missing_build; need missing_check; want missing_extra
	@rm -f build/probe.mk

deps-check:
	@eval "$$DEPS_SH"; need missing_check; \
	[ -e build/extras-tried ] || { want missing_extra; touch build/extras-tried; }

# ---- how things are built ----------------------------------------------------
WARN     := -Wall -Wextra
CPPF     := -I. -D_GNU_SOURCE $(H5_CFLAGS) $(DEP_CFLAGS)
BASE     := -std=gnu11 $(WARN) -g -fopenmp -ffp-contract=off -fno-math-errno
COMPILE  := $(CC) $(CPPF) $(BASE) $(flags_$(BUILD)) $(CPPFLAGS) $(CFLAGS)
LINK     := $(CC) -fopenmp $(flags_$(BUILD)) -Wl,--as-needed $(LDFLAGS)
LIBS     := $(H5_LIBS) $(DEP_LIBS) -ldl -lm $(LDLIBS)
COMMIT   := $(shell [ -e .git ] && git describe --always --dirty 2>/dev/null || \
	sed -n '/^[0-9a-f]/p' .ci/commit 2>/dev/null)
# where it was built is not told: the same sources make the same programs
TOLD     := $(filter-out $(foreach m,file debug macro,-f$m-prefix-map=%),$(CFLAGS))
ABOUT    := -DVSIM_VERSION='"$(VERSION)"' -DVSIM_COMMIT='"$(or $(COMMIT),unknown)"' \
	-DVSIM_FLAGS='"$(strip $(CC) $(BUILD) $(flags_$(BUILD)) $(TOLD))"'

# gcc unrolls the kernels' loops over rows and counts only at -O3: twice the rate
FAST := $(if $(filter release,$(BUILD)),-O3)
$(O)/libcore/kern/%.o: ONE := $(FAST)
$(O)/libcore/kern/%_scalar.o: ONE := $(FAST) -fno-tree-vectorize -fno-tree-slp-vectorize
$(O)/tools/shared/%.o: ONE = $(ABOUT)
$(SHARED_C:%.c=$(O)/%.o): $(O)/about

# a stamp is rewritten only when its words change
stamp = @mkdir -p $(@D); printf '%s\n' '$(subst ','\'',$(1))' | cmp -s - $@ || \
	printf '%s\n' '$(subst ','\'',$(1))' >$@
$(O)/flags: FORCE
	$(call stamp,$(COMPILE) $(LINK) $(LIBS))
$(O)/about: FORCE
	$(call stamp,$(ABOUT))

$(O)/%.o: %.c $(O)/flags
	$(call say,CC,$<)
	@mkdir -p $(@D)
	$(Q)$(COMPILE) $(ONE) -MMD -MP -c -o $@ $< 2>$(@:o=said); r=$$?; cat $(@:o=said) >&2; exit $$r

$(O)/libvscore.a: $(CORE_C:%.c=$(O)/%.o)
$(O)/libvsfmt.a: $(FMT_C:%.c=$(O)/%.o)
$(O)/libvscuda.a: $(CUDA_C:%.c=$(O)/%.o)
$(LIBS_A):
	$(call say,AR,$@)
	@mkdir -p $(@D); rm -f $@
	$(Q)ar rcs $@ $^

$(BIN): $(O)/%: $(O)/tools/%.o $(SHARED_C:%.c=$(O)/%.o) $(LIBS_A)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

$(UNIT) $(BENCHES): %: %.o $(LIBS_A)
	$(call say,LINK,$@)
	$(Q)$(LINK) -o $@.new $^ $(LIBS) && mv $@.new $@

# loaded by other people's HDF5 programs: no sanitizer, no HDF5 of our own
$(PLUGIN): $(PLUG_C) $(ALL_H) $(O)/flags
	$(call say,LINK,$@)
	@mkdir -p $(@D)
	$(Q)$(CC) $(CPPF) -std=gnu11 $(WARN) -g -O2 $(CFLAGS) -fPIC -shared \
	$(LDFLAGS) -o $@ $(PLUG_C) -lzstd

-include $(ALL_C:%.c=$(O)/%.d) $(wildcard cuda/rules.mk)
.SECONDARY:

# ---- tests -------------------------------------------------------------------
export VSIM_BUILD  := $(CURDIR)/$(O)
export PYTHON STRICT
ifneq ($(filter asan tsan,$(BUILD)),)
export ASAN_OPTIONS  := detect_leaks=1:detect_stack_use_after_return=1
export LSAN_OPTIONS  := suppressions=$(CURDIR)/tests/lsan.supp:print_suppressions=0
export UBSAN_OPTIONS := print_stacktrace=1
endif
BATS := $(foreach d,flow cli house,$(sort $(wildcard tests/$d/*.bats)))

check: all $(UNIT) deps-check
	@tests/run $(O)/check.log $(BATS) $(UNIT)
check-unit: $(UNIT)
	@tests/run $(O)/$@.log $(UNIT)
check-cli check-flow check-house: check-%: all deps-check
	@tests/run $(O)/$@.log $(sort $(wildcard tests/$*/*.bats))

bench: all $(BENCHES)
	@PATH=$(CURDIR)/$(O):$(CURDIR)/$(O)/tests/bench:$$PATH tests/bench/table.sh

demo: all
	@PATH="$(CURDIR)/$(O):$$PATH" sh examples/demo.sh

format:
	clang-format -i $(ALL_C) $(ALL_H)
lint-format:
	@clang-format --dry-run -Werror $(ALL_C) $(ALL_H)

# ---- install -----------------------------------------------------------------
DEST := $(DESTDIR)$(PREFIX)
EXAMPLES := $(wildcard examples/*)
INSTALLED := $(TOOLS:%=bin/%) lib/vsim/vsim-cuda.so lib/vsim/plugin/libvsim_zstd.so \
	$(foreach m,$(MAN),share/man/man$(subst .,,$(suffix $m))/$(notdir $m)) \
	$(EXAMPLES:%=share/doc/vsim/%)

install: all
	install -d $(DEST)/bin $(DEST)/lib/vsim/plugin $(DEST)/share/doc/vsim/examples
	install -m 755 $(BIN) $(DEST)/bin
	$(if $(PLUGIN),install -m 644 $(PLUGIN) $(DEST)/lib/vsim/plugin)
	$(foreach m,$(MAN),install -D -m 644 $m $(DEST)/share/man/man$(subst .,,$(suffix $m))/$(notdir $m) &&) true
	$(if $(EXAMPLES),cp -RL $(EXAMPLES) $(DEST)/share/doc/vsim/examples)

uninstall:
	rm -rf $(INSTALLED:%=$(DEST)/%)
	-rmdir $(DEST)/lib/vsim/plugin $(DEST)/lib/vsim $(DEST)/share/doc/vsim/examples $(DEST)/share/doc/vsim 2>/dev/null || true

dist:
	@mkdir -p build
	git archive --prefix=vsim-$(VERSION)/ -o build/vsim-$(VERSION).tar.gz HEAD
	@echo build/vsim-$(VERSION).tar.gz

clean:; rm -rf build

help:
	@sed -n 's/^#> \{0,1\}//p' Makefile $(wildcard cuda/rules.mk)

.PHONY: all deps deps-check check check-unit check-cli check-flow check-house \
	bench demo format lint-format install uninstall dist clean help FORCE

#> make [target] [SETTING=value]
#>
#> all            the tools, the libraries, the HDF5 plugin (the default)
#> deps           install what is missing (apt-get, as root or by sudo)
#> check          all tests; also check-unit check-cli check-flow check-house
#> demo           the tour on real data
#> bench          measure, in a minute; tests/bench/table.sh tells of BENCH=long
#> install        into DESTDIR PREFIX; uninstall takes the same away
#> format         lay out all sources; lint-format only asks
#> dist           build/vsim-VERSION.tar.gz;  clean: remove build/
#>
#> BUILD=release  or debug asan tsan cov; SAN=1 means BUILD=asan
#> CC=gcc         or clang;  CFLAGS and LDFLAGS come after ours
#> MPI=           openmpi or mpich; empty: the one whose HDF5 is found
#> PREFIX=/usr/local  DESTDIR=  PYTHON=/usr/bin/python3
#> V=1            show commands;  STRICT=1: a skipped test is a failure
#> DEPS=0         name what is missing, do not fetch it by apt-get
