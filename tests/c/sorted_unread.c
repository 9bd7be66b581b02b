/* ad-option: -ad-disable=inlining
 * Numbers that nobody reads are sorted where a list is built as well: to callers, the list's blocks are as good as those in which sorting
 * merges. Found by adfuzz. */
#include "ad.h"
#include "check.h"

static const double want[] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
static const double bound[] = {1.00e-9, 1.00e-9, 1.00e-9, 1.00e-9, 1.00e-9, 1.00e-9, 2.23e-308};
static const char *const place[] = {"p0_g1", "p0_g3", "p0_g5", "p0_g1", "p0_g3", "p0_g5", "v0b"};
static int at;
static void begin(int k, char mode) { (void)k, (void)mode; }
static void out(double v) { check_within(place[at], v, want[at], bound[at]), at++; }
static void end(void) {}

struct fz_cell { struct fz_cell *next; double v; };
static double by_heap_list(double x) { struct fz_cell *first = 0; double s = 0;
  for (int i = 0; i < 3; i++) { struct fz_cell *c = malloc(sizeof *c); c->v = x * (i - 0.5); c->next = first; first = c; }
  while (first) { struct fz_cell *c = first; first = c->next; s += c->v; free(c); }
  return s / 1.5; }
static int fz_less(const void *a, const void *b) { double x = *(const double *)a, y = *(const double *)b; return (x > y) - (x < y); }
static double by_sorting(double x) { double a[3] = {x + 8, x, x - 8}; qsort(a, 3, sizeof *a, fz_less); return a[1]; }
static int g1 = 0;
static int g3 = 0;
static int g5 = 0;
static const double t0[2] = {0.103, 0.61};
static void f(double v0, int v2);
__attribute__((noinline)) static double h3(const double *v0, size_t v1);
__attribute__((noinline)) static void h5(int v0, double v1, double v2, double *v3);
static void h5(int v0, double v1, double v2, double *v3) {
    v3[0] = 0.5;
}

static double h3(const double *v0, size_t v1) {
    static double g2[3] = {-0.0868, 0.8249, -0.0786};
     {
        double v5 = 0.5;
         {
            h5(0, 0.5, 0.5, (g2 + v1));
            v5 = by_sorting(by_heap_list((-0.5632)));
        }
    }
    return v0[0];
}

static void f(double v0, int v2) {
    double v3 = 0.5;
    v3 = h3(&v0, (int)(t0[(v2 % 2)]));
}

double in[] = {0.7456, 2.0};
extern void __ad_tangent_f(void (*)(double, int), double, double, int);
extern double __ad_adjoint_f(void (*)(double, int), double, int);
static void run(void) {
  {
    double v0;
    v0 = in[0];
    int v2;
    v2 = in[1];
    g1 = 0.0;
    g3 = 0.0;
    g5 = 0.0;
    f(v0, v2);
    begin(42, 'P');
 out(g1); out(g3); out(g5);
    end();
  }
  for (int round = 0; round < 2; round++) {
    double v0;
    double v0b;
    memset(&v0b, 0, sizeof v0b);
    v0 = in[0];
    int v2;
    v2 = in[1];
    g1 = 0.0;
    g3 = 0.0;
    g5 = 0.0;
    double r = __ad_adjoint_f(f, v0, v2);
    if (!round) continue;
    begin(42, 'A');
 out(g1); out(g3); out(g5); out(r);
    end();
  }
}

int main(void) {
    run();
    return check_done();
}
