/* How the angle after three seconds depends on stiffness and friction. */
#include "angle_b.h"
#include "pendulum.h"
#include <complex.h>
#include <math.h>
#include <stdio.h>

/* The solution, with a complex step of 1e-30 in one parameter: an exact derivative of the closed form. */
static double exact(double time, double stiffness, double friction, int which) {
    double complex k = stiffness + (which == 0 ? 1e-30 * I : 0.0), c = friction + (which == 1 ? 1e-30 * I : 0.0);
    double complex omega = csqrt(k - 0.25 * c * c);
    return cimag(cexp(-0.5 * c * time) * (ccos(omega * time) + 0.5 * c / omega * csin(omega * time))) / 1e-30;
}

int main(void) {
    double parameters[2] = {4.0, 0.3}, gradient[2] = {0.0, 0.0}, worst = 0.0;
    printf("angle %.10f\n", angle_after(3.0, 3000, parameters));
    angle_after_b(3.0, 3000, parameters, gradient, 1.0);
    for (int i = 0; i < 2; i++) {
        double right = exact(3.0, parameters[0], parameters[1], i);
        printf("%s %.10f %.10f\n", i == 0 ? "stiffness" : "friction ", gradient[i], right);
        worst = fabs(gradient[i] - right) <= worst ? worst : fabs(gradient[i] - right); /* NaN stays */
    }
    puts(worst < 1e-9 ? "right" : "WRONG");
    return worst < 1e-9 ? 0 : 1;
}
