/* Bundle adjustment: rows of the sparse Jacobian against central differences, all rows against one tangent of the whole
 * objective, and the dot-product identity of the whole; on real inputs, through calls. The file has one camera, point,
 * weight and feature for all; they are moved by up to 1 % so that every observation differs.
 * ad-case: n49 : ba/ba1_n49_m7776_p31843.txt
 * ad-case: n21 O2 O3 : ba/ba2_n21_m11315_p36455.txt
 * ad-case: n257 O2 O3 : ba/ba5_n257_m65132_p225911.txt */
#include "requests.h"

#include "../../bench/objectives/ba.c"
#include "../../bench/objectives/load_ba.h"
#include "../../bench/objectives/load_ba.c"

enum { ROW = BA_CAMERA + 3 + 1 }; /* camera, point, weight */

static const double *feature; /* of the observation at hand */

static void observe(const double *x, double *y) { ba_residual(x, x + BA_CAMERA, x + BA_CAMERA + 3, feature, y); }
static void observe_tangent(const double *x, const double *xd, double *y, double *yd) {
    __ad_tangent_void((void *)ba_residual, x, xd, x + BA_CAMERA, xd + BA_CAMERA, x + BA_CAMERA + 3, xd + BA_CAMERA + 3, ad_const,
                      feature, y, yd);
}
static void observe_adjoint(const double *x, double *xb, double *y, double *yb) {
    __ad_adjoint_void((void *)ba_residual, x, xb, x + BA_CAMERA, xb + BA_CAMERA, x + BA_CAMERA + 3, xb + BA_CAMERA + 3, ad_const,
                      feature, y, yb);
}

/* Central differences of one observation in one entry, with a step that fits the entry's size. */
static void differences(const double *x, int entry, double *columns) {
    double unit[ROW] = {0};
    unit[entry] = 1.0;
    check_directional(observe, ROW, 2, x, unit, 0.02 * fmax(fabs(x[entry]), 0.5), columns);
}

static void gather(const ba_instance *it, int i, double *x) {
    memcpy(x, it->cameras + (size_t)it->pairs[2 * i] * BA_CAMERA, BA_CAMERA * sizeof *x);
    memcpy(x + BA_CAMERA, it->points + (size_t)it->pairs[2 * i + 1] * 3, 3 * sizeof *x);
    x[BA_CAMERA + 3] = it->weights[i];
    feature = it->features + 2 * (size_t)i;
}

static void check_rows(const ba_instance *it) {
    for (int s = 0; s < 12; s++) {
        double x[ROW], y[2], yd[2], want[2], rows[2][ROW] = {{0}}, xd[ROW] = {0};
        gather(it, (int)((long)s * (it->p - 1) / 11), x);
        for (int r = 0; r < 2; r++) {
            double yb[2] = {r == 0, r == 1};
            observe_adjoint(x, rows[r], y, yb);
        }
        for (int entry = 0; entry < ROW; entry++) {
            differences(x, entry, want);
            for (int r = 0; r < 2; r++) /* a residual is a difference of numbers near 300: hence the absolute part */
                check_within("row against differences", rows[r][entry], want[r], 1e-6 * fabs(want[r]) + 1e-8);
        }
        double largest[2] = {0.0, 0.0}; /* an entry is the sum of products as large as the row's largest */
        for (int entry = 0; entry < ROW; entry++)
            for (int r = 0; r < 2; r++) largest[r] = fmax(largest[r], fabs(rows[r][entry]));
        for (int entry = 0; entry < ROW; entry++) {
            memset(xd, 0, sizeof xd);
            xd[entry] = 1.0;
            observe_tangent(x, xd, y, yd);
            for (int r = 0; r < 2; r++) check_within("row against tangent", rows[r][entry], yd[r], 1e-13 * largest[r]);
        }
    }
}

/* The whole objective: <yd, yb> = <xd, xb>, and each residual's tangent against its row times the direction. */
static void check_whole(const ba_instance *it) {
    int n = it->n * BA_CAMERA, m = it->m * 3, p = it->p, inputs = n + m + p;
    double *xd = check_alloc(inputs), *xb = check_alloc(inputs), *y = check_alloc(3 * p), *yd = check_alloc(3 * p);
    double *yb = check_alloc(3 * p), *seed = check_alloc(3 * p);
    check_fill(xd, inputs, -1.0, 1.0), check_fill(yb, 3 * p, -1.0, 1.0);
    memcpy(seed, yb, 3 * (size_t)p * sizeof *seed);
    __ad_tangent_void((void *)ba_objective, it->n, it->m, p, it->cameras, xd, it->points, xd + n, it->weights, xd + n + m, ad_const,
                      it->pairs, ad_const, it->features, y, yd, y + 2 * p, yd + 2 * p);
    __ad_adjoint_void((void *)ba_objective, it->n, it->m, p, it->cameras, xb, it->points, xb + n, it->weights, xb + n + m, ad_const,
                      it->pairs, ad_const, it->features, y, seed, y + 2 * p, seed + 2 * p);
    check_dot("whole objective", inputs, xd, xb, 3 * p, yd, yb, 1e-12);
    for (int i = 0; i < 3 * p; i++)
        if (seed[i] != 0.0) check_true("seeds are consumed", 0);

    double worst = 0.0;
    for (int i = 0; i < p; i++) {
        double x[ROW], out[2], direction[ROW], weight_row = 0.0, one = 1.0;
        gather(it, i, x);
        memcpy(direction, xd + (size_t)it->pairs[2 * i] * BA_CAMERA, BA_CAMERA * sizeof *xd);
        memcpy(direction + BA_CAMERA, xd + n + (size_t)it->pairs[2 * i + 1] * 3, 3 * sizeof *xd);
        direction[BA_CAMERA + 3] = xd[n + m + i];
        for (int r = 0; r < 2; r++) {
            double row[ROW] = {0}, unit[2] = {r == 0, r == 1}, sum = 0.0, size = 0.0;
            observe_adjoint(x, row, out, unit);
            for (int k = 0; k < ROW; k++) sum += row[k] * direction[k], size += fabs(row[k] * direction[k]);
            double error = fabs(sum - yd[2 * i + r]) / size;
            worst = isnan(worst) || error <= worst ? worst : error;
        }
        __ad_adjoint_void((void *)ba_weight_residual, it->weights + i, &weight_row, out, &one);
        if (weight_row != -2.0 * it->weights[i]) check_true("row of a weight", 0);
    }
    check_within("all rows against the tangent", worst, 0.0, 1e-11);
    free(xd), free(xb), free(y), free(yd), free(yb), free(seed);
}

int main(int count, char **arguments) {
    if (count != 2) return 2;
    ba_instance it = ba_load(arguments[1], 0.01);
    check_rows(&it);
    check_whole(&it);

    double still[3] = {0.0, 0.0, 0.0}, v[3] = {1.0, 2.0, 3.0}, out[3] = {0}, outb[3] = {1.0, 0.0, 0.0}, rb[3] = {0}, vb[3] = {0};
    __ad_adjoint_void((void *)rotate, still, rb, v, vb, out, outb); /* a rotation by nothing still has a derivative */
    const double want_r[3] = {0.0, 3.0, -2.0}, want_v[3] = {1.0, 0.0, 0.0};
    for (int i = 0; i < 3; i++) {
        check_true("rotation about zero", rb[i] == want_r[i]);
        check_true("rotated by zero", vb[i] == want_v[i]);
    }
    ba_free(&it);
    return check_done();
}
