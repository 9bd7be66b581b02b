/* Calls of a small library in recording mode, and their reverse sweeps: adjoints against closed forms and against tangents. */
#include "library.h"
#ifndef LIBRARY
#include <pthread.h>

/* A double, or float, that is an index. */
static double as_double(uint32_t index) {
    uint64_t word = index;
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}
static float as_float(uint32_t index) {
    float x;
    memcpy(&x, &index, sizeof x);
    return x;
}
static void test_scalars(void) {
    RECORD(scalars, 0);
    double a = as_double(adshadow_input());
    float b = as_float(adshadow_input());
    double c = as_double(adshadow_input());
    adshadow_floats(1 << 1);
    ((void (*)(double, float, int, double))adshadow_capture())(a, b, 0, c);
    double y = ((double (*)(double, float, int, double))adshadow_entry())(2.0, 3.0f, 4, 0.7);
    adshadow_leave();
    adshadow_output(INDEX(double));
    check_value("scalars", y, scalars(2.0, 3.0f, 4, 0.7));
    adshadow_reverse("scalars");
    adshadow_reverse_output(0, 2.0);
    adshadow_reverse_run();
    check_close("scalars: a", adshadow_reverse_input(0), 2 * (12.0 + sin(0.7)), 1e-14);
    check_close("scalars: b", adshadow_reverse_input(1), 2 * 8.0, 1e-14);
    check_close("scalars: c", adshadow_reverse_input(2), 2 * cos(0.7) * 2.0, 1e-14);

    RECORD(single, 0);
    float p = as_float(adshadow_input()), q = as_float(adshadow_input());
    adshadow_floats(3);
    ((void (*)(float, float))adshadow_capture())(p, q);
    float s = ((float (*)(float, float))adshadow_entry())(3.0f, 5.0f);
    volatile float native = single(3.0f, 5.0f);
    adshadow_leave();
    adshadow_output(INDEX(float));
    check_value("single", s, native);
    adshadow_reverse("single");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    check_close("single: a", adshadow_reverse_input(0), 5.0 + 0.2, 1e-6);
    check_close("single: b", adshadow_reverse_input(1), 3.0 - 3.0 / 25.0, 1e-6);

#ifndef __i386__
    RECORD(two, 0);
    double d = as_double(adshadow_input()), e = as_double(adshadow_input());
    ((void (*)(double, double))adshadow_capture())(d, e);
    ((struct pair (*)(double, double))adshadow_entry())(3.0, 2.0);
    adshadow_leave();
    struct pair r = ((struct pair (*)(void))adshadow_result())();
    adshadow_output(index_of_double(r.a)), adshadow_output(index_of_double(r.b));
    adshadow_reverse("two");
    adshadow_reverse_output(0, 1.0), adshadow_reverse_output(1, 10.0);
    adshadow_reverse_run();
    check_close("two: a", adshadow_reverse_input(0), 2.0 + 5.0, 1e-14);
    check_close("two: b", adshadow_reverse_input(1), 3.0 - 10 * 0.75, 1e-14);
#endif

    RECORD(many, 32);
    double i[11];
    for (int k = 0; k < 10; k++) i[k] = as_double(adshadow_input());
    float f = as_float(adshadow_input());
    i[10] = as_double(adshadow_input());
    /* The third argument on the stack. */
#ifndef __i386__
    adshadow_arguments("ddddfidd");
#endif
    ((void (*)(double, double, double, double, double, double, double, double, double, double, float, double))adshadow_capture())(
        i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], f, i[10]);
    ((double (*)(double, double, double, double, double, double, double, double, double, double, float, double))adshadow_entry())(
        2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13);
    adshadow_leave();
    adshadow_output(INDEX(double));
    adshadow_reverse("many");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    double expected[12] = {91, 2, 3, 4, 5, 6, 7, 8, 18, 10 + 12 * 13, 11, 132};
    for (int k = 0; k < 12; k++) check_close("many", adshadow_reverse_input(k), expected[k], 1e-14);
}

static void test_arrays(void) {
    enum { N = 100 };
    double *x = malloc(N * sizeof *x), *bx = malloc(N * sizeof *x), *y = malloc(N * sizeof *x), *by = malloc(N * sizeof *x);
    for (int i = 0; i < N; i++) x[i] = i + 1, bx[i] = 1.0 / (i + 1), y[i] = i, by[i] = 0.5;
    RECORD(scale, 0);
    POINTER(x + 10, bx + 10, ADSHADOW_DOUBLE);
    double f = as_double(adshadow_input());
    ((void (*)(int, double *, double))adshadow_capture())(0, 0, f);
    ((void (*)(int, double *, double))adshadow_entry())(5, x + 10, 2.0);
    adshadow_leave();
    RECORD(axpy, 0);
    POINTER(x, bx, ADSHADOW_DOUBLE);
    POINTER(y, by, ADSHADOW_DOUBLE);
    double a = as_double(adshadow_input());
    ((void (*)(int, double, const double *, int, double *, int))adshadow_capture())(0, a, 0, 0, 0, 0);
    ((void (*)(int, double, const double *, int, double *, int))adshadow_entry())(10, 3.0, x, 2, y, 5);
    adshadow_leave();
    check_value("scale", x[12], 26.0);
    check_value("axpy", y[5], 5 + 3 * x[2]);
    adshadow_reverse("axpy");
    adshadow_reverse_run();
    double sum = 0;
    for (int i = 0; i < 10; i++) sum += 0.5 * x[2 * i];
    check_close("axpy: a", adshadow_reverse_input(0), sum, 1e-14);
    for (int i = 0; i < N; i++) {
        check_close("axpy: x", bx[i], 1.0 / (i + 1) + (i % 2 == 0 && i < 20 ? 1.5 : 0), 1e-15);
        check_close("axpy: y", by[i], 0.5, 1e-15);
        check_value("y stays", y[i], i + (i % 5 == 0 && i < 50 ? 3 * x[2 * (i / 5)] : 0));
    }
    double before[N];
    memcpy(before, bx, sizeof before);
    adshadow_reverse("scale");
    adshadow_reverse_run();
    sum = 0;
    for (int i = 0; i < N; i++) {
        int in = i >= 10 && i < 15;
        check_close("scale: x", bx[i], before[i] * (in ? 2 : 1), 1e-15);
        check_value("x stays", x[i], (i + 1) * (in ? 2 : 1));
        sum += in ? before[i] * (i + 1) : 0;
    }
    check_close("scale: f", adshadow_reverse_input(0), sum, 1e-15);

    /* A shadow that moves between the sweeps; a workspace whose shadow is zero on entry to the reverse sweep. */
    double w[4], bw[4] = {0}, *moved = malloc(N * sizeof *moved);
    adshadow_object(w, bw, sizeof w);
    for (int i = 0; i < N; i++) by[i] = i + 1.0, bx[i] = 0, moved[i] = 0;
    RECORD(with_work, 0);
    POINTER(x, bx, ADSHADOW_DOUBLE);
    POINTER(y, by, ADSHADOW_DOUBLE);
    POINTER(w, bw, ADSHADOW_DOUBLE);
    ((void (*)(int, const double *, double *, double *))adshadow_entry())(4, x, y, w);
    adshadow_leave();
    adshadow_reverse("with_work");
    adshadow_reverse_pointer(0, moved);
    adshadow_reverse_run();
    adshadow_object_pop(1);
    for (int i = 0; i < 4; i++) {
        check_close("with_work", moved[i], 2 * x[i] * (i + 1 + (i == 0 ? 4 : i)), 1e-15);
        check_value("the old shadow", bx[i], 0);
        check_value("y is overwritten", by[i], 0);
    }
    check_value("y", by[4], 5);
    free(x), free(bx), free(y), free(by), free(moved);
}

static void test_structures(void) {
    double a[4] = {1, 2, 3, 4}, ba[4] = {0};
    double *m[2] = {a, a + 2}, *bm[2] = {ba, ba + 2};
    adshadow_object(a, ba, sizeof a);
    adshadow_object(m, bm, sizeof m);
    RECORD(swap_rows, 0);
    POINTER(m, bm, ADSHADOW_UNKNOWN);
    ((void (*)(double **))adshadow_entry())(m);
    adshadow_leave();
    if (m[0] != a + 2 || bm[0] != ba + 2) printf("swap_rows: pointers\n"), failures++;
    RECORD(rows, 0);
    POINTER(m, bm, ADSHADOW_POINTERS);
    ((double (*)(int, double **))adshadow_entry())(2, m);
    adshadow_leave();
    adshadow_output(INDEX(double));
    /* With rows (6, 4) and (1, 2): 36 + 2 * 4 * 1 + 4. */
    adshadow_reverse("rows");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    adshadow_reverse("swap_rows");
    adshadow_reverse_run();
    double expected[4] = {2 * 4, 2 * 2, 2 * 6 * 2, 2 * 1};
    for (int i = 0; i < 4; i++) check_close("rows", ba[i], expected[i], 1e-15);
    if (m[0] != a + 2 || m[1] != a || bm[0] != ba + 2 || bm[1] != ba) printf("swap_rows: pointers, or their shadows, do not stay\n"), failures++;
    check_value("a stays", a[2], 6);
    adshadow_object_pop(2);

    struct node *p = 0, *bp = 0;
    for (int i = 0; i < 5; i++) {
        struct node *n = malloc(sizeof *n), *bn = malloc(sizeof *n);
        *n = (struct node){5 - i, p}, *bn = (struct node){0.0, bp};
        p = n, bp = bn;
    }
    RECORD(list, 0);
    POINTER(p, bp, ADSHADOW_UNKNOWN);
    ((double (*)(struct node *))adshadow_entry())(p);
    adshadow_leave();
    adshadow_output(INDEX(double));
    bp->next->value = 10;
    adshadow_reverse("list");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    int k = 1, factorial = 1;
    for (struct node *n = bp, *q = p; n; n = n->next, q = q->next, factorial *= ++k) {
        check_close("list", n->value, 120.0 / k + (k <= 2 ? 10 * 2.0 / k : 0), 1e-14);
        check_value("list stays", q->value, factorial);
    }

    double data[3] = {1, 2, 2}, bdata[3] = {0};
    struct vector v = {3, data}, bv = {0, bdata};
    adshadow_object(data, bdata, sizeof data);
    adshadow_object(&v, &bv, sizeof v);
    RECORD(norm, 0);
    POINTER(&v, &bv, ADSHADOW_UNKNOWN);
    ((double (*)(struct vector *))adshadow_entry())(&v);
    adshadow_leave();
    adshadow_output(INDEX(double));
    adshadow_reverse("norm");
    adshadow_reverse_output(0, 3.0);
    adshadow_reverse_run();
    for (int i = 0; i < 3; i++) check_close("norm", bdata[i], data[i], 1e-15);
    adshadow_object_pop(2);
}

static void test_library_memory(void) {
    /* What the library keeps between calls: g := 3 x, then g := g z; results g + x, g + z. */
    double x = 2.0, z = 5.0;
    RECORD(with_global, 0);
    ((void (*)(double))adshadow_capture())(as_double(adshadow_input()));
    double u = ((double (*)(double))adshadow_entry())(x);
    adshadow_leave();
    adshadow_output(INDEX(double));
    RECORD(with_global, 0);
    ((void (*)(double))adshadow_capture())(as_double(adshadow_input()));
    double v = ((double (*)(double))adshadow_entry())(z);
    adshadow_leave();
    adshadow_output(INDEX(double));
    check_value("with_global", u, 8), check_value("with_global", v, 35);
    adshadow_reverse("with_global");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    check_close("with_global: z", adshadow_reverse_input(0), 6 + 1, 1e-15);
    adshadow_reverse("with_global");
    adshadow_reverse_output(0, 100.0);
    adshadow_reverse_run();
    check_close("with_global: x", adshadow_reverse_input(0), 3 * 5 + 100 * (3 + 1), 1e-15);

    /* Memory that it allocates. */
    RECORD(vector_new, 0);
    struct vector *w = ((struct vector *(*)(long))adshadow_entry())(4), *bw;
    adshadow_leave();
    bw = adshadow_returned(w);
    for (int i = 0; i < 2; i++) {
        RECORD(vector_set, 0);
        POINTER(w, bw, ADSHADOW_UNKNOWN);
        ((void (*)(void *, long, double))adshadow_capture())(0, 0, as_double(adshadow_input()));
        ((void (*)(void *, long, double))adshadow_entry())(w, i, 3.0 + i);
        adshadow_leave();
    }
    RECORD(norm, 0);
    POINTER(w, bw, ADSHADOW_UNKNOWN);
    check_value("norm", ((double (*)(struct vector *))adshadow_entry())(w), 5);
    adshadow_leave();
    adshadow_output(INDEX(double));
    adshadow_reverse("norm");
    adshadow_reverse_output(0, 1.0);
    adshadow_reverse_run();
    for (int i = 1; i >= 0; i--) {
        adshadow_reverse("vector_set");
        adshadow_reverse_run();
        check_close("vector_set", adshadow_reverse_input(0), (3.0 + i) / 5, 1e-15);
    }
    adshadow_reverse("vector_new");
    adshadow_reverse_run();
}

/* Doubles and integers in one object, with a layout (twice: also for a pointer into the middle) and without. */
static void test_layouts(void) {
    for (int way = 0; way < 3; way++) {
        enum { N = 5 };
        struct item p[N], q[N], bp[N], bq[N];
        memset(p, 0, sizeof p), memset(q, 0, sizeof q), memset(bp, 0, sizeof bp), memset(bq, 0, sizeof bq);
        int big = way < 2 ? 50000000 : 5;
        for (int i = 0; i < N; i++) p[i] = (struct item){i + 0.5, i + big, 2.0 - i}, bq[i] = (struct item){1.0 + i, 0, 3.0};
        for (int i = 0; i < N; i++) bp[i].k = bq[i].k = 77;
        adshadow_object(p, bp, sizeof p), adshadow_object(q, bq, sizeof q);
        RECORD(items, 0);
        if (way < 2) adshadow_layout(LAYOUT_OF_ITEM);
        POINTER(p + way, bp + way, ADSHADOW_UNKNOWN);
        if (way == 1) adshadow_layout(LAYOUT_OF_ITEM), POINTER(p, bp, ADSHADOW_UNKNOWN);
        if (way < 2) adshadow_layout(LAYOUT_OF_ITEM);
        POINTER(q, bq, ADSHADOW_UNKNOWN);
        double s = ((double (*)(int, const struct item *, struct item *))adshadow_entry())(N, p, q), sum = 0;
        adshadow_leave();
        adshadow_output(INDEX(double));
        adshadow_reverse("items");
        adshadow_reverse_output(0, 2.0);
        adshadow_reverse_run();
        for (int i = 0; i < N; i++) {
            sum += (p[i].k + 1) * p[i].b;
            check_value("items: k", q[i].k, i + big + 1);
            check_close("items: a", bp[i].a, (1.0 + i) * p[i].k + 3 * p[i].b, 1e-15);
            check_close("items: b", bp[i].b, 3 * p[i].a + 2.0 * (p[i].k + 1), 1e-15);
            check_value("items: q", bq[i].a + bq[i].b, 0);
            /* Beside integers nothing is read or written, if it is known that they are; this value is as if it were 77 and 0. */
            if (way < 2 && (bp[i].k != 77 || bq[i].k != 77)) printf("items: beside integers\n"), failures++;
        }
        check_value("items", s, sum);
        adshadow_object_pop(2);
    }
    double data[2] = {1.5, 2.5}, bdata[2] = {0};
    struct mixture m = {3.0f, 2, data, 7.0L}, bm = {0, 12345, bdata, 1.0L};
    adshadow_object(data, bdata, sizeof data), adshadow_object(&m, &bm, sizeof m);
    RECORD(mixture, 0);
    adshadow_layout(LAYOUT_OF_MIXTURE);
    POINTER(&m, &bm, ADSHADOW_UNKNOWN);
    ((double (*)(struct mixture *))adshadow_entry())(&m);
    adshadow_leave();
    adshadow_output(INDEX(double));
    adshadow_reverse("mixture");
    adshadow_reverse_output(0, 10.0);
    adshadow_reverse_run();
    /* s = 2 f (d0 + d1) = 24, x = 7 s: bar of s is 10 + 7. */
    check_close("mixture: f", bm.f, 17.0 * 8, 1e-7);
    check_close("mixture: data", bdata[0], 17.0 * 6, 1e-15), check_close("mixture: data", bdata[1], 17.0 * 6, 1e-15);
    check_close("mixture: x", (double)bm.x, 24, 1e-15);
    check_value("mixture", (double)m.x, 7 * 24);
    if (bm.n != 12345 || bm.data != bdata) printf("mixture: integers or pointers\n"), failures++;
    adshadow_object_pop(2);
}

struct parameters { double a, b; int count; };
static double global = 2.0, bglobal;
static double callback(double x, void *p) {
    struct parameters *q = p;
    q->count++;
    return q->a * x * x + q->b * global;
}

static void test_callbacks(void) {
    for (int round = 0; round < 3; round++) {
        struct parameters p = {3, 4, 0}, bp = {0, 0, 0};
        adshadow_object(&p, &bp, sizeof p);
        bglobal = 0;
        RECORD(apply, 0);
        POINTER(&p, &bp, ADSHADOW_UNKNOWN);
        ((void (*)(void *, void *, double))adshadow_capture())(0, 0, as_double(adshadow_input()));
        double y = ((double (*)(void *, void *, double))adshadow_entry())(callback, &p, 1.5);
        adshadow_leave();
        adshadow_output(INDEX(double));
        check_value("apply", y, 3 * 2.25 + 8 + 3 * 9 + 8);
        check_value("count", p.count, 2);
        adshadow_reverse("apply");
        adshadow_reverse_output(0, 1.0);
        adshadow_reverse_run();
        check_close("apply: x", adshadow_reverse_input(0), 3 * (2 * 1.5 + 8 * 1.5), 1e-14);
        check_close("apply: a", bp.a, 2.25 + 9, 1e-14);
        check_close("apply: b", bp.b, 4, 1e-14);
        check_close("apply: global", bglobal, 8, 1e-14);
        check_value("count stays", p.count, 2);
        adshadow_object_pop(1);
    }
}

/* An argument of the derivative, which the library knows from before. */
static void test_known_before(void) {
    double *p = malloc(3 * sizeof *p), *bp = calloc(3, sizeof *p);
    p[1] = 5;
    know(p);
    adshadow_evaluation();
    adshadow_records();
    adshadow_active(p, bp);
    RECORD(by_known, 0);
    ((void (*)(double))adshadow_capture())(as_double(adshadow_input()));
    check_value("known before", ((double (*)(double))adshadow_entry())(3), 45);
    adshadow_leave();
    adshadow_output(INDEX(double));
    adshadow_evaluation_end();
    adshadow_reverse("by_known");
    adshadow_reverse_output(0, 2);
    adshadow_reverse_run();
    check_close("known before: x", adshadow_reverse_input(0), 60, 1e-14);
    check_close("known before: p", bp[1], 18, 1e-14);
    free(p), free(bp);
}

static void *thread(void *data) {
    long k = (long)data;
    double *x = malloc(1000 * sizeof *x), *bx = malloc(1000 * sizeof *x);
    for (int round = 0; round < 50; round++) {
        for (int i = 0; i < 1000; i++) x[i] = i + k, bx[i] = k;
        RECORD(scale, 0);
        POINTER(x, bx, ADSHADOW_DOUBLE);
        ((void (*)(int, double *, double))adshadow_capture())(0, 0, as_double(adshadow_input()));
        ((void (*)(int, double *, double))adshadow_entry())(1000, x, 2.0);
        adshadow_leave();
        adshadow_reverse("scale");
        adshadow_reverse_run();
        double sum = 0;
        for (int i = 0; i < 1000; i++) {
            if (x[i] != 2.0 * (i + k) || bx[i] != 2.0 * k) return (void *)1;
            sum += k * (double)(i + k);
        }
        if (fabs(adshadow_reverse_input(0) - sum) > 1e-9 * sum) return (void *)2;
    }
    free(x), free(bx);
    return 0;
}

static void test_threads(void) {
    pthread_t threads[4];
    for (long k = 0; k < 4; k++) pthread_create(threads + k, 0, thread, (void *)(k + 1));
    for (int k = 0; k < 4; k++) {
        void *result;
        pthread_join(threads[k], &result);
        if (result) printf("thread %d: %ld\n", k, (long)result), failures++;
    }
}

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
    adshadow_global(&global, &bglobal, sizeof global);
    puts("scalars"), test_scalars();
    puts("arrays"), test_arrays();
    puts("structures"), test_structures();
    puts("layouts"), test_layouts();
    puts("library memory"), test_library_memory();
    puts("callbacks"), test_callbacks();
    puts("known before"), test_known_before();
    puts("threads"), test_threads();
    return failures != 0;
}
#endif
