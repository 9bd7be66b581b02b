/* Handles from before a request that lead to global variables, which the function also uses by their names: what would be lost between the two ways
 * ends the program (AD211). Handles that the function fills itself, that lead to what is not active, or to memory without a name, are right. */
// ad-sanitizers: address
#include "ending.h"
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 3 };

static double level[N], weights[N] = {0.5, 1.0, 2.0};
static int order[N] = {2, 0, 1};
struct handle {
    double *data;
    const double *weights;
    const int *order;
    struct handle *inner;
};
static struct handle given, given_shadow, constant;
static double outside[N] = {0.75, 1.5, 0.25}, outside_shadow[N], other_shadow[N];

/* Lost between the two ways. */
APART double read_back(const struct handle *h, const double *x) {
    level[0] = x[0] * x[0];
    return h->data[0] * x[1];
}
APART double read_by_name(struct handle *h, const double *x) {
    h->data[1] = x[0] * x[0];
    return level[1] * x[1];
}
APART double read_deep(const struct handle *h, const double *x) {
    level[0] = x[0] * x[0];
    return h->inner->data[0] * x[1];
}
APART double element(const struct handle *h, int i, double x) { return h->data[i] * x; }
APART double read_in_callee(const struct handle *h, const double *x) {
    level[2] = x[0] * x[0];
    return element(h, 2, x[1]);
}
APART double read_copied(const struct handle *h, const double *x) {
    struct handle copy = *h;
    level[0] = x[0] * x[0];
    return element(&copy, 0, x[1]);
}
static struct handle *volatile kept;
APART double read_kept(const struct handle *h, const double *x) {
    level[0] = x[0] * x[0];
    return h->order[0] * kept->inner->data[0] * x[1];
}
/* Functions without derivatives read, or find, what is lost. */
APART double value_of(const struct handle *h, int i) { return h->data[i]; }
APART void copy_of(const struct handle *h, double *to) {
    for (int i = 0; i < N; i++) to[i] = value_of(h, i);
}
APART const double *find(const struct handle *h, int i) { return h->data + i; }
APART double read_by_function(const struct handle *h, const double *x) {
    level[2] = x[0] * x[0];
    return value_of(h, 2) * x[1];
}
APART double read_by_copy(const struct handle *h, const double *x) {
    double all[N];
    level[1] = x[0] * x[0];
    copy_of(h, all);
    return all[1] * x[1];
}
APART double read_where_found(const struct handle *h, const double *x) {
    level[1] = x[0] * x[0];
    return *find(h, 1) * x[1];
}
/* One of many variables. */
static double first[N], second[N], third[N], fourth[N], fifth[N];
APART double read_of_many(const struct handle *h, const double *x) {
    first[0] = x[0], second[0] = x[1], third[1] = x[0], fourth[2] = x[1], fifth[0] = x[0];
    level[1] = x[0] * first[0] * second[0] * third[1] * fourth[2] * fifth[0];
    return h->data[1] * x[1] + level[1];
}
/* Addresses of these go somewhere: a handle may lead there. */
double *const known[] = {first, second, third, fourth, fifth};
/* Right: the function fills the handle, or only what is constant lies where it leads. */
APART double total(const struct handle *h) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += h->data[i] * h->weights[h->order[i]];
    return sum;
}
APART int count(const struct handle *h) {
    int n = 0;
    for (int i = 0; i < N; i++) n += h->data[i] > 0.5;
    return n;
}
static double filled(struct handle *h, const double *x) {
    h->data = level;
    h->weights = weights;
    h->order = order;
    for (int i = 0; i < N; i++) level[i] = x[i % 2] * x[1];
    h->data[1] *= x[0];
    double sum = total(h) + level[1];
    h->data = outside;
    return sum;
}
static double own(const double *x) {
    struct handle h = {level, weights, order, 0};
    double early = total(&h);
    for (int i = 0; i < N; i++) level[i] = x[i % 2] * x[1] + i;
    double y = total(&h) + level[1] * count(&h) + 0 * early;
    for (int i = 0; i < N; i++) level[i] = weights[i];
    return y;
}
static double on_heap(const double *x) {
    struct handle *h = malloc(sizeof *h);
    h->data = level, h->weights = weights, h->order = order, h->inner = h;
    double early = count(h->inner);
    for (int i = 0; i < N; i++) level[i] = x[i % 2] * x[1] + i;
    double y = total(h->inner) + h->inner->data[order[0]] + 0 * early;
    for (int i = 0; i < N; i++) level[i] = weights[i];
    free(h);
    return y;
}
static double fixed(const struct handle *h, const double *x) {
    double sum = 0;
    for (int i = 0; i < N; i++) sum += h->weights[i] * weights[h->order[i]] * x[i % 2];
    level[0] = x[0];
    return sum * level[0] + order[0];
}

#define WITH_GIVEN(f)                                                                                        \
    static void f##_map(const double *x, double *y) { y[0] = f(&given, x); }                                 \
    static void f##_tangent(const double *x, const double *xd, double *y, double *yd) {                      \
        (void)y;                                                                                             \
        yd[0] = __ad_tangent_double((void *)f, &given, &given_shadow, x, xd);                                \
    }                                                                                                        \
    static void f##_adjoint(const double *x, double *xb, double *y, double *yb) {                            \
        (void)y, (void)yb;                                                                                   \
        __ad_adjoint_void((void *)f, &given, &given_shadow, x, xb);                                          \
    }
#define WITH_CONSTANT(f)                                                                                     \
    static void f##_constant_map(const double *x, double *y) { y[0] = f(&constant, x); }                     \
    static void f##_constant_tangent(const double *x, const double *xd, double *y, double *yd) {             \
        (void)y;                                                                                             \
        yd[0] = __ad_tangent_double((void *)f, ad_const, &constant, x, xd);                                  \
    }                                                                                                        \
    static void f##_constant_adjoint(const double *x, double *xb, double *y, double *yb) {                   \
        (void)y, (void)yb;                                                                                   \
        __ad_adjoint_void((void *)f, ad_const, &constant, ad_dup, x, xb);                                    \
    }
WITH_GIVEN(read_back)
WITH_GIVEN(read_by_name)
WITH_GIVEN(read_of_many)
WITH_GIVEN(read_deep)
WITH_GIVEN(read_in_callee)
WITH_GIVEN(filled)
WITH_CONSTANT(read_back)
WITH_CONSTANT(read_deep)
WITH_CONSTANT(read_in_callee)
WITH_CONSTANT(read_copied)
WITH_CONSTANT(read_kept)
WITH_CONSTANT(read_of_many)
WITH_CONSTANT(read_by_function)
WITH_CONSTANT(read_by_copy)
WITH_CONSTANT(read_where_found)
WITH_CONSTANT(fixed)
AD_FUNCTIONAL(own)
AD_FUNCTIONAL(on_heap)

int main(void) {
    check_case lost[] = {CHECK_FUNCTIONAL(read_back, 2),          CHECK_FUNCTIONAL(read_by_name, 2),       CHECK_FUNCTIONAL(read_deep, 2),
                         CHECK_FUNCTIONAL(read_in_callee, 2),     CHECK_FUNCTIONAL(read_of_many, 2),       CHECK_FUNCTIONAL(read_back_constant, 2), CHECK_FUNCTIONAL(read_deep_constant, 2),
                         CHECK_FUNCTIONAL(read_in_callee_constant, 2), CHECK_FUNCTIONAL(read_of_many_constant, 2),
                         CHECK_FUNCTIONAL(read_copied_constant, 2), CHECK_FUNCTIONAL(read_kept_constant, 2),
                         CHECK_FUNCTIONAL(read_by_function_constant, 2),
                         CHECK_FUNCTIONAL(read_by_copy_constant, 2), CHECK_FUNCTIONAL(read_where_found_constant, 2)};
    check_case right[] = {CHECK_FUNCTIONAL(filled, 2), CHECK_FUNCTIONAL(own, 2), CHECK_FUNCTIONAL(on_heap, 2), CHECK_FUNCTIONAL(fixed_constant, 2)};
    double x[N] = {0.7, 0.3, 0.9};
    given = (struct handle){level, weights, order, &given};
    given_shadow = (struct handle){other_shadow, outside_shadow, order, &given_shadow};
    constant = (struct handle){level, weights, order, &constant};
    kept = &constant;
    for (unsigned i = 0; i < sizeof lost / sizeof lost[0]; i++)
        for (int adjoint = 0; adjoint < 2; adjoint++) check_case_ends(lost[i].name, &lost[i], x, adjoint, "AD211", "'level'");
    given = (struct handle){outside, outside, order, &given};
    given_shadow = (struct handle){outside_shadow, outside_shadow, order, &given_shadow};
    for (unsigned i = 0; i < sizeof right / sizeof right[0]; i++) check_random_points(&right[i], 3, 0.6, 1.2);
    /* Memory without a name. */
    constant = (struct handle){outside, outside, order, &constant};
    for (unsigned i = 5; i < sizeof lost / sizeof lost[0]; i++) check_random_points(&lost[i], 3, 0.6, 1.2);
    return check_done();
}
