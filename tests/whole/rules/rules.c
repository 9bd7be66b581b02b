/* What others say of functions of other files. */
double root(double x);

static int uses;
int ruled(void) { return uses; }

static double root_tangent(double x, double xd) {
    uses++;
    return xd / (2.0 * root(x));
}
static double root_augmented(double x) { return root(x); }
static double root_reverse(double x, double yb) {
    uses++;
    return yb / (2.0 * root(x));
}
void *__ad_register_tangent_root[] = {(void *)root, (void *)root_tangent};
void *__ad_register_adjoint_root[] = {(void *)root, (void *)root_augmented, (void *)root_reverse};
