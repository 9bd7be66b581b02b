# find_package(adcc): with clang as the compiler, with adcc, and with one that is neither.
"$ROOT/scripts/install.sh" "$BUILD" "$PWD/prefix" >log
build() {
    rm -rf build
    cmake -S . -B build -DCMAKE_C_COMPILER="$1" -DCMAKE_PREFIX_PATH="$PWD/prefix" -DCMAKE_BUILD_TYPE=Release >log 2>&1 || { cat log >&2; return 1; }
    cmake --build build -j4 -v >log 2>&1 || { cat log; exit 1; }
    build/user
    build/program
    test "$(nm -D --defined-only build/libgradient.so | wc -l)" = 1
}
build clang-22
grep -q fpass-plugin log
build "$PWD/prefix/bin/adcc"
if build gcc; then echo 'gcc is taken'; exit 1; fi
grep -q 'C compiler is GNU' log || { cat log; exit 1; }
echo right
