/* Calls of a small library in tangent mode: kinds of arguments and results, objects, callbacks, memory that the library keeps. */
#include "library.h"
#ifndef LIBRARY
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <sys/mman.h>

static void test_scalars(void) {
    BEGIN(scalars, 0);
    ((void (*)(double, float, int, double))adshadow_capture())(1.0, 0.5f, 0, -1.0);
    double y = ((double (*)(double, float, int, double))adshadow_entry())(2.0, 3.0f, 4, 0.7);
    adshadow_leave();
    double dot = RESULT(double);
    check_value("scalars", y, scalars(2.0, 3.0f, 4, 0.7));
    check_close("scalars'", dot, 12.0 + sin(0.7) + 0.5 * 8.0 - cos(0.7) * 2.0, 1e-14);

    BEGIN(single, 0);
    adshadow_floats(3);
    ((void (*)(float, float))adshadow_capture())(1.0f, 2.0f);
    float s = ((float (*)(float, float))adshadow_entry())(3.0f, 5.0f);
    /* Without the digits that it may have beyond a float's. */
    volatile float native = single(3.0f, 5.0f);
    adshadow_leave();
    float sdot = RESULT(float);
    check_value("single", s, native);
    check_close("single'", sdot, 5.0 + 0.2 + 2.0 * (3.0 - 3.0 / 25.0), 1e-6);

#ifdef __i386__
    struct pair p, d = {0, 0};
    adshadow_object(&p, &d, sizeof p);
    BEGIN(two, 0);
    POINTER(&p, &d, ADSHADOW_DOUBLE);
    ((void (*)(void *, double, double))adshadow_capture())(0, 1.0, 0.25);
    double given[2] = {3.0, 2.0};
    call_returning(adshadow_entry(), &p, given, 4);
    adshadow_leave();
    adshadow_object_pop(1);
#else
    BEGIN(two, 0);
    ((void (*)(double, double))adshadow_capture())(1.0, 0.25);
    struct pair p = ((struct pair (*)(double, double))adshadow_entry())(3.0, 2.0);
    adshadow_leave();
    struct pair d = ((struct pair (*)(void))adshadow_result())();
#endif
    check_value("two", p.a + p.b, 7.5);
    check_close("two.a'", d.a, 2.0 + 0.75, 1e-14);
    check_close("two.b'", d.b, 0.5 - 0.25 * 3.0 / 4.0, 1e-14);
}

static void test_extended(void) {
    for (int i = 0; i < 20; i++) {
        BEGIN(extended, 16);
        ((void (*)(long double, double))adshadow_capture())(1.0L, 0.5);
        long double y = ((long double (*)(long double, double))adshadow_entry())(3.0L, 2.0);
        adshadow_leave();
        long double dot = ((long double (*)(void))adshadow_result_x87(1))();
        check_value("extended", y, 19.5);
        check_close("extended'", dot, 12 + 0.5 + 0.5 * (9 - 0.75), 1e-15);
#ifndef __i386__
        BEGIN(complex_extended, 16);
        ((void (*)(long double))adshadow_capture())(1.0L);
        long double _Complex z = ((long double _Complex (*)(long double))adshadow_entry())(5.0L);
        adshadow_leave();
        long double _Complex dz = ((long double _Complex (*)(void))adshadow_result_x87(2))();
        check_value("complex", __real__ z + __imag__ z, 40);
        check_close("complex: real part'", __real__ dz, 10, 1e-15);
        check_close("complex: imaginary part'", __imag__ dz, 3, 1e-15);
#endif
    }
}

static void test_stack(void) {
    BEGIN(many, 32);
    ((void (*)(double, double, double, double, double, double, double, double, double, double, float, double))adshadow_capture())(
        1, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1);
    double y = ((double (*)(double, double, double, double, double, double, double, double, double, double, float, double))adshadow_entry())(
        2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    adshadow_leave();
    double dot = RESULT(double);
    check_value("many", y, many(2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13));
    check_close("many'", dot, 1 + 90 + 8 + 18 + 10 + 11 + 12 * 11 + 12 * 13, 1e-14);

    double x[8] = {1, 2, 3, 4, 5, 6, 7, 8}, dx[8] = {.1, .2, .3, .4, .5, .6, .7, .8};
    adshadow_object(x, dx, sizeof x);
    BEGIN(pointers, 16);
    for (int i = 0; i < 8; i++) POINTER(x + i, dx + i, ADSHADOW_DOUBLE);
    y = ((double (*)(double *, double *, double *, double *, double *, double *, double *, double *))adshadow_entry())(
        x, x + 1, x + 2, x + 3, x + 4, x + 5, x + 6, x + 7);
    adshadow_leave();
    check_value("pointers", y, 2 + 12 + 30 + 56);
    check_close("pointers'", RESULT(double), 0.1 * 2 * (2 + 12 + 30 + 56), 1e-14);
    adshadow_object_pop(1);

    struct big b = {{1, 2, 3, 4, 5}}, db = {{.1, .1, .1, .1, .1}}, r, dr = {{0}};
    adshadow_object(&r, &dr, sizeof r);
    BEGIN(big, sizeof b);
    POINTER(&r, &dr, ADSHADOW_DOUBLE);
    /* A result in memory is a hidden pointer argument, which has no dot. */
    ((void (*)(void *, struct big, double))adshadow_capture())(0, db, 2.0);
#ifdef __i386__
    struct { struct big b; double f; } given = {b, 3.0};
    call_returning(adshadow_entry(), &r, &given, sizeof given / 4);
#else
    ((void *(*)(struct big *, struct big, double))adshadow_entry())(&r, b, 3.0);
#endif
    adshadow_leave();
    check_close("big'", dr.v[4], 0.3 + 10, 1e-15);
    adshadow_object_pop(1);
    check_value("big", r.v[4], 15.0);
}

#ifndef __i386__
static void test_general(void) {
    struct mixed m = {3.0f, 7}, dm = {1.0f, 0};
    BEGIN(mixed, 0);
    ((void (*)(struct mixed, float))adshadow_capture())(dm, 0.5f);
    struct mixed r = ((struct mixed (*)(struct mixed, float))adshadow_entry())(m, 2.0f);
    adshadow_leave();
    struct mixed dr = ((struct mixed (*)(void))adshadow_result())();
    check_value("mixed", r.a + r.n, 14.0);
    /* Halves of a general register: right, or not a number where the translator does not follow them. */
    if (!isnan(dr.a)) check_close("mixed'", dr.a, 2.0 + 1.5, 1e-6);
}
#else
/* Such a struct is in memory. */
static void test_general(void) {}
#endif

static void test_arrays(void) {
    enum { N = 100 };
    double *x = malloc(N * sizeof *x), *dx = malloc(N * sizeof *x), *y = malloc(N * sizeof *x), *dy = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = i + 1, dx[i] = 1.0 / (i + 1), y[i] = i, dy[i] = 0.5;
    BEGIN(scale, 0);
    /* In the middle of the block. */
    POINTER(x + 10, dx + 10, ADSHADOW_DOUBLE);
    ((void (*)(int, double *, double))adshadow_capture())(0, 0, 1.0);
    ((void (*)(int, double *, double))adshadow_entry())(5, x + 10, 2.0);
    adshadow_leave();
    for (int i = 0; i < N; i++) {
        int in = i >= 10 && i < 15;
        check_value("scale", x[i], (i + 1) * (in ? 2.0 : 1.0));
        check_close("scale'", dx[i], in ? 2.0 / (i + 1) + (i + 1) : 1.0 / (i + 1), 1e-15);
    }
    BEGIN(axpy, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    POINTER(y, dy, ADSHADOW_DOUBLE);
    ((void (*)(int, double, const double *, int, double *, int))adshadow_capture())(0, 1.0, 0, 0, 0, 0);
    ((void (*)(int, double, const double *, int, double *, int))adshadow_entry())(10, 3.0, x, 2, y, 5);
    adshadow_leave();
    for (int i = 0; i < N; i++) {
        int in = i % 5 == 0 && i < 50;
        check_value("axpy", y[i], i + (in ? 3.0 * x[i / 5 * 2] : 0));
        check_close("axpy'", dy[i], 0.5 + (in ? x[i / 5 * 2] + 3.0 * dx[i / 5 * 2] : 0), 1e-14);
    }
    /* A constant right behind a shadow, of which nobody says how long it is. */
    double row[3][4] = {{1, 2, 3, 4}, {1, 1, 1, 1}, {2, 3, 4, 5}};
    adshadow_object(row[0], row[1], sizeof row[0]);
    BEGIN(axpy, 0);
    POINTER(row[2], 0, ADSHADOW_DOUBLE);
    POINTER(row[0], row[1], ADSHADOW_DOUBLE);
    ((void (*)(int, double, const double *, int, double *, int))adshadow_capture())(0, 2.0, 0, 0, 0, 0);
    ((void (*)(int, double, const double *, int, double *, int))adshadow_entry())(4, 3.0, row[2], 1, row[0], 1);
    adshadow_leave();
    for (int i = 0; i < 4; i++) check_value("axpy of a neighbour", row[0][i], i + 1 + 3.0 * (i + 2)), check_close("axpy' of a neighbour", row[1][i], 1 + 2.0 * (i + 2), 1e-15);
    adshadow_object_pop(1);
    double w[4], dw[4] = {9, 9, 9, 9};
    adshadow_object(w, dw, sizeof w);
    BEGIN(with_work, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    POINTER(y, dy, ADSHADOW_DOUBLE);
    POINTER(w, dw, ADSHADOW_DOUBLE);
    ((void (*)(int, const double *, double *, double *))adshadow_entry())(4, x, y, w);
    adshadow_leave();
    adshadow_object_pop(1);
    check_close("with_work'", dy[1], 2 * (x[1] * dx[1] + x[2] * dx[2]), 1e-15);
    check_close("work'", dw[2], 2 * x[2] * dx[2], 1e-15);
    free(x), free(dx), free(y), free(dy);
}

/* The allocator gives more than is asked for (on i386 half a double), and there may be what earlier owners have left. */
static void test_rest_of_blocks(void) {
    enum { BLOCKS = 64, N = 12 };
    void **earlier[BLOCKS], *other = malloc(8);
    for (int k = 0; k < BLOCKS; k++) {
        earlier[k] = malloc(N * sizeof(double));
        size_t words = malloc_usable_size(earlier[k]) / sizeof(void *);
        for (size_t i = 0; i < words; i++) earlier[k][i] = other;
    }
    for (int k = 0; k < BLOCKS; k++) free(earlier[k]);
    double *x = malloc(N * sizeof *x), *dx = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = i + 1, dx[i] = 0.5;
    BEGIN(scale, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    ((void (*)(int, double *, double))adshadow_capture())(0, 0, 1.0);
    ((void (*)(int, double *, double))adshadow_entry())(N, x, 2.0);
    adshadow_leave();
    for (int i = 0; i < N; i++) check_value("scale of a block", x[i], 2.0 * (i + 1)), check_close("scale' of a block", dx[i], 1.0 + (i + 1), 1e-15);
    free(x), free(dx), free(other);
}

/* The program's numbers in memory that other processes see: their dots are in their shadow. */
static void test_shared_memory(void) {
    double *x = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0), dx[4] = {0.5, 0.5, 0.5, 0.5};
    for (int i = 0; i < 4; i++) x[i] = i + 1;
    adshadow_object(x, dx, sizeof dx);
    BEGIN(scale, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    ((void (*)(int, double *, double))adshadow_capture())(0, 0, 1.0);
    ((void (*)(int, double *, double))adshadow_entry())(4, x, 2.0);
    adshadow_leave();
    adshadow_object_pop(1);
    for (int i = 0; i < 4; i++) check_close("scale' of shared memory", dx[i], 1.0 + (i + 1), 1e-15);
    munmap(x, 4096);
}

static void test_structures(void) {
    double a[4] = {1, 2, 3, 4}, da[4] = {1, 0, 0, 0.5};
    double *m[2] = {a, a + 2}, *dm[2] = {da, da + 2};
    adshadow_object(a, da, sizeof a);
    adshadow_object(m, dm, sizeof m);
    BEGIN(rows, 0);
    POINTER(m, dm, ADSHADOW_POINTERS);
    double y = ((double (*)(int, double **))adshadow_entry())(2, m);
    adshadow_leave();
    check_value("rows", y, 1 + 12 + 16);
    check_close("rows'", RESULT(double), 2 * 1 + 2 * 4 * 0.5, 1e-15);
    BEGIN(swap_rows, 0);
    POINTER(m, dm, ADSHADOW_UNKNOWN);
    ((void (*)(double **))adshadow_entry())(m);
    adshadow_leave();
    if (m[0] != a + 2 || dm[0] != da + 2 || dm[1] != da) printf("swap_rows: pointers\n"), failures++;
    adshadow_object_pop(2);

    struct node *p = 0, *dp = 0;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n), *dn = malloc(sizeof *n);
        *n = (struct node){5 - i, p}, *dn = (struct node){1.0, dp};
        p = n, dp = dn;
    }
    BEGIN(list, 0);
    POINTER(p, dp, ADSHADOW_UNKNOWN);
    y = ((double (*)(struct node *))adshadow_entry())(p);
    adshadow_leave();
    check_value("list", y, 120);
    check_close("list'", RESULT(double), 120 * (1 + 1. / 2 + 1. / 3 + 1. / 4 + 1. / 5), 1e-14);
    check_close("list.value'", dp->next->next->value, 6 * (1 + 1. / 2 + 1. / 3), 1e-14);

    double data[3] = {1, 2, 2}, ddata[3] = {1, 1, 1};
    struct vector v = {3, data}, dv = {0, ddata};
    adshadow_object(data, ddata, sizeof data);
    adshadow_object(&v, &dv, sizeof v);
    BEGIN(norm, 0);
    POINTER(&v, &dv, ADSHADOW_UNKNOWN);
    y = ((double (*)(struct vector *))adshadow_entry())(&v);
    adshadow_leave();
    check_value("norm", y, 3);
    check_close("norm'", RESULT(double), 5. / 3, 1e-15);
    adshadow_object_pop(2);
}

static void test_library_memory(void) {
    double dot;
    check_value("with_global", tangent1(with_global, "with_global", 2.0, 1.0, &dot), 8.0);
    check_close("with_global'", dot, 4.0, 1e-15);
    check_value("with_global", tangent1(with_global, "with_global", 2.0, 1.0, &dot), 14.0);
    check_close("with_global''", dot, 3.0 * 4 + 1, 1e-15);

    BEGIN(vector_new, 0);
    struct vector *v = ((struct vector *(*)(long))adshadow_entry())(4);
    adshadow_leave();
    struct vector *dv = adshadow_returned(v);
    /* Generated code stores to the library's memory: an element, and its dot. */
    v->data[0] = 5.0, dv->data[0] = 0.25;
    BEGIN(vector_set, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    ((void (*)(struct vector *, long, double))adshadow_capture())(0, 0, 1.0);
    ((void (*)(struct vector *, long, double))adshadow_entry())(v, 2, 7.0);
    adshadow_leave();
    check_value("vector[2]", v->data[2], 7.0);
    check_value("vector[2]'", dv->data[2], 1.0);
    BEGIN(norm, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    double y = ((double (*)(struct vector *))adshadow_entry())(v);
    adshadow_leave();
    check_value("norm of vector", y, sqrt(74));
    check_close("norm of vector'", RESULT(double), (5 * 0.25 + 7) / sqrt(74), 1e-15);
    BEGIN(vector_get, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    y = ((double (*)(struct vector *, long))adshadow_entry())(v, 2);
    adshadow_leave();
    check_value("vector_get'", RESULT(double), 1.0);
    /* Generated code stores a pointer of its own to the library's memory. */
    double own[4] = {3, 4, 0, 0}, down[4] = {1, 0, 0, 0}, *old = v->data, *dold = dv->data;
    adshadow_object(own, down, sizeof own);
    v->data = own, dv->data = down;
    BEGIN(norm, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    y = ((double (*)(struct vector *))adshadow_entry())(v);
    adshadow_leave();
    check_value("norm of own", y, 5.0);
    check_close("norm of own'", RESULT(double), 0.6, 1e-15);
    if (dv->data != down) printf("the shadow of the library's pointer to own memory\n"), failures++;
    v->data = old, dv->data = dold;
    adshadow_object_pop(1);
    BEGIN(vector_free, 0);
    POINTER(v, dv, ADSHADOW_UNKNOWN);
    ((void (*)(struct vector *))adshadow_entry())(v);
    adshadow_leave();

    /* Pointers that the library leaves in objects. */
    struct vector *w = 0, *dw = 0;
    adshadow_object(&w, &dw, sizeof w);
    BEGIN(make, 0);
    POINTER(&w, &dw, ADSHADOW_POINTERS);
    ((void (*)(void *, double))adshadow_capture())(0, 1.0);
    ((void (*)(struct vector **, double))adshadow_entry())(&w, 2.0);
    adshadow_leave();
    if (!dw) printf("make: no shadow\n"), exit(1);
    adshadow_returned(w);
    check_value("make'", dw->data[2], 3.0);
    adshadow_object_pop(1);
    struct vector *u = malloc(sizeof *u), *du = calloc(1, sizeof *du);
    u->data = 0;
    BEGIN(fill, 0);
    POINTER(u, du, ADSHADOW_UNKNOWN);
    ((void (*)(void *, double))adshadow_capture())(0, 1.0);
    ((void (*)(struct vector *, double))adshadow_entry())(u, 2.0);
    adshadow_leave();
    check_value("fill", u->data[3], 6.0);
    check_value("fill'", du->data[3], 3.0);
    /* A returned pointer into an object. */
    double *x = malloc(64), *dx = malloc(64);
    BEGIN(first, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    double *f = ((double *(*)(double *))adshadow_entry())(x);
    adshadow_leave();
    if (adshadow_returned(f) != dx + 1) printf("first: shadow\n"), failures++;
}

struct parameters { double a, b; int count; };
static double global = 2.0, dglobal;
static double callback(double x, void *p) {
    struct parameters *q = p;
    q->count++;
    return q->a * x * x + q->b * global;
}

static void test_callbacks(void) {
    struct parameters p = {3, 4, 0}, dp = {1, 0.5, 0};
    adshadow_object(&p, &dp, sizeof p);
    dglobal = 0.125;
    BEGIN(apply, 0);
    POINTER(&p, &dp, ADSHADOW_UNKNOWN);
    ((void (*)(void *, void *, double))adshadow_capture())(0, 0, 0.25);
    double y = ((double (*)(void *, void *, double))adshadow_entry())(callback, &p, 1.5);
    adshadow_leave();
    check_value("apply", y, 3 * 2.25 + 8 + 3 * 9 + 8);
    double expected = (2.25 + 9) + 3 * (2 * 1.5 + 8 * 1.5) * 0.25 + 2 * (0.5 * 2 + 4 * 0.125);
    check_close("apply'", RESULT(double), expected, 1e-14);
    check_value("count", p.count, 2);
    adshadow_object_pop(1);

    /* The library keeps a pointer to an object, and reads it in a later call. */
    struct parameters *q = malloc(sizeof *q), *dq = calloc(1, sizeof *dq);
    *q = (struct parameters){3, 4, 0}, *dq = (struct parameters){1, 0, 0};
    BEGIN(setting_new, 0);
    POINTER(q, dq, ADSHADOW_UNKNOWN);
    struct setting *s = ((struct setting *(*)(void *, void *))adshadow_entry())(callback, q);
    adshadow_leave();
    struct setting *ds = adshadow_returned(s);
    if (ds->params != dq) printf("setting: the shadow of params is %p, not %p\n", ds->params, (void *)dq), failures++;
    dq->b = 2.0;
    BEGIN(setting_run, 0);
    POINTER(s, ds, ADSHADOW_UNKNOWN);
    ((void (*)(void *, double))adshadow_capture())(0, 1.0);
    y = ((double (*)(void *, double))adshadow_entry())(s, 2.0);
    adshadow_leave();
    check_value("setting_run", y, 12 + 8);
    check_close("setting_run'", RESULT(double), 4 + 12 + 2 * 2 + 4 * 0.125, 1e-14);
}

static double constants(double x, double dx, double *dot) {
    /* The table is a variable without a word, where library frames were before. */
    double table[2] = {3.0, 4.0};
    const double *volatile at = table;
    BEGIN(only_reads, 0);
    POINTER(at, 0, ADSHADOW_DOUBLE);
    ((void (*)(void *, double))adshadow_capture())(0, dx);
    double y = ((double (*)(const double *, double))adshadow_entry())(at, x);
    adshadow_leave();
    *dot = RESULT(double);
    return y;
}

static void test_constants(void) {
    double dot;
    tangent1(with_global, "with_global", 2.0, 1.0, &dot);
    check_value("only_reads", constants(2.0, 1.0, &dot), 10.0);
    check_value("only_reads'", dot, 3.0);
}

static jmp_buf back;
static double escaped;
static void out(double x) { escaped = x; longjmp(back, 1); }

static void test_jumps(void) {
    double *x = malloc(2 * sizeof *x), *dx = calloc(2, sizeof *x);
    if (setjmp(back) == 0) {
        BEGIN(escape_from, 0);
        POINTER(x, dx, ADSHADOW_DOUBLE);
        ((void (*)(double, double *, void *))adshadow_capture())(1.0, 0, 0);
        ((void (*)(double, double *, void *))adshadow_entry())(2.0, x, out);
        adshadow_leave();
    }
    check_value("escape_from", x[1], 4.0);
    check_value("escape_from'", dx[1], 4.0);
    for (int i = 0; i < 3; i++) {
        if (setjmp(back) == 0) {
            BEGIN(escape, 0);
            ((void (*)(double, void *))adshadow_capture())(1.0, 0);
            ((void (*)(double, void *))adshadow_entry())(2.0, out);
            adshadow_leave();
        }
        check_value("escape", escaped, 126.0);
        double dot;
        check_value("constants behind escape", constants(2.0, 1.0, &dot), 10.0);
        check_value("constants behind escape'", dot, 3.0);
    }
}

/* A frame that a longjmp leaves: its variable was given to a call, and is none any more. */
static __attribute__((noinline)) void leaves(void) {
    double x[8] = {1, 2}, dx[8] = {1, 1};
    adshadow_object(x, dx, sizeof x);
    BEGIN(scale, 0);
    POINTER(x, dx, ADSHADOW_DOUBLE);
    ((void (*)(int, double *, double))adshadow_entry())(8, x, 2.0);
    adshadow_leave();
    longjmp(back, 1);
}
static __attribute__((noinline)) double in_its_place(double *dot) {
    double x[8] = {1, 2}, dx[8] = {3, 1};
    const double *volatile at = x;
    BEGIN(only_reads, 0);
    POINTER(at, 0, ADSHADOW_DOUBLE);
    ((void (*)(void *, double))adshadow_capture())(0, 1);
    double y = ((double (*)(const double *, double))adshadow_entry())(at, 5);
    adshadow_leave();
    *dot = RESULT(double);
    check_value("dot of a constant", *dot, 1);
    adshadow_object(x, dx, sizeof x);
    BEGIN(only_reads, 0);
    POINTER(at, dx, ADSHADOW_DOUBLE);
    ((double (*)(const double *, double))adshadow_entry())(at, 5);
    adshadow_leave();
    *dot = RESULT(double);
    adshadow_object_pop(1);
    return y;
}
static void test_dead_frames(void) {
    double dot;
    for (int k = 0; k < 3; k++) {
        if (setjmp(back) == 0) leaves();
        check_value("in its place", in_its_place(&dot), 7);
        check_value("in its place: dot", dot, 3 * 5 + 1);
    }
}

static void *thread(void *data) {
    long k = (long)data;
    double *x = malloc(1000 * sizeof *x), *dx = malloc(1000 * sizeof *x);
    for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 1000; i++) x[i] = i + k, dx[i] = k;
        BEGIN(scale, 0);
        POINTER(x, dx, ADSHADOW_DOUBLE);
        ((void (*)(int, double *, double))adshadow_capture())(0, 0, round);
        ((void (*)(int, double *, double))adshadow_entry())(1000, x, 2.0);
        adshadow_leave();
        for (int i = 0; i < 1000; i++)
            if (x[i] != 2.0 * (i + k) || dx[i] != 2.0 * k + (double)(i + k) * round) return (void *)1;
        if (round % 10 == 0) {
            free(x), free(dx);
            x = malloc(1000 * sizeof *x), dx = malloc(1000 * sizeof *x);
        }
    }
    free(x), free(dx);
    return 0;
}

/* Threads that a library has made: one that works for the program, and one that is gone. */
static void test_pool(void) {
    double x[2] = {1, 2}, dx[2] = {3, 0};
    for (int k = 0; k < 2; k++) {
        pool_start(k ? 0 : adshadow_own_thread);
        if (k) pool_stop();
        adshadow_object(x, dx, sizeof x);
        BEGIN(scale, 0);
        POINTER(x, dx, ADSHADOW_DOUBLE);
        ((void (*)(int, double *, double))adshadow_entry())(1, x, 2.0);
        adshadow_leave();
        adshadow_object_pop(1);
        if (!k) pool_stop();
    }
    check_value("beside a thread", dx[0], 12);
}

static void test_threads(void) {
    pthread_t threads[4];
    for (long k = 0; k < 4; k++) pthread_create(threads + k, 0, thread, (void *)(k + 1));
    for (int k = 0; k < 4; k++) {
        void *result;
        pthread_join(threads[k], &result);
        if (result) printf("thread %d\n", k), failures++;
    }
}

/* Beside integers there may be anything. A library's own table, given as a constant, keeps its dots. */
static void test_layouts(void) {
    struct item p[2], q[2], dp[2], dq[2];
    memset(p, 0, sizeof p), memset(q, 0, sizeof q), memset(dp, 0x41, sizeof dp), memset(dq, 0x41, sizeof dq);
    for (int i = 0; i < 2; i++) p[i].a = i + 2, p[i].k = 3 + i, p[i].b = 5, dp[i].a = 1, dp[i].b = 0.5, dq[i].a = dq[i].b = 0;
    int beside = dp[0].k;
    adshadow_object(p, dp, sizeof p), adshadow_object(q, dq, sizeof q);
    BEGIN(items, 0);
    adshadow_layout(LAYOUT_OF_ITEM), POINTER(p, dp, ADSHADOW_UNKNOWN);
    adshadow_layout(LAYOUT_OF_ITEM), POINTER(q, dq, ADSHADOW_UNKNOWN);
    double y = ((double (*)(int, const struct item *, struct item *))adshadow_entry())(2, p, q);
    adshadow_leave();
    check_value("items", y, 4 * 5 + 5 * 5), check_value("items: dot", RESULT(double), (4 + 5) * 0.5);
    for (int i = 0; i < 2; i++) {
        check_value("items: a", dq[i].a, p[i].k), check_value("items: b", dq[i].b, 5 + 0.5 * p[i].a);
        if (q[i].k != 4 + i || dp[i].k != beside || dq[i].k != beside) printf("items: integers\n"), failures++;
    }
    adshadow_object_pop(2);

    /* A workspace that was made elsewhere and is given as a constant: dots stay, but not of what was changed in between. */
    struct room *r = malloc(sizeof *r);
    r->data = calloc(2, sizeof *r->data);
    for (r->n = 0; r->n < 5; r->n++) {
        if (r->n == 4) r->data[1] = 0;
        BEGIN(room_add, 0);
        POINTER(r, 0, ADSHADOW_UNKNOWN);
        ((void (*)(void *, double))adshadow_capture())(0, 1.0);
        ((void (*)(struct room *, double))adshadow_entry())(r, r->n + 1.0);
        adshadow_leave();
    }
    BEGIN(room_sum, 0);
    POINTER(r, 0, ADSHADOW_UNKNOWN);
    check_value("room", ((double (*)(const struct room *))adshadow_entry())(r), 1 + 9 + 25);
    adshadow_leave();
    check_value("room: dot", RESULT(double), 2 + 6 + 10);
    free(r->data), free(r);

    double *t = table_of_library();
    BEGIN(table_set, 0);
    POINTER(t, 0, ADSHADOW_DOUBLE);
    ((void (*)(void *, double))adshadow_capture())(0, 1.0);
    ((void (*)(double *, double))adshadow_entry())(t, 3.0);
    adshadow_leave();
    BEGIN(table_get, 0);
    POINTER(t, 0, ADSHADOW_UNKNOWN);
    check_value("table", ((double (*)(const double *))adshadow_entry())(t), 18);
    adshadow_leave();
    check_value("table: dot", RESULT(double), 12);
}

/* An argument of the derivative, which the library knows from before. */
static void test_known_before(void) {
    double *p = malloc(3 * sizeof *p), *dp = calloc(3, sizeof *p), dot;
    p[1] = 5, dp[1] = 7;
    know(p);
    adshadow_evaluation();
    adshadow_active(p, dp);
    check_value("known before", tangent1(by_known, "by_known", 3, 1, &dot), 45);
    check_value("known before: dot", dot, 63 + 30);
    p[1] = 2, dp[1] = 1;
    check_value("known before: later", tangent1(by_known, "by_known", 3, 1, &dot), 18);
    check_value("known before: later dot", dot, 9 + 12);
    adshadow_evaluation_end();
    /* In the next it is a constant. */
    adshadow_evaluation();
    check_value("not active", tangent1(by_known, "by_known", 3, 1, &dot), 18);
    check_value("not active: dot", dot, 12);
    adshadow_evaluation_end();
    free(p), free(dp);
}

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    adshadow_global(&global, &dglobal, sizeof global);
    test_scalars();
    test_extended();
    test_stack();
    test_general();
    test_arrays();
    test_rest_of_blocks();
    test_shared_memory();
    test_structures();
    test_library_memory();
    test_layouts();
    test_callbacks();
    test_constants();
    test_jumps();
    test_dead_frames();
    test_known_before();
    test_threads();
    test_pool();
    return failures != 0;
}
#endif
