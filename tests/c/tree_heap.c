/* A binary tree on the heap: built by a recursive function that returns nodes, turned, evaluated and freed out of line. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 6 };
#define APART __attribute__((noinline)) static

typedef struct tree {
    struct tree *left, *right;
    double value;
    int size;
} tree;

APART tree *build(const double *x, int from, int to) {
    if (from >= to) return NULL;
    tree *t = malloc(sizeof *t);
    int middle = (from + to) / 2;
    t->value = x[middle] * x[middle];
    t->left = build(x, from, middle);
    t->right = build(x, middle + 1, to);
    t->size = to - from;
    return t;
}
APART double weigh(const tree *t, double factor) {
    if (!t) return 1.0;
    return t->value * factor + weigh(t->left, factor * 0.5) * weigh(t->right, factor * t->value) / t->size;
}
APART void turn(tree *t) {
    if (!t) return;
    tree *left = t->left;
    t->left = t->right;
    t->right = left;
    t->value += left ? left->value * t->value : 0.0;
    turn(t->left);
    turn(t->right);
}
APART void release(tree *t) {
    if (!t) return;
    release(t->left);
    release(t->right);
    free(t);
}
static double tree_value(const double *x) {
    tree *t = build(x, 0, N);
    double before = weigh(t, x[0]);
    turn(t);
    double after = weigh(t, x[1]);
    release(t);
    return before * after;
}
AD_FUNCTIONAL(tree_value)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(tree_value, N);
    check_random_points(&c, 4, 0.3, 0.9);
    return check_done();
}
