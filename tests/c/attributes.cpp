// Attributes of functions and variables: inactive ones, and functions like library functions, in all spellings, on functions, members,
// instances of templates, functions that are declared only, and variables.
#include "requests.h"

static int calls;
__attribute__((enzyme_inactive)) static double twice(double a) { return 2.0 * a; }
[[enzyme::inactive]] static double thrice(double a) { return calls++, 3.0 * a; }
__attribute__((ad_inactive)) static double four_times(double a) { return 4.0 * a; }
template <typename T> [[ad::inactive]] static T five_times(T a) { return 5 * a; }
__attribute__((enzyme_function_like("log1p"))) double shifted_log(double a);
__attribute__((ad_function_like("sin"), noinline)) static double growth(double a) { return 1.0 + a; }
[[enzyme::inactive]] static double offset = 0.5;
struct model {
    double scale;
    __attribute__((enzyme_inactive)) double step(double x) const { return scale * x; }
    [[ad::inactive]] static double shift(double x) { return x + 1.0; }
};
__attribute__((enzyme_shouldrecompute)) static double square(double x) { return x * x; }

static double products(double x) { return x * twice(x) + x * thrice(x) + x * four_times(x) + x * five_times(x); }
static double of_library(double x) { return shifted_log(x) * growth(x); }
static double of_members(double x) {
    model m{3.0};
    return x * m.step(x) * model::shift(x);
}
static double of_variables(double x) {
    double before = offset;
    offset = x;
    return before * square(x);
}
double shifted_log(double a) { return log1p(a); }

int main() {
    double x = 0.75, sum = 14.0 * x;
    check_close("inactive: adjoint", __ad_adjoint<double>(products, x), sum, 1e-15);
    check_close("inactive: tangent", __ad_tangent<double>(products, x, 1.0), sum, 1e-15);
    double want = (1.0 + x) / (1.0 + x) + log1p(x) * cos(x);
    check_close("like others: adjoint", __ad_adjoint<double>(of_library, x), want, 1e-14);
    check_close("like others: tangent", __ad_tangent<double>(of_library, x, 1.0), want, 1e-14);
    want = 3.0 * x * (x + 1.0);
    check_close("members: adjoint", __ad_adjoint<double>(of_members, x), want, 1e-15);
    check_close("members: tangent", __ad_tangent<double>(of_members, x, 1.0), want, 1e-15);
    check_close("variables: adjoint", __ad_adjoint<double>(of_variables, x), x, 1e-15);
    check_close("variables: tangent", __ad_tangent<double>(of_variables, x, 1.0), 2.0 * x * x, 1e-15);
    return check_done();
}
