/* ad-i386: none, copies of records of unknown size are refused where an address has four bytes
 * Floats where doubles may lie, or beside them.
 *
 * Records with a float in front of doubles, in a container of bytes: places in it are known up to alignment only.
 * What is read there as a float does not make an array of floats of the rest. */
#include "requests.h"

struct bytes {
    void *data;
    size_t size, count, room;
};
static void push(struct bytes *v, const void *item) {
    if (v->count == v->room) {
        v->room = 2 * v->room + 1;
        v->data = realloc(v->data, v->room * v->size);
    }
    memcpy((char *)v->data + v->count++ * v->size, item, v->size);
}
static __attribute__((noinline)) void *at(struct bytes *v, size_t k) { return (char *)v->data + k * v->size; }

struct record {
    float weight;
    union {
        double d;
        long i;
    } u;
    double x;
};
static __attribute__((noinline)) void fill(struct record *r, const double *x, int k) {
    r->weight = x[k];
    r->u.d = x[k] * x[k];
    r->x = x[(k + 1) % 3];
}
static __attribute__((noinline)) double measure(const struct record *r) { return r->weight + 5 * r->u.d + 3 * r->x * r->x; }
static double listed(const double *x) {
    struct record a[3];
    for (int k = 0; k < 3; k++) fill(&a[k], x, k);
    struct bytes v = {0, sizeof(struct record), 0, 0};
    for (int k = 0; k < 3; k++) push(&v, &a[k]);
    for (int k = 0; k < 3; k++) {
        struct record *r = at(&v, 2 - k);
        r->weight *= 0.5f;
        a[k] = *r;
    }
    free(v.data);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += measure(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(listed)

/* The same with a pointer among the members, which needs its shadow. */
struct reference {
    float weight;
    union {
        double d;
        long i;
    } u;
    const double *x;
};
static __attribute__((noinline)) void refer(struct reference *r, const double *x, int k) {
    r->weight = x[k];
    r->u.d = x[k] * x[k];
    r->x = x + (k + 1) % 3;
}
static __attribute__((noinline)) double follow(const struct reference *r) { return r->weight + 5 * r->u.d + 3 * *r->x; }
static double referred(const double *x) {
    struct reference a[3];
    for (int k = 0; k < 3; k++) refer(&a[k], x, k);
    struct bytes v = {0, sizeof(struct reference), 0, 0};
    for (int k = 0; k < 3; k++) push(&v, &a[k]);
    for (int k = 0; k < 3; k++) {
        struct reference *r = at(&v, 2 - k);
        r->weight *= 0.5f;
        a[k] = *r;
    }
    free(v.data);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += follow(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(referred)

/* A union of a record and two doubles: a double or a float begins at the same place. The adjoint of a copy adds
 * to one that is there already. */
struct mass {
    double x;
    float f;
    short k;
};
struct shape {
    int kind;
    union {
        struct mass whole;
        double flat[2];
    } u;
};
static double area(struct shape s) {
    if (s.kind == 0) return s.u.whole.x * s.u.whole.f * s.u.whole.k;
    return s.u.flat[0] * s.u.flat[1];
}
static double copied(const double *x) {
    struct shape s[4];
    for (int k = 0; k < 4; k++) {
        s[k].kind = k % 2;
        if (s[k].kind == 0) s[k].u.whole = (struct mass){x[k / 2], x[1] * x[2], k + 1};
        else s[k].u.flat[0] = x[k - 1], s[k].u.flat[1] = x[0] * x[2];
    }
    double sum = area(s[2]) + 0.5 * area(s[3]);
    s[2] = s[0];
    s[3] = s[1];
    for (int k = 0; k < 4; k++) sum += area(s[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(copied)

/* The same with the float in the upper half of the double's word. */
struct marked {
    unsigned char k;
    float f;
    double x;
};
struct form {
    int kind;
    union {
        struct marked whole;
        double flat[2];
    } u;
};
static double extent(struct form s) {
    if (s.kind == 0) return s.u.whole.x * s.u.whole.f;
    return s.u.flat[0] * s.u.flat[1];
}
static double passed(const double *x) {
    struct form s[4];
    for (int k = 0; k < 4; k++) {
        s[k].kind = k % 2;
        if (s[k].kind == 0) s[k].u.whole = (struct marked){k + 1, x[k / 2], x[1] * x[2]};
        else s[k].u.flat[0] = x[k - 1], s[k].u.flat[1] = x[0] * x[2];
    }
    double sum = 0;
    for (int k = 0; k < 4; k++) sum += extent(s[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(passed)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(listed, 3), CHECK_FUNCTIONAL(referred, 3), CHECK_FUNCTIONAL(copied, 3),
                          CHECK_FUNCTIONAL(passed, 3)};
    for (int i = 0; i < 4; i++) {
        /* A float lies between. */
        cases[i].tol_diff = 5e-3;
        cases[i].tol_dot = 2e-6;
        check_random_points(&cases[i], 3, 0.5, 1.5);
    }
    return check_done();
}
