/* A list linked on the heap: nodes hold a value and a pointer; walked once for the value, once to free it. */
// ad-switches: aliasing
// ad-sanitizers: address
// ad-open: nodes on the heap
#include "requests.h"

enum { N = 4 };

struct node { double value; struct node *next; };

static double list(const double *x) {
    struct node *head = NULL;
    for (int i = 0; i < N; i++) {
        struct node *node = malloc(sizeof *node);
        node->value = x[i];
        node->next = head;
        head = node;
    }
    double value = 1.0;
    for (struct node *p = head; p; p = p->next) value = value * p->value + p->value;
    while (head) {
        struct node *next = head->next;
        free(head);
        head = next;
    }
    return value;
}
AD_FUNCTIONAL(list)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(list, N);
    check_random_points(&c, 3, 0.3, 1.3);
    return check_done();
}
