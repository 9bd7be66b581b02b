/* Unions of a real and an integer: the integer is taken from the word before the tag says that it is one.
 * ad-i386: none, integers where reals may lie are refused where an address has four bytes */
#include "requests.h"

typedef struct { unsigned tag; union { double d; int i; } u; } variant;

static unsigned tag_of(int k) {
    static const volatile unsigned tags[] = {0, 1, 2};
    return tags[k];
}
static double of(const variant *v) {
    int i = v->u.i;
    double d = v->u.d;
    switch (v->tag) {
    case 0: return d * d;
    case 1: return sin(i);
    case 2: return d + 2;
    default: return cos(i);
    }
}
static double of_tagged(const double *x) {
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        variant v = {tag_of(k), {x[0] * x[k]}};
        if (v.tag == 1) v.u.i = 3;
        sum += of(&v) * (k + 1);
    }
    return sum * x[1];
}
AD_FUNCTIONAL(of_tagged)

static double of_shared(const double *x) {
    double sum = 0, d = x[0] * x[1];
    for (int k = 0; k < 3; k += 2) {
        variant v = {tag_of(k), {d}};
        sum += of(&v) * (k + 1);
    }
    return sum * x[1];
}
AD_FUNCTIONAL(of_shared)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_tagged, 3), CHECK_FUNCTIONAL(of_shared, 3)};
    for (int k = 0; k < 2; k++) check_random_points(&cases[k], 3, 0.4, 1.6);
    return check_done();
}
