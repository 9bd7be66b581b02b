#!/usr/bin/env bash
# A tar file of an installation that works wherever it is unpacked.   tarball.sh BUILD FOLDER
set -euo pipefail

here=$(dirname "$0")
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
name=adcc-$version-linux-x86_64
DESTDIR=$work "$here/install.sh" "$1" "/$name" >/dev/null
mkdir -p "$2"
tar --sort=name --owner=0 --group=0 --numeric-owner -C "$work" -c "$name" | gzip -n >"$2/$name.tar.gz"
echo "tarball: $2/$name.tar.gz"
