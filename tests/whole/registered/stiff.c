#include "laws.h"

static const double constants[] = {1.25, 0.5};
static int calls;

static double evaluate(double r, const double *c) {
    calls++;
    return -c[0] / (r + 1.0) + c[1] * r * r;
}

void load_stiff(void) { register_law(0, evaluate, constants); }
