/* Digits of active numbers that called functions make, hand on as integers, or turn into numbers.
 * ad-flags: -g -O2
 * ad-error: AD024 41:12 'first_digits' reads a number from text that holds active data
 * ad-error: AD024 46:12 'value' reads a number from text that holds active data
 * ad-error: AD024 51:16 a number is computed from the digits of text that holds active data
 * ad-error: AD024 56:12 a number is computed from the digits of text that holds active data
 * ad-error: AD024 61:12 'doubled' reads a number from text that holds active data
 * ad-error: AD024 68:12 a number is computed from the digits of text that holds active data
 * ad-error: AD024 75:12 a number is computed from the digits of text that holds active data */
#include "ad.h"

double __ad_tangent_double(void *, ...);

#include <stdio.h>
#include <stdlib.h>

struct account {
    int total;
};
__attribute__((noinline)) static double first_digits(double x) {
    char text[40];
    snprintf(text, sizeof text, "%.3f", x);
    return text[0] - '0' + 0.1 * (text[2] - '0');
}
__attribute__((noinline)) static double value(const char *text) {
    return text[0] - '0' + 0.1 * (text[2] - '0');
}
__attribute__((noinline)) static void whole(double x, int *n) {
    char text[40];
    snprintf(text, sizeof text, "%.0f", x);
    *n = atoi(text);
}
__attribute__((noinline)) static void parse(const char *text, int *n) { *n = atoi(text); }
__attribute__((noinline)) static double doubled(int n) { return 2.0 * n; }
__attribute__((noinline)) static void add(struct account *to, const char *text) { to->total += text[0] - '0'; }
static void print(char *text, double x) { snprintf(text, 40, "%.3f", x); }

volatile int place = 1;

static double made_and_read(double x) {
    return first_digits(x * x) + x;
}
static double given(double x) {
    char text[40];
    print(text, x * x);
    return value(text) + x;
}
static double stored(double x) {
    int n;
    whole(x * x, &n);
    return x + n;
}
static double in_an_array(double x) {
    int n[3] = {1, 2, 3};
    whole(x * x, &n[1]);
    return n[place] * x;
}
static double handed_on(double x) {
    char text[40];
    print(text, x * x);
    return doubled(atoi(text)) + x;
}
static double parsed(double x) {
    char text[40];
    int n;
    print(text, x * x);
    parse(text, &n);
    return n + x;
}
static double summed(double x) {
    char text[40];
    struct account a = {3};
    print(text, x * x);
    add(&a, text);
    return a.total + x;
}
double d_made_and_read(double x) { return __ad_tangent_double((void *)made_and_read, x, 1.0); }
double d_given(double x) { return __ad_tangent_double((void *)given, x, 1.0); }
double d_stored(double x) { return __ad_tangent_double((void *)stored, x, 1.0); }
double d_in_an_array(double x) { return __ad_tangent_double((void *)in_an_array, x, 1.0); }
double d_handed_on(double x) { return __ad_tangent_double((void *)handed_on, x, 1.0); }
double d_parsed(double x) { return __ad_tangent_double((void *)parsed, x, 1.0); }
double d_summed(double x) { return __ad_tangent_double((void *)summed, x, 1.0); }
