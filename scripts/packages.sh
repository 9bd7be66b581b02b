#!/usr/bin/env bash
# Builds numerical packages from Debian's sources, unmodified, with adcc as the compiler, and runs their own tests. Needs apt-get and network, no root.
#   packages.sh BUILD FOLDER [PACKAGE…]     packages: erfa liblbfgs cminpack muparser nlopt minpack
set -euo pipefail

build=$(cd "$1" && pwd)
out=$2
shift 2
packages=("$@")
[ $# -gt 0 ] || packages=(erfa liblbfgs cminpack muparser nlopt minpack)
mkdir -p "$out"
out=$(cd "$out" && pwd)

# Lists of sources of this Debian, beside those of the system.
lists=$out/apt
mkdir -p "$lists"/{lists/partial,cache/archives/partial}
. /etc/os-release
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
echo "deb-src $mirror $VERSION_CODENAME main" >"$lists/sources.list"
apt() {
    apt-get -q -o Dir::Etc::sourcelist="$lists/sources.list" -o Dir::Etc::sourceparts=/dev/null -o Dir::State::lists="$lists/lists" \
        -o Dir::Cache="$lists/cache" -o APT::Sandbox::User="$(id -un)" "$@"
}
[ -n "$(ls "$lists/lists" | grep Sources || true)" ] || apt update >"$out/apt.log" 2>&1 || { cat "$out/apt.log"; exit 1; }

# For autoconf and CMake.
export CC=$build/adcc CXX=$build/ad++ FC=$build/adfc F77=$build/adfc
export CFLAGS=-O2 CXXFLAGS=-O2 FFLAGS=-O2 FCFLAGS=-O2
jobs=-j${JOBS:-2}
configure() {
    [ -x ./configure ] || autoreconf -if
    ./configure --enable-static "$@"
}
with_cmake() {
    cmake -S . -B build -DCMAKE_BUILD_TYPE=Release "$@"
    cmake --build build $jobs
}
erfa() { configure && make $jobs && make $jobs check; }
liblbfgs() { configure && make $jobs && sample/sample; }
cminpack() { with_cmake && ctest --test-dir build --output-on-failure; }
muparser() { with_cmake -DENABLE_OPENMP=OFF && ctest --test-dir build --output-on-failure; }
nlopt() {
    with_cmake -DNLOPT_PYTHON=OFF -DNLOPT_OCTAVE=OFF -DNLOPT_MATLAB=OFF -DNLOPT_GUILE=OFF -DNLOPT_SWIG=OFF -DNLOPT_FORTRAN=ON -DNLOPT_TESTS=ON &&
        ctest --test-dir build --output-on-failure
}
# Its tests print what they find, and end as they do with gfortran.
minpack() {
    $FC -O2 -c ./*.f && ar rcs libminpack.a ./*.o || return
    for test in ex/t*.f; do
        $FC -O2 "$test" libminpack.a -o ours && gfortran -O2 -std=legacy "$test" ./*.f -o theirs || return
        for program in ours theirs; do ./$program | tee $program.out || return; done
        diff <(grep EXIT ours.out) <(grep EXIT theirs.out) || return
    done
}

failed=()
for package in "${packages[@]}"; do
    start=$SECONDS
    log=$out/$package.log
    rm -rf "${out:?}/$package"
    mkdir -p "$out/$package"
    (
        cd "$out/$package" && apt source --only-source --download-only --tar-only "$package" && tar -xf ./*.orig.tar.* && cd ./*/ || exit
        set -x
        "$package"
    ) >"$log" 2>&1 && result=passed || { result="failed, see $log" && failed+=("$package"); }
    echo "packages: $package: $result ($((SECONDS - start)) s)"
done
[ ${#failed[@]} -eq 0 ]
