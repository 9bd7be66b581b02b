/* The function of lse.h. */
#include "lse.h"

#include <math.h>

void lse(long n, const double *restrict x, double *restrict y) {
    double largest = x[0], sum = 0.0;
    for (long i = 1; i < n; i++) largest = x[i] > largest ? x[i] : largest;
    for (long i = 0; i < n; i++) sum += exp(x[i] - largest);
    *y = largest + log(sum);
}
