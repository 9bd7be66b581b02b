/* Bundle adjustment: how far the projections of points lie from where cameras saw them.
 *
 * A camera is 11 numbers: rotation vector 3, centre 3, focal length, principal point 2, radial distortion 2. Point X is
 * seen at f r(q) q + principal point, where q = first two over third coordinate of R (X - centre) and
 * r = 1 + k1 |q|^2 + k2 |q|^4. An observation's residual is weight * (projection - feature); each weight w also has the
 * residual 1 - w^2.
 */
#ifndef BA_H
#define BA_H

enum { BA_CAMERA = 11 };

/* One observation: camera[11], point[3], weight[1], feature[2]; residual[2]. */
void ba_residual(const double *restrict camera, const double *restrict point, const double *restrict weight,
                 const double *restrict feature, double *restrict residual);

/* One weight: residual[1]. */
void ba_weight_residual(const double *restrict weight, double *restrict residual);

/* n cameras, m points, p observations; pairs[p][2] gives each observation's camera and point; residuals[p][2],
 * weight_residuals[p]. */
void ba_objective(int n, int m, int p, const double *restrict cameras, const double *restrict points,
                  const double *restrict weights, const int *restrict pairs, const double *restrict features,
                  double *restrict residuals, double *restrict weight_residuals);

#endif
