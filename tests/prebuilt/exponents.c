// ad-library: exponents.c
// ad-static: yes
// ad-link: -lm
// ad-i386: none
/* Exponents taken apart in loops, inside a library. Results jump; between jumps they have the derivatives of what is computed. */
#include "exponents.h"

EXPONENTS(MAP)

int main(void) {
    check_case cases[] = {EXPONENTS(CASE)};
    check_exponents(cases, sizeof cases / sizeof *cases);
    return check_done();
}
