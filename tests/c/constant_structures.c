/* Constant tables that hold addresses of constant tables, beside active memory of the same kind: rows, a tree, a circle, and
 * tables without a name (literals). */
#include "requests.h"

enum { N = 4 };
#define NOINLINE __attribute__((noinline))

static const double low[N] = {0.5, 1.0, 1.5, 2.0}, high[N] = {2.0, 3.0, 4.0, 5.0};
static const double *const rows[2] = {low, high};
static NOINLINE double pick(const double *const *from, int row, int i) { return from[row][i]; }
static double table_or_active(const double *x) {
    const double *mine[2] = {x, x + 1};
    double y = 1.0;
    for (int i = 0; i < N - 1; i++) y += y * pick(i % 2 ? mine : rows, i > 1, i) * x[i];
    return y;
}

struct node {
    double value;
    const struct node *left, *right;
};
static const struct node leaf = {1.5, 0, 0}, other = {2.5, 0, 0};
static const struct node inner = {0.5, &leaf, &other};
static const struct node circle[2] = {{1.0, &circle[1], 0}, {2.0, &circle[0], 0}};
static NOINLINE double total(const struct node *n) {
    return n ? n->value + total(n->left) * 0.5 + total(n->right) * 0.25 : 0.0;
}
static double tree(const double *x) {
    struct node mine = {x[0], &inner, &leaf}, top = {x[1], &mine, &inner};
    return total(&top) * x[2] + total(x[3] > 0.0 ? &mine : &inner);
}
static NOINLINE double round_and_round(const struct node *n, int steps) {
    double y = 0.0;
    for (int i = 0; i < steps; i++, n = n->left) y = y * 0.5 + n->value * n->value;
    return y;
}
static double circles(const double *x) {
    struct node first = {x[0], 0, 0}, second = {x[1], &first, 0};
    first.left = x[2] > 0.0 ? &circle[1] : &second;
    return round_and_round(&second, 7) * x[3];
}

AD_FUNCTIONAL(table_or_active)
AD_FUNCTIONAL(tree)
AD_FUNCTIONAL(circles)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(table_or_active, N), CHECK_FUNCTIONAL(tree, N), CHECK_FUNCTIONAL(circles, N)};
    for (int i = 0; i < 3; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
