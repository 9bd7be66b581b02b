// ad-library: shared_common.f90
// ad-static: yes
// ad-link: -lm
// ad-i386: none
/* A common block and a variable of a module, which a Fortran subroutine without arguments reads and writes. */
#include "requests.h"

struct block { double before[3], after[3]; int n; };
extern struct block shared_block_;
extern double shared_gain;
void shared_relax_(void);

__attribute__((noinline)) static void set(const double *x) {
    for (int i = 0; i < 3; i++) shared_block_.before[i] = x[i] * x[2 - i];
}
static double relaxed(const double *x) {
    struct block *b = &shared_block_;
    b->n = 3;
    shared_gain = 1;
    set(x);
    shared_relax_();
    b->before[1] = b->after[2];
    shared_relax_();
    return b->after[0] + b->after[1] * x[1] + shared_gain;
}
AD_FUNCTIONAL(relaxed)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(relaxed, 3);
    check_random_points(&c, 3, 0.4, 1.2);
    return check_done();
}
