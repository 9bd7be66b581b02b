/* Adjoints in several directions of functions whose arguments lie apart, touch, overlap, or are the same: views of one array at all distances.
 * Where all shadows lie apart, in every direction, the gradient may run a version that relies on it; the numbers must not tell. */
// ad-sanitizers: address
#include "requests.h"

enum { M = 24, N = 6, W = 2 };

static void squares(int n, double *x, double *y, double *z) {
    for (int i = 0; i < n; i++) y[i] = 0.5 * y[i] * z[i] + x[i] * x[i];
}
static void stencil(int n, double *x, double *y, double *z) {
    for (int i = 1; i < n - 1; i++) y[i] = x[i - 1] * x[i] * x[i + 1] + z[i];
}
static void behind(int n, double **x, double **y, double **z) {
    for (int i = 0; i < n; i++) (*y)[i] = (*x)[i] * (*x)[i] * (*z)[n - 1 - i];
}

#define ALONE(f) __ad_adjoint_void((void *)f, n, t1 + x, b1 + x, t1 + y, b1 + yb, t1 + z, b1 + z)
#define TOGETHER(f) \
    __ad_adjoint_void((void *)f, ad_width, W, n, t + x, b[0] + x, b[1] + x, t + y, b[0] + y, b[1] + y + moved, t + z, b[0] + z, b[1] + z)

/* `moved`: in the last direction, the shadow of y begins so much further. */
static void run(int which, int n, int x, int y, int z, int moved) {
    double start[M], t[M], b[W][M], seeds[W][M];
    check_seed(5), check_fill(start, M, 0.5, 1.5), check_fill(seeds[0], W * M, -1.0, 1.0);
    memcpy(t, start, sizeof t), memcpy(b, seeds, sizeof b);
    double *tp[3] = {t + x, t + y, t + z}, *bp[W][3] = {{b[0] + x, b[0] + y, b[0] + z}, {b[1] + x, b[1] + y + moved, b[1] + z}};
    if (which == 0) TOGETHER(squares);
    if (which == 1) TOGETHER(stencil);
    if (which == 2)
        __ad_adjoint_void((void *)behind, ad_width, W, n, &tp[0], &bp[0][0], &bp[1][0], &tp[1], &bp[0][1], &bp[1][1], &tp[2], &bp[0][2], &bp[1][2]);
    for (int k = 0; k < W; k++) {
        double t1[M], b1[M];
        int yb = k == W - 1 ? y + moved : y;
        memcpy(t1, start, sizeof t1), memcpy(b1, seeds[k], sizeof b1);
        double *p[3] = {t1 + x, t1 + y, t1 + z}, *q[3] = {b1 + x, b1 + yb, b1 + z};
        if (which == 0) ALONE(squares);
        if (which == 1) ALONE(stencil);
        if (which == 2) __ad_adjoint_void((void *)behind, n, &p[0], &q[0], &p[1], &q[1], &p[2], &q[2]);
        char name[80];
        snprintf(name, sizeof name, "function %d, views at %d %d %d, %d", which, x, y, z, moved);
        for (int i = 0; i < M; i++) check_within(name, b[k][i], b1[i], 1e-13), check_same_primal(name, t[i], t1[i]);
    }
}

int main(void) {
    for (int which = 0; which < 3; which++)
        for (int y = 0; y < 9; y++)
            for (int z = 0; z < 18; z++) run(which, N, 2, y, z, 0);
    /* Arguments apart, and their shadows in the first direction. */
    for (int which = 0; which < 3; which++)
        for (int moved = -8; moved < 9; moved++) run(which, N, 0, 9, 18, moved);
    return check_done();
}
