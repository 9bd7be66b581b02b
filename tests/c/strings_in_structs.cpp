// Strings that are members of active data, short ones within the object and long ones on the heap: copied, moved, made longer
// and compared, in vectors that grow, are copied and sorted.
// ad-i386: none, strings beside active data are refused where an address has four bytes
#include "requests.h"
#include <algorithm>
#include <string>
#include <vector>

enum { N = 3 };

struct material {
    std::string name;
    double stiffness, ratio;
};
static double weigh(const std::vector<material> &list) {
    double sum = 0.0;
    for (const material &m : list) sum = 1.1 * sum + m.stiffness / (1 - m.ratio * m.ratio) * (double)m.name.size();
    return sum;
}

static double grown(const double *x) {
    const char *names[] = {"steel", "wood", "aluminium alloy of the series 7000", "brass"};
    std::vector<material> list;
    for (int i = 0; i < 4; i++) list.push_back({names[i], x[i % N], x[(i + 1) % N]});
    std::vector<material> copy = list;
    copy[0].name += " and more than fits into the object";
    copy[1].stiffness *= x[2];
    return weigh(list) + 2 * weigh(copy);
}
AD_FUNCTIONAL(grown)

static double sorted(const double *x) {
    material list[] = {{"steel", x[0], x[1]}, {"a long name that is not within the object", x[1], x[2]}, {"wood", x[2] * x[0], x[1]}};
    std::sort(list, list + 3, [](const material &a, const material &b) { return a.name < b.name; });
    double sum = 0.0;
    for (int i = 0; i < 3; i++) sum = sum * list[i].ratio + list[i].stiffness * (double)(i + 1);
    return sum;
}
AD_FUNCTIONAL(sorted)

static double listed(const double *x) {
    std::vector<std::string> names{"steel", "a name that lies on the heap"};
    std::vector<material> list;
    for (const std::string &name : names) list.push_back({name, x[0], x[1]});
    std::string made = "m";
    for (int i = 0; i < N; i++) {
        made += "xyzuvw";
        list.push_back({made, x[i] * x[0], x[2]});
    }
    return weigh(list);
}
AD_FUNCTIONAL(listed)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(grown, N), CHECK_FUNCTIONAL(sorted, N), CHECK_FUNCTIONAL(listed, N)};
    for (int i = 0; i < 3; i++) check_random_points(&c[i], 2, 0.2, 0.8);
    return check_done();
}
