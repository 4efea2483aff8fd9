#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# try_root.sh ROOT apptainer|CC: in ROOT, a Debian of its own that debootstrap made,
# do what Apptainer does with vsim.def, its %test last; or the steps of the workflow
# for forks with this compiler, gcc or clang. What is committed here is taken. As
# root; mounts are in a namespace of their own and end with it.
#
#	debootstrap --variant=minbase bookworm ROOT
set -eu
root=$1
what=$2
cd "$(dirname "$0")/.."
# section NAME: of vsim.def
section() { awk -v s="%$1" '/^%/ { on = $1 == s; next } on' .packaging/vsim.def; }
cp /etc/resolv.conf "$root/etc/resolv.conf"
case $what in
apptainer)
	to=$(section files | awk '{ print $2 }')
	mkdir -p "$root$to"
	git ls-files -z | tar -c --null -T - | tar -x -C "$root$to"
	{
		section post
		section environment
		section test
	} >"$root/tmp/try.sh"
	;;
*)
	rm -rf "$root/tmp/tree"
	git clone -q --bare . "$root/tmp/tree"
	sed -n 's/^ *- uses: actions.checkout.*/git clone -q \/tmp\/tree work; cd work/p
		s/^ *- run: //p' .github/workflows/check.yml |
		sed "s/[$]{{ matrix.set }}/CC=$what/; s/[$]{{ matrix.do }}/check/" \
			>"$root/tmp/try.sh"
	;;
esac
unshare --mount --pid --fork sh -c '
	mount -t proc proc "$1/proc"
	mount -t tmpfs tmpfs "$1/dev/shm"
	exec chroot "$1" env -i PATH="$PATH" HOME=/root CI=true sh -eux -c "
		cd /root; . /tmp/try.sh"' sh "$root"
