/* Values with members: what a request must be given for them, and what has no derivative.
 * ad-flags: -g
 * ad-error: AD011 36:5 the value of argument 1 of 'length' is given as ptr, but the function takes a struct, vector or complex number of 3 members by value
 * ad-error: AD011 37:5 the adjoint of the result of 'twice' is missing
 * ad-error: AD011 38:5 the value of argument 1 of 'behind' is a struct by value (%struct.point
 * ad-error: AD011 39:5 the pointer to the shadow of argument 1 of 'mixed' has type double, but ptr is expected
 * ad-error: AD012 40:5 marker before argument 1 of 'mixed': mark a struct that holds a pointer ad_dup
 * ad-error: AD012 41:5 marker before argument 1 of 'length': ad_out applies to adjoint mode only
 * ad-error: AD012 42:5 marker before argument 1 of 'counts': this argument is neither a pointer nor a floating-point value
 * ad-error: AD013 43:23 '__ad_adjoint' returns 1 value(s)
 * ad-error: AD014 44:5 'huge' takes a struct by value with more than 256 members, or with a member of a type that is not supported
 * ad-error: AD014 45:5 'handle' returns a struct that holds pointers beside reals
 * ad-error: AD011 46:5 the value of argument 1 of 'length' has the struct type %struct.other
 * ad-error: AD011 47:5 the shadow of argument 1 of 'viewed' is given as double
 * ad-error: AD030 48:12 argument 1 of 'hidden' is a struct that holds a real and is passed in an integer register: the derivative would treat it as constant */
#include "ad.h"

struct point { double x, y, z; };
struct other { float x, y, z; double w; };
struct pair { double a, b; };
struct counts { int n, m; };
struct mixed { double *p; double w; };
struct view { double *p; long n; };
struct huge { double d[300]; };
struct hidden { union { long bits; float f[2]; } u; };
static double length(struct point p) { return p.x * p.x + p.y * p.y + p.z * p.z; }
static struct pair twice(double x) { return (struct pair){x, 2 * x}; }
static double behind(const struct point *p) { return p->x; }
static double mixed(struct mixed m) { return *m.p * m.w; }
static double counts(struct counts c, double x) { return c.n * x; }
static double huge(struct huge h) { return h.d[7]; }
static struct mixed handle(double *p) { return (struct mixed){p, *p}; }
static double viewed(struct view v) { return v.p[v.n]; }
static double hidden(struct hidden h) { return h.u.f[1] * h.u.f[0]; }
double all(struct point p, struct mixed m, struct huge h, struct counts c, struct other o, struct view v, struct hidden u, double x) {
    __ad_adjoint((void *)length, &p, &p);
    __ad_adjoint((void *)twice, x);
    __ad_adjoint((void *)behind, p, p);
    __ad_adjoint((void *)mixed, m, x);
    __ad_adjoint((void *)mixed, ad_out, m);
    __ad_tangent((void *)length, ad_out, p);
    __ad_adjoint((void *)counts, ad_dup, c, c, x);
    if (x > 3) return __ad_adjoint((void *)length, p);
    __ad_adjoint((void *)huge, h);
    __ad_tangent((void *)handle, &x, &x);
    __ad_adjoint((void *)length, o);
    __ad_adjoint((void *)viewed, v, x);
    return __ad_adjoint((void *)hidden, u);
}
