# The step of a link that makes derivatives, alone: another compiler links.
for unit in main model; do "$CC" -O2 -c $unit.c; done
"$CXX" -O2 -c flux.cpp
ar rcs libparts.a model.o flux.o
libs="$("$CC" --print-libs) -lm"
if gcc main.o libparts.a -lstdc++ $libs -o program 2>log; then echo 'no request is open'; exit 1; fi
grep -q 'adcc.link_with_adcc' log
"$CC" --ad-link main.o -L. -lparts -o derivatives.o
gcc main.o derivatives.o libparts.a -lstdc++ $libs -o program
./program

# In a shared library.
"$CC" -O2 -fPIC -c main.c -Dmain=check -o check.o
"$CC" -O2 -fPIC -c model.c -o model.o
"$CC" -O2 -fPIC -c flux.c -o flux.o
"$CC" --ad-link check.o model.o flux.o -o derivatives.o
gcc -shared check.o model.o flux.o derivatives.o $("$CC" --print-libs -shared) -lm -o libcheck.so
echo 'int check(void); int main(void) { return check(); }' >user.c
gcc user.c -L. -lcheck -Wl,-rpath,. -o user
./user

# Nothing is open: an object without a symbol, and no word.
test -z "$("$CC" --ad-link model.o flux.o -o none.o 2>&1)"
test -z "$(nm none.o 2>/dev/null)"
# What cannot be: no output, a source, and a function that has no derivative.
if "$CC" --ad-link main.o 2>log; then exit 1; fi
grep -q 'ADCC01: --ad-link: -o' log
if "$CC" --ad-link main.c -o x.o 2>log; then exit 1; fi
grep -q 'ADCC01: --ad-link: takes objects' log
cat >refused.c <<'END'
#include <string.h>
double flux(double a, double b) {
    unsigned long bits;
    memcpy(&bits, &a, sizeof bits);
    bits = bits * 3 ^ bits >> 5;
    memcpy(&a, &bits, sizeof bits);
    return a * b;
}
END
"$CC" -O2 -c refused.c
if "$CC" --ad-link main.o model.o refused.o -o refused-derivatives.o 2>log; then exit 1; fi
grep -q AD031 log
test ! -e refused-derivatives.o
echo right
