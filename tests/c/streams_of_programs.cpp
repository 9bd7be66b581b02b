// Messages to global streams that the program itself has, from functions with active data of all kinds: structs of rows
// of pointers, levels of them, called recursively.
#include "requests.h"
#include <fstream>
#include <sstream>
#include <vector>

enum { N = 3, ROWS = 6 };

std::ofstream messages;
static std::ostringstream notes;

struct vec {
    int n;
    double *values;
};
struct matrix {
    int n;
    double **rows, **diagonal;
    matrix *coarse;
    vec *result;
};

static matrix *generate(int n, const double *x) {
    matrix *a = new matrix{n, new double *[n], new double *[n], nullptr, nullptr};
    for (int i = 0; i < n; i++) {
        a->rows[i] = new double[n];
        for (int k = 0; k < n; k++) a->rows[i][k] = (x[2] + k) / (1 + i + k);
        a->diagonal[i] = &a->rows[i][i];
        *a->diagonal[i] *= x[0];
    }
    if (n > 3) {
        a->coarse = generate(n / 2, x);
        a->result = new vec{n / 2, new double[n / 2]};
    }
    return a;
}
static void destroy(matrix *a) {
    if (!a) return;
    for (int i = 0; i < a->n; i++) delete[] a->rows[i];
    delete[] a->rows, delete[] a->diagonal;
    if (a->result) delete[] a->result->values;
    delete a->result, destroy(a->coarse), delete a;
}
static void multiply(const matrix &a, const vec &x, vec &y) {
    messages << "level of " << a.n << " rows, first " << a.rows[0][0] << std::endl;
    if (a.n > 100) notes << "large";
    for (int i = 0; i < a.n; i++) {
        double sum = 0;
        for (int k = 0; k < a.n; k++) sum += a.rows[i][k] * x.values[k];
        if (!(sum < 1e6)) messages << "WARNING: row " << i << std::endl;
        y.values[i] = sum / *a.diagonal[i];
    }
    if (a.coarse) {
        multiply(*a.coarse, x, *a.result);
        for (int i = 0; i < a.result->n; i++) y.values[i] += a.result->values[i];
    }
}
static double levels(const double *x) {
    matrix *a = generate(ROWS, x);
    std::vector<double> in(ROWS), out(ROWS);
    for (int i = 0; i < ROWS; i++) in[i] = x[1] * i + 1;
    vec from{ROWS, in.data()}, to{ROWS, out.data()};
    multiply(*a, from, to);
    double sum = 0;
    for (double v : out) sum += v * v;
    destroy(a);
    return sum;
}
AD_FUNCTIONAL(levels)

int main() {
    messages.open("/dev/null");
    check_case c = CHECK_FUNCTIONAL(levels, N);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
