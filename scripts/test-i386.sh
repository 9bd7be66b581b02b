#!/usr/bin/env bash
# Tests the runtimes for 32-bit x86, where `make build` made them.
set -euo pipefail

if [ ! -f "$1/i386/libadshadow.a" ]; then
    echo "test: skipped: the runtimes for 32-bit x86, which were not built"
    exit 0
fi
"${CARGO:-cargo}" test --release --target i686-unknown-linux-gnu -p adrt -p adshadow --no-fail-fast
