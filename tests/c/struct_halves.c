/* Small structs in registers of which a called function looks at the real half only, or which go on to a variable as they
 * are: the integer beside the real is neither unknown bits nor active. */
#include "requests.h"

#define KEPT __attribute__((noinline)) static

struct narrow { int at; float value; };
struct wide { int at; double value; };

KEPT double look(struct narrow s) { return tanh((double)s.value); }
KEPT double weigh(struct narrow s, const double *x) { return (double)s.value * x[s.at]; }

/* The index of one struct is read as such; of another only the real half is looked at. */
static double narrows(const double *x) {
    struct narrow s[3];
    double y = 0.0;
    for (int i = 0; i < 3; i++) {
        s[i].at = 2 - i;
        s[i].value = 0.25f * (float)(i + 1);
    }
    for (int i = 0; i < 3; i++) y += look(s[2 - i]) * x[s[i].at] + weigh(s[i], x);
    return y * y;
}
AD_FUNCTIONAL(narrows)

static struct wide kept = {1, -0.9};
static struct wide first;
KEPT struct wide recall(double x) {
    struct wide s = kept;
    s.value *= x;
    return s;
}
KEPT struct wide update(struct wide s, double x) {
    first = recall(x);
    kept.value = s.value + x;
    return s;
}
static double wides(const double *x) {
    struct wide s = {1, x[0] * x[1]};
    kept.at = 1;
    kept.value = x[1];
    for (int i = 0; i < 3; i++) {
        s = update(s, x[i]);
        s.value *= first.value + x[first.at];
    }
    return s.value;
}
AD_FUNCTIONAL(wides)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(narrows, 3), CHECK_FUNCTIONAL(wides, 3)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 0.95);
    return check_done();
}
