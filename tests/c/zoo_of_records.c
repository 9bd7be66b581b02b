/* A container that knows the size of its records only when the program runs: passes copy a record as its first byte,
 * the padding behind it, and its real.
 * ad-levels: O3
 * ad-i386: none, records that are copied in parts are refused at O2 where an address has four bytes */
#include "requests.h"

typedef struct { unsigned char kind; double value; } record;
typedef struct { void *data; size_t size, count, room; } records;

static void push(records *all, const void *one) {
    all->room = 2 * all->room + 1, all->data = realloc(all->data, all->room * all->size);
    memcpy((char *)all->data + all->count++ * all->size, one, all->size);
}
static __attribute__((noinline)) void *at(records *all, size_t k) { return (char *)all->data + k * all->size; }
static void reverse(record *a, int n) {
    records all = {0, sizeof *a, 0, 0};
    for (int i = 0; i < n; i++) push(&all, &a[i]);
    for (int i = 0; i < n; i++) {
        record *one = at(&all, n - 1 - i);
        a[i] = *one;
    }
    free(all.data);
}
static double of_records(const double *x) {
    record a[5];
    for (int i = 0; i < 5; i++) a[i].value = x[i % 3] * (i + 1), a[i].kind = (i + 2) % 4;
    for (int r = 0; r < 2; r++) reverse(a, 5);
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += (i + 1) * a[i].kind * a[i].value * a[i].value;
    return sum;
}
AD_FUNCTIONAL(of_records)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(of_records, 3)};
    check_random_points(&cases[0], 3, 0.4, 1.6);
    return check_done();
}
