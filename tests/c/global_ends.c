/* Pointers right behind the end of a variable, held in other variables: bounds of loops, and tops of stacks that grow downwards. Other
 * variables lie behind, with shadows and without. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 4 };
#define APART __attribute__((noinline)) static

/* The bound is only compared. Anyone may set it. */
static double row[N];
double *first = row, *last = row + N;
APART double sum_row(void) {
    double s = 0.0;
    for (double *p = first; p != last; p++) s += *p * *p;
    return s;
}
static double bounded(const double *x) {
    for (int i = 0; i < N; i++) row[i] = x[i] * x[(i + 1) % N];
    double s = sum_row();
    for (int i = 0; i < N; i++) row[i] = 0.0;
    return s;
}

/* A stack that grows downwards: at the start of a request its top is the end. */
static double stack[N], behind_stack[N];
static double *top = stack + N;
APART void push(double v) { *--top = v; }
APART double pop(void) { return *top++; }
static double on_stack(const double *x) {
    behind_stack[0] = x[1] * x[2];
    for (int i = 0; i < N; i++) push(x[i] * x[0]);
    double s = stack[0] * stack[N - 1] + behind_stack[0] * x[3];
    for (int i = 0; i < N; i++) s = s * 0.5 + pop();
    for (int i = 0; i < N; i++) stack[i] = behind_stack[i] = 0.0;
    return s;
}

AD_FUNCTIONAL(bounded)
AD_FUNCTIONAL(on_stack)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(bounded, N), CHECK_FUNCTIONAL(on_stack, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.4, 1.2);
    return check_done();
}
