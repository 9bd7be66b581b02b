/* ad-option: -ad-disable=inlining
 * ad-levels: O1 O2 O3
 * ad-i386: none, a word has four bytes
 * A float with padding behind it, which passes load as one word and store in two parts, at the place where it
 * was: its derivative stays. So does that of a float in a word that code compares before it takes it apart. */
#include "requests.h"

struct record {
    float weight;
    double x;
    long key;
    union {
        double d;
        long i;
        struct {
            double a;
            long n;
        } s;
    } u;
};
static __attribute__((noinline)) void fill(struct record *r, const double *x, int k) {
    r->x = x[k] * 0.825;
    r->key = k % 4;
    if (k == 1) {
        r->u.i = k;
    } else {
        r->u.s.a = 0.5 * x[(k + 1) % 3];
        r->u.s.n = 2;
    }
    r->weight = x[(k + 1) % 3] * 0.8353;
}
static __attribute__((noinline)) double measure(const struct record *r) {
    double sum = 0.3468 * r->x + 0.25 * r->key + 0.5804 * r->weight * r->weight;
    return sum + (r->key == 1 ? 0.5 * r->u.i : r->key == 0 ? r->u.d : r->u.s.a * r->u.s.n);
}
static __attribute__((noinline)) void turn(struct record *a, int n) {
    struct record m[2][3];
    for (int i = 0; i < 6; i++) m[i / 3][i % 3] = a[i % n];
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < 3; k++) m[i][k].x = cos(m[i][k - 1].weight) * m[1 - i][k].x;
    struct record *row = m[1];
    m[0][0] = row[2];
    a[n - 1] = m[0][0];
}
static double model(const double *x) {
    struct record a[3];
    for (int i = 0; i < 3; i++) fill(&a[i], x, i);
    turn(a, 3);
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += measure(&a[i]) * (i + 1);
    return sum;
}
AD_FUNCTIONAL(model)

typedef unsigned long __attribute__((may_alias)) word;
typedef unsigned __attribute__((may_alias)) part;
struct pair {
    float weight;
    int count;
    double x;
};
static __attribute__((noinline)) void move(struct pair *to, const struct pair *from, int *hits) {
    word w = *(const word *)from;
    if (w == 5) (*hits)++;
    *(part *)&to->weight = (unsigned)w;
    to->count = (int)(w >> 32);
    to->x = from->x;
}
static double compared(const double *x) {
    struct pair a[2], b[2];
    int hits = 0;
    for (int i = 0; i < 2; i++) a[i] = (struct pair){x[i] * x[1], i, x[i]};
    for (int i = 0; i < 2; i++) move(&b[i], &a[1 - i], &hits);
    return b[0].weight * b[1].x + b[1].weight * b[0].count + hits;
}
AD_FUNCTIONAL(compared)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(model, 3), CHECK_FUNCTIONAL(compared, 2)};
    for (int i = 0; i < 2; i++) {
        /* A float lies between. */
        cases[i].tol_diff = 5e-3;
        cases[i].tol_dot = 2e-6;
        check_random_points(&cases[i], 3, 0.5, 1.5);
    }
    return check_done();
}
