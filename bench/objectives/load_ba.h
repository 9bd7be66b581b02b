/* Instances of the bundle adjustment objective, read from a file. */
#ifndef LOAD_BA_H
#define LOAD_BA_H

typedef struct ba_instance {
    int n, m, p; /* cameras, points, observations */
    double *cameras, *points, *weights, *features;
    int *pairs;
} ba_instance;

/* Reads `n m p` and one camera, point, weight and feature, copied to all; observation i joins camera i mod n and point
 * i mod m. With jitter > 0 each copy is moved by at most that much, relatively, so that no two are equal. */
ba_instance ba_load(const char *file, double jitter);

void ba_free(ba_instance *instance);

#endif
