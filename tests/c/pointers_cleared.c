/* Structures with pointers that are set to zero: by memset, by a literal, by a helper that frees. What they pointed to before
 * has nothing to do with what they point to later.
 * ad-sanitizers: address
 * ad-i386: none, a literal at -O0 leads to AD034 there */
#include "requests.h"
#include <stdlib.h>

enum { N = 4 };

/* Grows from nothing each time. */
struct stack {
    short count;
    double *at;
    long room;
};
static __attribute__((noinline)) void push(struct stack *s, double x) {
    if (s->count == s->room) {
        s->room = s->room ? 2 * s->room : 3;
        s->at = realloc(s->at, (size_t)s->room * sizeof *s->at);
    }
    s->at[s->count++] = x;
}
static double once(const double *x) {
    struct stack s = {0};
    double sum = 0.0;
    for (int i = 0; i < N; i++) push(&s, x[i] * x[i]);
    for (int i = 0; i < N; i++) sum += s.at[i] * s.at[0];
    free(s.at);
    return sum;
}
static double again(const double *x) { return once(x) * x[0] + once(x + 0); }

/* Cleared while the reverse sweep still needs what lay behind. */
struct work {
    double *a, *b;
    size_t n;
};
static __attribute__((noinline)) void open_work(struct work *w, size_t n) {
    w->n = n;
    w->b = malloc(n * sizeof *w->b);
}
static void close_work(struct work *w) {
    free(w->a);
    w->a = w->b = 0;
}
static double through_work(const double *x) {
    struct work w;
    double sum = 0.0;
    open_work(&w, N);
    for (size_t i = 0; i < w.n; i++) w.b[i] = x[i] * x[i] * x[0];
    for (size_t i = 0; i < w.n; i++) sum += w.b[i] * w.b[i];
    w.a = w.b;
    close_work(&w);
    return sum;
}

/* A literal. */
struct record {
    const double *other;
    double x;
    char name[8];
    int k;
};
static void fill(struct record *r, const double *x, int k) {
    *r = (struct record){0};
    r->x = x[k] * 0.7;
    r->other = x + (k + 1) % N;
    r->name[0] = (char)('a' + k);
}
static double by_literal(const double *x) {
    struct record *all = calloc(N, sizeof *all);
    double sum = 0.0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < N; i++) fill(&all[i], x, i);
    for (int i = 0; i < N; i++) sum += all[i].x * *all[i].other;
    free(all);
    return sum;
}

AD_FUNCTIONAL(again)
AD_FUNCTIONAL(through_work)
AD_FUNCTIONAL(by_literal)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(again, N), CHECK_FUNCTIONAL(through_work, N), CHECK_FUNCTIONAL(by_literal, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) check_random_points(&cases[i], 3, 0.3, 1.2);
    return check_done();
}
