// ad-library: text.c
// ad-link: -lm
/* What a library prints of active numbers, and what it reads of constants, has no part in derivatives. */
#include "requests.h"

#include <stdlib.h>

#include "lib/text.h"

static double logged(const double *x) {
    return lib_logged(x[0]) * x[1];
}
AD_FUNCTIONAL(logged)
static double configured(const double *x) {
    return lib_logged(x[1]) + lib_configured(x[0]) * x[1];
}
AD_FUNCTIONAL(configured)
/* The text comes from the program. */
static double given(const double *x) {
    return lib_logged(x[0]) * lib_read("1.25") + x[1] * lib_read("12345.678");
}
AD_FUNCTIONAL(given)
/* The program reads constants, and prints what is active. */
static double read_here(const double *x) {
    char line[40];
    double factor = 0;
    snprintf(line, sizeof line, "%.17g", x[0] * x[1]);
    fputs(line, stderr);
    if (sscanf("factor 2.5", "factor %lf", &factor) != 1) return 0;
    return factor * x[0] * x[1] * strtod("0.75", NULL);
}
AD_FUNCTIONAL(read_here)
static FILE *log_file;
/* A label is printed, here and in the library; the library reads another number. */
static double labelled(const double *x) {
    char label[40];
    double y;
    snprintf(label, sizeof label, "at %.17g", x[0] * x[1]);
    fprintf(stderr, "%s %g\n", label, x[0]);
    fprintf(log_file, "%.17g\n", x[0] * x[1]);
    lib_parse("0.625", &y);
    lib_label(label, x[0]);
    return x[0] * x[1] + y * x[0];
}
AD_FUNCTIONAL(labelled)

int main(void) {
    log_file = tmpfile();
    if (!log_file) return 1;
    check_case cases[] = {CHECK_FUNCTIONAL(logged, 2), CHECK_FUNCTIONAL(configured, 2), CHECK_FUNCTIONAL(given, 2), CHECK_FUNCTIONAL(read_here, 2), CHECK_FUNCTIONAL(labelled, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    return check_done();
}
