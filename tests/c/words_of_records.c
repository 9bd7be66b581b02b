/* ad-i386: none, numbers in unions are checked where pointers have eight bytes
 * Records whose words hold one thing at a time, or two side by side: a float, an integer and half of a
 * double in one place of a union by value; a counter that goes into such a union; records that wait in
 * a ring and come back in registers; blocks that a function needs for itself, one of pointers and one
 * of records; a vector that knows the size of its elements only when the program runs; bit fields in
 * memory that nothing was stored in. */
#include "requests.h"
#include <stdlib.h>
#include <string.h>

struct sample {
    long key;
    float weight;
    double value;
};
struct figure {
    int kind;
    union {
        struct sample whole;
        struct {
            double r;
            int sides;
        } round;
        double edges[2];
    } u;
};

static __attribute__((noinline)) double area(struct figure s) {
    if (s.kind == 0) return s.u.whole.weight;
    if (s.kind == 1) return s.u.round.r * s.u.round.r * s.u.round.sides;
    return s.u.edges[0] * s.u.edges[1];
}

/* The same place is a float, an integer and a part of a double, one after the other. */
static double figures(const double *x) {
    struct sample a[3] = {{1, x[0] * 0.4f, x[1]}, {2, x[1] * 0.3f, x[2]}, {3, x[2] * 0.2f, x[3]}};
    struct figure s[3];
    double sum = 0;
    for (int turn = 0; turn < 3; turn++) {
        for (int i = 0; i < 3; i++) {
            s[i].kind = (i + turn) % 3;
            if (s[i].kind == 0) s[i].u.whole = a[i];
            else if (s[i].kind == 1) s[i].u.round.r = a[0].value, s[i].u.round.sides = 3 + i;
            else s[i].u.edges[0] = a[1].value, s[i].u.edges[1] = x[3] + 0.5 * i;
        }
        for (int i = 0; i < 3; i++) sum += area(s[i]) * (1 + 0.1 * i);
    }
    return sum;
}

struct entry {
    union {
        long count;
        struct {
            double real;
        } s;
    } u;
    long tag;
};

/* A loop's counter is stored in a union, or a real is. */
static double counters(const double *x) {
    struct entry a[4];
    for (int k = 0; k < 4; k++) {
        a[k].tag = (k + 2) % 3;
        if (a[k].tag == 1) a[k].u.count = k % 5;
        else a[k].u.s.real = 0.5 * x[k];
    }
    struct entry *copy = malloc(sizeof a);
    memcpy(copy, a, sizeof a);
    double sum = 0;
    for (int k = 0; k < 4; k++)
        sum += copy[k].tag == 1 ? (double)copy[k].u.count * x[0] : copy[k].u.s.real * copy[k].u.s.real;
    free(copy);
    return sum;
}

struct job {
    double cost;
    int id;
    float load;
};
struct ring {
    struct job *at;
    int head, count, room;
};
static void push(struct ring *r, const struct job *j) { r->at[(r->head + r->count++) % r->room] = *j; }
static struct job pop(struct ring *r) {
    struct job j = r->at[r->head];
    r->head = (r->head + 1) % r->room, r->count--;
    return j;
}

/* An integer and a float come back in one register. */
static double ring(const double *x) {
    struct ring r = {malloc(6 * sizeof(struct job)), 0, 0, 6};
    struct job jobs[5];
    for (int i = 0; i < 5; i++) {
        memset(&jobs[i], 0, sizeof jobs[i]);
        jobs[i].load = x[i % 4] * 1.5f, jobs[i].id = i;
    }
    for (int i = 0; i < 5; i++) push(&r, &jobs[i]);
    for (int i = 0; i < 5; i++) {
        jobs[i] = pop(&r);
        jobs[i].cost = __builtin_sqrt(1 + jobs[i].load * jobs[i].load) - 0.1 * jobs[0].cost;
    }
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += jobs[i].cost * (1 + jobs[i].id) + 0.35 * jobs[i].load;
    free(r.at);
    return sum;
}

struct row {
    long key;
    double value;
};
struct pair {
    struct row low, high;
    int swapped;
};

/* Sorts pointers to rows in one block, and copies the rows by way of another. */
static __attribute__((noinline)) void sort(struct row *a, int n) {
    struct row **p = malloc(n * sizeof *p), *b = malloc(n * sizeof *b);
    for (int i = 0; i < n; i++) p[i] = &a[i];
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && p[k - 1]->value > p[k]->value; k--) {
            struct row *t = p[k];
            p[k] = p[k - 1], p[k - 1] = t;
        }
    for (int i = 0; i < n; i++) b[i] = *p[i], b[i].value += 0.9 * i;
    for (int i = 0; i < n; i++) a[i] = b[i];
    free(b), free(p);
}
static struct pair ordered(struct row p, struct row q) {
    struct pair r;
    if (p.value < q.value) r.low = p, r.high = q, r.swapped = 0;
    else r.low = q, r.high = p, r.swapped = 1;
    return r;
}
static __attribute__((noinline)) void pairs(struct row *a, int n) {
    for (int i = 0; i + 1 < n; i++) {
        struct pair r = ordered(a[i], a[i + 1]);
        a[i] = r.low;
        if (r.swapped) a[i].value *= 0.2;
    }
}
static double rows(const double *x) {
    struct row a[4];
    for (int i = 0; i < 4; i++) a[i].key = i, a[i].value = x[i] * x[(i + 1) % 4];
    sort(a, 4);
    pairs(a, 4);
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += a[i].value * a[i].value * (i + 1) + 0.25 * a[i].key * x[0];
    return sum;
}

/* A block that a function keeps where only its caller's variable leads, and one that it keeps where
 * the caller's caller looks. */
struct stack {
    double *at;
    int count, room;
};
static __attribute__((noinline)) void add(struct stack *s, double v) {
    if (s->count == s->room) {
        int room = s->room ? 2 * s->room : 2;
        double *at = malloc(room * sizeof *at);
        for (int i = 0; i < s->count; i++) at[i] = s->at[i];
        free(s->at);
        s->at = at, s->room = room;
    }
    s->at[s->count++] = v;
}
static __attribute__((noinline)) double squares(const double *x, struct stack *out) {
    struct stack own = {0, 0, 0};
    const double **p = malloc(4 * sizeof *p);
    for (int i = 0; i < 4; i++) p[i] = &x[3 - i];
    for (int i = 0; i < 4; i++) add(&own, *p[i] * x[i]), add(out, own.at[i] * *p[i]);
    double sum = 0;
    for (int i = 0; i < own.count; i++) sum += own.at[i];
    free(p), free(own.at);
    return sum;
}
static double stacks(const double *x) {
    struct stack out = {0, 0, 0};
    double sum = squares(x, &out) + squares(x + 0, &out);
    for (int i = 0; i < out.count; i++) sum += out.at[i] * out.at[i] * (i + 1);
    free(out.at);
    return sum;
}

struct pixel {
    double x;
    unsigned char shade;
};
struct vector {
    char *data;
    size_t size, count, room;
};
static void *append(struct vector *v, const void *item) {
    if (v->count == v->room) {
        v->room = 2 * v->room + 1;
        v->data = realloc(v->data, v->room * v->size);
    }
    return memcpy(v->data + v->count++ * v->size, item, v->size);
}
static __attribute__((noinline)) void *at(struct vector *v, size_t k) { return v->data + k * v->size; }
static double pixels(const double *x) {
    struct pixel all[3];
    for (int i = 0; i < 3; i++) all[i] = (struct pixel){x[i] * x[i + 1], i % 2};
    struct vector v = {0, sizeof(struct pixel), 0, 0};
    for (int i = 0; i < 3; i++) append(&v, &all[i]);
    for (int i = 0; i < 3; i++) {
        struct pixel *p = at(&v, 2 - i);
        p->x *= p->x;
        all[i] = *p;
    }
    free(v.data);
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += all[i].x * (1 + all[i].shade + i);
    return sum;
}

struct flags {
    unsigned level : 7, colour : 3;
    unsigned short other : 7;
    double x;
    const double *from;
};
static __attribute__((noinline)) void fill(struct flags *f, const double *x, int k) {
    f->x = x[k % 4] * x[(k + 2) % 4];
    f->from = x + (k + 1) % 4;
    f->level = k % 5;
}
static double fields(const double *x) {
    struct flags *all = malloc(5 * sizeof *all);
    for (int i = 0; i < 5; i++) fill(&all[i], x, i);
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += all[i].level * all[i].x * *all[i].from;
    free(all);
    return sum;
}

AD_FUNCTIONAL(figures)
AD_FUNCTIONAL(pixels)
AD_FUNCTIONAL(fields)
AD_FUNCTIONAL(counters)
AD_FUNCTIONAL(ring)
AD_FUNCTIONAL(rows)
AD_FUNCTIONAL(stacks)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(counters, 4), CHECK_FUNCTIONAL(rows, 4), CHECK_FUNCTIONAL(stacks, 4),
                          CHECK_FUNCTIONAL(figures, 4), CHECK_FUNCTIONAL(ring, 4), CHECK_FUNCTIONAL(pixels, 4),
                          CHECK_FUNCTIONAL(fields, 4)};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
        /* The last two have floats: 24 bits. */
        if (i >= 3) cases[i].tol_diff = 2e-4, cases[i].tol_dot = 1e-6, cases[i].tol_closed = 1e-6;
        check_random_points(&cases[i], 3, 0.4, 1.6);
    }
    return check_done();
}
