/* Bytes that hold a pointer at one time and a float at another: unions, variants, records and arrays of a pool. In the adjoint, the shadow of the
 * pointer is no adjoint of the float, whichever comes first, and whether or not the float's value is needed. */
// ad-i386: none, addresses of four bytes look like floats (AD034)
#include "requests.h"
#include <new>
#include <variant>
#include <vector>

#define APART __attribute__((noinline)) static

struct cell {
    union {
        float f;
        const double *p;
    } u;
    int tag;
};
APART void set(cell *c, const double *p) { c->tag = 0, c->u.p = p; }
APART void set(cell *c, float f) { c->tag = 1, c->u.f = f; }
APART double value(const cell *c) { return c->tag ? c->u.f : *c->u.p; }

static double float_first(const double *x) {
    cell c;
    double k[2] = {x[0] * x[1], x[2]};
    set(&c, (float)x[0] * 2);
    double s = value(&c) * x[1];
    set(&c, k + 1);
    return s + value(&c) * x[3];
}
static double pointer_first(const double *x) {
    cell c;
    double k[2] = {x[0] * x[1], x[2]};
    set(&c, k + 1);
    double s = value(&c) * x[3];
    set(&c, (float)x[0]);
    return s + value(&c) * x[1];
}
static double in_turn(const double *x) {
    cell *c = (cell *)malloc(3 * sizeof *c);
    double k[2] = {x[0] * x[1], x[2]}, s = 0;
    for (int i = 0; i < 3; i++) c[i].u.f = (float)x[i] * 2, c[i].tag = 1;
    for (int t = 0; t < 3; t++) {
        for (int i = 0; i < 3; i++) s += value(&c[i]) * x[i];
        if (t == 0) set(&c[2], k);
        if (t == 1) set(&c[2], (float)(x[1] * k[1])), set(&c[0], k + 1);
    }
    for (int i = 0; i < 3; i++) s += value(&c[i]) * x[3];
    free(c);
    return s;
}
/* The reverse sweep needs no float, but the pointers that lay there before. */
static double linear(const double *x) {
    cell *c = (cell *)malloc(2 * sizeof *c);
    double k[2] = {x[0] * x[1], x[2]}, s = 0;
    for (int i = 0; i < 2; i++) c[i].u.p = k + i;
    for (int i = 0; i < 2; i++) s += *c[i].u.p * *c[1 - i].u.p * x[i];
    for (int i = 0; i < 2; i++) c[i].u.f = (float)x[i];
    for (int i = 0; i < 2; i++) s += 3.0 * c[i].u.f;
    free(c);
    return s;
}
using either = std::variant<float, const double *>;
APART double of(const either &v) { return v.index() == 0 ? std::get<0>(v) * 2.0 : *std::get<1>(v) * 3.0; }
static double variants(const double *x) {
    std::vector<either> v;
    for (int i = 0; i < 4; i++)
        if (i % 2)
            v.push_back((float)(x[i] * x[0]));
        else
            v.push_back(x + i);
    double s = 0;
    for (int t = 0; t < 3; t++) {
        for (auto &e : v) s += of(e) * x[t];
        std::swap(v[t], v[t + 1]);
        v[0] = (float)(x[1] * x[2]);
        v[3] = x + 1;
    }
    for (auto &e : v) s += of(e);
    return s;
}

struct pool {
    char *at;
    size_t used;
};
APART void *take(pool *p, size_t bytes) {
    void *taken = p->at + p->used;
    p->used += (bytes + 15) / 16 * 16;
    return taken;
}
struct node {
    node *next;
    const double *v;
};
template <class real> static double pooled(const double *x) {
    pool p = {(char *)malloc(4096), 0};
    double s = 0;
    for (int t = 0; t < 3; t++) {
        p.used = 0;
        node *first = nullptr;
        for (int i = 0; i < 4; i++) first = new (take(&p, sizeof(node))) node{first, x + i};
        for (node *n = first; n; n = n->next) s = s * 0.5 + *n->v * x[t];
        p.used = 0;
        real *a = (real *)take(&p, 8 * sizeof(real));
        for (int i = 0; i < 8; i++) a[i] = (real)(x[i % 4] * s);
        for (int i = 0; i < 8; i++) s += real(0.125) * a[i] * a[7 - i];
    }
    free(p.at);
    return s;
}
static double pooled_floats(const double *x) { return pooled<float>(x); }
static double pooled_doubles(const double *x) { return pooled<double>(x); }

AD_FUNCTIONAL(float_first)
AD_FUNCTIONAL(pointer_first)
AD_FUNCTIONAL(in_turn)
AD_FUNCTIONAL(linear)
AD_FUNCTIONAL(variants)
AD_FUNCTIONAL(pooled_floats)
AD_FUNCTIONAL(pooled_doubles)

int main(void) {
    struct check_case with_floats[] = {CHECK_FUNCTIONAL(float_first, 4), CHECK_FUNCTIONAL(pointer_first, 4), CHECK_FUNCTIONAL(in_turn, 4),
                                       CHECK_FUNCTIONAL(linear, 4),      CHECK_FUNCTIONAL(variants, 4),      CHECK_FUNCTIONAL(pooled_floats, 4)};
    struct check_case with_doubles[] = {CHECK_FUNCTIONAL(pooled_doubles, 4)};
    for (auto &c : with_floats) {
        /* What a float rounds to does not change over a small difference: the adjoint is compared with the tangent. */
        c.tol_diff = 5e-2, c.tol_dot = 1e-6;
        check_random_points(&c, 3, 0.25, 0.5);
    }
    for (auto &c : with_doubles) check_random_points(&c, 3, 0.25, 0.5);
    return check_done();
}
