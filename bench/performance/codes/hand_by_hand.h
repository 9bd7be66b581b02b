/* The transposed Jacobian of hand.h's residuals times a vector, by hand. */
#ifndef HAND_BY_HAND_H
#define HAND_BY_HAND_H

/* Arguments as those of hand_objective; thetab is added to, residualb is read. */
void hand_by_hand(int bones, const int *restrict parents, const double *restrict relative, const double *restrict inverse_base,
                  const double *restrict positions, const int *restrict starts, const int *restrict weight_bones,
                  const double *restrict weights, int is_mirrored, int points, const int *restrict vertex_of,
                  const double *restrict data, const double *restrict theta, double *restrict thetab, double *restrict residual,
                  const double *restrict residualb);

#endif
