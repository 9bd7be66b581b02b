/* The bits of a float in an integer member, put in one word with another member, and copied to where a float lies.
 * Refused, not wrong. */
// ad-error: AD034 - cannot deduce whether this copy moves
// ad-levels: O1
#include "requests.h"
#include <stdint.h>

typedef struct record { uint32_t bits; int count; double weight; struct record *next; } record;
typedef struct pair { float value; int count; } pair;

static __attribute__((noinline)) void pack(const record *r, pair *to) {
    uint64_t word = (uint64_t)(uint32_t)r->count << 32 | r->bits;
    memcpy(to, &word, sizeof word);
}
static double packed(const double *x) {
    record *all = NULL;
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        record *r = malloc(sizeof *r);
        float value = x[i] * x[(i + 1) % 4];
        memcpy(&r->bits, &value, sizeof value);
        r->count = i, r->weight = x[i], r->next = all, all = r;
    }
    for (record *r = all; r; r = r->next) {
        pair pairs[2];
        pack(r, &pairs[r->count & 1]);
        sum += pairs[r->count & 1].value * r->weight * (1 + pairs[r->count & 1].count);
    }
    while (all) {
        record *next = all->next;
        free(all), all = next;
    }
    return sum;
}
AD_FUNCTIONAL(packed)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(packed, 4)};
    cases[0].tol_diff = 1e-3, cases[0].tol_dot = 1e-6;
    check_random_points(&cases[0], 3, 0.2, 1.9);
    return check_done();
}
