/* Checkpointed steps and memory: global arrays, structures, memory that the program allocates before the loop or in each step, stack
 * memory of a step, states whose size the program says, calls that are not inlined, integers and pointers among the state. */

enum { N = 5 };

#include "both_ways.h"

static void no_loop(int n) { (void)n; }
static void no_state(const void *p, unsigned long n) { (void)p, (void)n; }

#define WITH ad_checkpoint_loop, ad_checkpoint_state
#define WITHOUT no_loop, no_state

static double field[2][N];
static int step_number;

/* Global arrays, and an integer that counts steps there. */
#define GLOBAL_(name, loop, state)                                                        \
    __attribute__((noinline)) static void name##_advance(double nu) {                     \
        double *u = field[step_number % 2], *un = field[(step_number + 1) % 2];           \
        for (int i = 0; i < N; i++) un[i] = u[i] + nu * u[(i + 1) % N] * u[i];            \
        step_number++;                                                                    \
    }                                                                                     \
    static double name(const double *x) {                                                 \
        for (int i = 0; i < N; i++) field[0][i] = x[i];                                   \
        step_number = 0;                                                                  \
        for (int t = 0; t < 7; t++) {                                                     \
            loop(2);                                                                      \
            name##_advance(0.1 * x[0]);                                                   \
        }                                                                                 \
        double sum = 0.0;                                                                 \
        for (int i = 0; i < N; i++) sum += field[step_number % 2][i] * (i + 1);           \
        return sum;                                                                       \
    }
#define GLOBAL(name, ...) GLOBAL_(name, __VA_ARGS__)
GLOBAL(global, WITH)
GLOBAL(global_plain, WITHOUT)

/* The heap: of the program, and of each step. */
#define HEAP_(name, loop, state)                                                          \
    static double name(const double *x) {                                                 \
        double *u = malloc(N * sizeof *u), *w = malloc(N * sizeof *w);                    \
        for (int i = 0; i < N; i++) u[i] = x[i], w[i] = 1.0;                              \
        state(u, N * sizeof *u);                                                          \
        state(w, N * sizeof *w);                                                          \
        for (int t = 0; t < 8; t++) {                                                     \
            loop(3);                                                                      \
            double *scratch = malloc(N * sizeof *scratch);                                \
            for (int i = 0; i < N; i++) scratch[i] = sin(u[i]) * w[(i + 2) % N];          \
            for (int i = 0; i < N; i++) w[i] = w[i] * 0.9 + 0.1 * scratch[i] * u[i];      \
            free(scratch);                                                                \
            double *old = u;                                                              \
            u = w;                                                                        \
            w = old;                                                                      \
        }                                                                                 \
        double sum = 0.0;                                                                 \
        for (int i = 0; i < N; i++) sum += u[i] * w[i] * (i + 1);                         \
        free(u);                                                                          \
        free(w);                                                                          \
        return sum;                                                                       \
    }
#define HEAP(name, ...) HEAP_(name, __VA_ARGS__)
HEAP(heap, WITH)
HEAP(heap_plain, WITHOUT)

/* A structure with numbers, a pointer and a count; parts of it are handed to a function. */
typedef struct model {
    double rate, total;
    int steps;
    double *cells;
} model;

__attribute__((noinline)) static double advance(model *m, const double *force) {
    double most = 0.0;
    for (int i = 0; i < N; i++) {
        m->cells[i] += m->rate * force[i] * m->cells[(i + 1) % N];
        if (m->cells[i] > most) most = m->cells[i];
    }
    m->steps++;
    m->total += most;
    return most;
}

#define STRUCTURE_(name, loop, state)                                                     \
    static double name(const double *x) {                                                 \
        double cells[N], force[N];                                                        \
        model m = {0.05, 0.0, 0, cells};                                                  \
        for (int i = 0; i < N; i++) cells[i] = x[i], force[i] = x[N - 1 - i];             \
        double most = 0.0;                                                                \
        state(cells, sizeof cells);                                                       \
        while (m.steps < 40 && most < 1.6) {                                              \
            loop(4);                                                                      \
            most = advance(&m, force);                                                    \
            if (m.steps % 3 == 0) m.rate *= 1.1;                                          \
        }                                                                                 \
        return m.total * most + cells[2] + m.rate * x[0];                                 \
    }
#define STRUCTURE(name, ...) STRUCTURE_(name, __VA_ARGS__)
STRUCTURE(structure, WITH)
STRUCTURE(structure_plain, WITHOUT)

/* Stack memory of a step, of a size that depends on the step. */
#define STACK_(name, loop, state)                                                         \
    static double name(const double *x) {                                                 \
        double s = x[0];                                                                  \
        for (int t = 1; t < 6; t++) {                                                     \
            loop(2);                                                                      \
            double row[t], fixed[3];                                                      \
            for (int i = 0; i < t; i++) row[i] = s * x[i % N];                            \
            for (int i = 0; i < 3; i++) fixed[i] = row[i % t] + 0.1 * i;                  \
            for (int i = 0; i < t; i++) s = 0.6 * s + 0.1 * row[i] * fixed[i % 3];        \
        }                                                                                 \
        return s * x[1];                                                                  \
    }
#define STACK(name, ...) STACK_(name, __VA_ARGS__)
STACK(stack, WITH)
STACK(stack_plain, WITHOUT)

/* The number of steps and of snapshots are parameters, the state comes through pointers, some of which may be the same. */
#define GIVEN_(name, loop, state)                                                                        \
    __attribute__((noinline)) static void name##_all(int n, int snapshots, double *u, const double *v, double *log) { \
        state(u, N * sizeof *u);                                                                         \
        state(v, N * sizeof *v);                                                                         \
        state(log, sizeof *log);                                                                         \
        for (int t = 0; t < n; t++) {                                                                    \
            loop(snapshots);                                                                             \
            for (int i = 0; i < N; i++) u[i] = u[i] * 0.8 + 0.2 * v[i] * u[(i + 1) % N];                 \
            if (*log > 1.0e6) printf("step %d: too large\\n", t);                                          \
            *log += u[t % N];                                                                            \
        }                                                                                                \
    }                                                                                                    \
    static double name(const double *x) {                                                                \
        double u[N], log = 0.0;                                                                          \
        for (int i = 0; i < N; i++) u[i] = x[i];                                                         \
        name##_all(6, 2, u, x, &log);                                                                    \
        name##_all(3, 7, u, u, &log);                                                                    \
        name##_all(0, 1, u, x, &log);                                                                    \
        double sum = log;                                                                                \
        for (int i = 0; i < N; i++) sum += u[i] * (i + 1);                                               \
        return sum;                                                                                      \
    }
#define GIVEN(name, ...) GIVEN_(name, __VA_ARGS__)
GIVEN(given, WITH)
GIVEN(given_plain, WITHOUT)

BOTH(global)
BOTH(heap)
BOTH(structure)
BOTH(stack)
BOTH(given)

int main(void) {
    RUN(global);
    RUN(heap);
    RUN(structure);
    RUN(stack);
    RUN(given);
    return check_done();
}
