/* std::sort of structs, and of numbers by an order that looks at active data: what memmove moves between two pointers. */
// ad-i386: none, refused for now (AD033)
#include "requests.h"

#include <algorithm>
#include <numeric>

enum { N = 20 };

static double apart(const double *x, int i) { return 0.3 * x[i] + (i * 7 % N); }

struct Item {
    double key, weight;
    int number;
    bool operator<(const Item &other) const { return key < other.key; }
};
static double structs(const double *x) {
    Item items[N];
    for (int i = 0; i < N; i++) items[i] = Item{apart(x, i), x[N - 1 - i], i};
    std::sort(items, items + N);
    double y = 0.0;
    for (int i = 0; i < N; i++) y += items[i].key * items[i].weight * (items[i].number + i);
    return y * 0.01;
}

static double permuted(const double *x) { // the order is one of numbers: nothing active is moved
    int order[N];
    std::iota(order, order + N, 0);
    std::sort(order, order + N, [x](int a, int b) { return apart(x, a) < apart(x, b); });
    double y = 0.0;
    for (int i = 0; i + 1 < N; i++) y += x[order[i]] * apart(x, order[i + 1]);
    return y;
}

AD_FUNCTIONAL(structs)
AD_FUNCTIONAL(permuted)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(structs, N), CHECK_FUNCTIONAL(permuted, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 0.95);
    return check_done();
}
