/* Results of libm that nobody needs, of what was loaded through an index, or a pointer, from memory that the gradient needs as little:
 * the calls may not stay where the stores are left out. */
#include "requests.h"

enum { N = 2 };

static double through_table(const double *x) {
    double table[2][3] = {0}, *rows[3];
    rows[0] = table[0];
    double unused = tanh(rows[(int)sin(0.5 + table[0][(int)x[0] % 3])][0]);
    (void)unused;
    return x[0] * x[1];
}

struct node {
    struct node *next;
    double value;
};
static double along_list(const double *x) {
    struct node all[3] = {{&all[1], 0.5}, {&all[2], 0.25}, {0, 0.125}};
    double unused = 0.0;
    for (struct node *n = all; n->next; n = n->next) unused = sin(unused + n->next->value);
    return x[0] * x[0] + 0.0 * (unused > 2.0);
}

AD_FUNCTIONAL(through_table)
AD_FUNCTIONAL(along_list)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(through_table, N), CHECK_FUNCTIONAL(along_list, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 3, 0.3, 0.9);
    return check_done();
}
