#!/usr/bin/env bash
# A Debian package of what was built, by the maintainer that DEBFULLNAME and DEBEMAIL name.   deb.sh BUILD FOLDER
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
revision=$version-1
maintainer="${DEBFULLNAME:-The adcc developers} <${DEBEMAIL:-adcc@example.org}>"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
DESTDIR=$tree "$root/scripts/install.sh" "$1" /usr >/dev/null

doc=$tree/usr/share/doc/adcc
rm "$doc"/LICENSE-*
gzip -9n "$doc/CHANGELOG.md" "$tree"/usr/share/man/man1/adcc.1
mv "$doc/CHANGELOG.md.gz" "$doc/changelog.gz"
printf 'adcc (%s) unstable; urgency=medium\n\n  * See changelog.gz.\n\n -- %s  %s\n' "$revision" "$maintainer" "$(date -R -d "@${SOURCE_DATE_EPOCH:-$(stat -c %Y "$1/adcc")}")" |
    gzip -9n >"$doc/changelog.Debian.gz"
# Where pkg-config looks for every architecture.
mkdir -p "$tree/usr/share/pkgconfig"
mv "$tree"/usr/lib/pkgconfig/*.pc "$tree/usr/share/pkgconfig"
rmdir "$tree/usr/lib/pkgconfig"
for name in ad++ adfc; do ln -sf adcc.1.gz "$tree/usr/share/man/man1/$name.1.gz" && rm "$tree/usr/share/man/man1/$name.1"; done
{
    printf 'Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: adcc\n\n'
    printf 'Files: *\nCopyright: The adcc developers\nLicense: MIT or Apache-2.0\n\nLicense: MIT\n'
    sed 's/^$/./; s/^/ /' "$root/LICENSE-MIT"
    printf '\nLicense: Apache-2.0\n On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.\n'
} >"$doc/copyright"

# The versions of the libraries that the plugin and adcc were linked with.
mkdir -p "$work/debian"
printf 'Source: adcc\n\nPackage: adcc\nArchitecture: any\n' >"$work/debian/control"
shlibs=$(cd "$work" && dpkg-shlibdeps -O -e"$tree/usr/bin/adcc" -e"$tree/usr/lib/adcc/libadpass.so" -e"$tree/usr/lib/adcc/adshadow.so" 2>"$work/log" |
    sed -n 's/^shlibs:Depends=//p') || { cat "$work/log" >&2; exit 1; }
mkdir -p "$tree/DEBIAN"
sed -e "s|@VERSION@|$revision|; s|@MAINTAINER@|$maintainer|; s|@SHLIBS@|$shlibs|; s|@SIZE@|$(du -sk "$tree/usr" | cut -f1)|" "$root/packaging/control.in" >"$tree/DEBIAN/control"
(cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
find "$tree" -type d -exec chmod 755 {} +
mkdir -p "$2"
dpkg-deb --root-owner-group -Z"${DEB_COMPRESSION:-xz}" --build "$tree" "$2/adcc_${revision}_amd64.deb" >/dev/null
echo "deb: $2/adcc_${revision}_amd64.deb"
