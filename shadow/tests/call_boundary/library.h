/* A small library, and what programs know of it. */
struct vector { long n; double *data; };
struct node { double value; struct node *next; };
struct mixed { float a; int n; };
struct pair { double a, b; };
struct big { double v[5]; };
struct item { double a; int k; double b; };
struct room { long n; double *data; };
struct mixture { float f; int n; double *data; long double x; };
struct setting { double (*function)(double, void *); void *params; };

#ifdef LIBRARY
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
double scalars(double a, float b, int n, double c) { return a * b * n + sin(c) * a; }
float single(float a, float b) { return a * b + a / b; }
long double extended(long double a, double b) { return a * a * b + a / b; }
long double _Complex complex_extended(long double a) { return __builtin_complex(a * a, 3 * a); }
struct pair two(double a, double b) { struct pair p = {a * b, a / b}; return p; }
struct mixed mixed(struct mixed m, float f) { m.a *= f; m.n += 1; return m; }
struct big big(struct big b, double f) { for (int i = 0; i < 5; i++) b.v[i] *= f; return b; }
double many(double a, double b, double c, double d, double e, double f, double g, double h, double i, double j, float k, double l) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h + 9 * i * a + 10 * j + 11 * k + 12 * l * j;
}
double pointers(double *a, double *b, double *c, double *d, double *e, double *f, double *g, double *h) { return *a * *b + *c * *d + *e * *f + *g * *h; }
void scale(int n, double *x, double f) { for (int i = 0; i < n; i++) x[i] *= f; }
void axpy(int n, double a, const double *x, int ix, double *y, int iy) { for (int i = 0; i < n; i++) y[i * iy] += a * x[i * ix]; }
void with_work(int n, const double *x, double *y, double *work) {
    for (int i = 0; i < n; i++) work[i] = x[i] * x[i];
    for (int i = 0; i < n; i++) y[i] = work[i] + work[(i + 1) % n];
}
double rows(int n, double **m) { double s = 0; for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) s += m[i][j] * m[j][i]; return s; }
double list(struct node *p) { double s = 1; for (; p; p = p->next) { s *= p->value; p->value = s; } return s; }
void swap_rows(double **m) { double *t = m[0]; m[0] = m[1]; m[1] = t; m[0][0] *= 2; }
double norm(const struct vector *v) { double s = 0; for (long i = 0; i < v->n; i++) s += v->data[i] * v->data[i]; return sqrt(s); }
double library_global = 3.0;
double with_global(double x) { library_global *= x; return library_global + x; }
struct vector *vector_new(long n) { struct vector *v = malloc(sizeof *v); v->n = n; v->data = calloc(n, sizeof *v->data); return v; }
void vector_set(struct vector *v, long i, double x) { v->data[i] = x; }
double vector_get(const struct vector *v, long i) { return v->data[i]; }
void vector_free(struct vector *v) { free(v->data); free(v); }
void make(struct vector **to, double x) { *to = vector_new(3); for (int i = 0; i < 3; i++) (*to)->data[i] = x * (i + 1); }
void fill(struct vector *v, double x) { v->n = 4; v->data = malloc(4 * sizeof *v->data); for (int i = 0; i < 4; i++) v->data[i] = x * i; }
double *first(double *x) { return x + 1; }
double apply(double (*f)(double, void *), void *params, double x) { return f(x, params) + f(2 * x, params); }
struct setting *setting_new(double (*f)(double, void *), void *params) { struct setting *s = malloc(sizeof *s); s->function = f; s->params = params; return s; }
double setting_run(struct setting *s, double x) { return s->function(x, s->params); }
double only_reads(const double *table, double x) { return table[0] * x + table[1]; }
double items(int n, const struct item *p, struct item *q) {
    double s = 0;
    for (int i = 0; i < n; i++) q[i].a = p[i].a * p[i].k, q[i].k = p[i].k + 1, q[i].b = p[i].b * p[i].a, s += q[i].k * p[i].b;
    return s;
}
double mixture(struct mixture *m) { double s = 0; for (int i = 0; i < m->n; i++) s += m->data[i] * m->f * m->n; m->x *= s; return s; }
void room_add(struct room *r, double x) { r->data[r->n & 1] += x * x; }
double room_sum(const struct room *r) { return r->data[0] + 10 * r->data[1]; }
static double table[2] = {1, 2};
double *table_of_library(void) { return table; }
void table_set(double *t, double x) { t[0] = x * x; }
double table_get(const double *t) { return t[0] * t[1]; }
/* A thread that runs until it is told to stop. */
static volatile int is_up, is_over;
static void *pool_work(void *begin) {
    if (begin) ((void (*)(void))begin)();
    is_up = 1;
    while (!is_over) {}
    is_up = 0;
    return 0;
}
void pool_start(void (*begin)(void)) {
    pthread_t t;
    is_over = 0, pthread_create(&t, 0, pool_work, (void *)begin), pthread_detach(t);
    while (!is_up) {}
}
void pool_stop(void) { is_over = 1; while (is_up) {} }
static const double *known;
void know(const double *p) { known = p; }
double by_known(double x) { return known[1] * x * x; }
void escape(double x, void (*out)(double)) { double a[64]; for (int i = 0; i < 64; i++) a[i] = x * i; out(a[63]); }
void escape_from(double x, double *to, void (*out)(double)) { to[1] = x * x; out(x); }
#else
#include "check.h"
double scalars(double, float, int, double);
float single(float, float);
long double extended(long double, double);
long double _Complex complex_extended(long double);
struct pair two(double, double);
struct mixed mixed(struct mixed, float);
struct big big(struct big, double);
double many(double, double, double, double, double, double, double, double, double, double, float, double);
double pointers(double *, double *, double *, double *, double *, double *, double *, double *);
void scale(int, double *, double);
void axpy(int, double, const double *, int, double *, int);
void with_work(int, const double *, double *, double *);
double rows(int, double **);
double list(struct node *);
void swap_rows(double **);
double norm(const struct vector *);
double with_global(double);
struct vector *vector_new(long);
void vector_set(struct vector *, long, double);
double vector_get(const struct vector *, long);
void vector_free(struct vector *);
void make(struct vector **, double);
void fill(struct vector *, double);
double *first(double *);
double apply(double (*)(double, void *), void *, double);
struct setting *setting_new(double (*)(double, void *), void *);
double setting_run(struct setting *, double);
double only_reads(const double *, double);
double items(int, const struct item *, struct item *);
double mixture(struct mixture *);
void room_add(struct room *, double);
double room_sum(const struct room *);
double *table_of_library(void);
void table_set(double *, double);
double table_get(const double *);
void pool_start(void (*)(void));
void pool_stop(void);
void know(const double *);
double by_known(double);
void escape(double, void (*)(double));
void escape_from(double, double *, void (*)(double));
/* Arguments on the stack of i386, the pointer to a result in memory first. */
#define LETTERS_scalars "ddfidd"
#define LETTERS_single "ff"
#define LETTERS_extended "xxxdd"
#define LETTERS_two "pdddd"
#define LETTERS_big "pdddddddddddd"
#define LETTERS_many "ddddddddddddddddddddfdd"
#define LETTERS_pointers "pppppppp"
#define LETTERS_scale "ipdd"
#define LETTERS_axpy "iddpipi"
#define LETTERS_with_work "ippp"
#define LETTERS_rows "ip"
#define LETTERS_list "p"
#define LETTERS_swap_rows "p"
#define LETTERS_norm "p"
#define LETTERS_with_global "dd"
#define LETTERS_vector_new "i"
#define LETTERS_vector_set "pidd"
#define LETTERS_vector_get "pi"
#define LETTERS_vector_free "p"
#define LETTERS_make "pdd"
#define LETTERS_fill "pdd"
#define LETTERS_first "p"
#define LETTERS_apply "ppdd"
#define LETTERS_setting_new "pp"
#define LETTERS_setting_run "pdd"
#define LETTERS_only_reads "pdd"
#define LETTERS_items "ipp"
#define LETTERS_mixture "p"
#define LETTERS_room_add "pdd"
#define LETTERS_room_sum "p"
#define LETTERS_table_set "pdd"
#define LETTERS_table_get "p"
#define LETTERS_by_known "dd"
#define LETTERS_escape "ddp"
#define LETTERS_escape_from "ddpp"
/* The same of structs in memory. */
#ifdef __i386__
#define LAYOUT_OF_ITEM "ddidd", 20
#define LAYOUT_OF_MIXTURE "fipxxx", 0
#else
#define LAYOUT_OF_ITEM "ddiidd", 24
#define LAYOUT_OF_MIXTURE "fippxxxx", 0
#endif
#endif
