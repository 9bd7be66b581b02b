// dynamic_cast and typeid on objects with active members: down, across, from a virtual base, of pointers and references, where
// the cast fails, and the types that decide.
// ad-i386: none, objects on the heap lead to AD034 there
#include "requests.h"
#include <memory>
#include <typeinfo>
#include <vector>

enum { N = 4 };

struct shape {
    virtual ~shape() = default;
    virtual double area() const = 0;
};
struct weighted {
    double weight;
    explicit weighted(double weight) : weight(weight) {}
    virtual double load() const { return weight; }
    virtual ~weighted() = default;
};
struct disc : shape {
    double r;
    explicit disc(double r) : r(r) {}
    double area() const override { return 3.0 * r * r; }
};
struct box : shape, weighted { /* the second base lies elsewhere in the object */
    double a, b;
    box(double a, double b) : weighted(a * b), a(a), b(b) {}
    double area() const override { return a * b; }
    double load() const override { return weight * a; }
};
struct cube final : box {
    double c;
    cube(double a, double b, double c) : box(a, b), c(c) {}
    double area() const override { return 2.0 * (a * b + b * c + c * a); }
};

static std::unique_ptr<shape> make(const double *x, int i) {
    if (i % 3 == 0) return std::make_unique<disc>(x[i]);
    if (i % 3 == 1) return std::make_unique<box>(x[i], x[(i + 1) % N]);
    return std::make_unique<cube>(x[i], x[(i + 1) % N], sin(x[i]));
}

/* Down, and across to the second base, by pointers. */
static double pointers(const double *x) {
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        std::unique_ptr<shape> one = make(x, i);
        if (auto *d = dynamic_cast<disc *>(one.get())) sum += d->r * x[0];
        if (auto *w = dynamic_cast<weighted *>(one.get())) sum += w->load() * w->weight;
        if (auto *c = dynamic_cast<cube *>(one.get())) c->c *= 2.0;
        sum += one->area();
    }
    return sum;
}
AD_FUNCTIONAL(pointers)

/* Across from a reference to the second base; one that fails throws. */
__attribute__((noinline)) static double seen(weighted &w) {
    shape &s = dynamic_cast<shape &>(w);
    return s.area() * w.load();
}
static double references(const double *x) {
    box b(x[0], x[1]);
    cube c(x[1], x[2], x[3]);
    return seen(b) + seen(c) * seen(c);
}
AD_FUNCTIONAL(references)

/* Written through the result of a cast; to the whole object. */
static double written(const double *x) {
    std::vector<shape *> all;
    for (int i = 0; i < N; i++) all.push_back(make(x, i).release());
    for (shape *s : all)
        if (auto *b = dynamic_cast<box *>(s)) {
            b->a = b->a * b->b + x[3];
            auto *whole = static_cast<char *>(dynamic_cast<void *>(static_cast<weighted *>(b)));
            b->b *= whole == reinterpret_cast<char *>(b) ? x[2] : 0.0;
        }
    double sum = 0.0;
    for (shape *s : all) {
        sum += s->area() * s->area();
        delete s;
    }
    return sum;
}
AD_FUNCTIONAL(written)

/* By type information. */
static double types(const double *x) {
    double sum = 1.0;
    for (int i = 0; i < N; i++) {
        std::unique_ptr<shape> one = make(x, i);
        const shape &s = *one;
        if (typeid(s) == typeid(disc)) sum *= static_cast<const disc &>(s).r;
        else if (typeid(s) != typeid(cube)) sum += static_cast<const box &>(s).load() * x[i];
        else sum += s.area();
    }
    return sum;
}
AD_FUNCTIONAL(types)

/* Through a base that is virtual. */
struct root {
    double value;
    explicit root(double value) : value(value) {}
    virtual ~root() = default;
};
struct left : virtual root {
    double l;
    explicit left(double l) : root(l), l(l) {}
};
struct right : virtual root {
    double r;
    explicit right(double r) : root(r), r(r) {}
};
struct both : left, right {
    explicit both(double x, double y) : root(x * y), left(x), right(y) {}
};
__attribute__((noinline)) static double of_root(root *p, double x) {
    auto *r = dynamic_cast<right *>(p);
    auto *l = dynamic_cast<left *>(p);
    return (r ? r->r * r->value : x) + (l ? l->l * x : p->value);
}
static double virtual_base(const double *x) {
    both b(x[0], x[1]);
    left l(x[2]);
    root plain(x[3]);
    return of_root(&b, x[0]) * of_root(&l, x[1]) + of_root(&plain, x[2]);
}
AD_FUNCTIONAL(virtual_base)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(pointers, N), CHECK_FUNCTIONAL(references, N), CHECK_FUNCTIONAL(written, N),
                          CHECK_FUNCTIONAL(types, N), CHECK_FUNCTIONAL(virtual_base, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.5, 1.5);
    return check_done();
}
