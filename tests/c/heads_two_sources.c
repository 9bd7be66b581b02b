/* A head whose function lies in another source than its caller, which passes no option; it calls a function with a body there.
 * ad-flags: -fno-discard-value-names
 * ad-also: parts/heads_remote.c
 * ad-option-in: parts/heads_remote.c -ad-adjoint=remote(y)/(x)
 * ad-option-in: parts/heads_remote.c -ad-tangent=remote(y)/(x) */
#include "check.h"

enum { N = 5 };

void remote(int n, const double *x, double *y);
void remote_b(int n, const double *x, double *xb, double *y, double *yb);
void remote_d(int n, const double *x, const double *xd, double *y, double *yd);

static void map(const double *x, double *y) { remote(N, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { remote_d(N, x, xd, y, yd); }
static void adjoint(const double *x, double *xb, double *y, double *yb) { remote_b(N, x, xb, y, yb); }

int main(void) {
    check_case c = {.name = "remote", .n = N, .m = N, .primal = map, .tangent = tangent, .adjoint = adjoint, .adjoint_needs_no_primal = 1};
    check_random_points(&c, 4, 0.2, 1.2);
    return check_done();
}
