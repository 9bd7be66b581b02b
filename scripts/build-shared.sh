#!/usr/bin/env bash
# Builds what shared libraries use of the shadow runtime, beside the static one: adshadow.so, which gives it to programs that were linked
# without adcc (LD_PRELOAD; -ladshadow means the archive, so its name is not that of a library), and libadguest.a, which leads to the program's (adcc has a copy in itself; others link this file).
#   build-shared.sh FOLDER [MACHINE OPTION]
set -euo pipefail

source=$(dirname "$0")/../driver/src/guest.S
out=$1
machine=${2:--m64}
[ -f "$out/libadshadow.a" ] || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cc "$machine" -c "$source" -o "$work/guest.o"
ar rcsD "$work/libadguest.a" "$work/guest.o"

# Nothing but the table of functions, and what stands in for functions of the C library.
names=(adshadow_functions_1 malloc calloc free realloc reallocarray memalign aligned_alloc posix_memalign valloc pvalloc mmap mmap64 munmap mremap pthread_create)
{
    echo '{ global:'
    printf '%s;\n' "${names[@]}"
    echo 'local: *; };'
} >"$work/exports"
cc "$machine" -shared -o "$work/adshadow.so" "${names[@]/#/-Wl,-u,}" -Wl,--gc-sections -Wl,-soname,adshadow.so -Wl,--version-script="$work/exports" \
    "$out/libadshadow.a" -lm -lpthread -ldl
mv "$work/libadguest.a" "$work/adshadow.so" "$out"
