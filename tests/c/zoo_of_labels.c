/* ad-levels: O1 O2 O3
 * Records with a real, a number and a label, passed by value to a list that grows, and taken back in another order. Compilers make
 * variables of parts of such records, which begin in the middle of a word. */
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
static double of_labels(const double *x) {
    struct sample a[4] = {{0}};
    double sum = 0;
    for (int i = 0; i < 4; i++) a[i].x = x[i % 3] * 0.54;
    turn(a, 4);
    for (int i = 0; i < 4; i++) sum += (1.42 * a[i].x * a[i].x + 0.25 * a[i].weight + 0.01 * a[i].label[0]) * (i + 1);
    return sum;
}
AD_FUNCTIONAL(of_labels)
static double of_marks(const double *x) {
    struct sample a[4] = {{0}};
    double sum = 0;
    for (int i = 0; i < 4; i++) a[i].x = sin(x[i % 3]), a[i].weight = (unsigned char)i, a[i].label[i] = 'a';
    turn(a, 4);
    for (int i = 0; i < 4; i++) sum += (a[i].x * a[i].x + 0.25 * a[i].weight) * (i + 1) + a[i].label[1];
    return sum;
}
AD_FUNCTIONAL(of_marks)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_labels, 3), CHECK_FUNCTIONAL(of_marks, 3)};
    for (int k = 0; k < 2; k++) check_random_points(&cases[k], 3, 0.3, 1.4);
    return check_done();
}
