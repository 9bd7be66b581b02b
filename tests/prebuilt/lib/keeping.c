/* Pointers that calls leave behind, in variables and blocks of the library. */
#include <stdlib.h>

static const double *weights;
static int count;
void keep_weights(const double *w, int n) { weights = w, count = n; }
double keep_apply(double x) {
    double s = 0;
    for (int i = 0; i < count; i++) s += weights[i] * x * (i + 1);
    return s;
}

/* The same in a block that a variable leads to. */
static struct { double bias; const double *weights; } *model;
void keep_model(const double *w) {
    if (!model) model = calloc(1, sizeof *model);
    model->weights = w, model->bias = 2;
}
double keep_run(double x) { return model->weights[0] * x + model->weights[1] * x * x + model->bias; }

/* One that is written to. */
static double *sink;
void keep_sink(double *to) { sink = to; }
void keep_add(double x) { sink[1] += x * x; }

/* Where nobody looks: not as it was given, and not where variables are. */
static _Thread_local double *before;
void keep_hidden(double *w) { before = w - 1; }
double keep_use(double x) { return before[1] * x; }
void keep_overwrite(double x) { before[1] = x * x; }

/* A room whose block is of whoever made it. */
typedef struct { double *values; long n; } room;
room *room_new(long n) {
    room *r = malloc(sizeof *r);
    r->values = calloc((size_t)n, sizeof *r->values), r->n = n;
    return r;
}
void room_put(const room *r, double x) { r->values[1] = x * x; }
double room_get(const room *r, double x) { return r->values[1] * x; }

/* A block of the library that the program has in its hands. */
typedef struct { double *values; } box;
static double *last;
void box_fill(box *b, double x) {
    if (!b->values) b->values = malloc(4 * sizeof *b->values);
    last = b->values, last[0] = x * x, last[1] = 1;
}
void box_again(double x) { last[0] = x * x * x; }

double keep_sum(double (*f)(double), const int *n, double x) {
    double s = 0;
    for (int i = 0; i < *n; i++) s += f(x * (i + 1));
    return s;
}
