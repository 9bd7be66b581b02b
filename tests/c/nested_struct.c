/* Structs with arrays and integers in them, copied in part and as a whole. */
#include "ad.h"
#include "check.h"

static const double want[] = {0.7164, 0.0, 0.7164, 0.0, 1.0, 0.0};
static const double bound[] = {1.72e-9, 1.00e-9, 1.72e-9, 1.00e-9, 1.00e-9, 0.00e0};
static const char *const place[] = {"v0[0]", "v1[0]", "v0[0]", "v1[0]", "v0b[0]", "v1b[0]"};
static int at;
static void begin(int k, char mode) { (void)k, (void)mode; }
static void out(double v) { check_within(place[at], v, want[at], bound[at]), at++; }
static void end(void) {}

struct p152_s0 {
    int f0;
    double f1[2];
    int f2;
    double f3[2];
    double f4;
};
struct p152_s1 {
    double f0;
    struct p152_s0 f1;
};
static void p152_f(const double *v0, double *v1);
static void p152_f(const double *v0, double *v1) {
    struct p152_s1 v3[2] = {0};
    for (int v14 = 0; v14 < 2; v14++) {
        v3[0].f1.f1[v14] = v0[0];
    }
    for (int v15 = 0; v15 < 1; v15++) {
        v1[0] = (v1[(sin(0.5) >= 1.1537)] * (double)(int)v3[1].f1.f0);
    }
}

double p152_in[] = {0.7164, 0.5651};
extern void __ad_tangent_p152(void (*)(const double *, double *), const double *, double *, double *, double *);
extern void __ad_adjoint_p152(void (*)(const double *, double *), const double *, double *, double *, double *);
static void p152_run(void) {
  {
    double v0[1];
    v0[0] = p152_in[0];
    double v1[1];
    v1[0] = p152_in[1];
    p152_f(v0, v1);
    begin(152, 'P');
 out(v0[0]); out(v1[0]);
    end();
  }
  {
    double v0[1];
    double v0b[1];
    memset(&v0b, 0, sizeof v0b);
    v0[0] = p152_in[0]; v0b[0] = 1.0;
    double v1[1];
    double v1b[1];
    memset(&v1b, 0, sizeof v1b);
    v1[0] = p152_in[1]; v1b[0] = 3.0;
    __ad_adjoint_p152(p152_f, v0, v0b, v1, v1b);
    begin(152, 'A');
 out(v0[0]); out(v1[0]); out(v0b[0]); out(v1b[0]);
    end();
  }
}

int main(void) {
    p152_run();
    return check_done();
}
