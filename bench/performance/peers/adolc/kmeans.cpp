// K-means, as codes/kmeans.c.
#include "peer.h"

struct kmeans {
    long n, k, d;
    const double *points;
    template <class T> void operator()(const T *centroids, T *cost) const {
        T total = 0.0;
        for (long i = 0; i < n; i++) {
            T nearest = INFINITY;
            for (long c = 0; c < k; c++) {
                T distance = 0.0;
                for (long j = 0; j < d; j++) {
                    T difference = points[i * d + j] - centroids[c * d + j];
                    distance += difference * difference;
                }
                if (distance < nearest) nearest = distance;
            }
            total += nearest;
        }
        *cost = total;
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    const long *s = it.sizes;
    return peer_run(kmeans{s[0], s[1], s[2], it.data.data()}, it, 3.0 * double(s[0] * s[1] * s[2]), arguments);
}
