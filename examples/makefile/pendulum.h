#ifndef PENDULUM_H
#define PENDULUM_H

/* The acceleration at an angle and a speed. */
double acceleration(double angle, double speed, const double *parameters);

/* The angle after some time, from rest at 1. Parameters: stiffness, friction. */
double angle_after(double time, int steps, const double *parameters);

#endif
