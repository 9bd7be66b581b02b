/* An exception leaves a library call: dots are as on return, and further calls are right. */
#ifdef LIBRARY
extern "C" double thrower(double x, double *to) { *to = 2 * x; if (x > 1) throw x * 3; return x; }
#else
#include "check.h"
extern "C" double thrower(double x, double *to);
#define LETTERS_thrower "ddp"
static double attempt(double x, double dx, double *caught, double *to, double *dto) {
    try {
        BEGIN(thrower, 0);
        POINTER(to, dto, 2);
        ((void (*)(double, double *))adshadow_capture())(dx, 0);
        double y = ((double (*)(double, double *))adshadow_entry())(x, to);
        adshadow_leave();
        return RESULT(double);
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
    /* The tangents that exceptions left are over: a recording may begin. One that is left, without active results, is forgotten. */
    for (int i = 0; i < 3; i++) {
        double x = i == 1 ? 2.0 : 0.5, to[1] = {0}, bar[1] = {0};
        adshadow_object(to, bar, sizeof to);
        try {
            RECORD(thrower, 0);
            POINTER(to, bar, 2);
            double index = 0;
            uint64_t word = i == 1 ? 0 : adshadow_input();
            memcpy(&index, &word, sizeof index);
            ((void (*)(double, double *))adshadow_capture())(index, 0);
            ((double (*)(double, double *))adshadow_entry())(x, to);
            adshadow_leave();
            adshadow_output(INDEX(double));
            bar[0] = 10;
            adshadow_reverse("thrower");
            adshadow_reverse_output(0, 1.0);
            adshadow_reverse_run();
            check_value("adjoint", adshadow_reverse_input(0), 21);
            check_value("recorded", i == 1, 0);
        } catch (double e) { check_value("thrown", e, 6.0), check_value("in the second call", i, 1); }
        adshadow_object_pop(1);
    }
    return failures;
}
#endif
