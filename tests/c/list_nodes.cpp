// Lists of active numbers and of structs: nodes that are inserted, moved between lists, sorted, merged, reversed and removed,
// here and in callees.
// ad-i386: none, refused for now, the length in a list's head lies where reals lie in its nodes (AD031)
// ad-sanitizers: address
#include "requests.h"
#include <forward_list>
#include <list>

static double moves(const double *x) {
    std::list<double> a, b;
    for (int i = 0; i < 6; i++) a.push_back(x[i] * x[i]), b.push_front(std::sin(x[i]));
    a.insert(std::next(a.begin(), 2), x[0] * x[5]);
    a.splice(std::next(a.begin()), b, std::next(b.begin()), std::prev(b.end()));
    b.splice(b.end(), a, a.begin());
    a.reverse();
    b.swap(a);
    a.erase(a.begin());
    b.pop_front();
    b.pop_back();
    double sum = 0, place = 1;
    for (double v : a) sum += place++ * v;
    for (auto i = b.rbegin(); i != b.rend(); ++i) sum += place++ * *i * *i;
    std::list<double> nothing;
    nothing.swap(b);
    b.splice(b.begin(), a);
    for (double &v : b) v *= sum, sum += v * v * 1e-3;
    return sum + b.front() * nothing.back() + a.size();
}

// Merge sort of many, by their values and by another order.
static double sorted(const double *x) {
    std::list<double> a, b;
    for (int i = 0; i < 50; i++) (i % 3 ? a : b).push_back(x[i % 7] * (1 + 0.1 * ((i * 29) % 50)));
    a.sort();
    b.sort();
    a.merge(b);
    double sum = 0, place = 1;
    for (double v : a) sum += place++ * v * 0.01;
    a.sort([&](double p, double q) { return (p - x[0]) * (p - x[0]) < (q - x[0]) * (q - x[0]); });
    place = 1;
    for (double v : a) sum += v * v / place++;
    return sum;
}

struct particle {
    double at, speed;
    int kind;
};
__attribute__((noinline)) static void step(std::list<particle> &all, double dt) {
    for (auto p = all.begin(); p != all.end();) {
        p->at += dt * p->speed;
        if (p->at > 3.0 && p->kind == 0) {
            p = all.erase(p);
        } else {
            if (p->at > 2.0 && p->kind == 1) all.push_front({p->at * 0.1, p->speed * p->speed, 2}), p->kind = 0;
            ++p;
        }
    }
}
static double particles(const double *x) {
    std::list<particle> all;
    for (int i = 0; i < 8; i++) all.push_back({x[i % 4], 0.5 + x[(i + 1) % 4], i % 3});
    double sum = 0;
    for (int t = 0; t < 30; t++) {
        step(all, 0.1);
        for (const particle &p : all) sum += p.at * p.speed * 0.1;
    }
    return sum;
}

static double one_way(const double *x) {
    std::forward_list<double> a;
    for (int i = 0; i < 20; i++) a.push_front(x[i % 5] * (1 + (i * 7) % 20));
    a.reverse();
    a.sort();
    a.remove_if([](double v) { return v > 12; });
    a.insert_after(a.begin(), x[0] * x[1]);
    a.erase_after(a.before_begin());
    double sum = 0, place = 1;
    for (double v : a) sum += place++ * v * v;
    return sum;
}

AD_FUNCTIONAL(moves)
AD_FUNCTIONAL(sorted)
AD_FUNCTIONAL(particles)
AD_FUNCTIONAL(one_way)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(moves, 6), CHECK_FUNCTIONAL(sorted, 7), CHECK_FUNCTIONAL(particles, 4),
                          CHECK_FUNCTIONAL(one_way, 5)};
    for (check_case &c : cases) {
        c.step = 0.0001; // The order stays as it is.
        check_random_points(&c, 2, 0.4, 1.1);
    }
    return check_done();
}
