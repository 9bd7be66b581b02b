// Algorithms of the standard library that move structs of reals and integers in vectors: padding at the end, members in any
// order, arrays inside. Compilers move several elements at once, by differences of pointers.
// ad-i386: none, refused for now (AD033)
// ad-long: many algorithms
#include "requests.h"
#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>
#include <vector>

namespace {
enum { N = 7 };

struct Point { double x, y; int id; };
struct Item { double x; int id; };
struct Row { int id; double a[3]; };
struct Flagged { double x; bool flag; };
typedef std::pair<double, int> Weighted;
typedef std::pair<int, double> Numbered;
typedef std::tuple<int, double, double> Triple;

// The first of x keeps the order of elements apart.
double apart(const double *x, int i) { return 0.1 * x[i] + i * 5 % N; }

void make(const double *x, int i, Point &e) { e = {apart(x, i), sin(x[i]), i}; }
void make(const double *x, int i, Item &e) { e = {apart(x, i), i}; }
void make(const double *x, int i, Row &e) { e = {i, {apart(x, i), sin(x[i]), x[i] * x[i]}}; }
void make(const double *x, int i, Flagged &e) { e = {apart(x, i), i % 2 == 0}; }
void make(const double *x, int i, Weighted &e) { e = {apart(x, i), i}; }
void make(const double *x, int i, Numbered &e) { e = {i, apart(x, i)}; }
void make(const double *x, int i, Triple &e) { e = Triple(i, apart(x, i), sin(x[i])); }

double key(const Point &e) { return e.x; }
double key(const Item &e) { return e.x; }
double key(const Row &e) { return e.a[0]; }
double key(const Flagged &e) { return e.x; }
double key(const Weighted &e) { return e.first; }
double key(const Numbered &e) { return e.second; }
double key(const Triple &e) { return std::get<1>(e); }

double worth(const Point &e) { return e.x * e.y * (e.id + 1); }
double worth(const Item &e) { return e.x * e.x * (e.id + 1); }
double worth(const Row &e) { return e.a[0] * e.a[1] * (e.id + 1) + e.a[2]; }
double worth(const Flagged &e) { return e.flag ? e.x * e.x : 2 * e.x; }
double worth(const Weighted &e) { return e.first * e.first * (e.second + 1); }
double worth(const Numbered &e) { return e.second * e.second * (e.first + 1); }
double worth(const Triple &e) { return std::get<1>(e) * std::get<2>(e) * (std::get<0>(e) + 1); }

template <class T> T made(const double *x, int i) {
    T e{};
    make(x, i, e);
    return e;
}
template <class T> std::vector<T> filled(const double *x) {
    std::vector<T> v;
    for (int i = 0; i < N; i++) v.push_back(made<T>(x, i));
    return v;
}
template <class C> double total(const C &c) {
    double sum = 0;
    int place = 1;
    for (const auto &e : c) sum += worth(e) * (1.0 / place++);
    return sum;
}
template <class T> bool less(const T &a, const T &b) { return key(a) < key(b); }

template <class T> double sorted(const double *x) {
    auto v = filled<T>(x);
    std::sort(v.begin(), v.end(), [](const T &a, const T &b) { return key(a) < key(b); });
    return total(v);
}
template <class T> double inserted(const double *x) {
    auto v = filled<T>(x);
    v.insert(v.begin(), made<T>(x, 1));
    v.insert(v.begin() + 2, made<T>(x, 0));
    v.insert(v.end(), made<T>(x, 2));
    return total(v);
}
template <class T> double erased(const double *x) {
    auto v = filled<T>(x);
    v.erase(v.begin());
    v.erase(v.begin() + 1);
    v.erase(v.begin() + 1, v.begin() + 3);
    return total(v);
}
template <class T> double turned(const double *x) {
    auto v = filled<T>(x);
    std::rotate(v.begin(), v.begin() + 2, v.end());
    std::reverse(v.begin() + 1, v.end());
    std::swap(v[0], v[2]);
    return total(v);
}
template <class T> double picked(const double *x) {
    auto v = filled<T>(x);
    std::nth_element(v.begin(), v.begin() + N / 2, v.end(), less<T>);
    double middle = worth(v[N / 2]);
    auto end = std::partition(v.begin(), v.end(), [](const T &e) { return key(e) < 2.5; });
    double low = 0;
    for (auto e = v.begin(); e != end; ++e) low += worth(*e);
    return middle * low;
}
template <class T> double thinned(const double *x) {
    auto v = filled<T>(x);
    v.erase(std::unique(v.begin(), v.end(), [](const T &a, const T &b) { return key(b) - key(a) > 4.5; }), v.end());
    v.erase(std::remove_if(v.begin(), v.end(), [](const T &e) { return key(e) > 4.5; }), v.end());
    return total(v);
}
template <class T> double heaped(const double *x) {
    auto v = filled<T>(x);
    std::make_heap(v.begin(), v.end(), less<T>);
    std::pop_heap(v.begin(), v.end(), less<T>);
    v.pop_back();
    v.push_back(made<T>(x, 3));
    std::push_heap(v.begin(), v.end(), less<T>);
    std::sort_heap(v.begin(), v.end(), less<T>);
    return total(v);
}
double points(const double *x) { return sorted<Point>(x) + inserted<Point>(x) + erased<Point>(x); }
double items(const double *x) { return sorted<Item>(x) + turned<Item>(x) + heaped<Item>(x); }
double rows(const double *x) { return sorted<Row>(x) + inserted<Row>(x) + turned<Row>(x); }
double flagged(const double *x) { return inserted<Flagged>(x) + picked<Flagged>(x); }
double weighted(const double *x) { return sorted<Weighted>(x) + thinned<Weighted>(x); }
double numbered(const double *x) { return inserted<Numbered>(x) + picked<Numbered>(x); }
double triples(const double *x) { return sorted<Triple>(x) + turned<Triple>(x) + thinned<Triple>(x); }
double thin(const double *x) { return thinned<Point>(x) + thinned<Row>(x) + picked<Point>(x); }

AD_FUNCTIONAL(points)
AD_FUNCTIONAL(items)
AD_FUNCTIONAL(rows)
AD_FUNCTIONAL(flagged)
AD_FUNCTIONAL(weighted)
AD_FUNCTIONAL(numbered)
AD_FUNCTIONAL(triples)
AD_FUNCTIONAL(thin)
} // namespace

int main() {
    check_case cases[] = {
        CHECK_FUNCTIONAL(points, N),   CHECK_FUNCTIONAL(items, N),    CHECK_FUNCTIONAL(rows, N),
        CHECK_FUNCTIONAL(flagged, N),  CHECK_FUNCTIONAL(weighted, N),
        CHECK_FUNCTIONAL(numbered, N), CHECK_FUNCTIONAL(triples, N),  CHECK_FUNCTIONAL(thin, N),
    };
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
