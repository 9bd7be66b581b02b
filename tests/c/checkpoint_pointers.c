/* Checkpointed steps that load pointers which code behind the loop changes: while steps are undone, they lead where they led, and so do their
 * shadows. */
#include "requests.h"

enum { N = 4 };

static double fixed[5] = {-0.2, 0.9, -0.8, 0.3, -0.1};

/* An array of pointers, at an index that steps compute. */
static double by_index(const double *x) {
    double own[3] = {0.5, 0.2, 0.1}, other[3] = {0.4, 0.3, 0.2};
    double *rows[2];
    rows[0] = own;
    rows[1] = fixed;
    for (int round = 0; round < 3; round++) {
        for (int k = 0; k < 2; k++) {
            ad_checkpoint_loop(1);
            own[k] = x[0] * rows[k][0] + x[1] * own[2 - k];
        }
        rows[0] = round == 0 ? other : own;
    }
    rows[0] = fixed;
    return own[0] * x[2] + own[1] * rows[0][1];
}

/* A member of a structure, beside reals. */
struct body {
    double mass;
    double *at;
    double speed;
};
static double by_member(const double *x) {
    double here[2] = {x[0], x[1]}, there[2] = {x[2], 0.5};
    struct body b = {x[3], here, 0.3};
    for (int round = 0; round < 2; round++) {
        for (int t = 0; t < 4; t++) {
            ad_checkpoint_loop(2);
            b.speed += 0.1 * b.at[0] * b.mass;
            b.at[1] = 0.9 * b.at[1] + b.speed * b.at[0];
        }
        b.at = there;
        b.mass *= 1.1;
    }
    b.at = fixed;
    return here[1] * there[1] + b.speed + b.at[0];
}

AD_FUNCTIONAL(by_index)
AD_FUNCTIONAL(by_member)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_index, N), CHECK_FUNCTIONAL(by_member, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 1.1);
    return check_done();
}
