// ad-library: thrown.c
// ad-link: -lm
/* Exceptions leave gradients with recorded calls: the calls are given up, memory does not grow, and gradients that follow are right. */
#include <cstdio>

#include "requests.h"

extern "C" {
struct squares;
squares *thrown_new(int n);
void thrown_add(squares *s, double x);
double thrown_sum(const squares *s);
void thrown_free(squares *s);
}

namespace {
enum { COUNT = 20, WARM = 500, MANY = 4000 };

double f(const double *x, int n) {
    squares *s = thrown_new(n);
    for (int i = 0; i < n; i++) {
        thrown_add(s, x[i] * x[i]);
        if (i == n - 1 && x[0] > 1) {
            thrown_free(s);
            throw i;
        }
    }
    double sum = thrown_sum(s);
    thrown_free(s);
    return sum;
}

/* Kilobytes of memory that are there. */
long resident() {
    long all = 0, here = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%ld %ld", &all, &here) != 2) check_close("statm can be read", 0, 1, 0);
    if (file) fclose(file);
    return here * 4;
}
}

int main() {
    double x[COUNT], bars[COUNT];
    long before = 0;
    int caught = 0;
    for (int i = 0; i < COUNT; i++) x[i] = 1.5 + 0.1 * i;
    for (int k = 0; k < WARM + MANY; k++) {
        if (k == WARM) before = resident();
        for (int i = 0; i < COUNT; i++) bars[i] = 0;
        try {
            __ad_adjoint_void((void *)f, x, bars, (int)COUNT);
        } catch (int) {
            caught++;
        }
    }
    check_close("exceptions", caught, WARM + MANY, 0);
    /* What stayed would be some kilobytes of each gradient. */
    check_close("memory grows", resident() - before < 2048, 1, 0);
    x[0] = 0.5;
    for (int i = 0; i < COUNT; i++) bars[i] = 0;
    __ad_adjoint_void((void *)f, x, bars, (int)COUNT);
    for (int i = 0; i < COUNT; i++) check_close("a gradient that follows", bars[i], 4 * x[i] * x[i] * x[i], 1e-14);
    return check_done();
}
