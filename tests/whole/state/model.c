#include <math.h>
#include "state.h"

static double offset = 1.0;
static int counter;
static const double *seen;
double common_value;             /* -fcommon or not */
static _Thread_local double local = 0.125;

static double squared(double x) { return x * x + offset; }
static double cubed(double x) { return x * x * x * local; }
static function *chosen = squared;
/* The weak one is replaced by that of another file. */
__attribute__((weak)) double replaced(double x) { return x; }
double replaced(double x);

void set_offset(double value) { offset = value; }
void set_common(double value) { common_value = value; }
void set_local(double value) { local = value; }
void choose(int which) { chosen = which == 1 ? cubed : which == 2 ? weight : squared; }
int count(void) { return counter; }
const double *own_offset(void) { return &offset; }
const double *last_offset(void) { return seen; }

void model(const double *x, double *y) {
    static double calls;         /* a static variable of a function */
    counter++;
    calls += 1.0;
    seen = &offset;
    double sum = 0.0;
    for (int k = 0; k < 3; k++) sum += inner(x[k], k) * weight(x[(k + 1) % 3]);
    y[0] = sum + chosen(x[0]) + common_value * x[1];
    y[1] = replaced(x[2]) * local + (calls > 0.0 ? sin(x[0]) : x[0]);
}
