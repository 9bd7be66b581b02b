// ad-library: made_before.c
// ad-static: yes
// ad-link: -lm
// ad-i386: none
/* Pointers in memory that a library made before the derivative was asked for have shadows in tangents: tables, a variable of the library's, an array of the program. */
#include "requests.h"

#include "lib/made_before.h"

static double sum(const double *x) {
    struct table *t = before_table();
    t->values[1] = x[0] * x[1];
    t->next->values[0] *= x[1];
    return before_sum(x[0]) + t->next->values[0];
}
static double use(const double *x) {
    struct settings *s = before_settings();
    s->scale = x[0];
    s->weights[0] = x[1], s->weights[1] = x[0] * x[1], s->weights[2] = 1;
    return before_use() * s->weights[1];
}
/* The library leads to an array that the argument leads to as well. */
struct own { double *values; };
static double both(const struct own *o, double x) {
    double *inner = before_held()->inner;
    inner[1] *= x;
    return o->values[0] * o->values[1] + inner[0];
}
static double reset(void) {
    struct table *t = before_table();
    for (int i = 0; i < 4; i++) t->values[i] = 2 + i * i, t->next->values[i] = 1 + i * i;
    return 0;
}

int main(void) {
    double x[2] = {0.7, 1.3}, dots[2] = {1, 0.5}, zero[2] = {0};
    reset();
    before_settings();
    /* Twice: the second finds what the first one has left. */
    for (int k = 0; k < 2; k++) {
        reset();
        /* y = ((2 + xy + 6 + 11) + (y + 2 + 5 + 10)) x + y */
        double all = 19 + x[0] * x[1] + x[1] + 17;
        double exact = all * dots[0] + x[0] * (x[1] * dots[0] + x[0] * dots[1] + dots[1]) + dots[1];
        check_close("tables", __ad_tangent_double((void *)sum, x, dots), exact, 1e-14);
        reset();
        check_close("constants", __ad_tangent_double((void *)sum, x, zero), 0, 1e-14);
    }
    double product = x[0] * x[1], weighted = x[0] * (x[1] + 2 * product + 3);
    double product_dot = dots[0] * x[1] + x[0] * dots[1];
    double weighted_dot = dots[0] * (x[1] + 2 * product + 3) + x[0] * (dots[1] + 2 * product_dot);
    check_close("a variable", __ad_tangent_double((void *)use, x, dots), weighted_dot * product + weighted * product_dot, 1e-14);

    double *inner = malloc(2 * sizeof *inner), *inner_dots = malloc(2 * sizeof *inner_dots);
    struct own own = {inner}, own_dots = {inner_dots};
    inner[0] = 3, inner[1] = 5, inner_dots[0] = 0.25, inner_dots[1] = -0.5;
    before_hold(inner);
    double r = __ad_tangent_double((void *)both, ad_dup, &own, &own_dots, 1.5, 2.0);
    check_close("an array of the program", r, 0.25 * 7.5 + 3 * (-0.5 * 1.5 + 5 * 2.0) + 0.25, 1e-14);
    free(inner), free(inner_dots);
    return check_done();
}
