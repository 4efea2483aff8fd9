#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# site.sh OUT: the pages as HTML, with an index and the pictures of the tutorial,
# which are drawn by running its commands with the programs on PATH.
set -eu
top=$PWD out=$1
site=$top/.packaging/site
rm -rf "$out"
mkdir -p "$out"
cp "$site/style.css" "$out"
nav='<nav><a href="index.html">vsim</a> <a href="vsim-tutorial.7.html">Tutorial</a> <a href="vsim-plink.7.html">From PLINK</a> <a href="vsim.1.html">vsim(1)</a> <a href="index.html#pages">All pages</a> <a href="index.html#gallery">Gallery</a></nav>'

# links to the pages of other programs go to Debian's
cd "$out"
for page in "$top"/man/*.[157]; do
	mandoc -T html -O style=style.css,man=%N.%S.html "$page" |
		sed -E "s|<body>|<body>\n$nav|; s|<html>|<html lang=\"en\">|
			s|href=\"([A-Za-z0-9._-]+\.[0-9])\.html\"|href=\"https://manpages.debian.org/\1\"|g
			s|href=\"https://manpages.debian.org/(vsim[^\"]*)\"|href=\"\1.html\"|g" \
			>"${page##*/}.html"
done

# ---- pictures of the tutorial ----
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/examples" "$work/tutorial"
cp "$top"/examples/*.gz "$work/examples"
awk '/^\.Bd -literal/ { on = 1; next } /^\.Ed/ { on = more = 0 } !on { next }
	{ gsub(/\\e/, "\\"); gsub(/\\\(aq/, "\047") }
	/^\$ / { if (!/^\$ (export|mkdir)/) print substr($0, 3); more = !/^\$ (export|mkdir)/; next }
	more && /^  / { print; next } { more = 0 }' "$top/man/vsim-tutorial.7" >"$work/commands"
(cd "$work/tutorial" && sh -eu ../commands >/dev/null 2>../errors) || {
	echo "site.sh: a command of vsim-tutorial(7) failed:" >&2
	tail -n 1 "$work/errors" >&2
	exit 1
}
cp "$work"/tutorial/*.svg .

# ---- index ----
# rows SECTION: the pages of a section, from their .Nd
rows() {
	for page in "$top"/man/*."$1"; do
		name=${page##*/}
		about=$(sed -n 's/^\.Nd //p' "$page")
		printf '<tr><td><a href="%s.html">%s(%s)</a></td><td>%s</td></tr>\n' \
			"$name" "${name%.*}" "$1" "$about"
	done
}
sed "s|<body>|<body>\n$nav|" "$site/index.html" | while IFS= read -r line; do
	case $line in
	'<!-- section '*) section=${line#<!-- section } && rows "${section% -->}" ;;
	*) printf '%s\n' "$line" ;;
	esac
done >index.html
echo "$out/index.html"
