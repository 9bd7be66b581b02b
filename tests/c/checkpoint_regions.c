/* Regions between ad_checkpoint_begin and ad_checkpoint_end: straight code, branches, loops, one in another, with marked loops inside
 * and around, with results by value behind them, in a function that calls itself. */

enum { N = 5 };

#include "both_ways.h"

static void nothing(void) {}
static void no_loop(int n) { (void)n; }

#define WITH ad_checkpoint_begin, ad_checkpoint_end, ad_checkpoint_loop
#define WITHOUT nothing, nothing, no_loop

/* Values of the region are used behind it; it reads what came before. */
#define STRAIGHT_(name, begin, end, loop)                            \
    static double name(const double *x) {                            \
        double a = x[0] * x[1], b = a + x[2], c;                     \
        begin();                                                     \
        a = sin(a) * b;                                              \
        b = exp(0.2 * a) + b;                                        \
        c = a * b;                                                   \
        end();                                                       \
        return a * x[3] + b * c * x[4];                              \
    }
#define STRAIGHT(name, ...) STRAIGHT_(name, __VA_ARGS__)
STRAIGHT(straight, WITH)
STRAIGHT(straight_plain, WITHOUT)

/* Branches that choose what is handed on, a loop inside, and two regions one behind the other. */
#define BRANCHES_(name, begin, end, loop)                            \
    static double name(const double *x) {                            \
        double u[N], s = 0.0, last = 1.0;                            \
        for (int i = 0; i < N; i++) u[i] = x[i];                     \
        begin();                                                     \
        for (int i = 0; i < N; i++) {                                \
            if (u[i] > 0.63) {                                        \
                last = u[i] * s + 0.5;                               \
                u[i] *= u[(i + 1) % N];                              \
            }                                                        \
            s += u[i] * last;                                        \
        }                                                            \
        if (s > 2.0) s = s * 0.5 + u[1];                             \
        end();                                                       \
        s += u[0] * last;                                            \
        begin();                                                     \
        for (int i = 0; i < N; i++) u[i] = u[i] * s;                 \
        end();                                                       \
        return s * u[2] + u[3];                                      \
    }
#define BRANCHES(name, ...) BRANCHES_(name, __VA_ARGS__)
BRANCHES(branches, WITH)
BRANCHES(branches_plain, WITHOUT)

/* A region in each step of a marked loop, a marked loop in a region, and a region in a region. */
#define MIXED_(name, begin, end, loop)                               \
    static double name(const double *x) {                            \
        double s = x[0], w = x[1];                                   \
        for (int t = 0; t < 6; t++) {                                \
            loop(2);                                                 \
            s = s * 0.9 + 0.1 * w;                                   \
            begin();                                                 \
            for (int i = 0; i < 3; i++) w = w * 0.8 + 0.1 * s * w;   \
            begin();                                                 \
            w += 0.01 * s * x[2];                                    \
            end();                                                   \
            s += 0.1 * w;                                            \
            end();                                                   \
            w *= 1.01 + 0.01 * s;                                    \
        }                                                            \
        begin();                                                     \
        for (int t = 0; t < 4; t++) {                                \
            loop(2);                                                 \
            s = s * w * 0.5 + x[3];                                  \
        }                                                            \
        w = w * s;                                                   \
        end();                                                       \
        return s * w;                                                \
    }
#define MIXED(name, ...) MIXED_(name, __VA_ARGS__)
MIXED(mixed, WITH)
MIXED(mixed_plain, WITHOUT)

/* Regions within a recursion: the call itself lies in one. */
#define RECURSIVE_(name, begin, end, loop)                                          \
    static double name##_at(const double *x, double v, int depth) {                 \
        double r = v * x[depth];                                                    \
        if (depth > 0) {                                                            \
            begin();                                                                \
            double below = name##_at(x, v + 0.1 * r, depth - 1);                    \
            r += below * sin(v);                                                    \
            end();                                                                  \
        }                                                                           \
        return r * r + 0.5 * v;                                                     \
    }                                                                               \
    static double name(const double *x) { return name##_at(x, x[0] * x[1], 4); }
#define RECURSIVE(name, ...) RECURSIVE_(name, __VA_ARGS__)
RECURSIVE(recursive, WITH)
RECURSIVE(recursive_plain, WITHOUT)

BOTH(straight)
BOTH(branches)
BOTH(mixed)
BOTH(recursive)

int main(void) {
    RUN(straight);
    RUN(branches);
    RUN(mixed);
    RUN(recursive);
    return check_done();
}
