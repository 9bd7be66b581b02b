/* The shallow-water equations on a square that repeats, over a bed: explicit steps of velocities, then of the height. */
#include <stdlib.h>

#define GRAVITY 9.81
#define STEP 0.002

static void flow(int n, const double *restrict bed, const double *restrict h, const double *restrict u, const double *restrict v,
                 double *restrict un, double *restrict vn) {
    for (int j = 0; j < n; j++) {
        int up = (j + 1) % n, down = (j + n - 1) % n;
        for (int i = 0; i < n; i++) {
            int right = i + 1 < n ? i + 1 : 0, left = i > 0 ? i - 1 : n - 1;
            double level = h[i + j * n] + bed[i + j * n];
            un[i + j * n] = u[i + j * n] - STEP * (u[i + j * n] * 0.5 * (u[right + j * n] - u[left + j * n])
                                                   + v[i + j * n] * 0.5 * (u[i + up * n] - u[i + down * n])
                                                   + GRAVITY * (h[right + j * n] + bed[right + j * n] - level));
            vn[i + j * n] = v[i + j * n] - STEP * (u[i + j * n] * 0.5 * (v[right + j * n] - v[left + j * n])
                                                   + v[i + j * n] * 0.5 * (v[i + up * n] - v[i + down * n])
                                                   + GRAVITY * (h[i + up * n] + bed[i + up * n] - level));
        }
    }
}

static void rise(int n, const double *restrict u, const double *restrict v, const double *restrict h, double *restrict hn) {
    for (int j = 0; j < n; j++) {
        int down = (j + n - 1) % n;
        for (int i = 0; i < n; i++) {
            int left = i > 0 ? i - 1 : n - 1;
            hn[i + j * n] = h[i + j * n] - STEP * (u[i + j * n] * h[i + j * n] - u[left + j * n] * h[left + j * n]
                                                   + v[i + j * n] * h[i + j * n] - v[i + down * n] * h[i + down * n]);
        }
    }
}

void water(int n, int steps, int unused, const double *restrict bed, const double *restrict x, double *restrict y) {
    (void)unused;
    int cells = n * n;
    double *next = malloc(3 * (size_t)cells * sizeof *next);
    for (int i = 0; i < 3 * cells; i++) y[i] = x[i];
    for (int s = 0; s < steps; s++) {
        flow(n, bed, y, y + cells, y + 2 * cells, next + cells, next + 2 * cells);
        rise(n, next + cells, next + 2 * cells, y, next);
        for (int i = 0; i < 3 * cells; i++) y[i] = next[i];
    }
    free(next);
}
