#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# deb.sh VERSION: build/deb/*.deb of the files here, by dpkg-buildpackage; then what
# lintian says, where it is installed. DEB_BUILD_OPTIONS=nocheck leaves out the unit
# tests. The maintainer is who builds it: DEBFULLNAME <DEBEMAIL>, or the author of the
# last commit.
set -e
top=$PWD/build/deb
tree=$top/vsim-$1
rm -rf "$top"
mkdir -p "$tree"
if git rev-parse --git-dir >/dev/null 2>&1; then
	git ls-files -z | tar -c --null -T - | tar -x -C "$tree"
	git describe --always --dirty >"$tree/.ci/commit"
else
	tar -c --exclude=./build . | tar -x -C "$tree"
fi
tar -C "$top" -czf "$top/vsim_$1.orig.tar.gz" "vsim-$1"
mv "$tree/.packaging/debian" "$tree/debian"
who=$(git log -1 --format='%an <%ae>' 2>/dev/null) || who="root <root@$(uname -n)>"
[ -z "$DEBEMAIL" ] || who="${DEBFULLNAME:-$(id -un)} <$DEBEMAIL>"
sed -i "s/@MAINTAINER@/$(printf %s "$who" | sed 's/[&/\\]/\\&/g')/" \
	"$tree/debian/control" "$tree/debian/changelog"
cd "$tree"
# settings of the make that called are none of the package's
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS -u BUILD -u CC -u SAN -u CFLAGS \
	dpkg-buildpackage -us -uc -b
cd "$top"
if command -v lintian >/dev/null; then
	# no bug of Debian's archive asks for the package; older ones do not know the
	# field Static-Built-Using
	lintian --allow-root --suppress-tags initial-upload-closes-no-bugs,unknown-field \
		--fail-on error,warning ./*.changes
fi
ls "$top"/*.deb
