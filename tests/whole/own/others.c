#include "own.h"

static int calls;
static double kept;

void mix(double *a, int n) {
    for (int i = 1; i < n; i++) a[i] += a[i - 1] * a[i - 1];
    kept = a[0];
}

double counted(double x) {
    calls++;
    return x * kept;
}

int count(void) { return calls; }
double chosen(double x) { return x * x; }
