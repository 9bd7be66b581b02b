/* setjmp and longjmp within the differentiated function and what is inlined there: errors that are handled, a loop that starts
 * again, a buffer in a struct, volatile variables, numbers that tell jumps apart. */
// ad-i386: none, setjmp's buffer is smaller there
// ad-open: a static buffer
#include <setjmp.h>
#include "requests.h"

enum { N = 4 };

/* Which of them jump, in this round: the maps are smooth. */
static int round_number = 0;

/* A static buffer; functions that jump. */
static jmp_buf failed;
static double checked(double x, int i) {
    if ((i + round_number) % 3 == 0) longjmp(failed, i + 1);
    return sqrt(x) * x;
}
static double handled(const double *x) {
    volatile double sum = 0.0;
    volatile int i = 0;
    int at = setjmp(failed);
    if (at != 0) {
        sum += x[at - 1] * x[at - 1] * at;
        i = at;
    }
    for (; i < N; i++) sum += checked(x[i], i) * x[0];
    return sum;
}
AD_FUNCTIONAL(handled)

/* A buffer on the stack, beside other members; the jump passes zero, which becomes one. */
struct state {
    volatile double best;
    jmp_buf env;
    int tries;
};
static double attempts(const double *x) {
    struct state s;
    s.best = x[0];
    s.tries = 0;
    volatile int tries = 0;
    int got = _setjmp(s.env);
    double step = x[1];
    while (tries < 3) {
        tries = tries + 1;
        s.best = s.best * step + x[2] * tries;
        if (tries == 2) longjmp(s.env, 0);
    }
    return s.best * (got + 1.0) * x[3];
}
AD_FUNCTIONAL(attempts)

/* Set once per iteration; nested handlers with buffers of their own; sigsetjmp. */
static double nested(const double *x) {
    double sum = 0.0;
#pragma clang loop unroll(disable)
    for (int i = 0; i < N; i++) {
        sigjmp_buf outer, inner;
        volatile double y = x[i];
        if (sigsetjmp(outer, 0) == 0) {
            y = y * x[0];
            if (sigsetjmp(inner, 0) == 0) {
                if ((i + round_number) % 2) siglongjmp(inner, 1);
                y = sin(y);
            } else {
                y = y * y;
                if (i == 3) siglongjmp(outer, 2);
            }
            y = y + 1.0;
        } else {
            y = y * x[1];
        }
        sum += y;
    }
    return sum;
}
AD_FUNCTIONAL(nested)

/* A function with a jump of its own that takes no part in derivatives, and one that does, called twice. */
static jmp_buf parsing;
__attribute__((noinline)) static int digits(const char *text) {
    volatile int n = 0;
    if (setjmp(parsing)) return -n;
    for (; *text; text++) {
        if (*text < '0') longjmp(parsing, 1);
        n = 10 * n + (*text - '0');
    }
    return n;
}
static double power(double x, int n) {
    jmp_buf done;
    volatile double p = 1.0;
    volatile int i = 0;
    if (setjmp(done) > 2) return p;
    p = p * x, i = i + 1;
    longjmp(done, i < n ? 1 : 3);
}
static double apart(const double *x) { return digits("12") * x[0] * x[1] + digits("3-") * x[2] + power(x[3], 3) * power(x[0], 2); }
AD_FUNCTIONAL(apart)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(handled, N), CHECK_FUNCTIONAL(attempts, N), CHECK_FUNCTIONAL(nested, N), CHECK_FUNCTIONAL(apart, N)};
    for (round_number = 0; round_number < 3; round_number++)
        for (int i = 0; i < 4; i++) check_random_points(&cases[i], 1, 0.5, 1.5);
    return check_done();
}
