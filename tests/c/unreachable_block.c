/* Passes leave a block that nothing reaches, and a join that still names it: the canonical form has neither. Found by adfuzz. */
#include "ad.h"
#include "check.h"

static const double want[] = {0.6399, 1.0, 0.5, 0.6399, 1.0, 1.0};
static const double bound[] = {1.64e-9, 2.00e-9, 1.50e-9, 1.64e-9, 2.00e-9, 1.00e-9};
static const char *const place[] = {"v0[0]", "v2[0]", "result", "v0[0]", "v2[0]", "v0b[0]"};
static int at;
static void begin(int k, char mode) { (void)k, (void)mode; }
static void out(double v) { check_within(place[at], v, want[at], bound[at]), at++; }
static void end(void) {}

static double f(const double *v0, int v1, const unsigned char *v2);
static double f(const double *v0, int v1, const unsigned char *v2) {
    double v3 = 0.5;
    double v20 = 0;
    for (unsigned v7 = v1; v7 < 2; v7++) {
        if (v0[0] <= 1.2967) {
            v3 -= ldexp(0.5, ((v0[(v3 >= 0.5 ? (int)v2[0] : 0)] < 0.5 && ((double)(int)v2[0] > 0.5 ? 0 : v1) < 0)));
            break;
        }
        v3 = sin(0.5);
    }
    v20 = v3;
    return v20;
}

double in[] = {0.6399, 3.0, 1.0};
extern double __ad_tangent_f(void *, ...);
extern void __ad_adjoint_f(void *, ...);
static void run(void) {
  {
    double v0[1];
    v0[0] = in[0];
    int v1;
    v1 = in[1];
    unsigned char v2[1];
    v2[0] = in[2];
    double r = f(v0, v1, v2);
    begin(1629, 'P');
 out(v0[0]); out(v2[0]); out(r);
    end();
  }
  {
    double v0[1];
    double v0b[1];
    memset(&v0b, 0, sizeof v0b);
    v0[0] = in[0]; v0b[0] = 1.0;
    int v1;
    v1 = in[1];
    unsigned char v2[1];
    v2[0] = in[2];
    __ad_adjoint_f((void *)f, v0, v0b, v1, ad_const, v2);
    begin(1629, 'A');
 out(v0[0]); out(v2[0]); out(v0b[0]);
    end();
  }
}

int main(void) {
    run();
    return check_done();
}
