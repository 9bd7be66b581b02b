/* Loops whose steps are checkpointed: counted, with an exit that depends on data, with several exits, nested, with values that the
 * steps pass on in scalars, arrays and swapped pointers, with values that are used behind the loop. The same functions without
 * checkpoints say what the gradients are. */

enum { N = 6 };

#include "both_ways.h"

static void nothing(int n) { (void)n; }

static void nowhere(const void *p, unsigned long n) { (void)p, (void)n; }

#define WITH ad_checkpoint_loop
#define WITHOUT nothing

/* Burgers' equation, explicit: two arrays that change places, a viscosity by value. */
#define BURGERS(name, mark)                                                                          \
    static double name(const double *x) {                                                            \
        double first[N], second[N], nu = 0.1 + 0.01 * x[0] * x[1];                                   \
        double *u = first, *un = second;                                                             \
        for (int i = 0; i < N; i++) u[i] = x[i];                                                     \
        for (int t = 0; t < 13; t++) {                                                               \
            mark(3);                                                                                 \
            for (int i = 0; i < N; i++) {                                                            \
                double left = u[(i + N - 1) % N], right = u[(i + 1) % N];                            \
                un[i] = u[i] - 0.05 * u[i] * (right - left) + nu * (right - 2.0 * u[i] + left);      \
            }                                                                                        \
            double *old = u;                                                                         \
            u = un;                                                                                  \
            un = old;                                                                                \
        }                                                                                            \
        double sum = 0.0;                                                                            \
        for (int i = 0; i < N; i++) sum += u[i] * u[i] * (i + 1);                                    \
        return sum * nu;                                                                             \
    }
BURGERS(burgers, WITH)
BURGERS(burgers_plain, WITHOUT)

/* How many steps there are is known only when they are done; the scalars are used behind the loop. */
#define UNTIL(name, mark)                                            \
    static double name(const double *x) {                            \
        double s = x[0], c = x[1], last = 0.0;                       \
        int steps = 0;                                               \
        while (s * s < 40.0 && steps < 50) {                         \
            mark(4);                                                 \
            last = s;                                                \
            s = s * 1.1 + 0.3 * sin(c) * x[2] + 0.2;                 \
            c = c * 0.9 + 0.1 * s * last;                            \
            steps++;                                                 \
        }                                                            \
        return s * c + last * x[3] * steps;                          \
    }
UNTIL(until, WITH)
UNTIL(until_plain, WITHOUT)

/* The loop is left in three ways, one of which returns. */
#define LEAVING(name, mark)                                          \
    static double name(const double *x) {                            \
        double s = x[0], w = 0.0;                                    \
        for (int t = 0; t < 30; t++) {                               \
            mark(2);                                                 \
            w = s * x[t % N];                                        \
            if (w > 6.0) break;                                      \
            s += 0.4 * x[(t + 1) % N] + 0.1 * w;                     \
            if (s > 6.5) return s * s * x[2] + w;                    \
            if (t % 5 == 4) s *= 0.9;                                \
        }                                                            \
        return s * x[1] + w * w;                                     \
    }
LEAVING(leaving, WITH)
LEAVING(leaving_plain, WITHOUT)

/* Steps of steps; the inner number depends on the outer step, the inner snapshots too. */
#define NESTED(name, mark)                                           \
    static double name(const double *x) {                            \
        double s[2] = {x[0], x[1]}, product = 1.0;                   \
        for (int t = 0; t < 5; t++) {                                \
            mark(2);                                                 \
            double inner = x[2] * s[0];                              \
            for (int k = 0; k <= t; k++) {                           \
                mark(1 + t);                                         \
                inner = inner * 0.7 + sin(s[1] + inner);             \
                product *= 1.0 + 0.05 * inner;                       \
            }                                                        \
            s[0] = 0.5 * s[0] + 0.2 * inner * inner;                 \
            s[1] = s[1] + 0.1 * inner * x[3];                        \
        }                                                            \
        return s[0] * s[1] * product;                                \
    }
NESTED(nested, WITH)
NESTED(nested_plain, WITHOUT)

/* The loop stands in a helper that is inlined, and in one that is not and called twice. */
#define HELPED(name, mark, state)                                                          \
    static inline double name##_inner(double a, double b) {                         \
        for (int i = 0; i < 7; i++) {                                               \
            mark(3);                                                                \
            a = a * 0.8 + 0.1 * a * b;                                              \
        }                                                                           \
        return a;                                                                   \
    }                                                                               \
    __attribute__((noinline)) static void name##_apart(double *u, int n, int m) {   \
        state(u, N * sizeof *u);                                                    \
        for (int t = 0; t < n; t++) {                                               \
            mark(m);                                                                \
            for (int i = 0; i < N; i++) u[i] = u[i] * 0.9 + 0.05 * u[N - 1 - i] * u[i];   \
        }                                                                           \
    }                                                                               \
    static double name(const double *x) {                                           \
        double u[N], sum = 0.0;                                                     \
        for (int i = 0; i < N; i++) u[i] = x[i];                                    \
        name##_apart(u, 5, 2);                                                      \
        u[0] *= name##_inner(u[1], x[2]);                                           \
        name##_apart(u, 9, 4);                                                      \
        for (int i = 0; i < N; i++) sum += u[i] * (i + 1);                          \
        return sum * name##_inner(sum, x[3]);                                       \
    }
HELPED(helped, WITH, ad_checkpoint_state)
HELPED(helped_plain, WITHOUT, nowhere)

/* Two loops one behind the other, one that runs once, and one that never runs. */
#define SEVERAL(name, mark)                                          \
    static double name(const double *x) {                            \
        double a = x[0], b = x[1];                                   \
        for (int t = 0; t < 6; t++) {                                \
            mark(2);                                                 \
            a = a * x[2] * 0.5 + 0.1 * b;                            \
        }                                                            \
        for (int t = 0; t < 4; t++) {                                \
            mark(9);                                                 \
            b = b * 0.5 + a * a;                                     \
        }                                                            \
        for (int t = 0; t < 1; t++) {                                \
            mark(5);                                                 \
            b *= a;                                                  \
        }                                                            \
        for (int t = 3; t < (x[3] > -1.0e9 ? 3 : 5); t++) {          \
            mark(5);                                                 \
            b *= a;                                                  \
        }                                                            \
        return a * b;                                                \
    }
SEVERAL(several, WITH)
SEVERAL(several_plain, WITHOUT)

/* A loop whose body comes before its test, and one without a counter. */
#define TURNED(name, mark)                                           \
    static double name(const double *x) {                            \
        double a = x[0], b = x[1];                                   \
        int i = 0;                                                   \
        do {                                                         \
            mark(2);                                                 \
            a = a + 0.1 * b * x[i % N];                              \
            b = 0.5 * b + 0.2 * a;                                   \
        } while (++i < 9);                                           \
        for (;;) {                                                   \
            mark(2);                                                 \
            if (b * b > 20.0 || i > 40) break;                       \
            b = b * 1.2 + 0.1 * a + 0.3;                             \
            i++;                                                     \
        }                                                            \
        return a * b + i;                                            \
    }
TURNED(turned, WITH)
TURNED(turned_plain, WITHOUT)

/* Loops in which nothing is active: one of numbers that weigh, one of integers. */
#define IDLE(name, mark)                                             \
    static double name(const double *x) {                            \
        double weights[N] = {1.0, 0.5}, sum = 0.0;                   \
        unsigned state = 1, hits = 0;                                \
        for (int t = 0; t < 8; t++) {                                \
            mark(2);                                                 \
            for (int i = 1; i < N; i++) weights[i] = 0.5 * weights[i - 1] + 0.3 * weights[i]; \
        }                                                            \
        while (state != 7 && hits < 90) {                            \
            mark(2);                                                 \
            state = (state * 5 + 3) % 64;                            \
            hits++;                                                  \
        }                                                            \
        for (int i = 0; i < N; i++) sum += weights[i] * x[i] * x[i]; \
        return sum * (1.0 + 0.01 * hits);                            \
    }
IDLE(idle, WITH)
IDLE(idle_plain, WITHOUT)

BOTH(burgers)
BOTH(until)
BOTH(leaving)
BOTH(nested)
BOTH(helped)
BOTH(several)
BOTH(turned)
BOTH(idle)

int main(void) {
    RUN(burgers);
    RUN(until);
    RUN(leaving);
    RUN(nested);
    RUN(helped);
    RUN(several);
    RUN(turned);
    RUN(idle);
    return check_done();
}
