/* Text of active numbers that is only printed, and text of constants: neither has a part in derivatives. */
#include "requests.h"

struct cell {
    char label[32];
    double value;
    int count;
};

static double labels(const double *x) {
    struct cell c = {.value = x[0], .count = 3};
    snprintf(c.label, sizeof c.label, "%.17g", x[0] * x[1]);
    fputs(c.label, stderr);
    return c.value * c.count * x[1];
}
AD_FUNCTIONAL(labels)

static __attribute__((noinline)) void log_number(const char *what, double x) {
    char line[80];
    int n = snprintf(line, sizeof line, "%s: %g", what, x);
    fwrite(line, 1, (size_t)n, stderr);
}
static double logs(const double *x) {
    char text[8] = "37";
    double digits = 10 * (text[0] - '0') + (text[1] - '0');
    log_number("x", x[0]);
    return digits * x[0] * x[1];
}
AD_FUNCTIONAL(logs)

/* The buffer is used again: its earlier text is gone. */
static double buffers(const double *x) {
    char text[32];
    sprintf(text, "%g", x[0]);
    fputs(text, stderr);
    sprintf(text, "%d", 12);
    return x[0] * x[1] * (text[1] - '0');
}
AD_FUNCTIONAL(buffers)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(labels, 2), CHECK_FUNCTIONAL(logs, 2), CHECK_FUNCTIONAL(buffers, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 3, 0.3, 0.9);
    return check_done();
}
