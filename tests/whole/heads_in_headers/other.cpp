#include "law.h"

double other(const double *x, int n) { return law::energy(x, n) + law::area(x[0], x[1]); }
