#ifndef SPLINE_H
#define SPLINE_H

/* A natural cubic spline through n points at 0, 1, 2, … */
typedef struct spline spline;

spline *spline_through(const double *y, int n);
double spline_value(const spline *s, double x);
void spline_free(spline *s);

#endif
