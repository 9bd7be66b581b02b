// ad-link: -lgsl -lgslcblas -lm
// ad-needs: libgsl.so
// Streams of strings that take reals, beside a library: only the library follows the pointers in a stream.
#include "requests.h"
#include <sstream>
#include <string>
#include <iomanip>
#include <gsl/gsl_sf_bessel.h>

struct Log { std::ostringstream text; void note(double v) { text << std::setprecision(5) << "value " << v << ' ' << 3 << '\n'; } };

static double streams(const double *x) {
    Log log;
    double sum = 0;
    for (int i = 0; i < 3; i++) { sum += gsl_sf_bessel_J0(x[i]) * x[i]; log.note(sum); }
    return sum * (log.text.str().empty() ? 0.0 : 1.0);
}
AD_FUNCTIONAL(streams)
static double local(const double *x) {
    std::ostringstream out;
    double sum = gsl_sf_bessel_J0(x[0]) * x[1];
    out << sum << ' ' << (float)sum << ' ' << 4;
    std::string all = out.str();
    return sum + all.size() * 0.0;
}
AD_FUNCTIONAL(local)
int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(streams, 3), CHECK_FUNCTIONAL(local, 2)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
