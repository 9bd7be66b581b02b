#!/usr/bin/env bash
# Installs what adcc is built with and tested on: LLVM 22 with its C, C++ and Fortran front ends, from Debian's packages.
# The last two lines of packages are libraries that the tests of the shadow runtime call, and build systems that adcc is tested in. Does nothing where everything is present. Needs apt-get, and root or sudo, only when something is missing.
set -euo pipefail

packages=(clang-22 llvm-22-dev flang-22 lld-22 libomp-22-dev libclang-rt-22-dev g++ libeigen3-dev libboost-dev make pkg-config zlib1g-dev libzstd-dev
    libgsl-dev liblapack-dev libblas-dev libopenblas0-pthread libfftw3-dev libcminpack-dev gfortran
    mold cmake meson ninja-build autoconf automake libtool ccache dpkg-dev python3 gdb)
needed=()
for p in "${packages[@]}"; do
    dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || needed+=("$p")
done

if ((${#needed[@]})); then
    echo "setup: installing ${needed[*]}"
    as_root=()
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || { echo "setup: missing packages: ${needed[*]} (run as root: apt-get install ${needed[*]})" >&2; exit 1; }
        as_root=(sudo)
    fi
    export DEBIAN_FRONTEND=noninteractive
    "${as_root[@]}" apt-get update -q
    "${as_root[@]}" apt-get install -q -y --no-install-recommends "${needed[@]}"
fi

# Installs what is missing of some packages; without them, everything else works. The first argument says what is left out.
try_install() {
    local without=$1 lacking=() as_root=()
    shift
    for p in "$@"; do
        dpkg-query -W -f='${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || lacking+=("$p")
    done
    ((${#lacking[@]})) || return 0
    [ "$(id -u)" -eq 0 ] || as_root=(sudo -n)
    export DEBIAN_FRONTEND=noninteractive
    { "${as_root[@]}" apt-get update -q && "${as_root[@]}" apt-get install -q -y --no-install-recommends "${lacking[@]}"; } >/dev/null 2>&1 ||
        echo "setup: ${lacking[*]} could not be installed: $without"
}
try_install "no programs of several ranks with Open MPI" libopenmpi-dev openmpi-bin
try_install "no programs of several ranks with MPICH" libmpich-dev mpich
try_install "no 32-bit programs (adcc -m32)" gcc-multilib g++-multilib
try_install "examples/newton is not tested" coinor-libipopt-dev
try_install "examples/cvode is not tested" libsundials-dev

command -v cargo >/dev/null || {
    echo "setup: cargo is missing; install Rust 1.95 or later from your distribution or with rustup" >&2
    exit 1
}
if command -v rustup >/dev/null && [ ! -d "$(rustc --print target-libdir --target i686-unknown-linux-gnu)" ]; then
    rustup -q target add i686-unknown-linux-gnu 2>/dev/null || echo "setup: Rust has no target i686-unknown-linux-gnu: no 32-bit programs (adcc -m32)"
fi
echo "setup: LLVM $(/usr/lib/llvm-22/bin/llvm-config --version), $(cargo --version)"
