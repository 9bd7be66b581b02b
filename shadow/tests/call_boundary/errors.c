/* What is refused, each by a message: the argument says what is tried. */
struct item { double a; int k; double b; };
struct room { double *data; };
#ifdef LIBRARY
#include <pthread.h>
#include <stdlib.h>
double inner(double x) { return x * x; }
double calls(double (*f)(double), double x) { return f(x); }
void stores(double *to, double x) { *to = 2 * x; }
static void *work(void *p) { return p; }
double threads(double x) { pthread_t t; pthread_create(&t, 0, work, 0); pthread_join(t, 0); return x; }
double half(const void *p) { return ((const float *)p)[0] * 2.0f; }
double integers(const int *p) { return p[0] + 1.0; }
double reads_long(const long double *p) { return p[0] * 2.0L; }
double reads_copy(const long double *p) { struct { long long words[2]; } copy; __builtin_memcpy(&copy, p, 16); long double x; __builtin_memcpy(&x, &copy, 16); return x * 2.0L; }
void stores_long(long double *p, double x) { p[0] = x * 2.0L; }
void into_integer(struct item *p, double x) { *(volatile float *)&p->k = (float)x; }
double *fresh(double x) { double *p = malloc(64); p[3] = x * x; return p; }
void fresh_at(double **to, double x) { *to = malloc(64); (*to)[2] = x * x; }
double wild(double x) { double *volatile p = (double *)0x10; return x + *p; }
double untold(double x) { double y; __asm__("aesenc %1, %0" : "=x"(y) : "x"(x), "0"(x)); return y; }
void puts_into(const struct room *r, double x) { r->data[1] = x * x; }
static volatile int is_up;
static void *runs(void *p) { for (is_up = 1;;) {} return p; }
void pool_start(void) { pthread_t t; pthread_create(&t, 0, runs, 0); while (!is_up) {} }
static double *given;
void takes(double *p) { given = p; }
double uses(double x) { return *given * x; }
double global_buffer[4];
double *internal(void) { static double hidden[2]; return hidden; }
#else
#include "check.h"
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <unistd.h>
#include <stdlib.h>
double inner(double);
double calls(double (*)(double), double);
void stores(double *, double);
double threads(double);
double half(const void *);
double integers(const int *);
double reads_long(const long double *);
double reads_copy(const long double *);
void stores_long(long double *, double);
double untold(double);
double *fresh(double);
void fresh_at(double **, double);
double wild(double);
void into_integer(struct item *, double);
double *internal(void);
void puts_into(const struct room *, double);
void pool_start(void);
void takes(double *);
double uses(double);
/* Arguments on the stack of i386. */
#define LETTERS_stores "pdd"
#define LETTERS_calls "pdd"
#define LETTERS_stores_long "pdd"
#define LETTERS_puts_into "pdd"
#define LETTERS_fresh "dd"
#define LETTERS_into_integer "pdd"
#ifdef __i386__
#define LAYOUT_OF_ITEM "ddidd", 20
#else
#define LAYOUT_OF_ITEM "ddiidd", 24
#endif

/* A tangent in one thread, while another one begins to record. */
static volatile int is_inside;
static double waits(double x) {
    is_inside = 1;
    while (is_inside) {}
    return x;
}
static void *records(void *p) {
    while (!is_inside) {}
    adshadow_begin(inner, "inner", ADSHADOW_RECORDING, 0);
    is_inside = 0;
    return p;
}

/* What another thread's call was given. */
static void *uses_it(void *p) {
    adshadow_begin(uses, "uses", ADSHADOW_RECORDING, 0);
    ((double (*)(double))adshadow_entry())(1.0);
    adshadow_leave();
    return p;
}

static void of_program(int signal) { printf("the handler of the program, %d\n", signal), fflush(stdout), _exit(3); }

static double nested(double x) {
    double dot;
    return tangent1(inner, "inner", x, 1.0, &dot);
}

static void call_stores(double *to, double *shadow) {
    BEGIN(stores, 0);
    POINTER(to, shadow, ADSHADOW_DOUBLE);
    ((void (*)(void *, double))adshadow_capture())(0, 1.0);
    ((void (*)(double *, double))adshadow_entry())(to, 1.0);
    adshadow_leave();
}

/* A variable whose function returns, after longjmp has left one that had told of another. */
static jmp_buf back;
static double *of_outer, *of_inner;
static __attribute__((noinline)) void leaves(void) {
    double y[2] = {1, 2}, dy[2] = {0};
    adshadow_object(y, dy, sizeof y);
    of_inner = y;
    call_stores(y, dy);
    longjmp(back, 1);
}
static __attribute__((noinline)) void returns(void) {
    double x[2] = {1, 2}, dx[2] = {0};
    adshadow_object(x, dx, sizeof x);
    of_outer = x;
    if (!setjmp(back)) leaves();
    call_stores(x, dx);
    adshadow_object_pop(1);
    printf("so far\n"), fflush(stdout);
}

int main(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    double x[2] = {1, 2}, dx[2] = {0}, dot;
    int n[2] = {30000000, 4}, dn[2] = {0};
    if (!strcmp(what, "extent")) {
        call_stores(x, dx);
    } else if (!strcmp(what, "shadow extent")) {
        adshadow_object(x, 0, sizeof x);
        call_stores(x, dx);
    } else if (!strcmp(what, "hidden")) {
        call_stores(internal(), dx);
    } else if (!strcmp(what, "freed")) {
        double *p = malloc(1 << 20), *dp = malloc(1 << 20);
        free(p);
        call_stores(p, dp);
    } else if (!strcmp(what, "constant")) {
        adshadow_object(x, 0, sizeof x);
        call_stores(x, 0);
    } else if (!strcmp(what, "constant of unknown size")) {
        call_stores(x, 0);
    } else if (!strcmp(what, "nested")) {
        BEGIN(calls, 0);
        ((double (*)(void *, double))adshadow_entry())(nested, 1.0);
    } else if (!strcmp(what, "threads")) {
        tangent1(threads, "threads", 1.0, 1.0, &dot);
    } else if (!strcmp(what, "order")) {
        adshadow_leave();
    } else if (!strcmp(what, "reverse")) {
        adshadow_reverse("inner");
    } else if (!strcmp(what, "name")) {
        adshadow_begin(inner, "inner", ADSHADOW_RECORDING, 0);
        ((double (*)(double))adshadow_entry())(1.0);
        adshadow_leave();
        adshadow_reverse("outer");
    } else if (!strcmp(what, "width")) {
        /* A double's word that the library takes for floats. */
        adshadow_object(x, dx, sizeof x);
        adshadow_begin(half, "half", ADSHADOW_RECORDING, 0);
        POINTER(x, dx, ADSHADOW_UNKNOWN);
        ((double (*)(void *))adshadow_entry())(x);
        adshadow_leave();
    } else if (!strcmp(what, "integers")) {
        adshadow_object(n, dn, sizeof n);
        adshadow_begin(integers, "integers", ADSHADOW_RECORDING, 0);
        POINTER(n, dn, ADSHADOW_UNKNOWN);
        ((double (*)(void *))adshadow_entry())(n);
        adshadow_leave();
    } else if (!strcmp(what, "long double") || !strcmp(what, "copy of a long double") || !strcmp(what, "long double of many ones")) {
        long double y[2] = {what[0] == 'l' && what[11] ? 1.9990234375L : 1.25L, 2}, dy[2] = {0};
        int copies = what[0] == 'c';
        adshadow_object(y, dy, sizeof y);
        adshadow_begin(copies ? reads_copy : reads_long, copies ? "reads_copy" : "reads_long", ADSHADOW_RECORDING, 0);
        POINTER(y, dy, ADSHADOW_UNKNOWN);
        ((double (*)(void *))adshadow_entry())(y);
        adshadow_leave();
    } else if (!strcmp(what, "long double stored")) {
        long double y[2] = {1, 2}, dy[2] = {0};
        uint64_t word;
        double index;
        adshadow_object(y, dy, sizeof y);
        RECORD(stores_long, 0);
        POINTER(y, dy, ADSHADOW_UNKNOWN);
        word = adshadow_input(), memcpy(&index, &word, sizeof index);
        ((void (*)(void *, double))adshadow_capture())(0, index);
        ((void (*)(void *, double))adshadow_entry())(y, 1.5);
        adshadow_leave();
    } else if (!strcmp(what, "tangent and recording")) {
        pthread_t other;
        pthread_create(&other, 0, records, 0);
        BEGIN(calls, 0);
        ((double (*)(void *, double))adshadow_entry())(waits, 1.0);
    } else if (!strcmp(what, "other thread")) {
        adshadow_object(x, dx, sizeof x);
        adshadow_begin(takes, "takes", ADSHADOW_RECORDING, 0);
        POINTER(x, dx, ADSHADOW_DOUBLE);
        ((void (*)(void *))adshadow_entry())(x);
        adshadow_leave();
        pthread_t other;
        pthread_create(&other, 0, uses_it, 0), pthread_join(other, 0);
    } else if (!strcmp(what, "read as a constant")) {
        struct room r = {malloc(4 * sizeof(double))};
        adshadow_constant(r.data, 4 * sizeof(double));
        BEGIN(puts_into, 0);
        POINTER(&r, 0, ADSHADOW_UNKNOWN);
        ((void (*)(void *, double))adshadow_capture())(0, 1.0);
        ((void (*)(void *, double))adshadow_entry())(&r, 2.0);
        adshadow_leave();
        adshadow_constant(r.data, sizeof(double)), adshadow_constant(r.data + 2, 2 * sizeof(double));
        printf("so far\n"), fflush(stdout);
        adshadow_constant(r.data, 4 * sizeof(double));
    } else if (!strcmp(what, "shadow of a tangent")) {
        BEGIN(fresh, 0);
        double *p = ((double *(*)(double))adshadow_entry())(3.0);
        adshadow_leave();
        volatile double *volatile shadow = adshadow_returned(p);
        shadow[3] += 1;
        printf("so far\n"), fflush(stdout);
        adshadow_records();
        shadow[3] += 1;
    } else if (!strcmp(what, "frame that has returned")) {
        returns();
        call_stores(of_outer, dx);
    } else if (!strcmp(what, "frame that was left")) {
        returns();
        call_stores(of_inner, dx);
    } else if (!strcmp(what, "thread that runs")) {
        pool_start();
        tangent1(inner, "inner", 1.0, 1.0, &dot);
    } else if (!strcmp(what, "real in integer")) {
        struct item p = {1, 2, 3}, dp = {0};
        adshadow_object(&p, &dp, sizeof p);
        BEGIN(into_integer, 0);
        adshadow_layout(LAYOUT_OF_ITEM), POINTER(&p, &dp, ADSHADOW_UNKNOWN);
        ((void (*)(void *, double))adshadow_capture())(0, 1.0);
        ((void (*)(struct item *, double))adshadow_entry())(&p, 2.0);
        adshadow_leave();
    } else if (!strcmp(what, "library memory")) {
        adshadow_begin(fresh, "fresh", ADSHADOW_RECORDING, 0);
        double *p = ((double *(*)(double))adshadow_entry())(3.0);
        adshadow_leave();
        volatile double *shadow = adshadow_returned(p);
        shadow[3] += 1;
    } else if (!strcmp(what, "pointer to library memory")) {
        /* The base is RBP: another signal. */
        double *to = 0, *dto = 0;
        adshadow_object(&to, &dto, sizeof to);
        adshadow_begin(fresh_at, "fresh_at", ADSHADOW_RECORDING, 0);
        POINTER(&to, &dto, ADSHADOW_POINTERS);
        ((void (*)(double **, double))adshadow_entry())(&to, 3.0);
        adshadow_leave();
#ifdef __i386__
        __asm__ volatile("push %%ebp; mov %0, %%ebp; addsd 16(%%ebp), %%xmm0; pop %%ebp" ::"r"(dto) : "memory", "xmm0");
#else
        __asm__ volatile("push %%rbp; mov %0, %%rbp; addsd 16(%%rbp), %%xmm0; pop %%rbp" ::"r"(dto) : "memory", "xmm0");
#endif
    } else if (!strcmp(what, "handler")) {
        signal(SIGSEGV, of_program);
        double y = tangent1(inner, "inner", 1.0, 1.0, &dot);
        *(volatile double *)8 = y;
    } else if (!strcmp(what, "fault")) {
        tangent1(wild, "wild", 1.0, 1.0, &dot);
    } else if (!strcmp(what, "instruction")) {
        tangent1(untold, "untold", 1.0, 1.0, &dot);
    }
    /* Not reached. */
    return 0;
}
#endif
