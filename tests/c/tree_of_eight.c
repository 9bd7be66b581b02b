/* An octree of bodies: each node has eight children, which loops over them reach one by one when they are unrolled. At -O0 a copy of
 * unknown type is refused (AD034).
 * ad-levels: O1 O2 O3
 * ad-i386: none, a copy of unknown type is refused there */
#include "requests.h"

typedef struct body { double m, at[3], force; } body;
typedef struct node { double mid[3], half, m, centre[3]; int is_leaf, is_used; union { body *one; struct node *child[8]; }; } node;
typedef struct { node nodes[64]; int count; } pool;

static node *made(pool *p, const double *mid, double half) {
    node *n = &p->nodes[p->count++];
    memset(n, 0, sizeof *n);
    memcpy(n->mid, mid, sizeof n->mid);
    n->half = half, n->is_leaf = 1;
    return n;
}
static void insert(pool *p, node *n, body *b) {
    if (n->is_leaf && !n->is_used) {
        n->one = b, n->is_used = 1;
        return;
    }
    if (n->is_leaf) {
        body *old = n->one;
        n->is_leaf = 0;
        memset(n->child, 0, sizeof n->child);
        insert(p, n, old);
    }
    int k = (b->at[0] > n->mid[0]) | (b->at[1] > n->mid[1]) << 1 | (b->at[2] > n->mid[2]) << 2;
    if (!n->child[k]) {
        double mid[3];
        for (int i = 0; i < 3; i++) mid[i] = n->mid[i] + (k >> i & 1 ? 0.5 : -0.5) * n->half;
        n->child[k] = made(p, mid, n->half / 2);
    }
    insert(p, n->child[k], b);
}
static void summarise(node *n) {
    if (n->is_leaf) {
        n->m = n->one->m;
        memcpy(n->centre, n->one->at, sizeof n->centre);
        return;
    }
    double sum[3] = {0, 0, 0};
    for (int k = 0; k < 8; k++) {
        if (!n->child[k]) continue;
        summarise(n->child[k]);
        n->m += n->child[k]->m;
        for (int i = 0; i < 3; i++) sum[i] += n->child[k]->m * n->child[k]->centre[i];
    }
    for (int i = 0; i < 3; i++) n->centre[i] = sum[i] / n->m;
}
static double attraction(const node *n, body *b) {
    double d[3], square = 0.1;
    if (n->is_leaf && n->one == b) return 0;
    for (int i = 0; i < 3; i++) d[i] = n->centre[i] - b->at[i], square += d[i] * d[i];
    if (n->is_leaf || n->half * n->half < 0.1 * square) {
        b->force += n->m * d[0] / square;
        return -n->m / sqrt(square);
    }
    double all = 0;
    for (int k = 0; k < 8; k++) if (n->child[k]) all += attraction(n->child[k], b);
    return all;
}
static void octree(const double *x, double *y) {
    enum { BODIES = 7 };
    static const double places[BODIES][3] = {{-.9, .8, .1}, {.7, -.6, .5}, {.2, .3, -.8}, {-.4, -.7, -.3}, {.6, .9, .7}, {-.2, .1, .4}, {.3, -.2, -.6}};
    body b[BODIES];
    pool p = {.count = 0};
    double zero[3] = {0, 0, 0};
    for (int i = 0; i < BODIES; i++) {
        b[i].m = x[i % 3] + i, b[i].force = 0;
        for (int k = 0; k < 3; k++) b[i].at[k] = places[i][k] * (1 + 0.02 * x[k]);
    }
    node *root = made(&p, zero, 1.5);
    for (int i = 0; i < BODIES; i++) insert(&p, root, &b[i]);
    summarise(root);
    y[0] = y[1] = 0;
    for (int i = 0; i < BODIES; i++) y[0] += 0.5 * b[i].m * attraction(root, &b[i]), y[1] += b[i].force * b[i].force;
}
AD_MAP(octree)

int main(void) {
    check_case cases[] = {CHECK_MAP(octree, 3, 2)};
    check_random_points(&cases[0], 2, 0.3, 1.1);
    return check_done();
}
