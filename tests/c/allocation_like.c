/* Functions that the user declares to allocate and free memory: a pool with a header before each block, which keeps count.
 * Shadows come from the same functions; what they were given back is what they gave. In both spellings. */
#include "requests.h"

static int blocks, bytes;

/* The body stores where its caller cannot see it, and moves addresses through integers. */
static void *pool_take(int tag, size_t size) {
    size_t *block = (size_t *)malloc(16 + size);
    block[0] = size, block[1] = (size_t)tag;
    blocks++, bytes += (int)size;
    return (void *)((uintptr_t)block + 16);
}
static void pool_give(void *pointer) {
    if (pointer == NULL) return;
    size_t *block = (size_t *)((uintptr_t)pointer - 16);
    if (block[1] != 77) abort();
    blocks--, bytes -= (int)block[0];
    free(block);
}
void *__ad_allocation_like_pool[] = {(void *)pool_take, (void *)1, (void *)"-1", (void *)pool_give};

static void *plain_take(size_t size) { return memset(malloc(size), 0x5a, size); }
__attribute__((used)) static void *__enzyme_allocation_like_plain[] = {(void *)plain_take, (void *)0, (void *)"-1", (void *)free};

typedef struct node { double value; struct node *next; } node;

static double f(const double *x, int n) {
    double *work = (double *)pool_take(77, n * sizeof *work), sum = 0.0;
    node *list = NULL;
    for (int i = 0; i < n; i++) {
        node *new = (node *)plain_take(sizeof *new);
        work[i] = x[i] * x[(i + 1) % n];
        new->value = work[i] * x[i];
        new->next = list;
        list = new;
    }
    for (int i = 1; i < n; i++) work[i] *= work[i - 1];
    for (node *at = list; at; at = at->next) sum += sin(at->value) * work[n - 1];
    while (list) {
        node *next = list->next;
        free(list);
        list = next;
    }
    pool_give(work);
    return sum;
}
enum { N = 5 };
static double fixed(const double *x) { return f(x, N); }
AD_FUNCTIONAL(fixed)

int main(void) {
    check_case c = CHECK_FUNCTIONAL(fixed, N);
    check_random_points(&c, 2, 0.5, 1.5);
    check_true("all blocks were given back", blocks == 0 && bytes == 0);
    double x[N], xb[N] = {0}, want[N] = {0};
    check_fill(x, N, 0.5, 1.5);
    void *tape = __ad_augmented((void *)fixed, x, xb);
    check_true("the blocks wait for the reverse sweep", blocks == 2);
    __ad_reverse((void *)fixed, x, xb, 1.0, tape);
    check_true("and are given back then", blocks == 0);
    __ad_adjoint_void((void *)fixed, x, want);
    for (int i = 0; i < N; i++) check_close("split against joined", xb[i], want[i], 1e-14);
    return check_done();
}
