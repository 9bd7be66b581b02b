/* Variables that each step begins anew, with addresses in them that are computed before the loop. */
#include "requests.h"

enum { N = 3 };

__attribute__((noinline)) static void grow(double *at, double by) { *at = *at * 0.5 + sin(by); }

struct pair {
    double first, second;
};
static double members(const double *x) {
    double y = 0.7; /* nothing stands between the variable and its addresses */
    int k = 0;
    do {
        k++;
        ad_checkpoint_loop(2);
        struct pair v = {0};
        double *p = &v.second;
        for (int i = 0; i < 2; i++) {
            grow(p, y + x[i]);
            grow(&v.first, *p * x[2]);
        }
        y += v.first * v.second;
    } while (k < 5);
    return y;
}
static double elements(const double *x) {
    double y = 0.6;
    for (int k = 0; k < 6; k++) {
        ad_checkpoint_loop(1);
        double a[4] = {0}, b[4] = {0};
        for (int i = 0; i < 3; i++) grow(&a[i + 1], y * x[i]), grow(&b[3 - i], a[i + 1]);
        y = 0.5 * y + a[k % 4] * b[2];
    }
    return y;
}
AD_FUNCTIONAL(members)
AD_FUNCTIONAL(elements)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(members, N), CHECK_FUNCTIONAL(elements, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
