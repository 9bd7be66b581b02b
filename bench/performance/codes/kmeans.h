/* The cost of k-means: the sum over points of the square distance to the nearest centroid. */
#ifndef KMEANS_H
#define KMEANS_H

/* points[n][d], centroids[k][d]. */
void kmeans(int n, int k, int d, const double *restrict points, const double *restrict centroids, double *restrict cost);

/* centroidsb += costb times the gradient with respect to the centroids. */
void kmeans_by_hand(int n, int k, int d, const double *restrict points, const double *restrict centroids,
                    double *restrict centroidsb, double *restrict cost, const double *restrict costb);

#endif
