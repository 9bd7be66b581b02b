// ad-library: keeping.c
// ad-link: -lm
// ad-i386: none
/* A library knows what a derivative is asked for from before: no call of the evaluation is given it. */
#include "requests.h"

void keep_weights(const double *w, int n);
double keep_apply(double x);
void keep_sink(double *to);
void keep_add(double x);

enum { COUNT = 4, MANY = 100000 };
static const double along[COUNT] = {0.3, -1, 2, 0.5};

/* The weights are x. */
static double apply(const double *x) { return keep_apply(x[3] * x[0]); }
static void check_apply(const char *what, const double *x, double tangent, const double *bars) {
    double s = 0, sum = 0;
    for (int i = 0; i < COUNT; i++) s += x[i] * (i + 1);
    for (int i = 0; i < COUNT; i++) {
        double exact = (i + 1) * x[3] * x[0] + (i == 0 ? s * x[3] : i == 3 ? s * x[0] : 0);
        check_close(what, bars[i], exact, 1e-13);
        sum += exact * along[i];
    }
    check_close(what, tangent, sum, 1e-13);
}

/* The library adds to x[1], which it knows. */
static double add(double *x) {
    keep_add(x[0]);
    x[1] *= x[2];
    keep_add(x[3]);
    return x[1];
}
static void start(double *x) { x[0] = 0.7, x[1] = 1.3, x[2] = 0.9, x[3] = 1.1; }
static void check_add(const char *what, double tangent, const double *bars) {
    double x[COUNT], sum = 0;
    start(x);
    double exact[COUNT] = {2 * x[0] * x[2], x[2], x[1] + x[0] * x[0], 2 * x[3]};
    for (int i = 0; i < COUNT; i++) {
        check_close(what, bars[i], exact[i], 1e-13);
        sum += exact[i] * along[i];
    }
    check_close(what, tangent, sum, 1e-13);
}

static void on_stack(void) {
    double x[COUNT], dots[COUNT], bars[COUNT] = {0};
    memcpy(dots, along, sizeof dots);
    start(x);
    keep_weights(x, COUNT);
    double tangent = __ad_tangent_double((void *)apply, x, dots);
    __ad_adjoint_void((void *)apply, x, bars);
    check_apply("weights on the stack", x, tangent, bars);

    keep_sink(x);
    tangent = __ad_tangent_double((void *)add, x, dots);
    start(x);
    double more[COUNT] = {0};
    __ad_adjoint_void((void *)add, x, more);
    check_add("the stack is written to", tangent, more);
}

/* The array is in one place, its shadow in the other. */
static void in_both(double *x, double *dots) {
    double bars[COUNT] = {0}, more[COUNT] = {0};
    start(x);
    keep_weights(x, COUNT);
    double tangent = __ad_tangent_double((void *)apply, x, dots);
    __ad_adjoint_void((void *)apply, x, bars);
    check_apply("weights in a block", x, tangent, bars);

    keep_sink(x);
    memcpy(dots, along, COUNT * sizeof *dots);
    tangent = __ad_tangent_double((void *)add, x, dots);
    start(x);
    __ad_adjoint_void((void *)add, x, more);
    check_add("a block is written to", tangent, more);
}

static void shadow_in_block(void) {
    double x[COUNT], *dots = malloc(COUNT * sizeof *dots), *bars = calloc(COUNT, sizeof *bars);
    memcpy(dots, along, COUNT * sizeof *dots);
    start(x);
    keep_weights(x, COUNT);
    double tangent = __ad_tangent_double((void *)apply, x, dots);
    __ad_adjoint_void((void *)apply, x, bars);
    check_apply("shadows in blocks", x, tangent, bars);
    free(dots);
    free(bars);
}

/* Many pages; the library knows the first few numbers. */
static double sum(const double *x) {
    double s = keep_apply(x[0]);
    for (int i = 0; i < MANY; i++) s += x[i] * x[i];
    return s;
}
static void large(void) {
    double *x = malloc(MANY * sizeof *x), *dots = calloc(MANY, sizeof *dots), *bars = calloc(MANY, sizeof *bars), s = 0;
    for (int i = 0; i < MANY; i++) x[i] = 1.0 / (i + 1);
    dots[1] = 1, dots[MANY - 1] = 1e3;
    for (int known = 0; known < 2; known++) {
        if (known) keep_weights(x, COUNT);
        double tangent = __ad_tangent_double((void *)sum, x, dots), exact[COUNT + 1];
        memset(bars, 0, MANY * sizeof *bars);
        __ad_adjoint_void((void *)sum, x, bars);
        if (!known) {
            check_close("large, not known", bars[MANY - 1], 2 * x[MANY - 1], 1e-13);
            continue;
        }
        s = 0;
        for (int i = 0; i < COUNT; i++) s += x[i] * (i + 1);
        for (int i = 0; i < COUNT; i++) exact[i] = (i + 1) * x[0] + 2 * x[i] + (i == 0 ? s : 0);
        for (int i = 0; i < COUNT; i++) check_close("large", bars[i], exact[i], 1e-13);
        check_close("large, tangent", tangent, exact[1] + 2e3 * x[MANY - 1], 1e-13);
    }
    free(x);
    free(dots);
    free(bars);
}

int main(void) {
    static const double none[COUNT];
    keep_weights(none, COUNT);
    for (int round = 0; round < 3; round++) {
        double *x = malloc(COUNT * sizeof *x), *dots = malloc(COUNT * sizeof *dots);
        memcpy(dots, along, COUNT * sizeof *dots);
        in_both(x, dots);
        free(x);
        free(dots);
        on_stack();
        shadow_in_block();
        large();
        keep_weights(none, COUNT);
    }
    return check_done();
}
