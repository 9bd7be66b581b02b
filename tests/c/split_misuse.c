/* Split mode used wrongly ends the program with a message, whatever the tape holds: a second reverse sweep, a tape that is
 * none, one of another function or for other markers, other shadows. Each in a process of its own. */
#include "ending.h"
#include "requests.h"

extern void __ad_reverse_void(void *f, ...);

static double sum(const double *x) { return x[0] * x[0] * x[1]; }
static double product(const double *x) { return x[0] * x[1] * x[1]; }

static double x[2] = {2.0, 3.0}, xb[2], other[2];

static void twice(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void twice_with_another_between(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    void *next = __ad_augmented((void *)sum, x, xb);
    (void)next;
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void none(void) { __ad_reverse_void((void *)sum, x, xb, 1.0, NULL); }
static void garbage(void) { __ad_reverse_void((void *)sum, x, xb, 1.0, &x[1]); }
static void another_function(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)product, x, xb, 1.0, tape);
}
static void another_shadow(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    __ad_reverse_void((void *)sum, x, other, 1.0, tape);
}
static void fewer_directions(void) {
    void *tape = __ad_augmented((void *)sum, ad_width, 2, x, xb, other);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
}
static void discarded(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    adrt_tape_discard(tape);
    adrt_tape_discard(tape);
}
static void right(void) {
    void *tape = __ad_augmented((void *)sum, x, xb);
    void *of_product = __ad_augmented((void *)product, x, xb);
    __ad_reverse_void((void *)sum, x, xb, 1.0, tape);
    __ad_reverse_void((void *)product, x, xb, 1.0, of_product);
}

/* Without arguments of its own. */
static void run(void *use) { (*(void (**)(void))use)(); }

static void ends(const char *name, void (*use)(void), const char *code) { check_ends(name, run, &use, code, "remedy"); }

int main(void) {
    ends("twice", twice, "AD204");
    ends("twice, with another between", twice_with_another_between, "AD204");
    ends("none", none, "AD204");
    ends("garbage", garbage, "AD204");
    ends("another function", another_function, "AD205");
    ends("another shadow", another_shadow, "AD206");
    ends("fewer directions", fewer_directions, "AD205");
    ends("discarded", discarded, "AD204");
    char text[100];
    void (*use)(void) = right;
    check_true("used rightly", check_ending(run, &use, text, sizeof text) == 0);
    return check_done();
}
