/* Memory of the stack: alloca in loops and branches, variable-length arrays in loops and in recursive functions, unions of
 * reals and integers, copies through integers of the same size. */
// ad-sanitizers: address
#include "requests.h"

#include <alloca.h>

enum { N = 5 };
#define APART __attribute__((noinline)) static

static double in_loop(const double *x) {
    double sum = 0.0, *last = NULL;
    for (int n = 1; n <= N; n++) {
        double *t = alloca(n * sizeof *t);
        for (int i = 0; i < n; i++) t[i] = x[i] * (last ? last[i % (n - 1)] : 1.0);
        if (n % 2) sum += t[n - 1] * t[0];
        last = t;
    }
    return sum + last[N - 1];
}

APART double halves(const double *x, int n) {
    if (n == 1) return x[0] * x[0];
    double part[n / 2 + 1];
    for (int i = 0; i < n / 2; i++) part[i] = x[i] * x[n - 1 - i];
    part[n / 2] = x[n / 2];
    return halves(part, n / 2) + part[n / 2] * part[0];
}
static double recursive(const double *x) { return halves(x, N); }

static double variable(const double *x) {
    double sum = 0.0;
    for (int n = 2; n <= N; n++) {
        double square[n][n];
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) square[i][j] = x[i] * x[j] + i;
        for (int i = 1; i < n; i++) sum += square[i][i - 1] * square[0][i];
    }
    return sum;
}

typedef union {
    double real;
    int64_t bits;
    struct {
        float low, high;
    } pair;
} word;
static double unions(const double *x) {
    word w[N];
    double sum = 0.0;
    for (int i = 0; i < N; i++) w[i].real = x[i] * x[i];
    for (int i = 0; i < N; i++) {
        word v = w[(i + 1) % N];
        sum += v.real * w[i].real;
        w[i].bits = i;
        sum += (double)w[i].bits * x[i];
    }
    return sum;
}

static double through_integers(const double *x) {
    double to[N], sum = 0.0;
    for (int i = 0; i < N; i++) {
        uint64_t bits;
        memcpy(&bits, &x[i], sizeof bits);
        memcpy(&to[N - 1 - i], &bits, sizeof bits);
    }
    for (int i = 0; i < N; i++) sum += to[i] * to[(i + 1) % N] * x[0];
    return sum;
}

AD_FUNCTIONAL(in_loop)
AD_FUNCTIONAL(recursive)
AD_FUNCTIONAL(variable)
AD_FUNCTIONAL(unions)
AD_FUNCTIONAL(through_integers)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(in_loop, N), CHECK_FUNCTIONAL(recursive, N), CHECK_FUNCTIONAL(variable, N),
                          CHECK_FUNCTIONAL(unions, N), CHECK_FUNCTIONAL(through_integers, N)};
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 4, 0.3, 0.9);
    return check_done();
}
