# SPDX-License-Identifier: BSD-3-Clause
# make html: every page is there, and every link leads somewhere.
load ../../helpers

# bats test_tags=long
@test "site: pages, pictures and links" {
	requires cmd mandoc
	[ -f "$TOP/.packaging/site.sh" ] || skip "no .packaging"
	local out=$PWD/html
	(cd "$TOP" && sh .packaging/site.sh "$out" >/dev/null)
	local page
	for page in "$TOP"/man/*.[157]; do
		grep -q '</html>' "$out/${page##*/}.html" || complain "${page##*/}"
		grep -q "href=\"${page##*/}.html\"" "$out/index.html" ||
			complain "index.html: no ${page##*/}"
	done
	"$PYTHON" - "$out" <<-'PY'
	import html.parser, os, sys

	class Page(html.parser.HTMLParser):
	    def __init__(self, path):
	        super().__init__()
	        self.ids, self.links = set(), []
	        self.feed(open(path, encoding="utf-8").read())
	    def handle_starttag(self, tag, attrs):
	        a = dict(attrs)
	        self.ids.add(a.get("id"))
	        self.links += [a[x] for x in ("href", "src") if x in a]

	top, bad, n = sys.argv[1], [], 0
	pages = {f: Page(f"{top}/{f}") for f in os.listdir(top) if f.endswith(".html")}
	for name, page in pages.items():
	    for link in page.links:
	        n += 1
	        file, _, at = link.partition("#")
	        if file.startswith("https://manpages.debian.org/"):
	            if "vsim" in file:
	                bad.append(f"{name}: {link}")
	        elif not os.path.isfile(f"{top}/{file or name}"):
	            bad.append(f"{name}: no file {link}")
	        elif at and at not in pages[file or name].ids:
	            bad.append(f"{name}: no place {link}")
	assert n > 300, n
	sys.exit("\n".join(bad) or 0)
	PY
}
