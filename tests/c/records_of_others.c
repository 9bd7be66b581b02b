/* Records as people keep them: in an array that knows the size of its elements only, in a struct that a loop goes on with, in a tree whose
 * nodes are not all active, and unions with a tag whose stores passes forward to their loads.
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define APART __attribute__((noinline)) static

/* An array that starts with null, from a constant struct. */
struct record {
    int id;
    double mass, speed[2];
};
struct array {
    void *data;
    size_t size, count, room;
};
APART void append(struct array *all, const void *item) {
    if (all->count == all->room) {
        all->room = 2 * all->room + 1;
        all->data = realloc(all->data, all->room * all->size);
    }
    memcpy((char *)all->data + all->count++ * all->size, item, all->size);
}
APART void *element(struct array *all, size_t k) { return (char *)all->data + k * all->size; }
static double appended(const double *x) {
    struct array all = {0, sizeof(struct record), 0, 0};
    for (int k = 0; k < 5; k++) {
        struct record r = {k, x[k % 3], {x[(k + 1) % 3], x[0] * x[1]}};
        append(&all, &r);
    }
    double sum = 0;
    for (int k = 0; k < 5; k++) {
        struct record *r = element(&all, 4 - k);
        r->mass = log(1 + r->mass * r->mass) * (r->id + 1);
        sum += r->mass * r->speed[0] + r->speed[1] * k;
    }
    free(all.data);
    return sum;
}

/* What the loop goes on with is a word of memory, or the one of the step before. Nodes hold such words too, and pointers at places that an index
 * decides. */
struct item {
    double value;
};
struct node {
    struct item item;
    struct node *kid[2];
};
struct state {
    unsigned phase : 2, step : 6;
    struct item now;
    unsigned done : 1;
};
static struct item items[5];
APART void shift(struct item *a, int n) {
    struct state s = {.phase = 1, .now = a[0]};
    while (!s.done) switch (s.phase) {
        case 0: s.now = a[s.step % n]; /* fall through */
        default:
            a[(s.step + 1) % n] = s.now;
            s.phase = s.step % 2;
            s.step++;
            s.done = s.step >= 4;
        }
}
APART void insert(struct node **at, const struct item *item) {
    while (*at) at = &(*at)->kid[item->value > (*at)->item.value];
    *at = calloc(1, sizeof **at);
    (*at)->item = *item;
}
static int sorted(struct node *t, struct item *a, int k) {
    if (!t) return k;
    k = sorted(t->kid[0], a, k);
    a[k] = t->item;
    k = sorted(t->kid[1], a, k + 1);
    free(t);
    return k;
}
static double stepped(const double *x) {
    for (int k = 0; k < 5; k++) items[k].value = x[k % 3] * (k + 1);
    shift(items, 5);
    struct node *t = 0;
    for (int k = 0; k < 5; k++) insert(&t, &items[k]);
    sorted(t, items, 0);
    double sum = 0;
    for (int k = 0; k < 5; k++) sum += items[k].value * items[k].value * (k + 1);
    return sum;
}

/* Nodes without reals beside nodes with some, both handed to a function that joins them. */
struct term {
    char op;
    union {
        double number;
        int variable;
        struct {
            struct term *a, *b;
        } of;
    } u;
};
APART struct term *number(double v) {
    struct term *p = calloc(1, sizeof *p);
    p->op = 'n', p->u.number = v;
    return p;
}
APART struct term *variable(int k) {
    struct term *p = malloc(sizeof *p);
    p->op = 'v', p->u.variable = k;
    return p;
}
APART struct term *joined(char op, struct term *a, struct term *b) {
    struct term *p = malloc(sizeof *p);
    p->op = op, p->u.of.a = a, p->u.of.b = b;
    return p;
}
static double value(const struct term *p, const double *x) {
    switch (p->op) {
    case 'n': return p->u.number;
    case 'v': return x[p->u.variable];
    case '+': return value(p->u.of.a, x) + value(p->u.of.b, x);
    case '*': return value(p->u.of.a, x) * value(p->u.of.b, x);
    default: return sin(value(p->u.of.a, x));
    }
}
static void dropped(struct term *p) {
    if (p->op == '+' || p->op == '*') dropped(p->u.of.b);
    if (p->op != 'n' && p->op != 'v') dropped(p->u.of.a);
    free(p);
}
static double term(const double *x) {
    struct term *e = joined('+', joined('*', variable(0), number(0.75)), joined('s', variable(2), 0));
    double y = value(e, x);
    dropped(e);
    return y;
}
static double active_term(const double *x) {
    struct term *e = joined('*', joined('*', variable(0), number(x[1])), joined('s', joined('+', variable(2), number(x[0])), 0));
    double y = value(e, x);
    dropped(e);
    return y;
}

/* A tag says what lies in the union; the whole is computed in one function. */
struct tagged {
    union {
        double real;
        long count;
        struct {
            double factor;
            short times;
        } s;
    } u;
    int tag;
};
static struct tagged cells[6];
static void fill(struct tagged *r, const double *x, int k) {
    r->tag = k % 3;
    if (r->tag == 0) r->u.real = x[k % 3] * x[1];
    else if (r->tag == 1) r->u.count = k + 2;
    else r->u.s.factor = x[2], r->u.s.times = (short)(k + 1);
}
static double measure(const struct tagged *r) {
    return r->tag == 0 ? r->u.real : r->tag == 1 ? 0.5 * r->u.count : r->u.s.factor * r->u.s.times;
}
static double tagged(const double *x) {
    double sum = 0;
    for (int k = 0; k < 6; k++) fill(&cells[k], x, k);
    for (int k = 0; k < 6; k++) sum += measure(&cells[k]) * (k + 1) * x[0];
    return sum;
}
static double tagged_one(const double *x) {
    struct tagged r;
    fill(&r, x, x[0] > 100);
    return measure(&r) * x[1];
}

AD_FUNCTIONAL(appended)
AD_FUNCTIONAL(stepped)
AD_FUNCTIONAL(term)
AD_FUNCTIONAL(active_term)
AD_FUNCTIONAL(tagged)
AD_FUNCTIONAL(tagged_one)

int main(void) {
    const check_case cases[] = {CHECK_FUNCTIONAL(appended, 3),    CHECK_FUNCTIONAL(stepped, 3), CHECK_FUNCTIONAL(term, 3),
                                CHECK_FUNCTIONAL(active_term, 3), CHECK_FUNCTIONAL(tagged, 3),  CHECK_FUNCTIONAL(tagged_one, 3)};
    const double x[3] = {1.5, 0.625, 2.25}, far[3] = {120, 0.625, 2.25};
    for (unsigned k = 0; k < sizeof cases / sizeof *cases; k++) check_at(&cases[k], x);
    check_at(&cases[5], far);
    return check_done();
}
