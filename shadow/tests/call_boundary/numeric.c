/* Libraries of linear algebra, Fourier transforms and nonlinear equations as Debian ships them, in tangent mode. */
#include "check.h"
#ifdef FFTW
#include <fftw3.h>
#endif
#ifdef MINPACK
#include <cminpack-1/cminpack.h>
#endif

enum { N = 6, M = 9 };
static double a[M * N], da[M * N], b[M], db[M];

static void set(void) {
    srand(1);
    for (int i = 0; i < M * N; i++) a[i] = rand() / (double)RAND_MAX, da[i] = rand() / (double)RAND_MAX - 0.5;
    for (int i = 0; i < M; i++) b[i] = rand() / (double)RAND_MAX, db[i] = rand() / (double)RAND_MAX - 0.5;
}

#ifdef LAPACK
double ddot_(int *, double *, int *, double *, int *);
double dnrm2_(int *, double *, int *);
void dgemm_(char *, char *, int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *, long, long);
void dgesv_(int *, int *, double *, int *, int *, double *, int *, int *);
void dgetrf_(int *, int *, double *, int *, int *, int *);
void dpotrf_(char *, int *, double *, int *, int *, long);
void dgels_(char *, int *, int *, int *, double *, int *, double *, int *, double *, int *, int *, long);
void dsyev_(char *, char *, int *, double *, int *, double *, double *, int *, int *, long, long);

static void test_lapack(void) {
    int n = N, m = M, one = 1, info = 0, pivots[M], work_size = 4096;
    double f = 1.5, zero = 0.0, df = 1.0;
    double *x = malloc(M * N * 8), *dx = malloc(M * N * 8), *y = malloc(M * N * 8), *dy = malloc(M * N * 8), *p = malloc(M * N * 8);
    double *z = malloc(M * N * 8), *dz = malloc(M * N * 8), *work = malloc(work_size * 8), *dwork = calloc(work_size, 8);
    set();
    memcpy(x, b, sizeof b), memcpy(dx, db, sizeof b), memcpy(y, a, sizeof b), memcpy(dy, da, sizeof b);
    adshadow_object(&n, 0, sizeof n), adshadow_object(&m, 0, sizeof m), adshadow_object(&one, 0, sizeof one), adshadow_object(&info, 0, sizeof info);
    adshadow_object(pivots, 0, sizeof pivots), adshadow_object(&zero, 0, sizeof zero), adshadow_object(&f, &df, sizeof f);
    puts("ddot");
    BEGIN(ddot_, 0);
    POINTER(&m, 0, 0), POINTER(x, dx, 2), POINTER(&one, 0, 0), POINTER(y, dy, 2), POINTER(&one, 0, 0);
    double r = ((double (*)(int *, double *, int *, double *, int *))adshadow_entry())(&m, x, &one, y, &one), dot = 0;
    adshadow_leave();
    for (int i = 0; i < M; i++) dot += x[i] * dy[i] + dx[i] * y[i];
    check_value("ddot", r, ddot_(&m, x, &one, y, &one));
    check_close("ddot'", ((double (*)(void))adshadow_result())(), dot, 1e-14);
    puts("dnrm2");
    BEGIN(dnrm2_, 0);
    POINTER(&m, 0, 0), POINTER(x, dx, 2), POINTER(&one, 0, 0);
    r = ((double (*)(int *, double *, int *))adshadow_entry())(&m, x, &one), dot = 0;
    adshadow_leave();
    for (int i = 0; i < M; i++) dot += x[i] * dx[i];
    check_value("dnrm2", r, dnrm2_(&m, x, &one));
    check_close("dnrm2'", ((double (*)(void))adshadow_result())(), dot / r, 1e-14);

    puts("dgemm");
    set();
    memcpy(x, a, N * N * 8), memcpy(dx, da, N * N * 8), memcpy(y, a + 7, N * N * 8), memcpy(dy, da + 7, N * N * 8);
    BEGIN(dgemm_, 72);
    POINTER("N", 0, 0), POINTER("T", 0, 0), POINTER(&n, 0, 0), POINTER(&n, 0, 0), POINTER(&n, 0, 0), POINTER(&f, &df, 2), POINTER(x, dx, 2);
    POINTER(&n, 0, 0), POINTER(y, dy, 2), POINTER(&n, 0, 0), POINTER(&zero, 0, 2), POINTER(z, dz, 2), POINTER(&n, 0, 0);
    ((void (*)(char *, char *, int *, int *, int *, double *, double *, int *, double *, int *, double *, double *, int *, long, long))adshadow_entry())(
        "N", "T", &n, &n, &n, &f, x, &n, y, &n, &zero, z, &n, 1, 1);
    adshadow_leave();
    dgemm_("N", "T", &n, &n, &n, &f, x, &n, y, &n, &zero, p, &n, 1, 1);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            double s = 0;
            for (int k = 0; k < N; k++)
                s += df * x[i + N * k] * y[j + N * k] + f * (dx[i + N * k] * y[j + N * k] + x[i + N * k] * dy[j + N * k]);
            check_value("dgemm", z[i + N * j], p[i + N * j]);
            check_close("dgemm'", dz[i + N * j], s, 1e-13);
        }

    puts("dgesv");
    memcpy(x, a, N * N * 8), memcpy(dx, da, N * N * 8), memcpy(y, b, N * 8), memcpy(dy, db, N * 8);
    BEGIN(dgesv_, 16);
    POINTER(&n, 0, 0), POINTER(&one, 0, 0), POINTER(x, dx, 2), POINTER(&n, 0, 0), POINTER(pivots, 0, 0), POINTER(y, dy, 2), POINTER(&n, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(int *, int *, double *, int *, int *, double *, int *, int *))adshadow_entry())(&n, &one, x, &n, pivots, y, &n, &info);
    adshadow_leave();
    memcpy(z, a, N * N * 8), memcpy(p, b, N * 8);
    dgesv_(&n, &one, z, &n, pivots, p, &n, &info);
    for (int i = 0; i < N; i++) {
        double s = 0;
        for (int k = 0; k < N; k++) s += a[i + N * k] * dy[k] + da[i + N * k] * y[k];
        check_value("dgesv", y[i], p[i]);
        check_close("dgesv'", s, db[i], 1e-11);
    }

    puts("dpotrf");
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            x[i + N * j] = a[i + N * j] + a[j + N * i] + (i == j) * 2 * N, dx[i + N * j] = da[i + N * j] + da[j + N * i];
            y[i + N * j] = x[i + N * j], dy[i + N * j] = dx[i + N * j];
        }
    BEGIN(dpotrf_, 0);
    POINTER("L", 0, 0), POINTER(&n, 0, 0), POINTER(x, dx, 2), POINTER(&n, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(char *, int *, double *, int *, int *, long))adshadow_entry())("L", &n, x, &n, &info, 1);
    adshadow_leave();
    for (int i = 0; i < N; i++)
        for (int j = 0; j <= i; j++) {
            double s = 0, t = 0;
            for (int k = 0; k <= j; k++)
                s += x[i + N * k] * x[j + N * k], t += dx[i + N * k] * x[j + N * k] + x[i + N * k] * dx[j + N * k];
            check_close("LL'", s, y[i + N * j], 1e-13);
            check_close("(LL')'", t, dy[i + N * j], 1e-13);
        }

    /* A least-squares problem: A'A x = A'b, so A'A dx = A'(db - dA x) + dA'(b - A x). */
    puts("dgels");
    memcpy(x, a, sizeof a), memcpy(dx, da, sizeof a), memcpy(y, b, sizeof b), memcpy(dy, db, sizeof b);
    adshadow_object(&work_size, 0, sizeof work_size);
    BEGIN(dgels_, 48);
    POINTER("N", 0, 0), POINTER(&m, 0, 0), POINTER(&n, 0, 0), POINTER(&one, 0, 0), POINTER(x, dx, 2), POINTER(&m, 0, 0), POINTER(y, dy, 2);
    POINTER(&m, 0, 0), POINTER(work, dwork, 2), POINTER(&work_size, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(char *, int *, int *, int *, double *, int *, double *, int *, double *, int *, int *, long))adshadow_entry())(
        "N", &m, &n, &one, x, &m, y, &m, work, &work_size, &info, 1);
    adshadow_leave();
    for (int k = 0; k < N; k++) {
        double s = 0;
        for (int i = 0; i < M; i++) {
            double e = b[i], de = db[i];
            for (int j = 0; j < N; j++) e -= a[i + M * j] * y[j], de -= a[i + M * j] * dy[j] + da[i + M * j] * y[j];
            s += a[i + M * k] * de + da[i + M * k] * e;
        }
        check_close("dgels'", s, 0, 1e-12);
    }

    /* Eigenvalues of a symmetric matrix: dl = v' dA v. */
    puts("dsyev");
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            x[i + N * j] = a[i + N * j] + a[j + N * i], dx[i + N * j] = da[i + N * j] + da[j + N * i];
            dz[i + N * j] = dx[i + N * j];
        }
    BEGIN(dsyev_, 40);
    POINTER("V", 0, 0), POINTER("L", 0, 0), POINTER(&n, 0, 0), POINTER(x, dx, 2), POINTER(&n, 0, 0), POINTER(y, dy, 2), POINTER(work, dwork, 2);
    POINTER(&work_size, 0, 0), POINTER(&info, 0, 0);
    ((void (*)(char *, char *, int *, double *, int *, double *, double *, int *, int *, long, long))adshadow_entry())(
        "V", "L", &n, x, &n, y, work, &work_size, &info, 1, 1);
    adshadow_leave();
    for (int k = 0; k < N; k++) {
        double s = 0;
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) s += x[i + N * k] * dz[i + N * j] * x[j + N * k];
        check_close("dsyev'", dy[k], s, 1e-11);
    }
    adshadow_object_pop(8);
}
#endif

#ifdef FFTW
static void test_fftw(void) {
    for (int n = 8; n <= 30; n += 11) {
        fftw_complex *x = fftw_malloc(n * sizeof *x), *y = fftw_malloc(n * sizeof *y), *z = fftw_malloc(n * sizeof *z);
        fftw_complex *dx = calloc(n, sizeof *x), *dy = calloc(n, sizeof *y);
        fftw_plan plan = fftw_plan_dft_1d(n, x, y, FFTW_FORWARD, FFTW_ESTIMATE);
        for (int i = 0; i < n; i++) x[i][0] = sin(i), x[i][1] = cos(3 * i), dx[i][0] = 1.0 / (i + 1), dx[i][1] = i;
        fftw_execute_dft(plan, dx, z);
        BEGIN(fftw_execute_dft, 0);
        POINTER(plan, 0, ADSHADOW_UNKNOWN), POINTER(x, dx, ADSHADOW_DOUBLE), POINTER(y, dy, ADSHADOW_DOUBLE);
        ((void (*)(fftw_plan, fftw_complex *, fftw_complex *))adshadow_entry())(plan, x, y);
        adshadow_leave();
        for (int i = 0; i < n; i++) check_close("fft'", dy[i][0], z[i][0], 1e-13), check_close("fft'", dy[i][1], z[i][1], 1e-13);
        fftw_execute_dft(plan, x, z);
        for (int i = 0; i < n; i++) check_value("fft", y[i][0], z[i][0]), check_value("fft", y[i][1], z[i][1]);
    }
}
#endif

#ifdef MINPACK
struct data { double c, d; };
static int equations(void *p, int n, const double *x, double *f, int flag) {
    const struct data *q = p;
    (void)n, (void)flag;
    f[0] = x[0] * x[0] + x[1] - q->c;
    f[1] = x[0] - x[1] * x[1] * x[1] + q->d;
    return 0;
}

/* The root depends on the parameters by the implicit function theorem; the iteration's dots converge to it. */
static void test_minpack(void) {
    struct data q = {3.0, 0.5}, dq = {1.0, 0.25};
    double x[2] = {1.2, 1.1}, dx[2] = {0, 0}, f[2], df[2] = {0, 0}, work[40], dwork[40] = {0};
    adshadow_object(&q, &dq, sizeof q), adshadow_object(x, dx, sizeof x), adshadow_object(f, df, sizeof f), adshadow_object(work, dwork, sizeof work);
    BEGIN(hybrd1, 16);
    POINTER(&q, &dq, 2), POINTER(x, dx, 2), POINTER(f, df, 2), POINTER(work, dwork, 2);
    int info = ((int (*)(void *, void *, int, double *, double *, double, double *, int))adshadow_entry())(
        (void *)equations, &q, 2, x, f, 1e-14, work, 40);
    adshadow_leave();
    adshadow_object_pop(4);
    double y[2] = {1.2, 1.1}, g[2], w[40];
    check_value("hybrd1", info, hybrd1(equations, &q, 2, y, g, 1e-14, w, 40));
    check_value("hybrd1", x[0], y[0]);
    double j[4] = {2 * x[0], 1, 1, -3 * x[1] * x[1]}, det = j[0] * j[3] - j[1] * j[2];
    double r[2] = {dq.c, -dq.d};
    /* hybrd1 approximates its Jacobian by differences in steps of 1e-8: the dots converge more slowly than the root. */
    check_close("hybrd1'[0]", dx[0], (r[0] * j[3] - r[1] * j[1]) / det, 1e-5);
    check_close("hybrd1'[1]", dx[1], (j[0] * r[1] - j[2] * r[0]) / det, 1e-5);
}
#endif

int main(void) {
    setvbuf(stdout, 0, _IONBF, 0);
#ifdef LAPACK
    test_lapack();
#endif
#ifdef FFTW
    test_fftw();
#endif
#ifdef MINPACK
    test_minpack();
#endif
    return failures != 0;
}
