/* The function of kmeans.h. */
#include "kmeans.h"

#include <math.h>

static double square_distance(int d, const double *restrict a, const double *restrict b) {
    double sum = 0.0;
    for (int j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

void kmeans(int n, int k, int d, const double *restrict points, const double *restrict centroids, double *restrict cost) {
    double total = 0.0;
    for (int i = 0; i < n; i++) {
        double nearest = INFINITY;
        for (int c = 0; c < k; c++) {
            double distance = square_distance(d, points + (long)i * d, centroids + (long)c * d);
            if (distance < nearest) nearest = distance;
        }
        total += nearest;
    }
    *cost = total;
}
