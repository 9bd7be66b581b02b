/* Functions out of line that are given no pointer and touch no memory, and return where a global variable lies: active
 * data are stored and read through what they return, by the caller and by those that it passes it on to. */
#include "requests.h"

enum { N = 3 };
#define NOINLINE __attribute__((noinline))

static double values[N];
static double factor;
static double hidden[N];

static NOINLINE double *element(int i) { return values + i; }
static NOINLINE double read_it(const double *v) { return sin(*v); }
static NOINLINE double read_and_add(const double *v) {
    factor += 1.0;
    return factor * *v * *v;
}
static double by_load(const double *x) {
    for (int i = 0; i < N; i++) values[i] = x[i] * x[i];
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += *element(i) * x[N - 1 - i];
    return sum;
}
static double passed_on(const double *x) {
    values[0] = values[1] = 0.5;
    values[2] = x[0] * x[1];
    factor = x[2];
    return read_it(element(2)) + read_and_add(element(2)) * read_it(element(x[0] > 0.7));
}
static double by_store(const double *x) {
    for (int i = 0; i < N; i++) *element(i) = x[i] * x[0];
    element(1)[0] *= x[2];
    return values[0] + values[1] * values[2];
}

/* The caller does not name the variable at all. */
static NOINLINE void fill(const double *x) {
    for (int i = 0; i < N; i++) hidden[i] = x[i] * x[i];
}
static NOINLINE double *hidden_element(int i) { return hidden + i; }
static double by_others(const double *x) {
    fill(x);
    return *hidden_element(0) * *hidden_element(2) + x[1] * read_it(hidden_element(1));
}

AD_FUNCTIONAL(by_load)
AD_FUNCTIONAL(passed_on)
AD_FUNCTIONAL(by_store)
AD_FUNCTIONAL(by_others)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_load, N), CHECK_FUNCTIONAL(passed_on, N), CHECK_FUNCTIONAL(by_store, N),
                          CHECK_FUNCTIONAL(by_others, N)};
    for (int i = 0; i < 4; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
