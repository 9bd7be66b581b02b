/* What is only found at run time ends the program with a message and no number: a pointer in a global variable to memory from
 * outside, an argument that leads to a variable which the function also uses by its name. What is not active may come from
 * outside.
 * ad-also: parts/borrowed.c */
#include "ending.h"
#include "requests.h"

enum { N = 3 };

static double buffer[N], level[N];
static struct {
    double *work;         /* gets active data */
    const double *weights; /* does not, and lies in a struct that does */
    double scale;
} workspace;
static double *table; /* only read */
extern double *borrowed; /* defined in the other file */

static double through(const double *x) {
    double sum = 0.0;
    workspace.scale = x[0];
    for (int i = 0; i < N; i++) workspace.work[i] = x[i] * x[i];
    for (int i = 0; i < N; i++) sum += workspace.work[i] * workspace.scale * table[i];
    return sum;
}
static double own(const double *x) {
    double inside[N];
    workspace.work = inside;
    return through(x);
}
static double by_name(const double *x) {
    buffer[0] = x[0] * x[0];
    return buffer[0] * x[1] + x[2];
}
static double with_borrowed(const double *x) {
    buffer[0] = x[0] * x[0];
    return borrowed[0] * x[1] + buffer[0];
}
/* It has no shadow: nothing active is stored there by its name. */
static double by_name_alone(const double *x) { return level[0] * x[1] + x[2]; }
AD_FUNCTIONAL(by_name_alone)
AD_FUNCTIONAL(with_borrowed)
AD_FUNCTIONAL(through)
AD_FUNCTIONAL(own)
AD_FUNCTIONAL(by_name)

int main(void) {
    double outside[N] = {0}, weights[N] = {0.5, 1.0, 2.0}, x[N] = {0.7, 0.3, 0.9};
    check_case cases[] = {CHECK_FUNCTIONAL(through, N), CHECK_FUNCTIONAL(own, N), CHECK_FUNCTIONAL(by_name, N),
                          CHECK_FUNCTIONAL(with_borrowed, N), CHECK_FUNCTIONAL(by_name_alone, N)};
    table = weights;
    double *volatile argument = buffer;
    double *volatile other = level;
    buffer[1] = level[0] = 0.5;
    for (int adjoint = 0; adjoint < 2; adjoint++) {
        workspace.work = outside;
        check_case_ends("memory from outside", &cases[0], x, adjoint, "AD210", "workspace");
        check_case_ends("an argument that has a name", &cases[2], argument, adjoint, "AD211", "'buffer'");
        check_case_ends("one that has a name and no shadow", &cases[4], other, adjoint, "AD211", "'level'");
        borrowed = buffer;
        check_case_ends("a pointer that has no shadow", &cases[3], x, adjoint, "AD212", "'borrowed'");
        borrowed = outside;
    }
    outside[0] = 0.75;
    check_random_points(&cases[3], 3, 0.3, 1.2);
    workspace.work = buffer;
    check_random_points(&cases[1], 3, 0.3, 1.2);
    check_random_points(&cases[2], 3, 0.3, 1.2);
    check_random_points(&cases[4], 3, 0.3, 1.2);
    return check_done();
}
