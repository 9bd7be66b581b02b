// ad-levels: O0 O1 O2 O3
// ad-i386: none, refused for now at -O0, a word of four bytes may be a pointer or a float (AD034)
// Search trees whose children are chosen by comparisons, inserted into through pointers to links; quadtrees; the chosen one of two
// elements of an array; and structs by value of which a small member beside a float is set.
#include <math.h>
#include <stdlib.h>

#include "requests.h"

struct item { double key, value; int count; };
struct tree { struct item item; struct tree *kid[2]; };
static void insert(struct tree **at, const struct item *item) {
    while (*at) at = &(*at)->kid[item->key > (*at)->item.key];
    *at = calloc(1, sizeof **at);
    (*at)->item = *item;
}
static int sorted(struct tree *t, struct item *to, int k) {
    if (!t) return k;
    k = sorted(t->kid[0], to, k);
    to[k] = t->item;
    to[k].value *= t->kid[1] ? t->kid[1]->item.key : 0.5;
    k = sorted(t->kid[1], to, k + 1);
    free(t);
    return k;
}
static double f1(const double *x) {
    struct tree *t = 0;
    for (int i = 0; i < 5; i++) {
        struct item item = {x[i], x[i] * x[(i + 1) % 5], i};
        insert(&t, &item);
    }
    struct item all[5];
    double sum = 0;
    for (int i = 0, n = sorted(t, all, 0); i < n; i++) sum += all[i].value * (all[i].key + all[i].count) * (i + 1);
    return sum;
}
AD_FUNCTIONAL(f1)

struct point { double at[2], weight; };
struct quad { double middle[2], half, sum; struct point *only; int n; struct quad *part[4]; };
static struct quad *part_of(double x, double y, double half) {
    struct quad *q = calloc(1, sizeof *q);
    q->middle[0] = x;
    q->middle[1] = y;
    q->half = half;
    return q;
}
static void add(struct quad *q, struct point *p) {
    q->sum += p->weight;
    if (q->n++ == 0) {
        q->only = p;
        return;
    }
    struct point *all[2] = {q->only, p};
    q->only = 0;
    for (int i = 0; i < 2; i++) {
        if (!all[i]) continue;
        int right = all[i]->at[0] > q->middle[0], up = all[i]->at[1] > q->middle[1];
        struct quad **part = &q->part[right | up << 1];
        double h = q->half / 2;
        if (!*part) *part = part_of(q->middle[0] + (right ? h : -h), q->middle[1] + (up ? h : -h), h);
        add(*part, all[i]);
    }
}
static double pull(const struct quad *q, const struct point *p) {
    if (!q || q->only == p) return 0;
    double dx = (q->only ? q->only->at[0] : q->middle[0]) - p->at[0], dy = (q->only ? q->only->at[1] : q->middle[1]) - p->at[1];
    double r = sqrt(dx * dx + dy * dy + 0.01);
    if (q->only || q->half < 0.4 * r) return q->sum * p->weight / r;
    return pull(q->part[0], p) + pull(q->part[1], p) + pull(q->part[2], p) + pull(q->part[3], p);
}
static void drop(struct quad *q) {
    if (!q) return;
    for (int i = 0; i < 4; i++) drop(q->part[i]);
    free(q);
}
static double f2(const double *x) {
    struct point p[6];
    for (int i = 0; i < 6; i++) {
        p[i].at[0] = 0.8 * sin(i * 1.3 + x[0]);
        p[i].at[1] = 0.8 * cos(i * 2.1 + x[1]);
        p[i].weight = 1 + x[2] * i;
    }
    struct quad *q = part_of(0, 0, 1);
    double sum = 0;
    for (int i = 0; i < 6; i++) add(q, &p[i]);
    for (int i = 0; i < 6; i++) sum += pull(q, &p[i]);
    drop(q);
    return sum;
}
AD_FUNCTIONAL(f2)

// The stride of a chosen index is that of what divides it.
struct entry { const double *from; double x, rank; };
static struct entry *best(struct entry *a, int n) {
    struct entry *b = a;
    for (int i = 1; i < n; i++)
        if (a[i].rank > b->rank) b = &a[i];
    return b;
}
static double f3(const double *x) {
    struct entry a[3] = {{0}};
    for (int i = 0; i < 3; i++) {
        a[i].x = x[i] * x[i];
        a[i].from = x + (i + 1) % 3;
    }
    struct entry *p = best(a, 3), *q = p == a ? a + 1 : a;
    p->x = 0.5 * p->x + 0.25 * q->x;
    double sum = 3 * q->x;
    for (int i = 0; i < 3; i++) sum += a[i].x * (i + 1);
    return sum;
}
AD_FUNCTIONAL(f3)

struct cell { float f; char kind; unsigned char weight; double x; };
static __attribute__((noinline)) struct cell marked(struct cell c, double by) {
    c.kind = 2;
    c.x *= by;
    return c;
}
static __attribute__((noinline)) struct cell weighted(struct cell c, int weight) {
    c.weight = (unsigned char)(c.weight + weight);
    c.kind = (char)weight;
    return c;
}
static double f4(const double *x) {
    struct cell a[4];
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        a[i].f = (float)i;
        a[i].kind = (char)i;
        a[i].weight = (unsigned char)(7 * i);
        a[i].x = x[i] * x[0];
    }
    for (int i = 0; i < 4; i++) a[i] = marked(a[3 - i], x[1]);
    for (int i = 0; i < 4; i++) a[i] = weighted(a[i], i + 1);
    for (int i = 0; i < 4; i++) sum += a[i].f * a[i].x * a[i].kind + a[i].weight * x[i];
    return sum;
}
AD_FUNCTIONAL(f4)

int main(void) {
    check_case c1 = CHECK_FUNCTIONAL(f1, 5), c2 = CHECK_FUNCTIONAL(f2, 3), c3 = CHECK_FUNCTIONAL(f3, 3), c4 = CHECK_FUNCTIONAL(f4, 4);
    check_case *all[] = {&c1, &c2, &c3, &c4};
    for (int i = 0; i < 4; i++) {
        all[i]->step = 2e-4;
        all[i]->tol_diff = 1e-6;
        check_random_points(all[i], 3, 0.3, 1.4);
    }
    return check_done();
}
