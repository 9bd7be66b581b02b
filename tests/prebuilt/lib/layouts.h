/* Structs that mix integers, reals of several widths and pointers. */
#ifndef LAYOUTS_H
#define LAYOUTS_H

typedef struct { int verbose, most; double tolerance; float damping, limit; long steps; double *work; short flags[2]; int level; } settings;
typedef struct { unsigned kind; float at; double weight; } mark;
typedef struct { long count; mark marks[3]; double total; } marks;
typedef struct { int tag; union { double real; long whole; } as; } either;

double layouts_solve(const settings *s, double x);
void layouts_adjust(settings *s, double by);
double layouts_marks(const marks *m);
double layouts_all(const mark *m, int n);
double layouts_either(const either *e, int n);
/* What layouts_link was given. */
void layouts_link(settings *s, marks *m);
double layouts_linked(double x);

#endif
