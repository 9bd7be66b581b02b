// A callback that is called when it is no longer installed, and installs the next one.
// ad-i386: none, a copy of unknown type is refused there
#include "requests.h"
#include <functional>
#include <memory>

struct loop { double now = 0; std::function<void(loop &)> next; void run() { while (next) { auto f = std::move(next); next = nullptr; now += 0.1; f(*this); } } };
struct server {
    double size;
    int left;
    void start(loop &l) {
        auto self = std::make_shared<server>(*this);
        l.next = [self](loop &l) { self->size *= 1 + l.now; if (--self->left > 0) self->start(l); else l.now = self->size; };
    }
};
static double callbacks(const double *x) {
    loop l;
    server{x[0] * x[1], 3}.start(l);
    l.run();
    return l.now * x[2];
}
AD_FUNCTIONAL(callbacks)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(callbacks, 3)};
    check_random_points(&cases[0], 2, 0.3, 1.1);
    return check_done();
}
