/* A list of readings beside a tree whose nodes have their children in an array: a real that a call is given is none of
 * the tree's pointers. */
#include "requests.h"

typedef struct reading { double value; struct reading *next; } reading;
typedef struct box { double x, y, mass; int count; struct box *child[4]; } box;

static void push(reading **first, reading *one) { one->next = *first, *first = one; }
static __attribute__((noinline)) void reverse(double *x, int n) {
    reading *all = malloc(n * sizeof *all), *first = NULL;
    int k = 0;
    for (int i = 0; i < n; i++) all[i].value = sin(x[i]) * x[0], push(&first, &all[i]);
    for (reading *r = first; r; r = r->next) x[k++] = r->value;
    free(all);
}
static box *made(double x, double y) {
    box *b = calloc(1, sizeof *b);
    b->x = x, b->y = y;
    return b;
}
static void add(box *b, double x, double y, double mass, int depth) {
    b->mass += mass, b->count++;
    if (depth == 0) return;
    int k = (x > b->x) + 2 * (y > b->y);
    if (!b->child[k]) b->child[k] = made(b->x + (k & 1 ? 0.5 : -0.5) * depth, b->y + (k & 2 ? 0.5 : -0.5) * depth);
    add(b->child[k], x, y, mass, depth - 1);
}
static double energy(const box *b) {
    double sum = b->mass * b->mass / b->count;
    for (int k = 0; k < 4; k++) if (b->child[k]) sum += energy(b->child[k]);
    return sum;
}
static void drop(box *b) {
    for (int k = 0; k < 4; k++) if (b->child[k]) drop(b->child[k]);
    free(b);
}
static __attribute__((noinline)) double of_boxes(const double *x, int n) {
    box *root = made(0.01, 0.02);
    for (int i = 0; i + 1 < n; i++) add(root, x[i], x[i + 1], x[i] * x[i] / (1 + x[i] * x[i]), 2);
    double sum = energy(root);
    drop(root);
    return sum;
}
static void of_trees(const double *x, double *y) {
    double w[5];
    for (int i = 0; i < 5; i++) w[i] = x[i] * x[(i + 2) % 5];
    reverse(w, 5);
    y[1] = of_boxes(w, 5);
    y[0] = w[0];
}
AD_MAP(of_trees)

int main(void) {
    check_case cases[] = {CHECK_MAP(of_trees, 5, 2)};
    check_random_points(&cases[0], 3, 0.4, 1.6);
    return check_done();
}
