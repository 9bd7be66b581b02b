/* A call through a pointer with more possible targets than are tried.
 * ad-flags: -g
 * ad-error: AD022 21:12 may reach 65 functions; the limit is 64 */
#include "ad.h"

typedef double function(double);
#define ONE(n) static double f##n(double x) { return n * x; }
#define EIGHT(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7)
#define ALL(M) EIGHT(M, 1) EIGHT(M, 2) EIGHT(M, 3) EIGHT(M, 4) EIGHT(M, 5) EIGHT(M, 6) EIGHT(M, 7) EIGHT(M, 8) M(90)
ALL(ONE)
#define ADDRESS(n) f##n,
function *choice[] = {ALL(ADDRESS)};

static double twice(int i, double x) {
    function *g = choice[i];
    return 2.0 * g(x);
}

double derivative(int i, double x) {
    /* The table is no constant: any function of the type may be in it. */
    return __ad_adjoint((void *)twice, i, x);
}
