/* Reals that loops, swaps and sorts move as integers of their size, in the function itself and in called ones; and integers that are
 * some, beside reals, which are no less moved, compared and computed with.
 * ad-flags: -fno-strict-aliasing */
// ad-i386: none, refused for now, doubles are moved by halves (AD034, AD039)
#include "requests.h"

#define APART __attribute__((noinline))

APART static void copy_words(uint64_t *to, const uint64_t *from, long n) {
    for (long i = 0; i < n; i++) to[i] = from[i];
}
APART static void swap_words(long *p, int n) {
    for (int i = 0; i < n; i++) {
        long t = p[i];
        p[i] = p[i + n];
        p[i + n] = t;
    }
}
APART static void choose_words(long *to, const long *a, const long *b, int odd) {
    for (int i = 0; i < 4; i++) to[i] = (i & 1) == odd ? a[i] : b[i];
}
APART static void sort_words(uint64_t *p, int n) {
    for (int i = 1; i < n; i++) {
        uint64_t key = p[i];
        int j = i - 1;
        for (; j >= 0 && p[j] > key; j--) p[j + 1] = p[j];
        p[j + 1] = key;
    }
}
APART static void copy_halves(uint32_t *to, const uint32_t *from, int n) {
    for (int i = 0; i < n; i++) to[i] = from[i];
}

static void here(const double *x, double *y) {
    double a[4];
    for (int i = 0; i < 4; i++) ((uint64_t *)a)[i] = ((const uint64_t *)x)[i];
    y[0] = a[0] * a[1] + a[2] * a[3];
}
AD_MAP(here)

static void called(const double *x, double *y) {
    double a[4];
    copy_words((uint64_t *)a, (const uint64_t *)x, 4);
    y[0] = a[0] * a[1] + a[2] * a[3];
}
AD_MAP(called)

static void swapped(const double *x, double *y) {
    double a[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    swap_words((long *)a, 2);
    y[0] = a[0] * a[2] - 3.0 * a[1];
}
AD_MAP(swapped)

static void rotated_on_the_heap(const double *x, double *y) {
    double *a = malloc(4 * sizeof *a);
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    size_t *p = (size_t *)a, first = p[0];
    for (int i = 0; i < 3; i++) p[i] = p[i + 1];
    p[3] = first;
    y[0] = a[0] * a[1] + a[3];
    free(a);
}
AD_MAP(rotated_on_the_heap)

static long words[4];

static void in_a_variable_of_integers(const double *x, double *y) {
    double *a = (double *)words;
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    swap_words(words, 2);
    y[0] = a[0] * a[2] - 3.0 * a[1];
}
AD_MAP(in_a_variable_of_integers)

static void chosen(const double *x, double *y) {
    double a[4], b[4], c[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i], b[i] = sin(x[i]);
    choose_words((long *)c, (long *)a, (long *)b, 1);
    y[0] = c[0] * c[1] + c[2] * c[3];
}
AD_MAP(chosen)

static void sorted(const double *x, double *y) {
    double a[4];
    for (int i = 0; i < 4; i++) a[i] = (x[i] - 0.6) * (x[i] - 0.6) + 0.1 * (4 - i);
    sort_words((uint64_t *)a, 4);
    y[0] = a[0] * a[1] + a[3];
}
AD_MAP(sorted)

static void floats(const double *x, double *y) {
    float a[4], b[4];
    for (int i = 0; i < 4; i++) a[i] = (float)(i + 1);
    copy_halves((uint32_t *)b, (const uint32_t *)a, 4);
    y[0] = (double)b[3] * x[0] * x[1] + x[2] * x[3];
}
AD_MAP(floats)

/* With integers beside them. */
struct element { double value; int number; };
APART static void exchange(void *a, void *b, size_t bytes) {
    uint64_t *p = a, *q = b;
    for (size_t i = 0; i < bytes / sizeof *p; i++) {
        uint64_t t = p[i];
        p[i] = q[i];
        q[i] = t;
    }
}
static void elements(const double *x, double *y) {
    struct element e[4];
    for (int i = 0; i < 4; i++) e[i].value = x[i] * x[i], e[i].number = i;
    exchange(&e[0], &e[3], sizeof *e);
    exchange(&e[1], &e[2], sizeof *e);
    y[0] = e[0].value * e[1].value + e[2].value * x[e[3].number] + e[3].value;
}
AD_MAP(elements)

APART static void permute(int64_t *to, const int64_t *from, const int64_t *order, int n) {
    for (int i = 0; i < n; i++) to[i] = from[order[i]];
}
static void permuted(const double *x, double *y) {
    double a[4], b[4];
    int64_t order[4] = {2, 0, 3, 1}, twice[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    permute((int64_t *)b, (int64_t *)a, order, 4);
    permute(twice, order, order, 4);
    y[0] = b[0] * b[1] + b[2] * x[twice[0]] + b[3];
}
AD_MAP(permuted)

/* Sorted by their digits, as radix sorts do; words that are looked at before they are moved. */
APART static void radix_sort(uint64_t *a, uint64_t *other, int n) {
    for (int shift = 0; shift < 64; shift += 8) {
        int count[257] = {0};
        for (int i = 0; i < n; i++) count[((a[i] >> shift) & 255) + 1]++;
        for (int i = 0; i < 256; i++) count[i + 1] += count[i];
        for (int i = 0; i < n; i++) {
            uint64_t key = a[i];
            other[count[(key >> shift) & 255]++] = key;
        }
        for (int i = 0; i < n; i++) a[i] = other[i];
    }
}
static void by_digits(const double *x, double *y) {
    double a[4];
    uint64_t other[4];
    for (int i = 0; i < 4; i++) a[i] = x[i] * x[i];
    radix_sort((uint64_t *)a, other, 4);
    y[0] = a[0] * a[1] + 2.0 * a[2] + 3.0 * a[3] * a[3];
}
AD_MAP(by_digits)

APART static int move_finite(uint64_t *to, const uint64_t *from, int n) {
    int count = 0;
    for (int i = 0; i < n; i++) {
        uint64_t word = from[i];
        if (((word >> 52) & 0x7ff) != 0x7ff) to[count++] = word;
    }
    return count;
}
static void finite_ones(const double *x, double *y) {
    double a[4], b[4] = {0.0};
    for (int i = 0; i < 4; i++) a[i] = i == 1 ? INFINITY : x[i] * x[i];
    int n = move_finite((uint64_t *)b, (uint64_t *)a, 4);
    y[0] = x[1];
    for (int i = 0; i < n; i++) y[0] += (i + 1) * b[i];
}
AD_MAP(finite_ones)

int main(void) {
    check_case cases[] = {
        CHECK_MAP(here, 4, 1), CHECK_MAP(called, 4, 1), CHECK_MAP(swapped, 4, 1), CHECK_MAP(rotated_on_the_heap, 4, 1),
        CHECK_MAP(in_a_variable_of_integers, 4, 1), CHECK_MAP(chosen, 4, 1), CHECK_MAP(sorted, 4, 1), CHECK_MAP(floats, 4, 1),
        CHECK_MAP(elements, 4, 1), CHECK_MAP(permuted, 4, 1), CHECK_MAP(by_digits, 4, 1), CHECK_MAP(finite_ones, 4, 1),
    };
    const double x[4] = {0.9, 0.7, 1.3, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
    return check_done();
}
