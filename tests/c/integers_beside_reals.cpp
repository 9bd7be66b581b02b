/* Integers that lie where reals lie at other times, and with which code calculates: that they are no bits of a real is known only when the
 * program runs.
 * ad-flags: -fno-strict-aliasing
 * ad-i386: none, addresses of four bytes look like floats */
#include "requests.h"

#include <memory>
#include <vector>

/* A union that holds a real, an integer or a smaller one. */
struct tagged {
    enum { REAL, COUNT, SMALL } kind;
    union {
        double real;
        long count;
        short small[4];
    };
};
__attribute__((noinline)) static double value(const tagged &t) {
    switch (t.kind) {
    case tagged::REAL: return t.real * t.real;
    case tagged::COUNT: return t.count * 0.5;
    default: return t.small[1] - t.small[2];
    }
}
static double unions(const double *x) {
    std::vector<tagged> all(9);
    for (int i = 0; i < 9; i++) {
        tagged &t = all[i];
        if (i % 3 == 0) t.kind = tagged::REAL, t.real = x[i / 3] * (i + 1);
        else if (i % 3 == 1) t.kind = tagged::COUNT, t.count = 3 * i;
        else t.kind = tagged::SMALL, t.small[1] = (short)i, t.small[2] = 1;
    }
    /* Each place holds another member in the end. */
    double sum = 0;
    for (int k = 0; k < 3; k++) {
        for (tagged &t : all) {
            sum += value(t) * x[k];
            if (t.kind == tagged::REAL) t.kind = tagged::COUNT, t.count = k + 2;
            else t.kind = tagged::REAL, t.real = x[0] * x[1] + k;
        }
    }
    return sum;
}
AD_FUNCTIONAL(unions)

/* Blocks of memory that are used for nodes of one type after nodes of another. */
struct pool {
    void *free_blocks[8];
    int count = 0;
    void *take() { return count ? free_blocks[--count] : std::calloc(1, 32); }
    void give(void *block) { free_blocks[count++] = block; }
    ~pool() {
        while (count) std::free(free_blocks[--count]);
    }
};
struct weight { double a, b; };
struct steps { long first, step; };
static double pools(const double *x) {
    pool p;
    double sum = 0;
    for (int i = 0; i < 6; i++) {
        auto *w = static_cast<weight *>(p.take());
        w->a = x[0] * i, w->b = x[1];
        sum += w->a * w->b;
        p.give(w);
        auto *n = static_cast<steps *>(p.take());
        n->first = 2 * i, n->step = i + 1;
        sum += x[2] * (n->first + 2 * n->step);
        p.give(n);
    }
    return sum;
}
AD_FUNCTIONAL(pools)

/* A tree of shared pointers: their counters lie beside what they count. */
struct node {
    double value;
    std::shared_ptr<node> left, right;
};
static std::shared_ptr<node> inserted(std::shared_ptr<node> at, double value) {
    if (!at) return std::make_shared<node>(node{value, nullptr, nullptr});
    if (value < at->value) at->left = inserted(at->left, value);
    else at->right = inserted(at->right, value);
    return at;
}
static double depths(const std::shared_ptr<node> &at, int depth) {
    return at ? at->value * at->value * depth * at.use_count() + depths(at->left, depth + 1) + depths(at->right, depth + 1) : 0;
}
static double trees(const double *x) {
    std::shared_ptr<node> root;
    for (int i = 0; i < 3; i++) root = inserted(root, x[i]);
    return depths(root, 1);
}
AD_FUNCTIONAL(trees)

/* Terms of a formula that are copied through their class: an operator, one byte, lies beside a real. */
struct term {
    virtual ~term() = default;
    virtual double at(double t) const = 0;
    virtual std::unique_ptr<term> clone() const = 0;
};
struct variable : term {
    double at(double t) const override { return t; }
    std::unique_ptr<term> clone() const override { return std::make_unique<variable>(); }
};
struct operation : term {
    double with;
    char name;
    std::unique_ptr<term> of;
    operation(char name, double with, std::unique_ptr<term> of) : with(with), name(name), of(std::move(of)) {}
    double at(double t) const override {
        double x = of->at(t);
        return name == '+' ? x + with : name == '*' ? x * with : x - with;
    }
    std::unique_ptr<term> clone() const override { return std::make_unique<operation>(name, with, of->clone()); }
};
static double formulas(const double *x) {
    std::unique_ptr<term> f = std::make_unique<variable>();
    for (int i = 0; i < 6; i++) f = std::make_unique<operation>("+*-"[i % 3], x[i % 3], std::move(f));
    auto copy = f->clone();
    return f->at(0.75) * copy->at(1.25);
}
AD_FUNCTIONAL(formulas)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(unions, 3), CHECK_FUNCTIONAL(pools, 3), CHECK_FUNCTIONAL(trees, 3), CHECK_FUNCTIONAL(formulas, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.4);
    return check_done();
}
