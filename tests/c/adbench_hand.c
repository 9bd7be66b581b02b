/* Hand tracking, simple form: the dense Jacobian with respect to theta by tangents (columns) and by adjoints (rows), both
 * against central differences; on real inputs, through calls.
 * ad-data: hand/model/bones.txt hand/model/vertices.txt
 * ad-case: c100 : hand/hand1_t26_c100.txt
 * ad-case: c200 : hand/hand3_t26_c200.txt */
#include "requests.h"

#include "../../bench/objectives/hand.c"
#include "../../bench/objectives/load_hand.h"
#include "../../bench/objectives/load_hand.c"

static hand_instance h;

static void primal(const double *theta, double *y) {
    hand_objective(h.bones, h.parents, h.relative, h.inverse_base, h.positions, h.starts, h.weight_bones, h.weights, h.is_mirrored,
                   h.points, h.vertex_of, h.data, theta, y);
}
static void tangent(const double *theta, const double *thetad, double *y, double *yd) {
    __ad_tangent_void((void *)hand_objective, h.bones, ad_const, h.parents, ad_const, h.relative, ad_const, h.inverse_base, ad_const,
                      h.positions, ad_const, h.starts, ad_const, h.weight_bones, ad_const, h.weights, h.is_mirrored, h.points,
                      ad_const, h.vertex_of, ad_const, h.data, theta, thetad, y, yd);
}
static void adjoint(const double *theta, double *thetab, double *y, double *yb) {
    __ad_adjoint_void((void *)hand_objective, h.bones, ad_const, h.parents, ad_const, h.relative, ad_const, h.inverse_base, ad_const,
                      h.positions, ad_const, h.starts, ad_const, h.weight_bones, ad_const, h.weights, h.is_mirrored, h.points,
                      ad_const, h.vertex_of, ad_const, h.data, theta, thetab, y, yb);
}

/* Each row by an adjoint with a unit seed, each column by a tangent along a unit vector: the same matrix. */
static void check_rows_and_columns(int m) {
    double *columns = check_alloc(HAND_THETA * m), *y = check_alloc(m), *yb = check_alloc(m), unit[HAND_THETA];
    for (int i = 0; i < HAND_THETA; i++) {
        for (int k = 0; k < HAND_THETA; k++) unit[k] = k == i;
        tangent(h.theta, unit, y, columns + (size_t)i * m);
    }
    double worst = 0.0;
    for (int j = 0; j < m; j++) {
        double row[HAND_THETA] = {0};
        for (int k = 0; k < m; k++) yb[k] = k == j;
        adjoint(h.theta, row, y, yb);
        for (int i = 0; i < HAND_THETA; i++) {
            double want = columns[(size_t)i * m + j];
            /* Entries are lengths of at most a hand's size, 0.3; those of fingers that do not move the point are zero. */
            double error = want == 0.0 && row[i] == 0.0 ? 0.0 : fabs(row[i] - want) / fmax(fabs(want), 1e-3);
            worst = isnan(worst) || error <= worst ? worst : error;
        }
    }
    check_within("rows against columns", worst, 0.0, 1e-11);
    free(columns), free(y), free(yb);
}

int main(int count, char **arguments) {
    if (count != 4) return 2;
    h = hand_load(arguments[1], arguments[2], arguments[3]);
    check_case c = {.name = "hand", .n = HAND_THETA, .m = 3 * h.points, .primal = primal, .tangent = tangent, .adjoint = adjoint};
    check_at(&c, h.theta);
#ifndef CHECK_SELF
    check_rows_and_columns(c.m);
#endif
    h.is_mirrored = 1; /* no file says so, yet the branch is there */
    check_at(&c, h.theta);
    hand_free(&h);
    return check_done();
}
