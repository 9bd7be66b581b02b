/* Text of active numbers that callees throw or return: what of it outlives the exception, and is read behind its handler.
 * ad-flags: -g -O1
 * ad-error: AD024 39:26 a number is computed from the digits of text that holds active data
 * ad-error: AD024 50:18 a number is computed from the digits of text that holds active data
 * ad-error: AD024 61:16 a number is computed from the digits of text that holds active data
 * ad-error: AD024 72:18 a number is computed from the digits of text that holds active data */
#include "ad.h"

double __ad_tangent_double(void *, ...);

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

struct bad {
    char text[32];
    int times;
};
__attribute__((noinline)) static char *text_of(double x, int k) {
    if (k == 3) throw std::runtime_error("three");
    char *text = (char *)malloc(64);
    snprintf(text, 64, "%.3f", x);
    return text;
}
__attribute__((noinline)) static double thrown(double x, int k) {
    if (k == 2) {
        bad b;
        snprintf(b.text, 32, "%.0f", x), b.times = k;
        throw b;
    }
    return x * x;
}
/* What a call returned lasts, whatever exceptions came between. */
static double returned(double x) {
    char *text = nullptr;
    for (int k = 0; k < 5; k++) try {
            text = text_of(x, k);
        } catch (const std::exception &) {}
    double d = x + 0.1 * (text[2] - '0');
    free(text);
    return d;
}
/* What the handler reads. */
static double caught(double x) {
    double r = 0;
    for (int k = 0; k < 4; k++) {
        try {
            r += thrown(x, k);
        } catch (const bad &b) {
            r += b.times * (b.text[0] - '0');
        }
    }
    return r;
}
/* What the handler has copied. */
static double copied(double x) {
    char first = '0';
    try {
        x += thrown(x, 2);
    } catch (const bad &b) { first = b.text[0]; }
    return x * (first - '0');
}
/* What a handler reads behind another one within it. */
static double within(double x) {
    double r = 0;
    try {
        r = thrown(x, 2);
    } catch (const bad &b) {
        try {
            r = thrown(1.0, 2);
        } catch (const std::exception &) { r = 1; } catch (const bad &) { r = 2; }
        r += x * (b.text[0] - '0');
    }
    return r;
}
double derivatives(double x) {
    return __ad_tangent_double((void *)within, x, 1.0) + __ad_tangent_double((void *)returned, x, 1.0) + __ad_tangent_double((void *)caught, x, 1.0) + __ad_tangent_double((void *)copied, x, 1.0);
}
