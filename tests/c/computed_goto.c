/* Computed gotos: an interpreter with a table of labels, a jump that a choice decides, states that jump to each other, a table that
 * is not constant but never written, recursion. */
#include "requests.h"

enum { N = 4 };

static const int *code; /* set before each case; not active */

static double interpret(const double *x) {
    static const void *const labels[] = {&&stop, &&square, &&scale, &&add, &&sine};
    const int *at = code;
    double y = x[0];
    goto *labels[*at];
square:
    y = y * y;
    goto *labels[*++at];
scale:
    y *= x[1];
    goto *labels[*++at];
add:
    y += x[2] * y + x[3];
    goto *labels[*++at];
sine:
    y = sin(y);
    goto *labels[*++at];
stop:
    return y;
}
/* It stops the process by a store through null, which no label has to do with. */
static double crashing(const double *x) {
    static const void *const labels[] = {&&once, &&twice, &&wrong};
    double y = x[0];
    goto *labels[code[0] % 3];
once:
    return y * x[1];
twice:
    return y * y * sin(x[2]);
wrong:
    *(volatile int *)0 = 1;
    return y;
}
static double chosen(const double *x) {
    double y = x[0] * x[1];
    void *to = x[2] > 0.6 ? &&big : &&small;
    if (code[0] == 1) to = &&big;
    goto *to;
big:
    y += x[3] * x[2];
    goto end;
small:
    y -= x[3] * y;
end:
    return y * y;
}
static double states(const double *x) {
    static void *table[] = {&&first, &&second, &&last};
    double y = 0.4, z = x[0];
    int left = 9;
first:
    y = y * 0.5 + x[1] * z;
    if (--left <= 0) goto *table[2];
    goto *table[y > 0.7];
second:
    z = z * 0.75 + sin(y) * x[2];
    if (--left <= 0) goto *table[2];
    goto *table[z < 0.8 ? 0 : 1];
last:
    return y * z + x[3];
}
__attribute__((noinline)) static double tree(const double *x, int depth) {
    static const void *const labels[] = {&&leaf, &&left, &&both};
    double y = x[depth % N];
    goto *labels[depth % 3];
left:
    y += x[0] * tree(x, depth - 1);
    goto leaf;
both:
    y += tree(x, depth - 1) * tree(x, depth - 2);
leaf:
    return sin(y);
}
static double recursion(const double *x) { return tree(x, code[0] + 4); }
AD_FUNCTIONAL(interpret)
AD_FUNCTIONAL(crashing)
AD_FUNCTIONAL(chosen)
AD_FUNCTIONAL(states)
AD_FUNCTIONAL(recursion)

int main(void) {
    static const int programs[][12] = {
        {0}, {1, 0}, {2, 3, 0}, {1, 4, 3, 2, 3, 1, 4, 0}, {3, 3, 2, 2, 4, 4, 1, 2, 3, 4, 1, 0},
    };
    static const int stops[][1] = {{0}, {1}};
    check_case ends = CHECK_FUNCTIONAL(crashing, N);
    for (int p = 0; p < 2; p++) {
        code = stops[p];
        check_random_points(&ends, 2, 0.3, 1.1);
    }
    check_case cases[] = {CHECK_FUNCTIONAL(interpret, N), CHECK_FUNCTIONAL(chosen, N), CHECK_FUNCTIONAL(states, N),
                          CHECK_FUNCTIONAL(recursion, N)};
    for (int p = 0; p < 5; p++) {
        code = programs[p];
        for (int i = 0; i < 4; i++) check_random_points(&cases[i], 2, 0.3, 1.1);
    }
    return check_done();
}
