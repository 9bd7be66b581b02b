/* What walks by a stride that its loop does not change, or by one that itself grows: positions follow from counters, and the arrays
 * that are read through them are overwritten, so that nothing but the position leads back to an element. */
#include "requests.h"

#define NOINLINE __attribute__((noinline))
enum { N = 36 };

static volatile int eight = 8; /* known at run time only */
static volatile long three = 3;

/* y = x, then f works in y: an element that is read was stored before, and is stored again later. */
#define IN_PLACE(f)                                                                                                    \
    static void f##_in_place(const double *x, double *y) {                                                             \
        for (int i = 0; i < N; i++) y[i] = x[i];                                                                       \
        f(y, eight, three);                                                                                            \
    }                                                                                                                  \
    AD_MAP(f##_in_place)

static void strided(double *y, int n, long stride) { /* a column of a matrix with rows of `stride` */
    for (double *p = y, *end = y + n * stride; p != end; p += stride) *p = *p * p[1] + 0.25 * p[stride];
}
IN_PLACE(strided)

static void backwards(double *y, int n, long stride) {
    long at = n * stride;
    for (int i = 0; i < n; i++, at -= stride) y[at] = sin(y[at]) * y[at - stride];
}
IN_PLACE(backwards)

static void triangle(double *y, int n, long stride) { /* a packed lower triangle, column by column */
    double *column = y;
    for (int c = 0; c < n; c++) {
        for (int r = c; r < n; r++) column[r - c] *= 1.0 + 0.1 * column[0] * y[r];
        column += n - c;
    }
    y[0] += (double)stride;
}
IN_PLACE(triangle)

static void rows(double *y, int n, long stride) { /* row by row, in counters: at = r (r + 1) / 2 */
    unsigned at = 0;
    for (int r = 0; r < n; r++) {
        double sum = 0.0;
        for (int c = 0; c <= r; c++) sum += y[at + c] * y[c];
        y[at] = 0.2 * sum / (double)stride;
        at += r + 1;
    }
}
IN_PLACE(rows)

static void narrow(double *y, int n, long stride) { /* positions that wrap: modulo 256, modulo 65536 */
    unsigned char by_sevens = 250;
    unsigned short by_more = 65530, more = (unsigned short)(9000 * stride);
    for (int i = 0; i < 5 * n; i++) {
        y[by_sevens % N] *= 1.0 + 0.1 * y[by_more % N];
        by_sevens = (unsigned char)(by_sevens + 7 * stride);
        by_more = (unsigned short)(by_more + more);
        more = (unsigned short)(more + 977 * stride);
    }
}
IN_PLACE(narrow)

static void until(double *y, int n, long stride) { /* the number of iterations is unknown; left from within */
    long step = stride - 2;
    double *p = y, *end = y + N - 1;
    while (p < end) {
        *p = *p * p[1] + 0.5;
        if (*p > 4.0) break;
        p += step;
        step += n - 7;
    }
    y[0] += (double)(p - y) * y[1];
}
IN_PLACE(until)

static void third(double *y, int n, long stride) { /* grows by what grows by what grows: at = i (i + 1) (i + 2) / 6 */
    long at = 0, by = 1, more = 2;
    for (int i = 0; i < n - 2 && at + stride < N; i++) {
        y[at] = y[at] * y[at + 1] + y[i];
        at += by, by += more, more++;
    }
}
IN_PLACE(third)

static NOINLINE double walk(double *y, long count, const long *stride) { /* the stride is in memory, and is overwritten below */
    double sum = 0.0;
    for (double *p = y; count-- > 0; p += *stride) sum += *p * *p, *p = 0.5 * sum;
    return sum;
}
static void called(double *y, int n, long stride) {
    long by = stride;
    double sum = walk(y, n, &by);
    by = 1;
    sum *= walk(y + 1, n, &by);
    by = -2;
    y[0] = sum * walk(y + N - 1, n, &by);
}
IN_PLACE(called)

static NOINLINE double halves(double *y, long n, long stride) { /* strides of a recursion: each call has its own */
    if (n == 0) return 1.0;
    double sum = 0.0;
    for (long i = 0, at = 0; i < n; i++, at += stride) sum += y[at], y[at] *= 1.1 + 0.1 * sum;
    return sum * halves(y, n / 2, 2 * stride) + 0.1 * halves(y + stride, n / 2, stride);
}
static void recursive(double *y, int n, long stride) { y[1] = 0.01 * halves(y, n, stride - 1); }
IN_PLACE(recursive)

int main(void) {
    check_case cases[] = {CHECK_MAP(strided_in_place, N, N), CHECK_MAP(backwards_in_place, N, N), CHECK_MAP(triangle_in_place, N, N),
                          CHECK_MAP(rows_in_place, N, N),    CHECK_MAP(narrow_in_place, N, N),    CHECK_MAP(until_in_place, N, N),
                          CHECK_MAP(third_in_place, N, N),   CHECK_MAP(called_in_place, N, N),    CHECK_MAP(recursive_in_place, N, N)};
    for (int i = 0; i < (int)(sizeof cases / sizeof *cases); i++) check_random_points(&cases[i], 3, 0.3, 0.9);
    return check_done();
}
