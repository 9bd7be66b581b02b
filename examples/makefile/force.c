#include "pendulum.h"

double acceleration(double angle, double speed, const double *parameters) {
    return -parameters[0] * angle - parameters[1] * speed;
}
