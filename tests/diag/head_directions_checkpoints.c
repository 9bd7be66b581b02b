/* What is wrong in one direction is said once; what several directions do not support is said of these.
 * ad-flags: -g
 * ad-option: -ad-directions=2
 * ad-option: -ad-adjoint=f(f)/(x)
 * ad-option: -ad-tangent=g(g)/(x)
 * ad-error: AD016 - 'g' has no parameter 'y'
 * ad-option: -ad-adjoint=g(g)/(y)
 * ad-error: AD014 - the request has 2 directions, but a checkpointed loop or region supports only one */
extern void ad_checkpoint_loop(int n);
double f(double *x) {
    for (int i = 0; i < 9; i++) ad_checkpoint_loop(3), x[0] = x[0] * x[0];
    return x[0];
}
double g(const double *x) { return x[0] * x[1]; }
