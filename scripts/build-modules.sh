#!/usr/bin/env bash
# Builds the Fortran modules `ad` and `ad_sparse` (ad.mod, ad_sparse.mod, which adfc finds beside itself), where flang is. They have no code.
#   build-modules.sh FOLDER
set -euo pipefail

flang=${LLVM_SYS_221_PREFIX:-/usr/lib/llvm-22}/bin/flang
[ -x "$flang" ] || exit 0
for module in ad ad_sparse; do
    "$flang" -fsyntax-only -J "$1" "$(dirname "$0")/../runtime/fortran/$module.f90"
done
