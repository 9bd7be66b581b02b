/* Only the nearest centroid of a point moves its term: one difference more per point. */
#include "kmeans.h"

#include <math.h>

static double square_distance(int d, const double *restrict a, const double *restrict b) {
    double sum = 0.0;
    for (int j = 0; j < d; j++) sum += (a[j] - b[j]) * (a[j] - b[j]);
    return sum;
}

void kmeans_by_hand(int n, int k, int d, const double *restrict points, const double *restrict centroids,
                    double *restrict centroidsb, double *restrict cost, const double *restrict costb) {
    double total = 0.0, scale = 2.0 * *costb;
    for (int i = 0; i < n; i++) {
        const double *point = points + (long)i * d;
        double nearest = INFINITY;
        int at = 0;
        for (int c = 0; c < k; c++) {
            double distance = square_distance(d, point, centroids + (long)c * d);
            if (distance < nearest) nearest = distance, at = c;
        }
        const double *centroid = centroids + (long)at * d;
        double *bar = centroidsb + (long)at * d;
        for (int j = 0; j < d; j++) bar[j] += scale * (centroid[j] - point[j]);
        total += nearest;
    }
    *cost = total;
}
