// ad-library: methods.c
// ad-link: -lm
/* A pointer from a library's variable, to its constants, that the program stores in a struct of its own with reals. */
#include "requests.h"

typedef struct { double (*apply)(double); } method;
typedef struct { const method *how; double factor; } options;
extern const method *lib_sine, *lib_square;
double lib_apply_method(const options *o, double x);

static double methods(const double *x) {
    options first = {lib_sine, x[1]}, second = {lib_square, 2};
    return lib_apply_method(&first, x[0]) + lib_apply_method(&second, x[0] * x[1]);
}
AD_FUNCTIONAL(methods)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(methods, 2);
    check_random_points(&c, 2, 0.3, 0.9);
    return check_done();
}
