/* Structs that are passed and returned in memory. */
#ifndef STRUCTS_H
#define STRUCTS_H

typedef struct { double x, y, z; } triple;
typedef struct { double weight; int count; float scale; double *values; long marks[2]; double offset; } series;
typedef struct { long double wide; double narrow; float small[3]; } widths;
typedef struct { double value; int status; } outcome;
typedef struct { long steps; double value; } counted;
typedef struct { double table[40]; int used; } large;

triple structs_cross(triple a, triple b);
double structs_norm(triple a);
/* Registers, the stack, and structs between them. */
double structs_between(double a, int k, triple t, float f, double b, const double *p, widths w, long l, double c, series s);
/* The callee changes what it was given. */
double structs_consumed(large l, int n);
large structs_filled(double x, int n);
series structs_series(double *values, int n, double weight);
series structs_shifted(series s, double by);
double structs_sum(const series *s);
double structs_total(series s);
widths structs_widths(long double x, float y);
triple structs_apply(triple (*f)(triple, void *), triple t, void *context);
/* Many structs, and reals behind the eighth. */
double structs_many(triple a, double r0, double r1, double r2, double r3, triple b, double r4, double r5, double r6, double r7, double r8, triple c);
/* Small ones, in registers. */
outcome structs_outcome(double x, int n);
counted structs_counted(counted c, double x);

#endif
