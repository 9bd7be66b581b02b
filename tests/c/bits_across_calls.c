/* The bits of a real as an argument and as a result of functions that know integers only: their callers know whose bits they are. */
#include "requests.h"

#include <string.h>

#define APART __attribute__((noinline))

APART static void put(double *to, int64_t bits) { memcpy(to, &bits, sizeof bits); }
APART static int64_t get(const double *from) {
    int64_t bits;
    memcpy(&bits, from, sizeof bits);
    return bits;
}
static double moved(const double *x) {
    double y[2];
    for (int i = 0; i < 2; i++) put(&y[i], get(&x[i]));
    return y[0] * y[1];
}
AD_FUNCTIONAL(moved)

/* By way of a member, and of a choice. */
struct tagged {
    int tag;
    int64_t bits;
    double weight;
};
APART static void keep(struct tagged *to, int64_t bits, int tag) {
    to->bits = bits;
    to->tag = tag;
    to->weight = 1.5;
}
APART static int64_t kept(const struct tagged *from, const struct tagged *other) { return from->tag > 1 ? from->bits : other->bits; }
static void by_members(const double *x, double *y) {
    struct tagged all[4];
    for (int i = 0; i < 4; i++) {
        double square = x[i] * x[i];
        int64_t bits;
        memcpy(&bits, &square, sizeof bits);
        keep(&all[i], bits, i);
    }
    for (int i = 0; i < 4; i++) {
        int64_t bits = kept(&all[3 - i], &all[i]);
        double back;
        memcpy(&back, &bits, sizeof back);
        y[i] = back * all[i].weight;
    }
}
AD_MAP(by_members)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(moved, 2), CHECK_MAP(by_members, 4, 4)};
    const double x[4] = {0.9, 0.7, 1.3, 0.4};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check_at(&cases[i], x);
    return check_done();
}
