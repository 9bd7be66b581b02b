/* A static function of the same name as one in custom_pointers.c, with another rule. */
#include "ad.h"

static double own(double x) { return x + 5.0; }
static double own_augmented(double x) { return x + 5.0; }
static double own_reverse(double x, double yb) { return -2.0 * x * yb; }
__attribute__((used)) static void *__ad_register_adjoint_own[] = {(void *)own, (void *)own_augmented, (void *)own_reverse};

static double calls(double x) { return own(x); }

double same_name_elsewhere(double x, double *derivative) {
    *derivative = __ad_adjoint((void *)calls, x);
    return own(x);
}
