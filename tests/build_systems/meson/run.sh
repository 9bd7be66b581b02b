# Meson reads the first line of --version, and asks for the linker.
meson setup build >log 2>&1 || { cat log build/meson-logs/meson-log.txt; exit 1; }
grep -q 'C compiler for the host machine: .*(clang 22' log || { cat log; exit 1; }
ninja -C build >log 2>&1 || { cat log; exit 1; }
build/program
