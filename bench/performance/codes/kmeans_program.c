/* K-means with respect to the centroids. Instance: points, centroids, dimensions. */
#include "bench.h"

#include "kmeans.h"

void kmeans_b(int n, int k, int d, const double *points, const double *centroids, double *centroidsb, double *cost, double *costb);
void kmeans_d(int n, int k, int d, const double *points, const double *centroids, const double *centroidsd, double *cost,
              double *costd);

static int n, k, d;
static double *points;

static void primal(const double *x, double *y) { kmeans(n, k, d, points, x, y); }
static void tangent(const double *x, const double *xd, double *y, double *yd) { kmeans_d(n, k, d, points, x, xd, y, yd); }
static void gradient(const double *x, double *xb, double *y, double *yb) { kmeans_b(n, k, d, points, x, xb, y, yb); }
static void by_hand(const double *x, double *xb, double *y, double *yb) { kmeans_by_hand(n, k, d, points, x, xb, y, yb); }

int main(int count, char **arguments) {
    n = (int)bench_size(count, arguments, 0), k = (int)bench_size(count, arguments, 1), d = (int)bench_size(count, arguments, 2);
    points = bench_numbers((long)n * d, -1.0, 1.0);
    bench b = {.sizes = {n, k, d}, .data = points, .data_count = (long)n * d, .inputs = (long)k * d, .outputs = 1};
    b.x = bench_numbers(b.inputs, -1.0, 1.0);
    b.primal = primal, b.tangent = tangent, b.gradient = gradient, b.by_hand = by_hand;
    return bench_run(&b, count, arguments);
}
