/* Bits of a real that code takes for an integer and calculates with, where integers lie at other times: the derivative would be lost, so the
 * program ends with AD221 and the place, in both modes. With an integer there, the same code is right.
 * ad-flags: -g
 * ad-i386: none, addresses of four bytes look like floats */
#include "ending.h"
#include "requests.h"

#include <math.h>
#include <stdint.h>

/* The number that the bits of a real are is its logarithm, roughly. */
typedef uint64_t __attribute__((may_alias)) word;
__attribute__((noinline)) static double logarithm(const word *p, int k) { return (double)(int64_t)p[k] * 0x1p-52 - 1023.0; }
static int first = 0;
static double words(const double *x) {
    double reals[3] = {x[0], x[1], x[2]};
    int64_t numbers[3] = {100, 200, 300};
    void *both[2] = {reals, numbers};
    double sum = x[0] * x[1];
    for (int k = 0; k < 3; k++) sum += logarithm(both[(k + first) % 2], k) * x[2];
    return sum;
}
AD_FUNCTIONAL(words)
static double numbers_only(const double *x) {
    double reals[3] = {x[0], x[1], x[2]};
    int64_t numbers[3] = {100, 200, 300};
    void *both[2] = {numbers, reals};
    double sum = ((double *)both[1])[0] * x[1];
    for (int k = 0; k < 3; k++) sum += logarithm(both[(2 * k + first) % 2], k) * x[2];
    return sum;
}
AD_FUNCTIONAL(numbers_only)

/* A number on one path, where passes leave nothing of the union but the bits of the real. */
static double one_path(const double *x) {
    union {
        double real;
        int64_t number;
    } u;
    u.real = x[0] * x[1];
    if (x[2] > 1)
        return log((double)u.number) * x[2];
    return u.real;
}
AD_FUNCTIONAL(one_path)

/* Upper halves of the words of a copy, in a function that knows of no reals. */
double logarithm_of_half(const uint32_t *halves);
__attribute__((noinline)) double logarithm_of_half(const uint32_t *halves) { return (double)halves[1] * 0x1p-20 - 1023.0; }
static double halved(const double *x) {
    double reals[3] = {x[0], x[1], x[2]}, sum = 0.0;
    uint32_t *halves = malloc(sizeof reals);
    memcpy(halves, reals, sizeof reals);
    for (int k = 0; k < 3; k++) sum += logarithm_of_half(halves + 2 * k) * x[k];
    free(halves);
    return sum;
}
AD_FUNCTIONAL(halved)

/* Words of a copy that such a function adds up, and returns the sum. */
uint64_t add_up(const uint64_t *words, int n);
__attribute__((noinline)) uint64_t add_up(const uint64_t *words, int n) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) sum += words[i] - ((uint64_t)1023 << 52);
    return sum;
}
static double added_up(const double *x) {
    double reals[3] = {x[0], x[1], x[2]};
    uint64_t *words = malloc(sizeof reals);
    memcpy(words, reals, sizeof reals);
    double sum = (double)add_up(words, 3) * 0x1p-52;
    free(words);
    return sum * x[0];
}
AD_FUNCTIONAL(added_up)

/* A member of a record that a copy has filled with a real, and of which another function makes a number. */
typedef struct {
    double real;
    uint64_t count;
} record;
__attribute__((noinline)) static double scaled(double real, uint64_t count) { return real * real + 0x1p-52 * (double)count; }
__attribute__((noinline)) static double of_records(const record *r, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++) sum += scaled(r[i].real, r[i].count);
    return sum;
}
static double filled(const double *x) {
    double reals[6];
    record records[3];
    for (int i = 0; i < 6; i++) reals[i] = x[i % 3] * x[0];
    memcpy(records, reals, sizeof records);
    return of_records(records, 3);
}
AD_FUNCTIONAL(filled)

int main(void) {
    const double x[3] = {1.5, 2.5, 3.5};
    check_case w = CHECK_FUNCTIONAL(words, 3), n = CHECK_FUNCTIONAL(numbers_only, 3);
    check_case_ends("words, tangent", &w, x, 0, "AD221", "integers_refused.c:13");
    check_case_ends("words, adjoint", &w, x, 1, "AD221", "integers_refused.c:13");
    check_at(&n, x);
    const double small[3] = {1.5, 2.5, 0.5};
    check_case p = CHECK_FUNCTIONAL(one_path, 3);
    check_case_ends("one path, tangent", &p, x, 0, "AD221", "integers_refused.c:42");
    check_case_ends("one path, adjoint", &p, x, 1, "AD221", "integers_refused.c:42");
    check_at(&p, small);
    check_case h = CHECK_FUNCTIONAL(halved, 3);
    check_case_ends("halved, tangent", &h, x, 0, "AD221", "integers_refused.c:49");
    check_case_ends("halved, adjoint", &h, x, 1, "AD221", "integers_refused.c:49");
    check_case a = CHECK_FUNCTIONAL(added_up, 3);
    check_case_ends("added up, tangent", &a, x, 0, "AD221", "integers_refused.c:");
    check_case_ends("added up, adjoint", &a, x, 1, "AD221", "integers_refused.c:");
    check_case f = CHECK_FUNCTIONAL(filled, 3);
    check_case_ends("filled, tangent", &f, x, 0, "AD221", "integers_refused.c:");
    check_case_ends("filled, adjoint", &f, x, 1, "AD221", "integers_refused.c:");
    return check_done();
}
