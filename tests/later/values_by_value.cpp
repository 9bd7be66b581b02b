// Values of an interpreter, handed on by value: their union begins with a pointer, so that a real goes through parameters and results
// that are pointers. Refused, not wrong.
// ad-error: AD034 - cannot deduce whether this copy moves
// ad-levels: O1 O2 O3
#include "requests.h"

struct value {
    union {
        void *pointer;
        double number;
        long integer;
    } v;
    unsigned char tag;
};
struct stack {
    value all[16];
    value *top;
};
__attribute__((noinline)) static void push(stack *s, value v) { *s->top++ = v; }
__attribute__((noinline)) static value pop(stack *s) { return *--s->top; }
__attribute__((noinline)) static void exchange(stack *s) {
    value a = pop(s), b = pop(s);
    push(s, a);
    push(s, b);
}
static value number(double d) {
    value v;
    v.v.number = d, v.tag = 1;
    return v;
}
static value pointer(double *d) {
    value v;
    v.v.pointer = d, v.tag = 2;
    return v;
}
static double real(value v) { return v.tag == 1 ? v.v.number : *(double *)v.v.pointer; }
static double popped(const double *x) {
    stack s;
    s.top = s.all;
    double z = x[0] * x[1], y = 1.0;
    push(&s, number(x[0]));
    push(&s, pointer(&z));
    exchange(&s);
    push(&s, number(x[1]));
    while (s.top != s.all) y = y * 0.5 + real(pop(&s)) * y;
    return y;
}
AD_FUNCTIONAL(popped)

int main() {
    check_case c = CHECK_FUNCTIONAL(popped, 2);
    check_random_points(&c, 2, 0.3, 1.1);
    return check_done();
}
