#!/usr/bin/env bash
# Builds the runtimes for 32-bit x86 (adcc -m32) into the folder i386 beside those for x86-64. Where Rust or the C library for that target is
# missing, says so in one line, and does nothing.
set -euo pipefail

out=$1
target=i686-unknown-linux-gnu
cargo=${CARGO:-cargo}

without() {
    echo "build: no 32-bit programs (adcc -m32): $1"
    exit 0
}

[ -d "$(rustc --print target-libdir --target "$target" 2>/dev/null)" ] || without "Rust has no standard library for $target (rustup target add $target)"
probe=$(mktemp)
trap 'rm -f "$probe"' EXIT
echo '#include <stdio.h>
int main(void) { return puts(""); }' | cc -m32 -x c - -o "$probe" 2>/dev/null || without "no C library for i386 (gcc-multilib)"

"$cargo" build --release --target "$target" -p adrt -p adshadow
built=$("$cargo" metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/$target/release
mkdir -p "$out/i386"
for name in libadrt.a libadshadow.a; do
    ln -f "$built/$name" "$out/i386/$name" 2>/dev/null || cp "$built/$name" "$out/i386/$name"
done
