/* A call through a pointer with more possible targets than are tried.
 * ad-flags: -g
 * ad-error: AD022 23:12 may reach 257 functions; the limit is 256 */
#include "ad.h"

typedef double function(double);
#define ONE(n) static double f##n(double x) { return n * x; }
#define EIGHT(M, n) M(n##0) M(n##1) M(n##2) M(n##3) M(n##4) M(n##5) M(n##6) M(n##7)
#define SIXTY_FOUR(M, n) \
    EIGHT(M, n##0) EIGHT(M, n##1) EIGHT(M, n##2) EIGHT(M, n##3) EIGHT(M, n##4) EIGHT(M, n##5) EIGHT(M, n##6) EIGHT(M, n##7)
#define ALL(M) SIXTY_FOUR(M, 1) SIXTY_FOUR(M, 2) SIXTY_FOUR(M, 3) SIXTY_FOUR(M, 4) M(900)
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
