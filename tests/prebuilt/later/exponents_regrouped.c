// ad-library: exponents.c
// ad-link: -lm
// ad-i386: none
// ad-refused-by-some: AS012
/* Where compilers regroup what is added to the bits of a number, a step between has an exponent that is no number's: there its digits alone would be known. And where a choice by a mask,
 * (a & m) | (b & ~m), is made of `xor`, ((a ^ b) & m) ^ b, the step between is made of two active numbers.
 * In cube_root -O0 puts an exponent beside a float's digits in 32 bits, and nothing near says that they are not the upper half of a double. */
#include "../exponents.h"

EXPONENTS_REGROUPED(MAP)

int main(void) {
    check_case cases[] = {EXPONENTS_REGROUPED(CASE)};
    check_exponents(cases, sizeof cases / sizeof *cases);
    return check_done();
}
