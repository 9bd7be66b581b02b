// ad-library: pointers_stored.c
// ad-link: -lm
// ad-refused-by-some: AS027
/* A library puts nodes of the program in a list, which the program walks. */
#include "requests.h"

extern struct stored_node {
    double value;
    struct stored_node *next;
} *stored_list;
void store_node(struct stored_node *n);
static double total(const double *x) {
    struct stored_node a = {x[0] * x[1], 0}, b = {x[1] * x[2], 0};
    stored_list = 0;
    store_node(&a);
    store_node(&b);
    double sum = 0;
    for (struct stored_node *n = stored_list; n; n = n->next) sum += n->value * x[0];
    return sum;
}
AD_FUNCTIONAL(total)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(total, 3);
    check_random_points(&c, 1, 0.3, 0.9);
    return check_done();
}
