/* A callee that is not differentiated frees memory that the reverse sweep still reads: numbers and an index table. */
// ad-sanitizers: address
#include "requests.h"

__attribute__((noinline)) static void discard(double *numbers, int *table) {
    free(numbers);
    free(table);
}
static double sum_of_products(const double *x) {
    int *table = malloc(4 * sizeof *table);
    double *numbers = malloc(4 * sizeof *numbers);
    for (int i = 0; i < 4; i++) {
        table[i] = 3 - i;
        numbers[i] = x[i] * x[i];
    }
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += numbers[table[i]] * numbers[i] * x[i];
    discard(numbers, table);
    double *other = malloc(4 * sizeof *other); /* may come to lie where the numbers were */
    for (int i = 0; i < 4; i++) other[i] = -7.0;
    sum += x[0] * other[(int)(x[1] > 100.0)];
    discard(other, NULL);
    return sum;
}
AD_FUNCTIONAL(sum_of_products)

/* Only integers are freed: the callee has nothing to do with derivatives, but the reverse sweep reads the table. */
__attribute__((noinline)) static void discard_table(int *table) { free(table); }
static double permuted(const double *x) {
    int *table = malloc(4 * sizeof *table);
    for (int i = 0; i < 4; i++) table[i] = (i * 3 + 1) % 4;
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += x[table[i]] * x[table[i]] * x[i];
    discard_table(table);
    int *other = malloc(4 * sizeof *other);
    for (int i = 0; i < 4; i++) other[i] = 1 << 20;
    sum += x[0] * other[(int)(x[1] > 100.0)];
    discard_table(other);
    return sum;
}
AD_FUNCTIONAL(permuted)

int main(void) {
    check_case all[] = {CHECK_FUNCTIONAL(sum_of_products, 4), CHECK_FUNCTIONAL(permuted, 4)};
    for (int i = 0; i < 2; i++) check_random_points(&all[i], 3, 0.4, 1.2);
    return check_done();
}
