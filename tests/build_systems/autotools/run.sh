# autoconf, automake and libtool with C and Fortran: libraries of adcc are in no list that links of other compilers get.
autoreconf -i >log 2>&1 || { cat log; exit 1; }
./configure --prefix="$PWD/prefix" --enable-silent-rules CFLAGS=-O2 FCFLAGS=-O2 >log 2>&1 || { cat log config.log; exit 1; }
grep -q 'define FC_FUNC(name,NAME) name ## _' config.h
fclibs=$(sed -n 's/^FCLIBS = //p' Makefile)
case $fclibs in
*adrt* | *adshadow* | *adcc*) echo "FCLIBS has archives of adcc: $fclibs"; exit 1 ;;
*flang_rt*) ;;
*) echo "FCLIBS is not read: $fclibs"; exit 1 ;;
esac
make -j4 >log 2>&1 || { cat log; exit 1; }
make install >log 2>&1 || { cat log; exit 1; }
test "$(nm -D --defined-only prefix/lib/libown.so | grep -c ' T ')" = 1
cc user.c -Lprefix/lib -lown -Wl,-rpath,"$PWD/prefix/lib" -o other && ./other
prefix/bin/user
prefix/bin/program
