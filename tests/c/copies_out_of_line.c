/* Bytes moved by functions that do not say what they are: their callers know, and copies carry it on. */
#include "requests.h"

#include <stdlib.h>
#include <string.h>

enum { N = 6 };

#define OUT_OF_LINE static __attribute__((noinline))

OUT_OF_LINE void move_bytes(void *to, const void *from, size_t bytes) { memmove(to, from, bytes); }

/* Deeper: neither this function nor the one below it knows. */
OUT_OF_LINE void swap_bytes(void *a, void *b, size_t bytes) {
    char kept[64];
    move_bytes(kept, a, bytes);
    move_bytes(a, b, bytes);
    move_bytes(b, kept, bytes);
}

typedef struct {
    double value;
    float weight;
    int number;
    double *link;
} node;

/* Structs of reals, integers and pointers, moved by a recursive function: sorted by halves with rotation. */
OUT_OF_LINE void reverse(node *first, int count) {
    if (count < 2) return;
    swap_bytes(first, first + count - 1, sizeof(node));
    reverse(first + 1, count - 2);
}

static double nodes(const double *x) {
    double values[N];
    node list[N];
    for (int i = 0; i < N; i++) {
        values[i] = x[i] * x[i];
        list[i].value = x[i] * (i + 1);
        list[i].weight = 0.25f * (float)(N - i);
        list[i].number = i;
        list[i].link = &values[i];
    }
    reverse(list, N);
    double y = 0.0;
    for (int i = 0; i < N; i++) y += list[i].value * list[i].weight * (i + 1) + *list[i].link * list[i].number;
    return y;
}

/* A chain of copies, of which only the last place is looked at. */
static double chain(const double *x) {
    struct pair { double a[2]; long n; } one, two, *three = malloc(sizeof *three);
    one.a[0] = x[0] * x[1], one.a[1] = x[2], one.n = 3;
    memcpy(&two, &one, sizeof one);
    memcpy(three, &two, sizeof two);
    double y = three->a[0] * three->a[1] * three->n;
    free(three);
    return y + x[3] * x[4] * x[5];
}

AD_FUNCTIONAL(nodes)
AD_FUNCTIONAL(chain)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(nodes, N), CHECK_FUNCTIONAL(chain, N)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.3, 0.95);
    return check_done();
}
