/* ad-levels: O3
 * ad-i386: none, addresses of four bytes look like floats (AD034)
 * Records with a real, a number and a label, passed by value to a list that grows, and taken back in another order. Compilers make
 * variables of parts of such records, which begin in the middle of a word (-O3). */
#include "requests.h"

struct sample {
    double x;
    unsigned char weight;
    char label[8];
};
struct list {
    struct sample *items;
    size_t count, room;
};

static struct sample *add(struct list *l, struct sample item) {
    if (l->count >= l->room) {
        l->room = l->room * 2 + 1;
        l->items = (struct sample *)realloc(l->items, l->room * sizeof(*l->items));
    }
    l->items[l->count] = item;
    return &l->items[l->count++];
}
static void turn(struct sample *a, int n) {
    struct list l = {0};
    for (int i = 0; i < n; i++) {
        add(&l, a[i]);
        if (a[i].weight > 1) add(&l, *&a[n - 1]);
    }
    for (int i = 0; i < n; i++) a[i] = l.items[l.count - 1 - i];
    free(l.items);
}
static void fill(struct sample *s, const double *x, int n, int k) { s->x = x[k % n] * 0.54; }
static double measure(const struct sample *s) { return 1.42 * s->x + 0.25 * s->weight + 0.01 * s->label[0]; }
static double of_numbered(const double *x, int n) {
    struct sample a[4] = {{0}};
    double sum = 0;
    for (int i = 0; i < 4; i++) fill(&a[i], x, n, i);
    turn(a, 4);
    for (int i = 0; i < 4; i++) sum += measure(&a[i]) * (i + 1);
    return sum;
}
static void of_labels_map(const double *x, double *y) { y[0] = of_numbered(x, 5); }
static void of_labels_tangent(const double *x, const double *xd, double *y, double *yd) {
    (void)y;
    yd[0] = __ad_tangent_double((void *)of_numbered, x, xd, 5);
}
static void of_labels_adjoint(const double *x, double *xb, double *y, double *yb) {
    (void)y, (void)yb;
    __ad_adjoint_void((void *)of_numbered, x, xb, 5);
}
int main(void) {
    check_case c = CHECK_FUNCTIONAL(of_labels, 5);
    check_random_points(&c, 3, 0.3, 1.4);
    return check_done();
}
