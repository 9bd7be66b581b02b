// A virtual function of the same type as destructors of static objects, those of <iostream> among them: they run at the end of
// the program, and no call of the virtual function reaches them.
#include "requests.h"
#include <iostream>

struct log_file {
    int lines = 0;
    ~log_file() { std::cout << (lines ? "" : "\n") << std::flush; }
};
static log_file file;

struct counted {
    int count = 1;
    virtual void dispose() noexcept = 0;
    virtual ~counted() {}
};
struct value final : counted {
    double *x;
    explicit value(double x) : x(new double(x)) {}
    void dispose() noexcept override { delete x; }
};
struct empty final : counted {
    void dispose() noexcept override {}
};
__attribute__((noinline)) static void release(counted *c) {
    if (--c->count == 0) c->dispose();
}

static double model(const double *x) {
    value *v = new value(x[0] * x[1]);
    double y = *v->x * x[1];
    release(v);
    delete v;
    return y;
}
AD_FUNCTIONAL(model)
static void model_jacobian(const double *x, double *J) {
    J[0] = x[1] * x[1];
    J[1] = 2.0 * x[0] * x[1];
}

int main() {
    empty none;
    release(&none);
    file.lines++;
    check_case c = CHECK_FUNCTIONAL(model, 2);
    c.jacobian = model_jacobian;
    check_random_points(&c, 4, 0.3, 1.1);
    return check_done();
}
