// Observers of shared memory: weak_ptr, whose counters are exchanged where one becomes an owner.
// ad-i386: none, counters are as large as floats and pointers there
#include "requests.h"
#include <map>
#include <memory>

static double again(const double *x) {
    auto owner = std::make_shared<double>(x[0] * x[1]);
    std::weak_ptr<double> observer[2] = {owner, owner};
    auto locked = observer[x[0] > 5].lock();
    *locked *= x[2];
    return locked ? *owner * x[0] : 0;
}
// A cache that keeps nothing alive.
struct cache {
    std::map<int, std::weak_ptr<double>> known;
    std::shared_ptr<double> get(int k, double v) {
        auto found = known[k].lock();
        if (!found) known[k] = found = std::make_shared<double>(v * (k + 1));
        return found;
    }
};
static double cached(const double *x) {
    cache c;
    auto p = c.get(1, x[0]);
    double sum;
    {
        auto q = c.get(2, x[1]);
        *q += *p;
        sum = *q;
    }
    auto fresh = c.get(2, x[2]), kept = c.get(1, 99);
    return sum + *fresh * *kept;
}
AD_FUNCTIONAL(again)
AD_FUNCTIONAL(cached)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(again, 3), CHECK_FUNCTIONAL(cached, 3)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
