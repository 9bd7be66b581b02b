/* The Brusselator on a line, by the classical Runge-Kutta method. */
#ifndef ODE_H
#define ODE_H

/* p: feed, conversion, diffusion of u, diffusion of v; state: u[cells], v[cells], overwritten by what it is after so many steps;
 * work[10 * cells]. */
void ode(long cells, long steps, double dt, const double *restrict p, double *restrict state, double *restrict work);

/* pb is added to; stateb: adjoint of what comes out before, of what goes in after. */
void ode_by_hand(long cells, long steps, double dt, const double *restrict p, double *restrict pb, double *restrict state,
                 double *restrict stateb);

#endif
