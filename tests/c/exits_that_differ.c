/* Loops in which nothing has an adjoint, left in several ways that bring different values: the reverse sweep passes by the loop, and has to
 * know the way. */
#include "requests.h"

enum { N = 3 };

static double overwritten(const double *x) {
    double level[5] = {0.5}, y = x[0];
    for (int i = 0; i < 2; i++) {
        int k = 0;
        while (k < 2 && level[i] < 1.2638) {
            k++;
            y = 0.5;
        }
    }
    return y * x[1];
}

static double found(const double *x, const int *key, int n, int wanted) {
    double y = x[0] * x[1];
    for (int round = 0; round < 3; round++) {
        int i = 0;
        for (; i < n; i++)
            if (key[i] == wanted + round) goto hit;
        y *= x[2];
        continue;
    hit:
        if (i & 1) y += x[1];
    }
    return y;
}
static double first_of(const double *x) {
    const int keys[4] = {7, 3, 9, 4};
    double sum = 0.0;
    for (int wanted = 2; wanted < 10; wanted++) sum += found(x, keys, 4, wanted) * wanted;
    return sum;
}

/* Which of three ends the search has decides what is taken. */
static double chosen(const double *x) {
    const int steps[6] = {1, 2, 0, 3, 1, 0};
    double y = 1.0;
    for (int start = 0; start < 6; start++) {
        int at = start, left = 4;
        double factor;
        for (;;) {
            if (!steps[at]) { factor = x[0]; break; }
            if (!left--) { factor = x[1]; break; }
            at += steps[at];
            if (at >= 6) { factor = x[2] * y; break; }
        }
        y += factor;
    }
    return y;
}

AD_FUNCTIONAL(overwritten)
AD_FUNCTIONAL(first_of)
AD_FUNCTIONAL(chosen)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(overwritten, N), CHECK_FUNCTIONAL(first_of, N), CHECK_FUNCTIONAL(chosen, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 4, 0.3, 1.3);
    return check_done();
}
