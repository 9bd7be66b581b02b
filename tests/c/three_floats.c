/* Three floats returned by value come back in two registers. */
#include "requests.h"
struct three { float a, b, c; };
extern struct three __ad_adjoint_three(float (*f)(float, float, float), float, float, float);
static float f(float a, float b, float c) { return a * b + c * c; }
int main(void) {
    struct three r = __ad_adjoint_three(f, 2.0f, 3.0f, 4.0f);
    check_close("a", r.a, 3.0, 1e-6), check_close("b", r.b, 2.0, 1e-6), check_close("c", r.c, 8.0, 1e-6);
    return check_done();
}
