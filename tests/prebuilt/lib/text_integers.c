/* Digits of a number's text, read as a whole number. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
double digits_of(double x) {
    char text[64], *end;
    snprintf(text, sizeof text, "%.15f", x);
    long n = strtol(text + 2, &end, 10);
    return n * pow(10, -(double)(end - text - 2));
}
