/* Copies between memory that holds floats, doubles, and pointers in one place with reals: the source of a copy says what it moves, and what is left of a
 * pointer's shadow is no adjoint.
 * ad-i386: none, a copy of unknown type is refused there */
#include "requests.h"

/* Modules of two kinds behind pointers to anything, found by name. */
typedef struct { const char *name; double (*value)(void *, double); void (*tune)(void *, const double *, int); void *(*make)(void); } module;
typedef struct { int n; double c[4]; } series;
static double series_value(void *s, double t) { series *q = s; double r = 0; for (int i = q->n; i-- > 0;) r = r * t + q->c[i]; return r; }
static void series_tune(void *s, const double *p, int n) { series *q = s; q->n = n; memcpy(q->c, p, n * sizeof *p); }
static void *series_make(void) { return calloc(1, sizeof(series)); }
typedef struct { unsigned char flag; float gain; double a, b; } wave;
static double wave_value(void *s, double t) { wave *w = s; return w->a * sin(w->b * t) * w->gain; }
static void wave_tune(void *s, const double *p, int n) { wave *w = s; w->a = p[0], w->b = p[n - 1], w->gain = 1.5f; }
static void *wave_make(void) { return calloc(1, sizeof(wave)); }
static const module modules[2] = {{"series", series_value, series_tune, series_make}, {"wave", wave_value, wave_tune, wave_make}};
static const module *registry[4];
static int registered;
static void add(const module *m) { for (int i = 0; i < registered; i++) if (registry[i] == m) return; registry[registered++] = m; }
static const module *found(const char *name) { for (int i = 0; i < registered; i++) if (!strcmp(registry[i]->name, name)) return registry[i]; return NULL; }
static double chain(const double *x) {
    static const char *const names[] = {"series", "wave", "missing", "series"};
    void *made[4];
    const module *of[4];
    double v = x[0];
    add(&modules[0]), add(&modules[1]);
    for (int i = 0; i < 4; i++) if ((of[i] = found(names[i]))) made[i] = of[i]->make(), of[i]->tune(made[i], x, 3);
    for (int k = 0; k < 3; k++) for (int i = 0; i < 4; i++) if (of[i]) v = of[i]->value(made[i], 0.4 * v);
    for (int i = 0; i < 4; i++) if (of[i]) free(made[i]);
    return v;
}
AD_FUNCTIONAL(chain)

/* Events of which some have a pointer where others have a real, exchanged. */
typedef struct {
    long kind;
    union {
        struct { double by[3]; float speed; } move;
        struct { double *about, angle; } spin;
    };
} event;
static double events(const double *x) {
    event q[2], t;
    double frame = x[0] * x[0], p = x[0];
    q[0] = (event){1, .move = {{x[0], 0.3, x[1]}, 1.25f}};
    q[1] = (event){2, .spin = {&frame, x[1]}};
    if (x[0] < 5) t = q[0], q[0] = q[1], q[1] = t;
    for (int i = 0; i < 2; i++) {
        if (q[i].kind == 1) p += q[i].move.by[0] * q[i].move.by[2] * q[i].move.speed;
        else p += *q[i].spin.about * q[i].spin.angle, *q[i].spin.about *= p;
    }
    return p + frame;
}
AD_FUNCTIONAL(events)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(chain, 3), CHECK_FUNCTIONAL(events, 2)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.1);
    return check_done();
}
