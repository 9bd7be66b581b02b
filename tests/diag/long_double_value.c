/* A by-value argument of a type without derivatives is not silently constant. */
/* ad-flags: -g */
/* ad-error: AD030 8:12 x86_fp80 */
extern double __ad_tangent_wide(void *, ...);

static long double square(long double x) { return x * x; }
double d(void) {
    return __ad_tangent_wide((void *)square, 2.0L, 1.0L);
}
