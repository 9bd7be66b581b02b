/* An exception leaves a library call: dots are as on return, and further calls are right. */
#ifdef LIBRARY
extern "C" double thrower(double x, double *to) { *to = 2 * x; if (x > 1) throw x * 3; return x; }
#else
#include "check.h"
extern "C" double thrower(double x, double *to);
static double attempt(double x, double dx, double *caught, double *to, double *dto) {
    try {
        BEGIN(thrower, 0);
        POINTER(to, dto, 2);
        ((void (*)(double, double *))adshadow_capture())(dx, 0);
        double y = ((double (*)(double, double *))adshadow_entry())(x, to);
        adshadow_leave();
        return ((double (*)(void))adshadow_result())();
    } catch (double e) { *caught = e; }
    return 0;
}
int main() {
    for (int i = 0; i < 3; i++) {
        double caught = 0, *to = (double *)malloc(8), *dto = (double *)calloc(1, 8);
        attempt(2.0, 1.0, &caught, to, dto);
        check_value("caught", caught, 6.0);
        check_value("value", *to, 4.0);
        check_value("its dot", *dto, 2.0);
        double d = attempt(0.5, 1.0, &caught, to, dto);
        check_value("dot", d, 1.0);
        check_value("to", *dto, 2.0);
    }
    return failures;
}
#endif
