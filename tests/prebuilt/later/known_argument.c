// ad-library: shared_variables.c
// ad-link: -lm
// ad-i386: none
// ad-refused-by-some: AS004
/* A handle from before the request leads to what the request is given, which no call is. */
#include "requests.h"

struct shared_handle *shared_make(const double *p);
double shared_evaluate(struct shared_handle *h);
double program_input, program_output;

static struct shared_handle *handle;
static double weighed(const double *w) { return shared_evaluate(handle) * w[1]; }

int main(void) {
    double *w = malloc(2 * sizeof *w), *bars = calloc(2, sizeof *bars);
    w[0] = 1.5, w[1] = 2;
    handle = shared_make(w);
    __ad_adjoint_void((void *)weighed, w, bars);
    check_close("weighed", bars[0], 2 * 1.5 * 2, 1e-13);
    check_close("weighed", bars[1], 1.5 * 1.5, 1e-13);
    return check_done();
}
