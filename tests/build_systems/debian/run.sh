# The Debian package and the tar file: what they hold, and that it works where it is unpacked.
cp "$ROOT"/tests/build_systems/install/{one,cubes}.c .
DEB_COMPRESSION=zstd "$ROOT/scripts/deb.sh" "$BUILD" out >log
deb=$(echo out/adcc_*_amd64.deb)
depends=$(dpkg-deb -f "$deb" Depends)
for package in libc6 libllvm22 clang-22; do
    case ", $depends" in *", $package"[,\ ]* | *", $package") ;; *) echo "no $package in $depends"; exit 1 ;; esac
done
test -z "$(dpkg-deb -c "$deb" | awk '$2 != "root/root" || $1 ~ /^.....w|^........w/ && $1 !~ /^l/')"
dpkg-deb -x "$deb" root
for file in bin/adcc lib/adcc/libadpass.so share/pkgconfig/adcc.pc lib/cmake/adcc/adcc-config.cmake share/doc/adcc/copyright share/man/man1/adcc.1.gz; do
    test -s root/usr/$file || { echo "no $file"; exit 1; }
done
gcc -O2 -c cubes.c
try() { env -i PATH=/usr/bin:/bin HOME=/nonexistent "$1" -O2 one.c cubes.o -o p && ./p; }
try root/usr/bin/adcc
test "$(PKG_CONFIG_PATH=root/usr/share/pkgconfig pkg-config --variable=plugin adcc)" -ef root/usr/lib/adcc/libadpass.so

"$ROOT/scripts/tarball.sh" "$BUILD" out >log
mkdir elsewhere
tar -xzf out/adcc-*.tar.gz -C elsewhere
try elsewhere/*/bin/adcc
