#!/usr/bin/env bash
# Installs what was built, so that it works from any folder: adcc, the pkg-config files and the CMake package find the rest relative to themselves.
#   install.sh BUILD PREFIX     (DESTDIR: a folder before the prefix)
#   install.sh --remove PREFIX
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$root/Cargo.toml")
# Folders and files below the prefix.
owned=(bin/adcc bin/ad++ bin/adfc lib/adcc lib/pkgconfig/adcc.pc lib/pkgconfig/adcc-shared.pc lib/cmake/adcc include/adcc share/doc/adcc
    share/man/man1/adcc.1 share/man/man1/ad++.1 share/man/man1/adfc.1)

if [ "$1" = --remove ]; then
    for name in "${owned[@]}"; do rm -rf "${DESTDIR:-}$2/$name"; done
    echo "install: removed adcc from ${DESTDIR:-}$2"
    exit 0
fi

build=$1
to=${DESTDIR:-}$2
for file in adcc libadpass.so libadrt.a libadshadow.a adshadow.so libadguest.a; do
    [ -f "$build/$file" ] || { echo "install: $build/$file does not exist: run make build first" >&2; exit 1; }
done
mkdir -p "$to"/{bin,lib/adcc,lib/pkgconfig,lib/cmake/adcc,include/adcc,share/doc/adcc,share/man/man1}

install -m 755 "$build/adcc" "$to/bin/adcc"
strip "$to/bin/adcc"
ln -sf adcc "$to/bin/ad++"
ln -sf adcc "$to/bin/adfc"

# What is linked into programs keeps its symbols.
runtimes() {
    mkdir -p "$2"
    install -m 644 "$1"/{libadrt.a,libadshadow.a,libadguest.a,adshadow.so} "$2"
    strip --strip-debug --enable-deterministic-archives "$2"/{libadrt.a,libadshadow.a}
    strip "$2/adshadow.so"
}
install -m 644 "$build/libadpass.so" "$to/lib/adcc"
strip "$to/lib/adcc/libadpass.so"
runtimes "$build" "$to/lib/adcc"
if [ -f "$build/i386/adshadow.so" ]; then runtimes "$build/i386" "$to/lib/adcc/i386"; fi
install -m 644 "$root"/runtime/{include/ad.h,include/ad_sparse.h,fortran/ad.f90,fortran/ad_sparse.f90} "$root/shadow/include/adshadow.h" "$to/include/adcc"
for module in ad ad_sparse; do
    if [ -f "$build/$module.mod" ]; then install -m 644 "$build/$module.mod" "$to/include/adcc"; fi
done

# What compilations and links of plain clang get, once for all forms: configuration files, where a $ goes to the end of links, and pkg-config files.
plugin=(-Rpass-analysis='^adcc$' '-mllvm -ad-prebuilt=shadow' '-mllvm -ad-check')
begin=(-Wl,-lm -Wl,-lgcc)
end=(-lm -lpthread -ldl)
program() { libraries=("${begin[@]}" "$1/libadrt.a" -Wl,--export-dynamic-symbol=adshadow_functions_1 -Wl,-lc "$1/libadshadow.a" "${end[@]}"); }
shared() { libraries=("${begin[@]}" -Wl,--exclude-libs,libadrt.a "$1/libadrt.a" -Wl,-lc "$1/libadguest.a" "${end[@]}"); }
config() { # FILE HEADER-OPTIONS…
    local file=$1
    shift
    {
        printf '%s\n' '-fpass-plugin=<CFGDIR>/libadpass.so' "${plugin[@]}" "$@"
        for word in "${libraries[@]}"; do
            case $word in '<CFGDIR>'*) word=-Wl,$word ;; esac
            printf '$%s\n' "$word"
        done
    } >"$to/lib/adcc/$file"
}
pkgconfig() { # NAME DESCRIPTION
    sed -e "s|@NAME@|$1|; s|@WHAT@|$2|; s|@VERSION@|$version|" -e "s|@CFLAGS@|-fpass-plugin=\${plugin} -fno-discard-value-names ${plugin[*]}|" \
        -e "s|@LIBS@|${libraries[*]}|" "$root/packaging/adcc.pc.in" >"$to/lib/pkgconfig/$1.pc"
}
c=(-fno-discard-value-names '-idirafter <CFGDIR>/../../include/adcc')
program '<CFGDIR>'
config adcc.cfg "${c[@]}"
config adfc.cfg
shared '<CFGDIR>'
config adcc-shared.cfg "${c[@]}"
config adfc-shared.cfg
program '${libdir}'
pkgconfig adcc ''
shared '${libdir}'
pkgconfig adcc-shared ', in shared libraries'

install -m 644 "$root/packaging/adcc-config.cmake" "$to/lib/cmake/adcc"
sed "s|@VERSION@|$version|" "$root/packaging/adcc-config-version.cmake.in" >"$to/lib/cmake/adcc/adcc-config-version.cmake"

cp "$root"/{README.md,CHANGELOG.md,LICENSE-MIT,LICENSE-APACHE} "$to/share/doc/adcc"
{
    echo ".TH ADCC 1 \"\" \"adcc $version\""
    printf '.SH NAME\nadcc, ad++, adfc \\- compilers with automatic differentiation\n.SH DESCRIPTION\n.nf\n'
    env -u ADCC_OPTIONS "$build/adcc" --help | sed 's/\\/\\e/g; s/-/\\-/g; s/^[.'"'"']/\\\&&/'
    echo .fi
} >"$to/share/man/man1/adcc.1"
for name in ad++ adfc; do echo '.so man1/adcc.1' >"$to/share/man/man1/$name.1"; done
find "$to/lib/adcc" "$to/lib/cmake/adcc" "$to/include/adcc" "$to/share/doc/adcc" -type f -exec chmod u=rw,go=r {} +
chmod 644 "$to"/lib/pkgconfig/adcc*.pc "$to"/share/man/man1/{adcc,ad++,adfc}.1
echo "install: adcc $version in $to"
