#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try_deb.sh ROOT VSIM.deb: install the package in ROOT, a Debian of its own that
# debootstrap made, take the tour of README.md, purge the package, and list what
# is left. As root; mounts are in a namespace of their own and end with it.
#
#	debootstrap --variant=minbase bookworm ROOT
set -eu
root=$1
deb=$2
here=$(cd "$(dirname "$0")/.." && pwd)
cp "$deb" "$root/tmp/vsim.deb"
cp /etc/resolv.conf "$root/etc/resolv.conf"
# the tour: README's blocks from the first answers on, without what the
# package has no part of
awk '/^## How fast/ { exit } /^## First / { on = 1 }
	/^```/ { code = on && /^```sh/; next } code' "$here/README.md" |
	sed 's|^export PATH=.*|cp -r /usr/share/doc/vsim/examples .|
		s|HDF5_PLUGIN_PATH=[^ ]*|HDF5_PLUGIN_PATH=/usr/lib/vsim/plugin|' \
		>"$root/tmp/tour.sh"
[ -s "$root/tmp/tour.sh" ] || {
	echo "no tour in README.md" >&2
	exit 1
}
cat >"$root/tmp/try.sh" <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C MPLCONFIGDIR=/tmp/matplotlib
get() { apt-get install -qq -y --no-install-recommends "$@" >>/tmp/apt.log 2>&1; }
list() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp \
	-o -path /var/cache -o -path /var/log -o -path /var/lib/apt \
	-o -path /var/lib/dpkg \) -prune -o -print | sort; }
apt-get update -qq
# what the package depends on and the tour uses besides
get openmpi-bin mcl python3-h5py python3-matplotlib man-db
get $(dpkg-deb -f /tmp/vsim.deb Depends | tr ',' '\n' | sed 's/(.*//; s/|.*//')
list >/tmp/before
get /tmp/vsim.deb
mkdir /tmp/tour
cd /tmp/tour
sh -eux /tmp/tour.sh >/tmp/tour.log 2>&1 || { tail -n 20 /tmp/tour.log; exit 1; }
man -w vsim vsim-run vsim-results
bash -c '. /usr/share/bash-completion/completions/vsim-run; complete -p vsim-run'
cd /
apt-get purge -qq -y vsim >>/tmp/apt.log 2>&1
list >/tmp/after
# caches of man-db and Python are those packages' own
diff /tmp/before /tmp/after | grep '^>' | grep -v __pycache__ && exit 1
! dpkg -l vsim 2>/dev/null | grep -q '^[^un]*vsim'
echo "installed, toured, purged: nothing is left"
END
unshare --mount --pid --fork sh -c '
	mount -t proc proc "$1/proc" && exec chroot "$1" sh /tmp/try.sh' sh "$root"
