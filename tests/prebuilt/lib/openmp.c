/* What compilers make of OpenMP's directives, for libgomp, and what computes in each thread. */
#include <math.h>

extern void GOMP_parallel(void (*body)(void *), void *data, unsigned threads, unsigned flags);
extern void GOMP_parallel_sections(void (*body)(void *), void *data, unsigned threads, unsigned count, unsigned flags);
extern unsigned GOMP_sections_next(void);
extern void GOMP_sections_end_nowait(void);
extern int omp_get_thread_num(void), omp_get_num_threads(void);

enum { MOST = 64 };
typedef struct { const double *x; int n; double sums[MOST]; } shared;

static double term(double x, int i) { return sin(x) * exp(-0.1 * i) + x * x; }
static void my_part(void *data) {
    shared *s = data;
    int me = omp_get_thread_num(), all = omp_get_num_threads();
    double sum = 0;
    for (int i = me; i < s->n; i += all) sum += term(s->x[i], i);
    if (me < MOST) s->sums[me] = sum;
}
static double parallel(const double *x, int n, unsigned threads) {
    shared s = {x, n, {0}};
    GOMP_parallel(my_part, &s, threads, 0);
    double sum = 0;
    for (int k = 0; k < MOST; k++) sum += s.sums[k];
    return sum;
}
/* parallel for reduction(+ : sum) */
double lib_parallel(const double *x, int n) { return parallel(x, n, 0); }
/* the same with if(n > 100) */
double lib_if_large(const double *x, int n) { return parallel(x, n, n > 100 ? 0 : 1); }

static void my_sections(void *data) {
    shared *s = data;
    for (unsigned k = GOMP_sections_next(); k != 0; k = GOMP_sections_next()) {
        double sum = 0;
        /* Long enough for the other thread to wake up. */
        for (int i = 0; i < 2000; i++) sum += term(s->x[k - 1], i % 7) * 1e-3;
        s->sums[k - 1] = sum;
    }
    GOMP_sections_end_nowait();
}
/* parallel sections, of which there are two */
double lib_sections(const double *x) {
    shared s = {x, 2, {0}};
    GOMP_parallel_sections(my_sections, &s, 0, 2, 0);
    return s.sums[0] * s.sums[1];
}
