/* Values of an interpreter: a tag, and a union of a number and a real. Code adds, subtracts and multiplies the numbers, in memory and in
 * registers; the tag says on which path a word is one. */
// ad-i386: none, its unions hold words of eight bytes
#include "requests.h"

enum { N = 2 };

typedef struct {
    enum { WHOLE, REAL } tag;
    union {
        double d;
        long i;
    } v;
} value;

static double number(value v) { return v.tag == WHOLE ? (double)v.v.i : v.v.d; }
static value apply(char op, value a, value b) {
    if (a.tag == WHOLE && b.tag == WHOLE) switch (op) {
            case '+': return (value){WHOLE, {.i = a.v.i + b.v.i}};
            case '-': return (value){WHOLE, {.i = a.v.i - b.v.i}};
            case '*': return (value){WHOLE, {.i = a.v.i * b.v.i}};
        }
    switch (op) {
        case '+': return (value){REAL, {.d = number(a) + number(b)}};
        case '-': return (value){REAL, {.d = number(a) - number(b)}};
        default: return (value){REAL, {.d = number(a) * number(b)}};
    }
}

/* On a stack. */
static double stacked(const double *x) {
    value stack[8], *top = stack;
    for (const char *pc = "x22++3*y45-*+"; *pc; pc++) switch (*pc) {
            case 'x': top->tag = REAL, top++->v.d = x[0] * x[0]; break;
            case 'y': top->tag = REAL, top++->v.d = sin(x[1]); break;
            case '+':
            case '-':
            case '*': {
                value b = *--top, a = *--top;
                *top++ = apply(*pc, a, b);
                break;
            }
            default: top->tag = WHOLE, top++->v.i = *pc - '0';
        }
    return number(top[-1]);
}

/* A value of several instructions in registers. */
static double accumulated(const double *x) {
    value stack[8], *top = stack, sum = {WHOLE, {.i = 1}};
    for (const char *pc = "23+x*y5-+34+2*+"; *pc; pc++) switch (*pc) {
            case 'x': top->tag = REAL, top++->v.d = x[0] * x[0]; break;
            case 'y': top->tag = REAL, top++->v.d = x[1], sum = apply('+', sum, top[-1]); break;
            case '+':
            case '-':
            case '*': {
                value b = *--top, a = *--top;
                *top++ = apply(*pc, a, b);
                break;
            }
            default: top->tag = WHOLE, top->v.i = *pc - '0', sum = apply('+', sum, *top), top++;
        }
    return number(top[-1]) * number(sum);
}

/* A member that is counted up, and becomes a real. */
static double counted(const double *x) {
    value all[4];
    for (int i = 0; i < 4; i++) all[i] = i % 2 ? (value){REAL, {.d = x[i / 2] * x[0]}} : (value){WHOLE, {.i = i}};
    double sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) {
            value *v = &all[(i + round) % 4];
            if (v->tag == WHOLE) v->v.i += 2;
            else v->v.d *= 1.5;
            if (v->tag == WHOLE && v->v.i > 5) v->tag = REAL, v->v.d = (double)v->v.i * x[1];
            sum += number(*v) * (i + 1);
        }
    return sum;
}

AD_FUNCTIONAL(stacked)
AD_FUNCTIONAL(accumulated)
AD_FUNCTIONAL(counted)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(stacked, N), CHECK_FUNCTIONAL(accumulated, N), CHECK_FUNCTIONAL(counted, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
