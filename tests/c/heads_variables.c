/* Global variables among the independents and dependents of heads: scalars, arrays, an object, one that is both.
 * ad-flags: -fno-discard-value-names
 * ad-option: -ad-adjoint=mix(mix,last)/(x,gain,table,st,last)
 * ad-option: -ad-tangent=mix(mix,last)/(x,gain,table,st,last) */
#include "check.h"

struct state {
    int n;
    double a, b[2];
};
double gain = 2.0, last = 0.25;
float table[3] = {1, 2, 3};
struct state st = {2, 0.5, {1.5, 2.5}};

double mix(double x) {
    double r = gain * x * x + table[1] * x + st.a * st.b[1] * st.n;
    last = last * r;
    return r * x;
}

void mix_b(double x, double *xb, double mixb, double *lastb, double *gainb, float *tableb, struct state *stb);
double mix_d(double x, double xd, double *mix, double *lastd, double *gaind, float *tabled, struct state *std);

int main(void) {
    double x = 1.5, xb = 0, lastb = 3, gainb = 1, old = last;
    float tableb[3] = {0};
    struct state stb = {0};
    double r = gain * x * x + table[1] * x + st.a * st.b[1] * st.n, rb = x + 3 * old;
    mix_b(x, &xb, 1.0, &lastb, &gainb, tableb, &stb);
    check_close("xb", xb, r + rb * (2 * gain * x + table[1]), 1e-14);
    check_close("lastb", lastb, 3 * r, 1e-14);
    check_close("gainb is added to", gainb, 1 + rb * x * x, 1e-14);
    check_close("tableb", tableb[1], rb * x, 1e-6);
    check_true("other elements", tableb[0] == 0 && tableb[2] == 0 && stb.b[0] == 0);
    check_close("a of an object", stb.a, rb * st.b[1] * st.n, 1e-14);
    check_close("b of an object", stb.b[1], rb * st.a * st.n, 1e-14);
    check_close("the variable itself", last, old * r, 1e-14);
    return check_done();
}
