// Unions whose first member is a pointer: passes give all that they hold this type, so that reals are loaded and stored as pointers
// where the union is copied.
// ad-levels: O0 O1 O2
// ad-i386: none, refused for now: words of four bytes may be floats or pointers (AD034)
#include "requests.h"

union word {
    double *pointer;
    double real;
};
struct tagged {
    int tag;
    word w;
};
__attribute__((noinline)) static double value(const tagged &u) { return u.tag ? *u.w.pointer * 3 : u.w.real * 2; }
__attribute__((noinline)) static void exchange(tagged &a, tagged &b) {
    tagged t = a;
    a = b;
    b = t;
}
__attribute__((noinline)) static void exchange(word &a, word &b) {
    word t = a;
    a = b;
    b = t;
}
__attribute__((noinline)) static void copy(word &to, const word &from) {
    word t = from;
    to = t;
}
static double exchanged(const double *x) {
    double square = x[1] * x[1];
    tagged a, b, c;
    a.tag = 0, a.w.real = x[0] * x[1];
    b.tag = 1, b.w.pointer = &square;
    c.tag = 0;
    exchange(a, b);
    double sum = value(a) * value(b);
    exchange(a, b);
    exchange(a.w, b.w);
    int tag = a.tag;
    a.tag = b.tag, b.tag = tag;
    sum += value(a) * value(b);
    copy(c.w, b.w);
    return sum + value(c);
}
AD_FUNCTIONAL(exchanged)

int main() {
    check_case c = CHECK_FUNCTIONAL(exchanged, 2);
    check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
