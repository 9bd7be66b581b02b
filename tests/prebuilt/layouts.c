// ad-library: layouts.c
// ad-static: yes
// ad-link: -lm
/* What variables hold is known from their types: integers that are zero, floats beside integers, reals that look like integers; on the stack and global, given and
 * kept by the library. */
#include "requests.h"

#include "lib/layouts.h"

static double solved(const double *x) {
    double work[2] = {x[2], 0};
    settings s = {.tolerance = x[1], .damping = 0.5f, .limit = 0.25f, .work = work};
    double y = layouts_solve(&s, x[0]);
    layouts_adjust(&s, x[2]);
    return y * layouts_solve(&s, x[0] * x[1]) + work[0] * work[1] + s.tolerance * s.most;
}
AD_FUNCTIONAL(solved)
static double marked(const double *x) {
    marks m = {.count = 3, .total = x[0], .marks = {{0, 0.5f, x[1]}, {1, 0.25f, x[2]}, {0, 2, x[0] * x[1]}}};
    double r = layouts_marks(&m);
    m.count = 0;
    return r * layouts_marks(&m) + layouts_all(m.marks, 3);
}
AD_FUNCTIONAL(marked)
static settings shared;
static marks shared_marks;
static double globals(const double *x) {
    shared = (settings){.most = 2, .tolerance = x[0], .damping = 0.5f, .limit = 1};
    shared_marks.count = 2, shared_marks.total = x[1];
    for (int i = 0; i < 2; i++) shared_marks.marks[i] = (mark){(unsigned)i, 0.75f, x[i] * x[2]};
    layouts_link(&shared, &shared_marks);
    double r = layouts_linked(x[1]);
    shared.verbose = 1, shared.tolerance = x[2];
    return r + layouts_linked(x[0]) * x[1];
}
AD_FUNCTIONAL(globals)
static double unions(const double *x) {
    either e[3] = {{1, {.real = x[0]}}, {0, {.whole = 4}}, {1, {.real = x[1] * x[2]}}};
    return layouts_either(e, 3) * x[1];
}
AD_FUNCTIONAL(unions)
/* The smallest double looks like the number one. */
static double smallest(const double *x) {
    marks m = {.count = 1, .total = x[0], .marks = {{1, 1, 0}}};
    m.marks[0].weight = x[1] * 0x1p-1074;
    return layouts_all(m.marks, 1) * 0x1p1000 + layouts_marks(&m);
}
AD_FUNCTIONAL(smallest)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(marked, 3), CHECK_FUNCTIONAL(globals, 3), CHECK_FUNCTIONAL(unions, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 1.2);
    check_case narrow = CHECK_FUNCTIONAL(solved, 3);
    check_random_points(&narrow, 3, 0.3, 1.2);
    double x[2] = {0.5, 1}, d[2] = {0, 1}, dot, bar[2] = {0, 0};
    smallest_tangent(x, d, NULL, &dot);
    smallest_adjoint(x, bar, NULL, NULL);
    /* A library that is linked with -ffast-math switches such numbers off in the whole process. */
    volatile double tiny = 0x1p-1074;
    double want = tiny * 1.0 == 0 ? 0 : 0x1p-74;
    check_close("dot of the smallest", dot, want, 1e-15);
    check_close("bar of the smallest", bar[1], want, 1e-15);
    return check_done();
}
