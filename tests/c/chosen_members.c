/* Which of two members is accessed, a flag says: bits of a word before them. Another word lies behind them. */
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 4 };

typedef struct {
    unsigned live : 1;
    int kind : 5;
    double a, b;
    unsigned long count : 20;
} flags;

APART void mark(flags *f, int k, double v) {
    f->count = k * 3;
    if (f->live) f->a = v;
    else f->b = v;
}
APART double marked(const flags *f) { return (f->live ? f->a : f->b) * f->count; }

static double marks(const double *x) {
    flags f[N] = {{0}};
    double sum = 0;
    for (int i = 0; i < N; i++) {
        f[i].live = i % 2;
        f[i].kind = i;
        mark(&f[i], i, x[i]);
        f[i].count += 2;
    }
    memcpy(&f[0], &f[3], sizeof f[0]);
    for (int i = 0; i < N; i++) sum += f[i].count * sin(f[i].a) + f[i].kind * f[i].b * f[i].b + marked(&f[i]);
    return sum;
}

typedef struct {
    int first;
    double u, v;
    int ends[2];
    double w;
} ends;

APART void set_end(ends *e, int last, int value) { e->ends[last != 0] = value; }
APART void add_to(ends *e, double x) {
    double *to = e->first ? &e->u : &e->v;
    *to += x * x;
    e->first = !e->first;
}
static double both_ends(const double *x) {
    ends e = {.u = 1, .w = x[1]};
    for (int i = 0; i < N; i++) add_to(&e, x[i]), set_end(&e, i & 1, i);
    ends copy = e;
    return copy.u * copy.v * copy.w + copy.ends[0] * copy.u + copy.ends[1];
}

AD_FUNCTIONAL(marks)
AD_FUNCTIONAL(both_ends)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(marks, N), CHECK_FUNCTIONAL(both_ends, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
