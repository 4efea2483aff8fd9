# SPDX-License-Identifier: BSD-3-Clause
# vsim-tutorial(7): each command runs as printed, and prints what the page shows.
load ../../helpers

# The commands of the page, and the lines it shows behind each, as a script.
script() {
	awk '
		/^\.Bd -literal/ { on = 1; next }
		/^\.Ed/ { on = more = 0; next }
		!on { next }
		{ gsub(/\\e/, "\\"); gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047") }
		/^\$ / { if (n) print "shown"; n++; print substr($0, 3); more = 1
			print "" > ("shown." n); next }
		more && /^  / { print; next }
		{ more = 0; print > ("shown." n) }
		END { print "shown" }' "$TOP/man/vsim-tutorial.7" |
		awk 'function flush() {
			if (command != "") printf "run_as_printed %d <<\"COMMAND\"\n%sCOMMAND\n", ++k, command
			command = "" }
			$0 == "shown" { flush(); next } { command = command $0 "\n" } END { flush() }'
}

# run_as_printed N: the command on stdin; what it prints begins as the page shows it
run_as_printed() {
	cat >command
	. ./command >printed 2>errors || complain "$(cat command)" "$(cat errors)"
	sed 1d "../shown.$1" >want
	head -n "$(wc -l <want)" printed | cmp -s - want ||
		complain "$(cat command)" "shown: $(cat want)" "printed: $(cat printed)"
}

# bats test_tags=long
@test "tutorial: commands run as printed, and print what is shown" {
	requires python matplotlib networkx scipy
	script >script.sh
	[ "$(grep -c ^run_as_printed script.sh)" -ge 20 ]
	mkdir -p examples tutorial
	cp "$TOP"/examples/*.gz examples
	ln -s "$VSIM_BUILD" build
	# the first two set the place up
	cd tutorial
	sed -n '/^run_as_printed 3 /,$p' ../script.sh >../rest.sh
	. ../rest.sh
	local f
	for f in ld network ps; do
		grep -q '</svg>' $f.svg || complain "$f.svg"
	done
	tail -n +2 edges.tsv | cut -f1,2 | sort >a
	vsim-view --no-header -c id1,id2 network.res.h5 | sort | cmp - a
}
