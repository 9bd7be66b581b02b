/* A struct with an array of structs is copied as a whole. Its members before and behind the array lie where the elements have members, counted by
 * the size of an element, and say nothing of these: of a union there, nothing is declared. */
// ad-i386: none, addresses of four bytes look like floats
#include "requests.h"

#include <string.h>

#define APART __attribute__((noinline)) static

struct cell {
    union {
        double d;
        short i;
        struct {
            double a;
            short n;
        } s;
    } u;
    char tag;
    int k;
};
APART void fill(struct cell *r, const double *x, int k) {
    r->tag = 0, r->k = k;
    r->u.s.a = x[k % 3] * x[1];
}
APART double measure(const struct cell *r) {
    return 0.25 * r->k + (r->tag == 0 ? r->u.d : r->tag == 1 ? 0.5 * r->u.i : r->u.s.a * r->u.s.n);
}
/* As many bytes as five cells. A flag lies where the union of a cell would, a real where its short. */
struct behind {
    int n;
    struct cell items[4];
    short flag;
    double total;
};
/* Integers lie where the union of a cell would, a real where its tag. */
struct before {
    int n, m;
    short flag;
    double first;
    struct cell items[4];
};
#define PROGRAM(type)                                                                   \
    APART struct type type##_packed(const struct cell *a, int n) {                      \
        struct type o = {0};                                                            \
        for (int k = 0; k < n && k < 4; k++) o.items[o.n++] = a[k];                     \
        return o;                                                                       \
    }                                                                                   \
    static struct cell type##_cells[5];                                                 \
    static double type(const double *x) {                                               \
        for (int k = 0; k < 5; k++) fill(&type##_cells[k], x, k);                       \
        struct type o = type##_packed(type##_cells, 5), p;                              \
        memcpy(&p, &o, sizeof p);                                                       \
        for (int k = 0; k < p.n; k++) type##_cells[k] = p.items[k];                     \
        double sum = 0;                                                                 \
        for (int k = 0; k < 5; k++) sum += measure(&type##_cells[k]) * (k + 1) * x[2];  \
        return sum;                                                                     \
    }                                                                                   \
    AD_FUNCTIONAL(type)
PROGRAM(behind)
PROGRAM(before)

/* So many bytes that only the run knows how many. */
static size_t part = sizeof(struct before);
static struct cell some_cells[5];
static double some(const double *x) {
    for (int k = 0; k < 5; k++) fill(&some_cells[k], x, k);
    struct before o = before_packed(some_cells, 5), p;
    memcpy(&p, &o, part);
    for (int k = 0; k < p.n; k++) some_cells[k] = p.items[k];
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += measure(&some_cells[k]) * (k + 1) * x[2];
    return sum;
}
AD_FUNCTIONAL(some)

/* With pointers beside. */
struct reference {
    struct cell cell;
    const double *of;
};
struct references {
    int n;
    struct reference items[4];
    short flag;
    double total;
};
APART struct references referred(const struct reference *a, int n) {
    struct references o = {0};
    for (int k = 0; k < n && k < 4; k++) o.items[o.n++] = a[k];
    return o;
}
static struct reference table[5];
static double references(const double *x) {
    for (int k = 0; k < 5; k++) {
        fill(&table[k].cell, x, k);
        table[k].of = x + (k + 1) % 3;
    }
    struct references o = referred(table, 5), p;
    memcpy(&p, &o, sizeof p);
    for (int k = 0; k < p.n; k++) table[k] = p.items[k];
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += measure(&table[k].cell) * *table[k].of * (k + 1);
    return sum;
}
AD_FUNCTIONAL(references)

int main(void) {
    const check_case cases[] = {CHECK_FUNCTIONAL(behind, 3), CHECK_FUNCTIONAL(before, 3), CHECK_FUNCTIONAL(some, 3),
                                CHECK_FUNCTIONAL(references, 3)};
    const double x[3] = {1.5, 0.625, 2.25};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) check_at(&cases[k], x);
    return check_done();
}
