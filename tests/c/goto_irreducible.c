/* Irreducible control flow: a goto into the middle of a loop, and two blocks that jump to each other with two entries. */
// ad-switches: control flow
#include "requests.h"

enum { N = 4 };

static int entry; /* set before each case; not active */

static double into_loop(const double *x) {
    double t = x[0];
    int i = 0;
    if (entry & 1) goto middle;
    while (i < 4) {
        t = t * x[i % N] + 0.3;
    middle:
        t = sin(t) + x[(i + 1) % N];
        i++;
    }
    return t;
}
static double ping_pong(const double *x) {
    double t = x[0];
    int left = 5;
    if (entry & 2) goto pong;
ping:
    t = t * x[1] + 0.1;
    if (--left == 0) goto done;
    if (left == 3) goto ping;
pong:
    t = t * t * 0.5 + x[2];
    if (--left > 0) goto ping;
done:
    return t * x[3];
}
static double by_data(const double *x) {
    double t = x[0], u = x[1];
    int left = 6;
    if (x[2] > 0.5) goto second;
first:
    t = t * u + 0.2;
    if (--left == 0) return t;
second:
    u = u * 0.7 + t * 0.1;
    if (--left == 0) return u * t;
    if (u > 0.6) goto first;
    goto second;
}
AD_FUNCTIONAL(into_loop)
AD_FUNCTIONAL(ping_pong)
AD_FUNCTIONAL(by_data)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(into_loop, N), CHECK_FUNCTIONAL(ping_pong, N), CHECK_FUNCTIONAL(by_data, N)};
    for (entry = 0; entry < 4; entry++)
        for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.3, 1.1);
    cases[2].step = 0.004;
    check_at(&cases[2], (double[]){0.9, 1.1, 0.9, 0.5});
    check_at(&cases[2], (double[]){0.9, 1.1, 0.1, 0.5});
    check_at(&cases[2], (double[]){0.3, 0.2, 0.9, 0.5});
    return check_done();
}
