/* A list on the heap, whose links say nothing of what else they may lead to. */
#include "laws.h"
#include <stdlib.h>

static struct body *bodies_of(const double *x, int count) {
    struct body *first = 0;
    for (int i = count - 1; i >= 0; i--) {
        struct body *b = malloc(sizeof *b);
        *b = (struct body){x[i], 0.5 * i, i % 2, first};
        first = b;
    }
    return first;
}

static void move(struct body *first, double step) {
    for (struct body *b = first; b; b = b->next)
        for (struct body *other = first; other; other = other->next)
            if (other != b) b->speed += step * (other->at - b->at);
    for (struct body *b = first; b; b = b->next) b->at += step * b->speed;
}

double energy(const double *x, int count) {
    struct body *first = bodies_of(x, count);
    for (int i = 0; i < 3; i++) move(first, 0.1);
    totals_of(0)[0] = totals_of(1)[0] = 0.0;
    for (struct body *b = first; b; b = b->next)
        for (struct body *other = b->next; other; other = other->next) {
            double between = (b->at - other->at) * (b->at - other->at);
            *totals_of((b->kind + other->kind) % 2) += law_of((b->kind + other->kind) % 2, between);
        }
    double sum = *totals_of(0) * 0.5 + *totals_of(1);
    while (first) {
        struct body *next = first->next;
        sum += first->speed * first->speed;
        free(first);
        first = next;
    }
    return sum;
}
