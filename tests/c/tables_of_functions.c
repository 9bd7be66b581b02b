/* Pointers to functions, and text, that go from tables into structs with active members: from a constant table, from one that
 * nothing writes, from one that any file may write, and from one that is written. Code and text have no derivative. */
// ad-open: tables of functions and of text
#include "requests.h"

enum { N = 3 };

typedef double activation(double);
static double leaky(double x) { return x > 0 ? x : 0.01 * x; }
static double square(double x) { return x * x; }

struct layer {
    double weight;
    activation *apply;
    const char *name;
};
static const char *names[] = {"first", "second", "third"};
static activation *usual[N] = {tanh, leaky, square};
activation *visible[N] = {square, sin, leaky};
static activation *last = leaky;

__attribute__((noinline)) static double forward(const struct layer *layers, int n, double x) {
    for (int i = 0; i < n; i++) {
        x = layers[i].apply(x) * layers[i].weight;
        if (strcmp(layers[i].name, "second") == 0) x += layers[0].weight;
    }
    return last(x);
}
static double build(const double *x, activation **table, int n) {
    struct layer *layers = malloc(n * sizeof *layers);
    for (int i = 0; i < n; i++) layers[i] = (struct layer){x[i], table[i], names[i]};
    last = n > 2 ? square : leaky;
    double y = forward(layers, n, x[0]);
    free(layers);
    return y;
}
static double from_local(const double *x) {
    activation *local[N] = {leaky, tanh, exp};
    return build(x, local, N);
}
static double from_unwritten(const double *x) { return build(x, usual, N); }
static double from_visible(const double *x) { return build(x, visible, N); }
AD_FUNCTIONAL(from_local)
AD_FUNCTIONAL(from_unwritten)
AD_FUNCTIONAL(from_visible)

int main(void) {
    check_case c[] = {CHECK_FUNCTIONAL(from_local, N), CHECK_FUNCTIONAL(from_unwritten, N), CHECK_FUNCTIONAL(from_visible, N)};
    for (int i = 0; i < 3; i++) check_random_points(&c[i], 2, 0.3, 1.3);
    return check_done();
}
