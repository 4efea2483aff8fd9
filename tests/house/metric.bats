# SPDX-License-Identifier: BSD-3-Clause
# bats file_tags=long
# A metric is one header and one row: in a copy of the tree one is made up, built
# and used.
load words

# overlap: p / min(q_i, q_j), of which no bound is known and no device has code
made_up() {
	cat <<-'END'
		#ifndef VS_METRIC_OVERLAP_H
		#define VS_METRIC_OVERLAP_H
		#include "libcore/metric/moment.h"
		static inline double
		vs_overlap_value(const struct vs_moments *m)
		{
			int64_t less = m->qi < m->qj ? m->qi : m->qj;

			return less > 0 ? (double)m->p / (double)less : 0;
		}
		static inline double
		vs_overlap_plain(const int64_t joint[4][4])
		{
			const struct vs_moments_plain m = vs_moments_of(joint);

			return m.p > 0 ? m.p / (m.qi < m.qj ? m.qi : m.qj) : 0;
		}
		#define VS_METRIC_overlap .family = VS_FAMILY_MOMENTS, \
			.highest = 2, .itself = 1, .labelled = true, .value = vs_overlap_value, \
			.plain = vs_overlap_plain
		#endif
	END
}

# a copy with what is built of it, where the made-up metric is built too
copy() {
	cd "$TOP" || return
	git ls-files -z --cached --others --exclude-standard -- cuda \
		examples formats libcore man tests tools Makefile '*.md' .ci |
		xargs -0 cp --parents -pt "$BATS_TEST_TMPDIR" 2>/dev/null || true
	mkdir -p "$BATS_TEST_TMPDIR/build"
	cp -a build/probe.mk "$VSIM_BUILD" "$BATS_TEST_TMPDIR/build"
	cd "$BATS_TEST_TMPDIR" || return
	made_up >libcore/metric/overlap.h
	printf '#include "libcore/metric/overlap.h"\nMETRIC(overlap, "made up")\n' \
		>>libcore/metric/rows.h
	make DEPS=0 BUILD="${VSIM_BUILD##*/}" all >said 2>&1 || complain "$(tail said)"
	! grep warning said || complain "$(grep warning said)"
	PATH=$BATS_TEST_TMPDIR/build/${VSIM_BUILD##*/}:$PATH
}

# what x.tsv has above 0.3, in awk
expected() {
	awk -F'\t' 'NR > 1 {
		for (k = 2; k <= NF; k++) g[NR - 2, k] = $k
		n = NR - 1
	}
	END {
		for (i = 0; i < n; i++) for (j = i + 1; j < n; j++) {
			p = a = b = 0
			for (k = 2; k <= NF; k++) {
				x = g[i, k]; y = g[j, k]
				if (x == "NA" || y == "NA") continue
				p += x * y; a += x * x; b += y * y
			}
			m = a < b ? a : b
			v = m > 0 ? p / m : 0
			if (v > 0.3) printf "%d\t%d\t%.12f\n", i, j, v
		}
	}' x.tsv
}

@test "metric: one header and one row, right on the CPU and refused elsewhere" {
	requires python numpy
	local how
	copy
	vsim-run --help | grep -q "^        overlap  *made up"
	for how in '' missing; do
		"$PYTHON" "$TOP/tests/flow/oracle.py" make 60 90 5 $how >x.tsv
		vsim-pack -f --tsv x.tsv --label given -o x.vec.h5
		expected >want
		[ "$(wc -l <want)" -gt 100 ]
		for more in '' '--no-prune' '--tile 17'; do
			# shellcheck disable=SC2086
			vsim-run -f -m overlap -t 0.3 $more -o run x.vec.h5
			vsim-merge -f -o e.res.h5 run
			vsim-view --no-header -c i,j,value e.res.h5 |
				awk '{ printf "%d\t%d\t%.12f\n", $1, $2, $3 }' |
				diff want -
		done
		quietly vsim-verify --against x.vec.h5 e.res.h5
		refuses 2 'no device supports this metric' vsim-run -m overlap \
			--backend cuda -t 0.3 -o no x.vec.h5
	done
	vsim-pack --synthetic analytic --vectors 300 --fields 130 -o s.vec.h5
	vsim-run -m overlap -t 0.5 -o s s.vec.h5
	vsim-verify --closed-form s.vec.h5 s
	refuses 2 'is for pairs' vsim-run -m overlap -w 3 -t 0.3 -o no x.vec.h5
}
