/* Classes, virtual functions, containers, algorithms, exceptions. */
#include <algorithm>
#include <cmath>
#include <complex>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <valarray>
#include <vector>

#include "objects.h"

#define OBJECT(name) extern "C" void object_##name(const double *x, double *y)

namespace {
constexpr int N = 8;

struct Shape {
    virtual ~Shape() = default;
    virtual double area() const = 0;
    virtual void grow(double by) = 0;
};
struct Disc : Shape {
    double r;
    explicit Disc(double r) : r(r) {}
    double area() const override { return M_PI * r * r; }
    void grow(double by) override { r *= by; }
};
struct Box : Shape {
    double a, b;
    Box(double a, double b) : a(a), b(b) {}
    double area() const override { return a * b; }
    void grow(double by) override { a += by, b *= by; }
};
struct Named {
    virtual ~Named() = default;
    virtual double named() const { return 1; }
    int id = 3;
};
struct Both : Named, Disc {
    explicit Both(double r) : Disc(r) {}
    double named() const override { return r * id; }
    double area() const override { return Disc::area() + named(); }
};
template <class T, int K> T folded(const T *v) {
    T s{};
    for (int i = 0; i < K; i++) s += v[i] * v[(i + 1) % K];
    return s;
}
struct Number {
    double v;
    Number operator*(Number o) const { return {v * o.v}; }
    Number operator+(Number o) const { return {v + o.v}; }
    bool operator<(Number o) const { return v < o.v; }
    static Number largest;
};
Number Number::largest{0};
double check(double v) {
    if (v > 0.6) throw std::range_error(std::to_string(1));
    return v * v;
}
[[gnu::noinline]] double deeper(double v, int depth) {
    std::vector<double> kept(3, v);
    if (depth == 0) throw v * v * kept[1];
    return deeper(v * 1.1, depth - 1) + kept[0];
}
}

OBJECT(virtuals) {
    std::vector<std::unique_ptr<Shape>> all;
    for (int i = 0; i < N; i++) {
        if (i % 2) all.push_back(std::make_unique<Disc>(x[i]));
        else all.push_back(std::make_unique<Box>(x[i], x[i + 1]));
    }
    for (int i = 0; i < N; i++) all[i]->grow(x[0]), y[i] = all[i]->area();
}
OBJECT(vectors) {
    std::vector<double> v;
    for (int i = 0; i < N; i++) v.push_back(x[i] * x[i]);
    v.insert(v.begin() + 2, x[0]);
    v.erase(v.begin() + 5);
    for (int i = 0; i < N; i++) y[i] = v[i] * v[N - 1 - i];
}
OBJECT(sorted) {
    std::vector<double> v(x, x + N);
    for (auto &e : v) e = std::sin(9 * e);
    std::sort(v.begin(), v.end());
    for (int i = 0; i < N; i++) y[i] = v[i] * (i + 1);
}
OBJECT(sorted_by) {
    std::vector<std::pair<double, int>> v;
    for (int i = 0; i < 20; i++) v.push_back({std::cos(x[i % N] * (i / 4 + 1)), i});
    std::sort(v.begin(), v.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (int i = 0; i < N; i++) y[i] = v[i * 2].first * (v[i].second < 100 ? i : 0);
}
OBJECT(caught_inside) {
    for (int i = 0; i < N; i++) {
        try {
            y[i] = check(x[i]);
        } catch (const std::range_error &e) {
            y[i] = x[i] * std::stoi(e.what()) + x[0];
        }
    }
}
OBJECT(thrown_far) {
    for (int i = 0; i < 4; i++) {
        try {
            y[i] = deeper(x[i], i + 1);
        } catch (double v) {
            y[i] = v * x[0];
        }
    }
}
OBJECT(maps) {
    std::map<std::string, double> all;
    const char *names[] = {"b", "a", "d", "c"};
    for (int i = 0; i < N; i++) all[names[i % 4]] += x[i] * (i + 1);
    int k = 0;
    for (const auto &[name, value] : all) y[k++] = value * value;
}
OBJECT(functions) {
    std::function<double(double)> f = [x](double t) { return t * x[1]; };
    for (int i = 0; i < 3; i++) f = [f, i, x](double t) { return f(t) * x[i] + t; };
    y[0] = f(x[3]);
}
OBJECT(templates) {
    y[0] = folded<double, 8>(x);
    float v[4];
    for (int i = 0; i < 4; i++) v[i] = static_cast<float>(i + 1);
    y[1] = folded<float, 4>(v) * x[0];
}
OBJECT(valarrays) {
    std::valarray<double> v(x, N), w = v * v + std::exp(v);
    w[std::slice(0, 4, 2)] *= v[std::slice(1, 4, 2)];
    for (int i = 0; i < N; i++) y[i] = w[i] * w.sum();
}
OBJECT(complexes) {
    std::complex<double> z(1, 0);
    for (int i = 0; i < 4; i++) z = z * std::complex<double>(x[2 * i], x[2 * i + 1]) + std::exp(z / 2.0);
    y[0] = z.real(), y[1] = z.imag(), y[2] = std::abs(z), y[3] = std::norm(z) * std::arg(z);
}
OBJECT(accumulated) {
    y[0] = std::accumulate(x, x + N, 0.0);
    y[1] = std::inner_product(x, x + N, x, 0.0);
    std::partial_sum(x, x + 6, y + 2, [](double a, double b) { return a * b + 1; });
}
OBJECT(shared) {
    auto p = std::make_shared<std::vector<double>>(x, x + N);
    auto q = p;
    for (auto &e : *q) e *= e;
    for (int i = 0; i < N; i++) y[i] = (*p)[i] * p.use_count();
}
OBJECT(deques) {
    std::deque<double> d;
    for (int i = 0; i < 200; i++) {
        d.push_back(x[i % N] * i), d.push_front(x[(i + 3) % N]);
        if (i % 3 == 0) d.pop_front();
    }
    for (int i = 0; i < N; i++) y[i] = d[i * 20] * d[5];
}
OBJECT(lists) {
    std::list<double> l(x, x + N);
    l.sort(std::greater<>());
    l.reverse();
    int k = 0;
    for (double v : l) y[k] = v * (k + 1), k++;
}
OBJECT(matrices) {
    std::vector<std::vector<double>> a(3, std::vector<double>(3));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) a[i][j] = x[i] * x[j + 3];
    auto b = a;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++) b[i][j] += a[i][k] * a[k][j];
    for (int i = 0; i < N; i++) y[i] = b[i / 3][i % 3];
}
OBJECT(optionals) {
    for (int i = 0; i < N; i++) {
        std::optional<double> v;
        if (x[i] > 0.5) v = x[i] * x[i];
        y[i] = v.value_or(x[0]) * x[i];
    }
}
OBJECT(strings) {
    std::string s = "factor";
    for (int i = 0; i < N; i++) s += static_cast<char>('a' + i), y[i] = x[i] * s.size();
}
OBJECT(transformed) {
    std::transform(x, x + N, y, [](double v) { return std::sqrt(v) * v; });
    std::reverse(y, y + N);
    std::rotate(y, y + 3, y + N);
    double m = *std::max_element(y, y + N), l = *std::min_element(x, x + N);
    y[0] = m * l;
}
OBJECT(moved) {
    std::vector<double> a(x, x + N), b = std::move(a);
    std::swap(b[0], b[5]);
    std::fill(b.begin() + 6, b.end(), x[1] * x[2]);
    std::copy_backward(b.begin(), b.begin() + 5, b.begin() + 6);
    std::copy(b.begin(), b.end(), y);
}
OBJECT(operators) {
    Number s{0};
    for (int i = 0; i < N; i++) s = s * Number{x[i]} + Number{x[0]}, y[i] = s.v;
}
OBJECT(static_members) {
    Number::largest = {0};
    for (int i = 0; i < N; i++) Number::largest = std::max(Number::largest, Number{x[i]}), y[i] = Number::largest.v * x[i];
}
OBJECT(two_bases) {
    Both b(x[0]);
    Named *n = &b;
    Shape *s = &b;
    s->grow(x[1]);
    y[0] = n->named() * s->area();
}
OBJECT(casts) {
    Both b(x[0]);
    Shape *s = &b;
    if (auto *n = dynamic_cast<Named *>(s)) y[0] = n->named() * x[1];
    if (auto *d = dynamic_cast<Box *>(s)) y[1] = d->a;
}
OBJECT(members) {
    double Box::*which[] = {&Box::a, &Box::b};
    Box b(x[0], x[1]);
    for (int i = 0; i < N; i++) b.*which[i % 2] *= x[i], y[i] = b.area();
}
OBJECT(permuted) {
    std::vector<int> at(N);
    std::iota(at.begin(), at.end(), 0);
    std::sort(at.begin(), at.end(), [x](int a, int b) { return x[a] < x[b]; });
    for (int i = 0; i < N; i++) y[i] = x[at[i]] * x[i];
    std::nth_element(y, y + 4, y + N);
    double m = y[4];
    std::fill(y, y + N, 0);
    y[4] = m * m;
}
double objects_checked(double v, double limit) {
    double w = v * v;
    if (w > limit) throw w * 2;
    return std::sqrt(w + 1);
}
double objects_guarded(double (*f)(double), double v) {
    try {
        return f(v) * v;
    } catch (double w) {
        return w * v * v;
    }
}
