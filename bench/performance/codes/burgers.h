/* Burgers' equation, explicit central differences, fixed ends. */
#ifndef BURGERS_H
#define BURGERS_H

/* p: Courant number, viscosity (both over the mesh); u[n], overwritten by what it is after 2 pairs steps; work[n]. */
void burgers(long n, long pairs, const double *restrict p, double *restrict u, double *restrict work);

/* pb is added to; ub: adjoint of what comes out before, of what goes in after. */
void burgers_by_hand(long n, long pairs, const double *restrict p, double *restrict pb, double *restrict u, double *restrict ub);

#endif
