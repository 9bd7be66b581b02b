/* ad-i386: none, copies of records of unknown size are refused where an address has four bytes
 * Records without pointers that recursion over a tree copies to an array, beside lists of blocks: what it copies holds
 * no address, wherever it comes from. */
#include "requests.h"

struct record {
    char key;
    double x;
};
static __attribute__((noinline)) double weigh(const struct record *r) { return r->x * r->x + 0.25 * r->key; }

struct tree {
    struct record item;
    struct tree *kid[2];
};
static void insert(struct tree **at, const struct record *item) {
    while (*at) at = &(*at)->kid[item->x > (*at)->item.x];
    *at = calloc(1, sizeof **at);
    (*at)->item = *item;
}
static int walk(struct tree *t, struct record *a, int k) {
    if (!t) return k;
    k = walk(t->kid[0], a, k);
    a[k] = t->item;
    a[k].x = sin(a[k].x) + 0.3 * a[0].x;
    k = walk(t->kid[1], a, k + 1);
    free(t);
    return k;
}
static void sort(struct record *a, int n) {
    struct tree *t = 0;
    for (int k = 0; k < n; k++) insert(&t, &a[k]);
    walk(t, a, 0);
}

struct layer {
    double *weights, *bias;
    struct layer *next;
};
static struct layer *layer(int in, int out, const double *x, struct layer *next) {
    struct layer *l = malloc(sizeof *l);
    l->next = next;
    l->weights = malloc(in * out * sizeof *l->weights);
    l->bias = calloc(out, sizeof *l->bias);
    for (int k = 0; k < in * out; k++) l->weights[k] = x[k % 5];
    l->bias[0] = x[1] * x[2];
    return l;
}
static double network(const double *x) {
    struct layer *first = layer(2, 3, x, layer(3, 1, x, 0));
    double sum = 0;
    for (struct layer *l = first; l; l = l->next) sum += l->weights[1] * l->bias[0];
    while (first) {
        struct layer *l = first;
        first = l->next;
        free(l->weights);
        free(l->bias);
        free(l);
    }
    return sum;
}

struct pair {
    struct record low, high;
    int swapped;
};
static struct pair ordered(struct record p, struct record q) {
    struct pair r;
    if (p.x < q.x) {
        r.low = p;
        r.high = q;
        r.swapped = 0;
    } else {
        r.low = q;
        r.high = p;
        r.swapped = 1;
    }
    return r;
}
static double sorted(const double *x) {
    struct record *a = calloc(5, sizeof *a);
    for (int k = 0; k < 5; k++) a[k].key = k, a[k].x = x[k] * x[(k + 1) % 5];
    for (int r = 0; r < 2; r++) sort(a, 5);
    double sum = network(x);
    for (int k = 0; k + 1 < 5; k++) {
        struct pair r = ordered(a[k], a[k + 1]);
        a[k] = r.low;
        a[k + 1] = r.high;
        if (r.swapped) a[k].x *= 0.9684;
    }
    for (int k = 0; k < 5; k++) sum += weigh(&a[k]) * (k + 1);
    free(a);
    return sum;
}
AD_FUNCTIONAL(sorted)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(sorted, 5);
    const double points[][5] = {{0.9, 0.5, 1.3, 0.7, 1.1}, {1.2, 0.45, 0.65, 1.45, 0.8}};
    for (int k = 0; k < 2; k++) check_at(&c, points[k]);
    return check_done();
}
