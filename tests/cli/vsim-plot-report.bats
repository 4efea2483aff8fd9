# SPDX-License-Identifier: BSD-3-Clause
# vsim-plot report: a page says what the file says, in any browser and theme
load ../helpers
load plot

@test "plot: text and dots have the contrast of WCAG AA in both themes" {
	script <<-'PY'
	import re
	import numpy as np
	from plot import report, style
	def ratio(a, b):
	    lum = []
	    for colour in a, b:
	        x = np.array([int(colour[k:k + 2], 16) / 255 for k in (1, 3, 5)])
	        x = np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
	        lum.append(0.2126 * x[0] + 0.7152 * x[1] + 0.0722 * x[2])
	    return (max(lum) + 0.05) / (min(lum) + 0.05)
	css = report.CSS.replace("LIGHT", report.variables("light"))
	css = css.replace("DARK", report.variables("dark"))
	themes = [dict(re.findall(r"--(\w+): (#\w{6})", x))
	          for x in re.findall(r":root {([^}]*)}", css)]
	assert len(themes) == 2
	for c in themes:
	    for name in "ink", "muted", "accent", "warm", "link":
	        assert ratio(c[name], c["paper"]) >= 4.5, (name, c)
	    assert ratio(c["second"], c["paper"]) >= 3, c
	# values in cells of any colour
	for palette in "heat", "viridis", "grey":
	    for theme in "light", "dark":
	        colours = style.Style({"palette": palette, "theme": theme}).colours()
	        for x in np.linspace(0, 1, 200):
	            one = "#" + "".join(f"{round(255 * v):02x}" for v in colours(x)[:3])
	            assert ratio(one, style.text_on(one)) >= 4.5, (palette, theme, x)
	PY
}

# browser PAGE [OPTION...]: what a browser says of a copy of the page whose columns were
# sorted and searched: lines of a name and a value
browser() {
	sed -e 's|<head>|<head><script>var errors = 0; onerror = function () { errors++; };</script>|' \
		-e '/<\/body>/d' "$1" >opened.html
	cat >>opened.html <<-'JS'
	<script>
	var out = [], table = document.getElementById("records"), rows = table.tBodies[0].rows;
	function column(k) { return Array.from(rows).map(function (r) { return r.cells[k].textContent; }); }
	function say(name, value) { out.push("said " + name + " " + value); }
	var heads = Array.from(table.tHead.rows[0].cells).map(function (h) { return h.textContent; });
	var value = heads.indexOf("value"), button = table.tHead.rows[0].cells[value].querySelector("button");
	say("rows", rows.length);
	button.click();
	say("down", column(value).join(" "));
	button.click();
	say("up", column(value).join(" "));
	say("sorted", table.tHead.rows[0].cells[value].getAttribute("aria-sort"));
	var box = document.getElementById("search");
	box.value = "v50"; box.dispatchEvent(new Event("input"));
	say("found", document.getElementById("found").textContent);
	say("shown", Array.from(rows).filter(function (r) { return !r.hidden; }).length);
	say("background", getComputedStyle(document.body).backgroundColor);
	say("axis", getComputedStyle(document.querySelector("figure text")).fill);
	say("wide", document.documentElement.scrollWidth <= innerWidth);
	say("fetched", performance.getEntriesByType("resource").length);
	say("errors", errors);
	document.body.innerHTML = "";
	document.body.textContent = "\n" + out.join("\n") + "\n";
	</script></body></html>
	JS
	timeout 60 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
		--user-data-dir="$PWD/profile" "${@:2}" --dump-dom "file://$PWD/opened.html" \
		2>/dev/null | sed -n 's/^said //p'
}

# numbers WORD ORDER: the numbers behind WORD in the file said are in the order of sort
numbers() {
	sed -n "s/^$1 //p" said | tr ' ' '\n' >column
	[ "$(wc -l <column)" -gt 5 ] && sort -c "$2" column
}

# bats test_tags=long
@test "report: a browser sorts, searches, follows the theme, and has no error" {
	requires cmd chromium
	requires python networkx
	study
	plot report -o r.html inter.res.h5
	browser r.html >said
	[ -s said ] || skip 'chromium does not start here'
	grep -qx 'errors 0' said
	grep -qx 'fetched 0' said
	numbers down -gr
	numbers up -g
	grep -qx 'sorted ascending' said
	n=$(sed -n 's/^shown //p' said)
	[ "$n" -gt 0 ] && grep -qx "found $n of $(sed -n 's/^rows //p' said) records" said
	grep -qx 'background rgb(254, 254, 254)' said
	grep -qx 'axis rgb(27, 28, 30)' said
	browser r.html --blink-settings=preferredColorScheme=0 --window-size=400,900 >said
	grep -qx 'background rgb(21, 22, 24)' said
	grep -qx 'axis rgb(232, 233, 235)' said
	grep -qx 'wide true' said
}

# bats test_tags=long
@test "report: a paper of the run, with p of the tables and no folder of the machine" {
	requires python networkx
	study
	plot report --no-host -o r.html inter.res.h5
	grep -qF 'Which variants interact in their effect on case status?' r.html
	grep -qE '[0-9]+ of 3,160 pairs \([0-9.]+ %\) have interaction likelihood ratio &gt; 3' r.html
	grep -qF '<dt>Cases, controls</dt>' r.html
	grep -qF 'BOOST' r.html
	[ "$(grep -c '<figure ' r.html)" = 4 ]
	! grep -qF "$PWD" r.html
	! grep -q '<dt>Host' r.html
	! grep -qE '(src|href)="(https?:|//)' <(sed 's/<a [^>]*>//g' r.html)
	# the strongest record: v3 and v50, and what vsim-view says of it
	vsim-view --no-header --id v3,v50 --both -c value,inter_p,p_family,controls \
		inter.res.h5 | awk '{ printf "%.6g %.6g %.6g %s\n", $1, $2, $3, $4 }' |
		tr , ' ' >want
	sed -n '/<tbody>/,/<\/tbody>/s/^<tr>//p' r.html | sed 's/<[^>]*>/|/g' | head -n 1 >first
	for x in $(cut -d ' ' -f 1-3 want) "$(cut -d ' ' -f 4- want)"; do
		grep -qF "|$x|" first || complain "no $x: $(cat first)"
	done
	# ids of dbSNP are links, numbers have six digits, places and hosts are known
	result r2 0.5
	grep -q "p permuted is for G" r.html
	plot report -o s.html r2.res.h5
	! grep -q "p permuted" s.html
	grep -qF 'href="https://www.ncbi.nlm.nih.gov/snp/rs' s.html
	! grep -qE '>0\.[0-9]{8,}<' s.html
	grep -qE '<dt>Content digest</dt><dd>[0-9a-f]{32}' s.html
	grep -qF 'vsim-run -f -m r2 -t 0.5' s.html
	# filters of the input, by the options that vsim-pack has for them
	diff <(vsim-pack --help | sed -n '/^Samples and sites/,/^$/s/^ *--\([a-z-]*\).*/\1/p' |
		grep -vxE 'map|annot') \
		<(script <<-'PY'
		from plot import report
		print(*report.FILTERS, sep="\n")
		PY
		)
	! grep -q '<dt>Filters' r.html
	vsim-pack --tped s --maf 0.1 --drop-monomorphic --chr=1,2 -o filtered.vec.h5
	X=filtered.vec.h5 result g 3
	plot report -o f.html g.res.h5
	grep -qF '<dt>Filters</dt><dd>maf 0.1, drop-monomorphic, chr 1,2</dd>' f.html
	plot report --top 3 -r 7 -o x.html r2.res.h5 2>said || grep -q 'no variant on chromosome 7' said
	result r2 1.5 --allow-empty
	plot report -o none.html r2.res.h5
	grep -q 'There are none' none.html
}
