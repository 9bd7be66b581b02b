/* A derivative for a processor that is not supported. */
/* ad-flags: --target=aarch64-linux-gnu */
/* ad-option: -ad-adjoint=f */
/* ad-error: AD003 - no derivatives for target 'aarch64 */
double f(double x) { return x * x; }
