/* A file whose functions the C library calls.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD040 28:38 'fopencookie' (custom streams) runs other code */
#define _GNU_SOURCE
#include "ad.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/types.h>

static double sum;
static ssize_t put(void *cookie, const char *text, size_t n) {
    (void)cookie;
    char number[40] = {0};
    for (size_t i = 0; i < n && i < 39; i++) number[i] = text[i];
    sum += atof(number);
    return (ssize_t)n;
}
static double f(double x) {
    cookie_io_functions_t io = {0};
    io.write = put;
    FILE *to = fopencookie(NULL, "w", io);
    fprintf(to, "%.17g", x * x);
    fclose(to);
    return sum;
}
double derivative(double x) { return __ad_adjoint((void *)f, x); }
