/* ad-levels: O0 O1 O2
 *
 * Words of a class of integers that hold the bits of reals, and are returned as they are, from memory of which the function
 * that returns them knows nothing. */
#include "requests.h"
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

struct Word { long long w; };
#define NOINLINE __attribute__((noinline))
NOINLINE static Word get(const void *p) { return *(const Word *)p; }
NOINLINE static long long raw(const void *p) { return *(const long long *)p; }
static double of_class(const double *x) {
    void *m = malloc(16);
    double y = x[0] * x[1];
    memcpy(m, &y, 8);
    Word w = get(m);
    double d;
    memcpy(&d, &w, 8);
    free(m);
    return d * d;
}
static double of_number(const double *x) {
    void *m = malloc(16);
    double y = x[0] * x[1];
    memcpy(m, &y, 8);
    long long w = raw(m);
    double d;
    memcpy(&d, &w, 8);
    free(m);
    return d * d;
}
struct Table { std::vector<Word> v; NOINLINE Word last() const { return v.back(); } };
struct Holder { std::unique_ptr<Table> t = std::make_unique<Table>(); NOINLINE Word get() const { return t->last(); } };
static double of_table(const double *x) {
    Holder h;
    for (int i = 0; i < 2; i++) {
        double y = x[i] * x[1 - i] * (i + 1);
        Word w;
        memcpy(&w, &y, 8);
        h.t->v.push_back(w);
    }
    Word w = h.get();
    double d;
    memcpy(&d, &w, 8);
    return d * d;
}
AD_FUNCTIONAL(of_class)
AD_FUNCTIONAL(of_number)
AD_FUNCTIONAL(of_table)

int main() {
    const check_case cases[] = {CHECK_FUNCTIONAL(of_class, 2), CHECK_FUNCTIONAL(of_number, 2), CHECK_FUNCTIONAL(of_table, 2)};
    for (const check_case &c : cases) check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
