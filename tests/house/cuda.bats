# SPDX-License-Identifier: BSD-3-Clause
# The plugin for CUDA devices: its sources, its needs, its registers.
load words

so=$VSIM_BUILD/vsim-cuda.so

built() {
	[ -e "$so" ] || skip "no vsim-cuda.so: no nvcc that works, or CUDA=0"
}

@test "cuda: sources carry their tag" {
	none "$(grep -L 'SPDX-License-Identifier: BSD-3-Clause' \
		cuda/*.cu cuda/*.cuh cuda/rules.mk tests/gpu/*.*)"
}

# bats test_tags=long
@test "cuda: sources lie as the others do" {
	requires cmd clang-format
	clang-format --version | grep -q 'version 14\.' ||
		skip "another clang-format than 14 lays out differently"
	clang-format --dry-run -Werror cuda/*.cu cuda/*.cuh tests/gpu/*.cu
}

@test "cuda: device code includes nothing but cuda and libcore" {
	none "$(grep -n '^ *# *include *"' cuda/*.cu cuda/*.cuh |
		grep -vE '"(cuda|libcore/(base|bits|metric|engine))/')"
}

@test "cuda: what device code includes is C++ too, also where nvcc is not" {
	requires cmd g++
	local header
	for header in cuda/device.h cuda/engine.h cuda/recipe.h; do
		g++ -fsyntax-only -I. -x c++ "$header" 2>"$BATS_TEST_TMPDIR/said" ||
			complain "$(cat "$BATS_TEST_TMPDIR/said")"
	done
}

@test "cuda: the plugin needs libc alone and shows one symbol" {
	built
	none "$(objdump -p "$so" | grep NEEDED |
		grep -vE ' (libc|libm|libdl|librt|libpthread|ld-linux[^ ]*)\.so')"
	[ "$(nm -D --defined-only "$so" | awk 'NF > 1 { print $NF }')" = \
		vs_cuda_entry ]
}

@test "cuda: the programs need nothing of CUDA" {
	none "$(objdump -p "$VSIM_BUILD"/vsim-run | grep -iE 'NEEDED.*(cuda|cublas)')"
}

@test "cuda: no kernel spills registers" {
	built
	local log bad=
	for log in "$VSIM_BUILD"/cuda/*.cu.log; do
		grep -q 'bytes spill stores' "$log" || [[ $log == *device* ]] ||
			bad+="$log: no word of ptxas"$'\n'
		bad+=$(awk -v f="$(basename "$log" .cu.log)" '
			/Function properties for/ { name = $NF }
			/spill stores/ && $0 !~ / 0 bytes spill stores, 0 bytes spill loads/ {
				print f ": " name ":" $0
			}' "$log")
	done
	none "$bad"
}

@test "cuda: tensor kernels keep no array in memory" {
	built
	none "$(cd "$VSIM_BUILD/cuda" && grep -nE '[1-9][0-9]* bytes stack frame' \
		mma.cu.log wgmma.cu.log)"
}

@test "cuda: each kernel is there for all cards that are named" {
	built
	local arch log seen want
	want=$(sed -n 's/^NVCC_GENCODE ?= .*foreach a,\([0-9 ]*\),.*/\1/p' cuda/rules.mk)
	[ "$want" ]
	grep -q "code=sm_${want%% *}" "$VSIM_BUILD/cuda/flags" ||
		skip "other cards were asked for by NVCC_GENCODE"
	for log in mma popc int8 recipe tables triples; do
		for arch in $want; do
			grep -q "Compiling entry .* for 'sm_$arch'" \
				"$VSIM_BUILD/cuda/$log.cu.log" ||
				complain "$log: not for sm_$arch"
		done
	done
	seen=$(grep -oh "for 'sm_[0-9a]*'" "$VSIM_BUILD/cuda/wgmma.cu.log" | sort -u)
	[ "$seen" = "for 'sm_90a'" ] || complain "wgmma: $seen"
}
