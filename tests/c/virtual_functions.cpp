// Virtual functions: through base pointers in arrays, several levels of classes, abstract bases, two bases (whose
// functions are reached by thunks), objects that hold active data, objects that are constant.
#include "requests.h"

namespace {
enum { N = 4 };
#define NOINLINE __attribute__((noinline))

struct Law {
    virtual double at(double t) const = 0;
    virtual void scale(double) {}
};
struct Linear : Law {
    double slope;
    explicit Linear(double slope) : slope(slope) {}
    double at(double t) const override { return slope * t; }
    void scale(double by) override { slope *= by; }
};
struct Wave : Law {
    double phase, height;
    Wave(double phase, double height) : phase(phase), height(height) {}
    double at(double t) const override { return height * std::sin(t + phase); }
};
struct Damped : Wave {
    double rate;
    Damped(double phase, double height, double rate) : Wave(phase, height), rate(rate) {}
    double at(double t) const override { return Wave::at(t) * std::exp(-rate * t); }
    void scale(double by) override { rate = rate * by + 0.1; }
};
// The same slot and type as Law::at, in a class that no call here can meet.
struct Stranger {
    virtual double no(double t) const { return t + 1000.0; }
};
NOINLINE double strange(const Stranger &s, double t) { return s.no(t); }

NOINLINE double sum(Law *const *laws, int n, double t) {
    double y = 0.0;
    for (int i = 0; i < n; i++) y += laws[i]->at(t + i);
    return y;
}

double mixture(const double *x) { // the objects hold active data
    Linear linear(x[0]);
    Wave wave(x[1], x[2]);
    Damped damped(x[2], x[3], x[0] * x[1]);
    Law *laws[] = {&linear, &wave, &damped, &linear};
    double y = sum(laws, 4, x[3]);
    for (Law *law : laws) law->scale(y);
    return sum(laws, 3, x[1]) * y;
}

double constants(const double *x) { // the objects do not: only the arguments are active
    static Linear linear(2.0);
    static Damped damped(0.3, 1.5, 0.2);
    Law *laws[] = {&damped, &linear};
    double y = 1.0;
    for (int i = 0; i < N; i++) y = laws[i % 2]->at(y * x[i]) + x[i];
    return y;
}

struct Shape {
    virtual double area() const = 0;
};
struct Weight {
    double density;
    virtual double mass() const = 0;
};
struct Disc : Shape, Weight {
    double radius;
    Disc(double radius, double density) : radius(radius) { this->density = density; }
    double area() const override { return 3.0 * radius * radius; }
    double mass() const override { return area() * density; } // reached through a thunk
};
struct Plate : Shape, Weight {
    double width, height;
    Plate(double width, double height, double density) : width(width), height(height) { this->density = density; }
    double area() const override { return width * height; }
    double mass() const override { return area() * density + width; }
};
NOINLINE double total(const Shape *const *shapes, const Weight *const *weights, int n) {
    double y = 0.0;
    for (int i = 0; i < n; i++) y += shapes[i]->area() * weights[i]->mass();
    return y;
}
double two_bases(const double *x) {
    Disc disc(x[0], x[1]), other(x[1] * x[2], 2.0);
    Plate plate(x[2], x[3], x[0]);
    const Shape *shapes[] = {&disc, &plate, &other};
    const Weight *weights[] = {&plate, &other, &disc};
    return total(shapes, weights, 3);
}

double known_class(const double *x) { // no choice is left: the compiler sees the class
    Damped damped(x[0], x[1], x[2]);
    const Law &law = damped;
    return law.at(x[3]) * law.at(1.0);
}

struct Node { // recursion through virtual functions
    virtual double value(const double *x, int depth) const = 0;
};
struct Leaf : Node {
    int i;
    explicit Leaf(int i) : i(i) {}
    double value(const double *x, int) const override { return x[i] * x[i]; }
};
struct Product : Node {
    const Node *a, *b;
    Product(const Node *a, const Node *b) : a(a), b(b) {}
    NOINLINE double value(const double *x, int depth) const override { return a->value(x, depth + 1) * b->value(x, depth + 1) + depth; }
};
struct Sine : Node {
    const Node *a;
    explicit Sine(const Node *a) : a(a) {}
    NOINLINE double value(const double *x, int depth) const override { return std::sin(a->value(x, depth + 1)); }
};
const Leaf leaves[] = {Leaf(0), Leaf(1), Leaf(2), Leaf(3)};
const Product inner(&leaves[1], &leaves[2]);
const Sine sine(&inner);
const Product outer(&sine, &leaves[3]);
const Product root(&outer, &inner);
NOINLINE double evaluate(const Node *node, const double *x) { return node->value(x, 0); }
double expression(const double *x) { return evaluate(&root, x) + evaluate(&leaves[0], x); }

AD_FUNCTIONAL(mixture)
AD_FUNCTIONAL(constants)
AD_FUNCTIONAL(two_bases)
AD_FUNCTIONAL(known_class)
AD_FUNCTIONAL(expression)
} // namespace

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(mixture, N), CHECK_FUNCTIONAL(constants, N), CHECK_FUNCTIONAL(two_bases, N),
                          CHECK_FUNCTIONAL(known_class, N), CHECK_FUNCTIONAL(expression, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.2);
    check_true("a stranger", strange(Stranger(), 1.0) == 1001.0);
    return check_done();
}
