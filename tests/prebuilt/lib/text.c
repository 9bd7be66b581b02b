/* Numbers that become text, and text that becomes numbers, inside a library. */
#include "text.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print(char *to, size_t n, const char *format, ...) {
    va_list list;
    va_start(list, format);
    vsnprintf(to, n, format, list);
    va_end(list);
}

double lib_round_trip(double x) {
    char text[64];
    snprintf(text, sizeof text, "%.17g", x * x);
    return strtod(text, NULL);
}
double lib_scanned(double x) {
    char text[64];
    double y = 0;
    sprintf(text, "n = %d, x = %.12e", 3, x * x);
    sscanf(text, "n = %*d, x = %lf", &y);
    return y;
}
double lib_listed(double x) {
    char text[64], copy[64];
    print(text, sizeof text, "%.3f", x * x);
    strcpy(copy, text);
    return atof(copy);
}
double lib_by_character(double x) {
    char text[64], copy[64];
    snprintf(text, sizeof text, "%.17g", x * x);
    volatile char *to = copy;
    for (int i = 0; i < 64; i++) to[i] = text[i];
    return strtod(copy, NULL);
}
void lib_write(char *text, int n, double x) {
    snprintf(text, n, "%.17g", x * x);
}
double lib_read(const char *text) {
    return strtod(text, NULL);
}

double lib_logged(double x) {
    char text[64];
    snprintf(text, sizeof text, "%s = %.17g", "x", x);
    return x * x * (double)(strlen(text) > 3);
}
double lib_configured(double x) {
    double factor, power;
    char text[32];
    snprintf(text, sizeof text, "%d", 3);
    if (sscanf("factor 2.5 3", "factor %lf %lf", &factor, &power) != 2) return 0;
    return factor * power * strtod("0.5", NULL) * x * x * atof(text);
}

/* Text that the program has made. */
void lib_parse(const char *text, double *y) {
    *y = strtod(text, NULL);
}
static char kept[64];
void lib_keep(const char *text) {
    strcpy(kept, text);
}
double lib_kept(void) {
    return strtod(kept, NULL);
}
const char *lib_text(void) {
    return kept;
}
char lib_shared_text[64];
double lib_shared(void) {
    double y = 0;
    sscanf(lib_shared_text, "%lf", &y);
    return y;
}
static char *buffer;
static size_t length;
static FILE *stream;
FILE *lib_open(void) {
    return stream = open_memstream(&buffer, &length);
}
double lib_close(void) {
    fclose(stream);
    double y = strtod(buffer, NULL);
    free(buffer);
    return y;
}
void lib_label(const char *label, double x) {
    fprintf(stderr, "%s %g\n", label, x);
}
