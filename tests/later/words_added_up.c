/* Words that a function adds up hold the bits of reals, as its caller knows. Refused, not wrong. */
// ad-error: AD031 - integer arithmetic on the bits
// ad-levels: O1
#include "requests.h"
#include <stdint.h>

static __attribute__((noinline)) uint64_t add_up(const uint64_t *words, int n) {
    uint64_t sum = 0;
    for (int i = 0; i < n; i++) sum += words[i] - ((uint64_t)1023 << 52);
    return sum;
}
static double added_up(const double *x) {
    uint64_t *words = malloc(4 * sizeof *words);
    double row[4];
    for (int i = 0; i < 4; i++) row[i] = x[i] * x[(i + 1) % 4] + 1;
    memcpy(words, row, sizeof row);
    double sum = (double)add_up(words, 4) * 0x1p-52;
    free(words);
    return sum * x[0];
}
AD_FUNCTIONAL(added_up)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(added_up, 4)};
    check_random_points(&cases[0], 3, 0.2, 1.9);
    return check_done();
}
