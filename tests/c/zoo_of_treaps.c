/* A treap whose nodes keep a colour in the lowest bit of the address of their parent, beside reals. */
#include "requests.h"
#include <stdint.h>

typedef struct node { uintptr_t parent; struct node *child[2]; double key, weight; unsigned priority; } node;

static node *parent_of(const node *n) { return (node *)(n->parent & ~(uintptr_t)1); }
static void set_parent(node *n, node *parent) { n->parent = (uintptr_t)parent | (n->parent & 1); }
static unsigned next(unsigned *state) { return (*state = *state * 1664525u + 1013904223u) >> 8; }
static node *insert(node *n, node *parent, double key, double weight, unsigned *state) {
    if (!n) {
        n = calloc(1, sizeof *n);
        n->key = key, n->weight = weight, n->priority = next(state);
        n->parent = (uintptr_t)parent | (n->priority & 1);
        return n;
    }
    int side = key > n->key;
    node *child = n->child[side] = insert(n->child[side], n, key, weight, state);
    if (child->priority <= n->priority) return n;
    n->child[side] = child->child[!side];
    if (n->child[side]) set_parent(n->child[side], n);
    child->child[!side] = n;
    set_parent(child, parent), set_parent(n, child);
    return child;
}
static double sum(const node *n) {
    if (!n) return 0;
    int depth = 0;
    for (const node *p = parent_of(n); p; p = parent_of(p)) depth++;
    return sum(n->child[0]) + n->weight * n->key * (1 + depth) * (n->parent & 1 ? 0.5 : 1) + sum(n->child[1]);
}
static void drop(node *n) {
    if (n) drop(n->child[0]), drop(n->child[1]), free(n);
}
static double of_treaps(const double *x) {
    node *root = NULL;
    unsigned state = 7;
    for (int i = 0; i < 12; i++) root = insert(root, NULL, x[i % 4] * sin(i), x[(i + 1) % 4] + i, &state);
    double all = sum(root);
    drop(root);
    return all;
}
AD_FUNCTIONAL(of_treaps)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_treaps, 4)};
    check_random_points(&cases[0], 3, 0.2, 0.6);
    return check_done();
}
