/* The Gaussian mixture objective of bench/objectives/gmm.c, called as the others of this folder. */
#include "../../objectives/gmm.c"

void gmm(int d, int k, int n, const double *restrict data, const double *restrict x, double *restrict y) {
    gmm_objective(d, k, n, x, x + k, x + k * (1 + d), data, 1.0, 0, y);
}
