/* Requests in LLVM IR: markers as metadata in both spellings, callees declared with any type, structs, arrays and vectors as values,
 * results in registers and in memory, split mode. The IR uses how clang passes small structs in registers. */
// ad-also: parts/requests_in_ir.ll
// ad-i386: none, the LLVM IR is for x86-64
#include "check.h"

struct two { double a, b; };
struct three { double a, b, c; };
typedef double vector __attribute__((vector_size(16)));

double const_out(double, double), ours(double, double), other_type(double, int);
void pointers(const double *w, const double *x, double *xb, long n);
double fwd(const double *w, const double *x, const double *xd, long n);
struct two both(double, double), split(double, double), split_behind(double, double);
void with_primal_to(struct three *, double, double), directions_to(struct three *, double, double), array_to(struct three *, double, double, double);
void pair_to(struct three *, double, double, double), pair_sret(struct three *, double, double, double);
vector vector_adjoint(vector), vector_tangent(vector, vector);

static void check_three(const char *name, struct three found, double a, double b, double c) {
    check_close(name, found.a, a, 1e-15);
    check_close(name, found.b, b, 1e-15);
    check_close(name, found.c, c, 1e-15);
}
static void check_two(const char *name, struct two found, double a, double b) {
    check_close(name, found.a, a, 1e-15);
    check_close(name, found.b, b, 1e-15);
}

int main(void) {
    check_equal_bits("const, out", const_out(3.0, 5.0), 3.0);
    check_equal_bits("const, out: the other names", ours(3.0, 5.0), 3.0);
    check_equal_bits("a call of another type than its declaration", other_type(3.0, 3), 27.0);
    check_two("two adjoints", both(3.0, 5.0), 5.0, 3.0);
    double w[4] = {1, 2, 3, 4}, x[4] = {5, 6, 7, 8}, xd[4] = {1, -1, 2, 0.5}, xb[4] = {0}, one = 1.0;
    pointers(w, x, xb, 4);
    double tangent = fwd(w, x, xd, 4);
    for (int i = 0; i < 4; i++) check_close("pointers", xb[i], 2 * w[i] * x[i], 1e-15);
    check_dot("pointers", 4, xd, xb, 1, &tangent, &one, 1e-14);
    struct three found;
    with_primal_to(&found, 3.0, 5.0), check_three("with the result", found, 15, 5, 3);
    directions_to(&found, 3.0, 5.0), check_three("three directions", found, 5, 3, 13);
    pair_to(&found, 3.0, 5.0, 7.0), check_three("a struct as a value", found, 35, 21, 15);
    pair_sret(&found, 3.0, 5.0, 7.0), check_three("results in memory", found, 35, 21, 15);
    array_to(&found, 3.0, 5.0, 7.0), check_three("an array as a value", found, 35, 21, 15);
    vector v = {3.0, 5.0}, d = {1.0, 0.5}, bar = vector_adjoint(v), dot = vector_tangent(v, d);
    check_two("a vector, adjoint", (struct two){bar[0], bar[1]}, 30, 9);
    check_two("a vector, tangent", (struct two){dot[0], dot[1]}, 6, 5);
    check_two("split mode, tape marked", split(3.0, 5.0), 10, 6);
    check_two("split mode, tape behind", split_behind(3.0, 5.0), 10, 6);
    return check_done();
}
