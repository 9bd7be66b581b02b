/* Values that are a real or a whole number by their tag, in one place: the compiler loads the word once, and chooses.
 * ad-i386: none, no run-time check of integers there */
#include "requests.h"
#include <stdint.h>

typedef struct { enum { WHOLE, REAL } tag; union { double d; int64_t i; } v; } value;

static double number(value v) { return v.tag == WHOLE ? (double)v.v.i : v.v.d; }
static value whole(int64_t i) { return (value){WHOLE, {.i = i}}; }
static value real(double d) { return (value){REAL, {.d = d}}; }

/* A machine with a stack of values. */
static double machine(const double *x) {
    value stack[6], *top = stack;
    for (const char *code = "a2*b+3*c*"; *code; code++) {
        if (*code >= 'a') *top++ = real(x[*code - 'a']);
        else if (*code >= '0' && *code <= '9') *top++ = whole(*code - '0');
        else {
            value r = *--top, l = *--top;
            *top++ = real(*code == '*' ? number(l) * number(r) : number(l) + number(r));
        }
    }
    return number(top[-1]);
}
AD_FUNCTIONAL(machine)

/* An array of them that grows, and moves them as they are. */
static double growing(const double *x) {
    value *all = NULL;
    int room = 0;
    for (int i = 0; i < 7; i++) {
        if (i == room) {
            room = room ? 2 * room : 1;
            value *more = malloc(room * sizeof *more);
            if (all) memcpy(more, all, i * sizeof *more);
            free(all), all = more;
        }
        all[i] = i % 3 == 0 ? whole(i + 2) : real(x[i % 3] * i);
    }
    double t = 1;
    for (int i = 0; i < 7; i++) t += 0.1 * number(all[i]) * t;
    all[1] = whole(5);
    t *= number(all[1]) * number(all[2]);
    free(all);
    return t;
}
AD_FUNCTIONAL(growing)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(machine, 3), CHECK_FUNCTIONAL(growing, 3)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.1);
    return check_done();
}
