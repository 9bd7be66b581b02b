// ad-library: keeping.c
// ad-link: -lm
// ad-refused-by-some: AS013
/* A tangent leaves a shadow of library memory in the program's; a gradient takes it for adjoints, after the library has written there again. */
#include "requests.h"

typedef struct { double *values; } box;
void box_fill(box *b, double x);
void box_again(double x);
static double fill(box *b, double x) {
    box_fill(b, x);
    return b->values[0] * x;
}
static double again(box *b, double x) {
    box_again(x);
    return b->values[0] * x;
}

int main(void) {
    box b = {0}, db = {0};
    check_close("filled", __ad_tangent_double((void *)fill, &b, &db, 2.0, 1.0), 12, 1e-14);
    check_close("again, tangent", __ad_tangent_double((void *)again, &b, &db, 2.0, 1.0), 32, 1e-14);
    check_close("again, adjoint", __ad_adjoint_double((void *)again, &b, &db, 2.0), 32, 1e-14);
    return check_done();
}
