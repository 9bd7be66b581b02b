#!/usr/bin/env bash
# Builds the Fortran module `ad` (ad.mod, which adfc finds beside itself), where flang is. It has no code.
#   build-modules.sh FOLDER
set -euo pipefail

flang=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}/bin/flang
[ -x "$flang" ] || exit 0
"$flang" -fsyntax-only -J "$1" "$(dirname "$0")/../runtime/fortran/ad.f90"
