/* Loops that iterate to a fixed point (ad_fixed_point): the gradient is that of the implicit function, whatever the iterations were and
 * wherever they began. Scalars, arrays in place, arrays that change places, by pointers and by an index, tests before, in and behind the
 * iteration, several loops in one function, and loops in the steps of another one.
 * ad-i386: sse2, iterations stop where rounding decides: in the x87 unit a step with records may stop at another one */

#include "requests.h"

/* Heron's method for the square root; the initial guess has no influence. */
static double heron(const double *x) {
    double z = 1.0 + 0.1 * x[1];
    for (int i = 0; i < 60; i++) {
        ad_fixed_point(1e-14);
        double last = z;
        z = 0.5 * (z + x[0] / z);
        if (fabs(z - last) < 1e-14 * z) break;
    }
    return z * x[1];
}
static void heron_closed(const double *x, double *d) {
    d[0] = x[1] * 0.5 / sqrt(x[0]);
    d[1] = sqrt(x[0]);
}
AD_FUNCTIONAL(heron)

/* z = a cos z, contracting: the test stands in front of the iteration. */
static double cosine(const double *x) {
    double a = 0.3 + 0.2 * x[0], z = 0.5, last = 1e9;
    while (fabs(z - last) > 1e-15) {
        ad_fixed_point(1e-13);
        last = z;
        z = a * cos(z);
    }
    return z * x[1];
}
static void cosine_closed(const double *x, double *d) {
    double a = 0.3 + 0.2 * x[0], z = 0.5;
    for (int i = 0; i < 300; i++) z = a * cos(z);
    d[0] = x[1] * cos(z) / (1.0 + a * sin(z)) * 0.2;
    d[1] = z;
}
AD_FUNCTIONAL(cosine)

/* Kepler's equation E - e sin E = M by Newton's method, the test behind the iteration; the last step's values are used. */
static double kepler(const double *x) {
    double e = 0.1 + 0.2 * x[0], mean = x[1], E = mean, change, slope;
    do {
        ad_fixed_point(1e-12);
        slope = 1.0 - e * cos(E);
        change = (E - e * sin(E) - mean) / slope;
        E -= change;
    } while (fabs(change) > 1e-10);
    return E + 2.0 * slope;
}
static void kepler_closed(const double *x, double *d) {
    double e = 0.1 + 0.2 * x[0], E = x[1];
    for (int i = 0; i < 60; i++) E -= (E - e * sin(E) - x[1]) / (1.0 - e * cos(E));
    double slope = 1.0 - e * cos(E), bar = 1.0 + 2.0 * e * sin(E);
    d[0] = 0.2 * (bar * sin(E) / slope - 2.0 * cos(E));
    d[1] = bar / slope;
}
AD_FUNCTIONAL(kepler)

/* The same with a test in the middle of the iteration: the last step is a part of one. */
static double kepler_residual(const double *x) {
    double e = 0.1 + 0.2 * x[0], E = x[1], residual;
    for (int i = 0;; i++) {
        ad_fixed_point(1e-12);
        residual = E - e * sin(E) - x[1];
        if (fabs(residual) < 1e-15 || i > 30) break;
        E -= residual / (1.0 - e * cos(E));
    }
    return E + 1e3 * residual;
}
static void kepler_residual_closed(const double *x, double *d) {
    double e = 0.1 + 0.2 * x[0], E = x[1];
    for (int i = 0; i < 60; i++) E -= (E - e * sin(E) - x[1]) / (1.0 - e * cos(E));
    d[0] = 0.2 * sin(E) / (1.0 - e * cos(E));
    d[1] = 1.0 / (1.0 - e * cos(E));
}
AD_FUNCTIONAL(kepler_residual)

enum { N = 6 };

/* A(x) z = b(x): diagonally dominant. */
static void fill_system(const double *x, double a[N][N], double *b) {
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) a[i][j] = i == j ? 4.0 + x[i] : 0.4 * sin(x[i] + 2.0 * j) / (1 + i);
        b[i] = x[N - 1 - i] * x[i] + 0.5;
    }
}
static void solve_system(const double *x, double *y) {
    double a[N][N], b[N];
    fill_system(x, a, b);
    for (int k = 0; k < N; k++)
        for (int i = k + 1; i < N; i++) {
            double factor = a[i][k] / a[k][k];
            for (int j = k; j < N; j++) a[i][j] -= factor * a[k][j];
            b[i] -= factor * b[k];
        }
    for (int i = N - 1; i >= 0; i--) {
        for (int j = i + 1; j < N; j++) b[i] -= a[i][j] * y[j];
        y[i] = b[i] / a[i][i];
    }
}

/* Gauss-Seidel, in place. */
static void seidel(const double *x, double *y) {
    double a[N][N], b[N], z[N] = {0.0}, change = 1.0;
    fill_system(x, a, b);
    while (change > 1e-30) {
        ad_fixed_point(1e-14);
        change = 0.0;
        for (int i = 0; i < N; i++) {
            double sum = b[i], old = z[i];
            for (int j = 0; j < N; j++)
                if (j != i) sum -= a[i][j] * z[j];
            z[i] = sum / a[i][i];
            change += (z[i] - old) * (z[i] - old);
        }
    }
    for (int i = 0; i < N; i++) y[i] = z[i] * z[(i + 1) % N];
}
static void seidel_smooth(const double *x, double *y) {
    double z[N];
    solve_system(x, z);
    for (int i = 0; i < N; i++) y[i] = z[i] * z[(i + 1) % N];
}
AD_MAP(seidel)

/* Jacobi, with a copy. */
static void jacobi(const double *x, double *y) {
    double a[N][N], b[N], z[N] = {0.0}, next[N], change;
    fill_system(x, a, b);
    do {
        ad_fixed_point(1e-14);
        change = 0.0;
        for (int i = 0; i < N; i++) {
            next[i] = b[i];
            for (int j = 0; j < N; j++) next[i] -= j == i ? 0.0 : a[i][j] * z[j];
            next[i] /= a[i][i];
        }
        for (int i = 0; i < N; i++) {
            change = fmax(change, fabs(next[i] - z[i]));
            z[i] = next[i];
        }
    } while (change > 1e-15);
    for (int i = 0; i < N; i++) y[i] = z[i] + 0.0 * next[i];
}
AD_MAP(jacobi)

/* Jacobi, with two arrays that change places; a number of iterations, and a relaxation. */
#define EXCHANGED(name, loop, leave)                                                                     \
    static void name(const double *x, double *y) {                                                       \
        double a[N][N], b[N], first[N] = {0.0}, second[N] = {0.0}, *z = first, *next = second;           \
        fill_system(x, a, b);                                                                            \
        loop {                                                                                           \
            ad_fixed_point(1e-14);                                                                       \
            double change = 0.0;                                                                         \
            for (int i = 0; i < N; i++) {                                                                \
                double sum = b[i];                                                                       \
                for (int j = 0; j < N; j++)                                                              \
                    if (j != i) sum -= a[i][j] * z[j];                                                   \
                next[i] = 0.9 * sum / a[i][i] + 0.1 * z[i];                                              \
                change = fmax(change, fabs(next[i] - z[i]));                                             \
            }                                                                                            \
            double *old = z;                                                                             \
            z = next, next = old;                                                                        \
            leave                                                                                        \
        }                                                                                                \
        for (int i = 0; i < N; i++) y[i] = z[i];                                                         \
    }
EXCHANGED(exchanged, for (int t = 0; t < 60; t++), )
EXCHANGED(exchanged_odd, for (int t = 0; t < 61; t++), )
EXCHANGED(exchanged_until, for (int t = 0; t < 200; t++), if (change < 1e-15) break;)
AD_MAP(exchanged)
AD_MAP(exchanged_odd)
AD_MAP(exchanged_until)

/* An index says which array holds the state. */
static void indexed(const double *x, double *y) {
    double a[N][N], b[N], z[2][N] = {{0.0}};
    int now = 0;
    fill_system(x, a, b);
    for (int t = 0; t < 50; t++) {
        ad_fixed_point(1e-14);
        for (int i = 0; i < N; i++) {
            double sum = b[i];
            for (int j = 0; j < N; j++)
                if (j != i) sum -= a[i][j] * z[now][j];
            z[1 - now][i] = sum / a[i][i];
        }
        now = 1 - now;
    }
    for (int i = 0; i < N; i++) y[i] = z[now][i];
}
AD_MAP(indexed)

/* A string under load, relaxed: the ends of the array are boundary values, which iterations read and never write. */
static void string(const double *x, double *y) {
    double u[2 * N] = {0.0}, change = 1.0;
    u[0] = x[0] * x[1];
    u[2 * N - 1] = sin(x[2]);
    ad_checkpoint_state(x, N * sizeof *x);
    for (int t = 0; change > 1e-15 && t < 5000; t++) {
        ad_fixed_point(1e-13);
        change = 0.0;
        for (int i = 1; i < 2 * N - 1; i++) {
            double old = u[i];
            u[i] += 1.4 * (0.5 * (u[i - 1] + u[i + 1] + 0.01 * x[i % N] * x[3]) - u[i]);
            change = fmax(change, fabs(u[i] - old));
        }
    }
    y[0] = u[N] + 3.0 * u[0];
    y[1] = u[1] * u[2 * N - 1];
}
static void string_smooth(const double *x, double *y) {
    /* Elimination of the tridiagonal system. */
    enum { M = 2 * N - 2 };
    double d[M], r[M], u[2 * N];
    u[0] = x[0] * x[1];
    u[2 * N - 1] = sin(x[2]);
    for (int i = 0; i < M; i++) d[i] = 2.0, r[i] = 0.01 * x[(i + 1) % N] * x[3] + (i == 0 ? u[0] : 0.0) + (i == M - 1 ? u[2 * N - 1] : 0.0);
    for (int i = 1; i < M; i++) d[i] -= 1.0 / d[i - 1], r[i] += r[i - 1] / d[i - 1];
    for (int i = M - 1; i >= 0; i--) u[i + 1] = (r[i] + (i == M - 1 ? 0.0 : u[i + 2])) / d[i];
    y[0] = u[N] + 3.0 * u[0];
    y[1] = u[1] * u[2 * N - 1];
}
AD_MAP(string)

/* The state in memory of a caller, in single precision, and a sum that each iteration makes anew. */
static double __attribute__((noinline)) settle(float *z, int n, const double *x) {
    double energy = 0.0;
    ad_checkpoint_state(z, n * sizeof *z);
    ad_checkpoint_state(x, n * sizeof *x);
    for (int t = 0; t < 80; t++) {
        ad_fixed_point(1e-6);
        energy = 0.0;
        for (int i = 0; i < n; i++) {
            z[i] = (float)(0.3 * sin(z[(i + 1) % n] * x[0]) + 0.2 * x[i]);
            energy += 0.5 * z[i] * z[i] * x[1];
        }
    }
    return energy;
}
static double single(const double *x) {
    float z[4] = {0.1f, 0.2f, 0.3f, 0.4f};
    return settle(z, 4, x) + z[2];
}
static double single_smooth(const double *x) {
    double z[4] = {0.0}, energy = 0.0;
    for (int t = 0; t < 200; t++) {
        energy = 0.0;
        for (int i = 0; i < 4; i++) {
            z[i] = 0.3 * sin(z[(i + 1) % 4] * x[0]) + 0.2 * x[i];
            energy += 0.5 * z[i] * z[i] * x[1];
        }
    }
    return energy + z[2];
}
static void single_smooth_map(const double *x, double *y) { y[0] = single_smooth(x); }
AD_FUNCTIONAL(single)

/* Two loops, the second of which takes what the first found. */
static double both(const double *x) {
    double r = 1.0, s = 1.0;
    for (int i = 0; i < 40; i++) {
        ad_fixed_point(1e-14);
        r = 0.5 * (r + x[0] / r);
    }
    for (int i = 0; i < 80; i++) {
        ad_fixed_point(1e-14);
        s = exp(-r * s * x[1]);
    }
    return r * s + s;
}
static void both_closed(const double *x, double *d) {
    double r = sqrt(x[0]), s = 1.0;
    for (int i = 0; i < 400; i++) s = 0.5 * (s + exp(-r * s * x[1]));
    double over = 1.0 + r * x[1] * s, sr = -s * s * x[1] / over, sx = -s * s * r / over;
    d[0] = (s + (r + 1.0) * sr) * 0.5 / r;
    d[1] = (r + 1.0) * sx;
}
AD_FUNCTIONAL(both)

/* Implicit steps in time, checkpointed: each begins at the state of the one before, and adds to a sum. */
static double implicit(const double *x) {
    double u[3] = {x[0], x[1], x[2]}, sum = 0.0;
    for (int t = 0; t < 12; t++) {
        ad_checkpoint_loop(3);
        double old[3] = {u[0], u[1], u[2]}, change;
        ad_checkpoint_state(u, sizeof u);
        do {
            ad_fixed_point(1e-14);
            change = 0.0;
            for (int i = 0; i < 3; i++) {
                double next = old[i] - 0.1 * u[i] * u[i] * u[i] + 0.05 * sin(u[(i + 1) % 3] * x[3]);
                change = fmax(change, fabs(next - u[i]));
                u[i] = next;
            }
        } while (change > 1e-15);
        sum += u[0] * u[2] * 0.1;
    }
    return sum + u[1];
}
/* The same with all iterations reversed. */
static double implicit_plain(const double *x) {
    double u[3] = {x[0], x[1], x[2]}, sum = 0.0;
    for (int t = 0; t < 12; t++) {
        double old[3] = {u[0], u[1], u[2]};
        for (int k = 0; k < 60; k++)
            for (int i = 0; i < 3; i++) u[i] = old[i] - 0.1 * u[i] * u[i] * u[i] + 0.05 * sin(u[(i + 1) % 3] * x[3]);
        sum += u[0] * u[2] * 0.1;
    }
    return sum + u[1];
}
AD_FUNCTIONAL(implicit)
AD_FUNCTIONAL(implicit_plain)

/* A fixed point within the iterations to another one: z = sqrt(x0 + y / 4), y = cos(z) x1. */
static double within(const double *x) {
    double y = 0.3, z = 1.0;
    for (int t = 0; t < 60; t++) {
        ad_fixed_point(1e-14);
        z = 1.0;
        for (int i = 0; i < 40; i++) {
            ad_fixed_point(1e-15);
            z = 0.5 * (z + (x[0] + 0.25 * y) / z);
        }
        y = cos(z) * x[1];
    }
    return y * z;
}
static double within_smooth(const double *x) {
    double y = 0.3, z = 1.0;
    for (int t = 0; t < 200; t++) z = sqrt(x[0] + 0.25 * y), y = cos(z) * x[1];
    return y * z;
}
static void within_smooth_map(const double *x, double *y) { y[0] = within_smooth(x); }
AD_FUNCTIONAL(within)

/* Begins at the fixed point: the only step is a whole iteration. */
static double warm(const double *x) {
    double z = sqrt(x[0]), last;
    do {
        ad_fixed_point(1e-12);
        last = z;
        z = 0.5 * (z + x[0] / z);
    } while (fabs(z - last) > 1e-9);
    return z;
}
static void warm_closed(const double *x, double *d) { d[0] = 0.5 / sqrt(x[0]); }
AD_FUNCTIONAL(warm)


static void run_functional(check_case c, void (*jacobian)(const double *, double *), check_map smooth, double low, double high, double tolerance) {
    c.jacobian = jacobian;
    c.smooth = smooth;
    c.tol_closed = c.tol_dot = tolerance;
    if (tolerance > 1e-8) c.tol_diff = tolerance;
    check_random_points(&c, 3, low, high);
}

int main(void) {
    run_functional((check_case)CHECK_FUNCTIONAL(heron, 2), heron_closed, NULL, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_FUNCTIONAL(cosine, 2), cosine_closed, NULL, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_FUNCTIONAL(kepler, 2), kepler_closed, NULL, 0.5, 2.0, 1e-9);
    run_functional((check_case)CHECK_FUNCTIONAL(kepler_residual, 2), kepler_residual_closed, NULL, 0.5, 2.0, 1e-6);
    run_functional((check_case)CHECK_MAP(seidel, N, N), NULL, seidel_smooth, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(jacobi, N, N), NULL, solve_system, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(exchanged, N, N), NULL, solve_system, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(exchanged_odd, N, N), NULL, solve_system, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(exchanged_until, N, N), NULL, solve_system, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(indexed, N, N), NULL, solve_system, 0.5, 2.0, 1e-11);
    run_functional((check_case)CHECK_MAP(string, N, 2), NULL, string_smooth, 0.5, 2.0, 1e-9);
    run_functional((check_case)CHECK_FUNCTIONAL(single, 4), NULL, single_smooth_map, 0.5, 1.5, 1e-5);
    run_functional((check_case)CHECK_FUNCTIONAL(both, 2), both_closed, NULL, 0.5, 1.2, 1e-10);
    run_functional((check_case)CHECK_FUNCTIONAL(implicit, 4), NULL, implicit_plain_map, 0.5, 1.5, 1e-10);
    run_functional((check_case)CHECK_FUNCTIONAL(within, 2), NULL, within_smooth_map, 0.5, 1.5, 1e-10);
    for (double a = 0.5; a < 4.0; a += 0.7) {
        double b = 0.0, d;
        warm_adjoint(&a, &b, 0, 0);
        warm_closed(&a, &d);
        check_close("warm", b, d, 1e-12);
    }
    return check_done();
}
