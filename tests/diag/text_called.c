/* The same in functions of their own, over the heap and a copy.
 * ad-flags: -g
 * ad-option: -ad-prebuilt=shadow
 * ad-error: AD024 21:38 reads a number from text that holds active data */
#include "ad.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static __attribute__((noinline)) void written(char *text, double x) { sprintf(text, "%.17g", x); }
static __attribute__((noinline)) double number(const char *text) { return strtod(text, NULL); }
static double rounded(double x) {
    char *text = malloc(64), copy[64];
    written(text, x * x);
    strcpy(copy, text);
    free(text);
    return number(copy) + x;
}

double derivative(double x) { return __ad_adjoint((void *)rounded, x); }
