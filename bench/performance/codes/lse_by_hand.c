/* The softmax, from exponentials that are computed once. */
#include "lse.h"

#include "kept.h"

#include <math.h>

void lse_by_hand(long n, const double *restrict x, double *restrict xb, double *restrict y, const double *restrict yb) {
    double *e = kept_memory((size_t)n), largest = x[0], sum = 0.0;
    for (long i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (long i = 0; i < n; i++) sum += e[i] = exp(x[i] - largest);
    double scale = *yb / sum;
    for (long i = 0; i < n; i++) xb[i] += scale * e[i];
    *y = largest + log(sum);
}
