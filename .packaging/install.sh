#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# install.sh install DEST MODE:FROM:TO...   copy files to DEST/TO
# install.sh uninstall DEST TO...           remove them, and the folders made for them
#
# DEST/lib/vsim/folders names the folders that an install has made, relative to
# DEST, each before those that it is in.
set -e
what=$1 dest=$2
list=$dest/lib/vsim/folders
shift 2

# folder DIR: make it, and those above it
folder() {
	[ -d "$1" ] || {
		folder "$(dirname "$1")"
		mkdir "$1"
		made="$(realpath -s --relative-to="$dest" "$1")
$made"
	}
}

case $what in
install)
	made=''
	for file; do
		to=$dest/${file##*:}
		from=${file#*:}
		folder "${to%/*}"
		install -m "${file%%:*}" "${from%:*}" "$to"
	done
	folder "${list%/*}"
	[ ! -e "$list" ] || made=$made$(cat "$list")
	printf '%s\n' "$made" >"$list"
	;;
uninstall)
	made=$(cat "$list" 2>/dev/null || true)
	for file in "$@" lib/vsim/folders; do
		rm -rf "${dest:?}/$file"
	done
	printf '%s\n' "$made" | while read -r dir; do
		[ -z "$dir" ] || rmdir "$(realpath -ms "$dest/$dir")" 2>/dev/null || true
	done
	;;
esac
