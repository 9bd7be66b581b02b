/* Reals that are kept in pointers: containers of C with payloads of `void *` hold numbers in the pointer itself, and unions are moved by a
 * member that is a pointer. */
// ad-i386: none, a pointer has four bytes
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 3 };

static inline void *box(double d) {
    void *p;
    memcpy(&p, &d, sizeof p);
    return p;
}
static inline double unbox(void *p) {
    double d;
    memcpy(&d, &p, sizeof d);
    return d;
}

/* A vector of anything. */
typedef struct {
    void **at;
    int count, room;
} vec;
static inline void add(vec *v, void *p) {
    if (v->count == v->room) {
        v->room = v->room ? 2 * v->room : 2;
        v->at = realloc(v->at, v->room * sizeof *v->at);
    }
    v->at[v->count++] = p;
}
static double vectors(const double *x) {
    vec v = {0};
    for (int i = 0; i < 5; i++) add(&v, box(x[i % N] * x[(i + 1) % N]));
    double sum = 0;
    for (int i = 0; i < 5; i++) sum += (i + 1) * unbox(v.at[i]) * unbox(v.at[(i + 2) % 5]);
    free(v.at);
    return sum;
}

/* A map from names to anything. */
typedef struct node {
    const char *key;
    void *value;
    struct node *next;
} node;
typedef struct {
    node *bucket[4];
} map;
static inline void put(map *m, const char *key, void *value) {
    node *n = malloc(sizeof *n), **bucket = &m->bucket[key[0] % 4];
    n->key = key, n->value = value, n->next = *bucket;
    *bucket = n;
}
static inline void *find(map *m, const char *key) {
    for (node *n = m->bucket[key[0] % 4]; n; n = n->next)
        if (!strcmp(n->key, key)) return n->value;
    return 0;
}
static double maps(const double *x) {
    static const char *names[] = {"alpha", "beta", "gamma", "epsilon"};
    map m = {{0}};
    for (int i = 0; i < 4; i++) put(&m, names[i], box(x[i % N] * x[i % N]));
    double sum = 0;
    for (int i = 0; i < 4; i++) sum += sin(unbox(find(&m, names[3 - i]))) * (i + 1);
    for (int i = 0; i < 4; i++)
        for (node *n = m.bucket[i], *next; n; n = next) next = n->next, free(n);
    return sum;
}

/* Passes choose between such pointers. */
static inline void exchange(void **a, void **b) {
    void *first = *a;
    *a = *b, *b = first;
}
static double sorted(const double *x) {
    void *p[N];
    for (int i = 0; i < N; i++) p[i] = box(x[i] * x[(i + 1) % N]);
    for (int i = 0; i < N; i++)
        for (int j = 0; j + 1 < N; j++)
            if (unbox(p[j]) > unbox(p[j + 1])) exchange(&p[j], &p[j + 1]);
    return unbox(p[0]) + 2 * unbox(p[1]) * unbox(p[2]);
}

/* A stack machine, of which the stack is static memory. */
static void *stack[16];
static int top;
APART void push(double d) { stack[top++] = box(d); }
APART double pop(void) { return unbox(stack[--top]); }
APART void duplicate(void) { stack[top] = stack[top - 1], top++; }
APART void swap(void) { exchange(&stack[top - 1], &stack[top - 2]); }
static double machine(const double *x) {
    top = 0;
    for (int i = 0; i < N; i++) push(x[i] * x[(i + 1) % N]);
    duplicate();
    push(pop() * pop());
    swap();
    push(sin(pop()) + pop());
    return pop() * pop();
}

/* Unions that are moved by a member that is a pointer, through pointers to the unions themselves. */
typedef union {
    const double *at;
    double v;
} word;
APART void turn(word *a, int n) {
    for (int i = 0; i < n / 2; i++) {
        const double *first = a[i].at;
        a[i].at = a[n - 1 - i].at;
        a[n - 1 - i].at = first;
    }
}
static double turned(const double *x) {
    double v[2] = {x[0] * x[1], x[2] * x[2]};
    word a[4];
    a[0].at = &v[0], a[2].at = &v[1], a[1].v = x[1] * x[2], a[3].v = x[0];
    turn(a, 4);
    return *a[3].at * 3 + *a[1].at * a[0].v + a[2].v * a[0].v;
}
APART void choose(word *to, const word *a, const word *b, int k) { to->at = k ? a->at : b->at; }
static double chosen(const double *x) {
    word a, b, c, d;
    a.v = x[0] * x[2], b.v = x[1] * x[2];
    choose(&c, &a, &b, x[0] > 0.5), choose(&d, &a, &b, x[0] <= 0.5);
    return c.v * sin(x[1]) + d.v * d.v;
}

/* The same by way of arrays of pointers, or of reals, that other functions fill. */
static double last(const word *a) { return *a[3].at * 3 + *a[1].at * a[0].v + a[2].v * a[0].v; }
static void first(word *a, double *v, const double *x) {
    v[0] = x[0] * x[1], v[1] = x[2] * x[2];
    a[0].at = &v[0], a[2].at = &v[1], a[1].v = x[1] * x[2], a[3].v = x[0];
}
static const double *kept[4];
APART void keep(const word *a) {
    for (int i = 0; i < 4; i++) kept[i] = a[i].at;
}
APART void give_back(word *a) {
    for (int i = 0; i < 4; i++) a[i].at = kept[3 - i];
}
APART void rotate(int k) {
    while (k--) {
        const double *front = kept[0];
        for (int i = 0; i < 3; i++) kept[i] = kept[i + 1];
        kept[3] = front;
    }
}
static double rotated(const double *x) {
    double v[2];
    word a[4];
    first(a, v, x);
    keep(a);
    rotate(2);
    give_back(a);
    return last(a);
}
static double as_reals[4];
APART void keep_reals(const word *a) {
    for (int i = 0; i < 4; i++) as_reals[i] = a[i].v;
}
APART void give_back_reals(word *a) {
    for (int i = 0; i < 4; i++) a[i].v = as_reals[3 - i];
}
static double stored_as_reals(const double *x) {
    double v[2];
    word a[4];
    first(a, v, x);
    keep_reals(a);
    give_back_reals(a);
    return last(a);
}
typedef struct {
    double scale;
    const double *slot[4];
    int n;
} holder;
APART void fill(holder *h, const word *a) {
    h->scale = a[1].v;
    for (h->n = 0; h->n < 4; h->n++) h->slot[h->n] = a[h->n].at;
}
APART void drain(holder *h, word *a) {
    while (h->n) h->n--, a[3 - h->n].at = h->slot[h->n];
}
static double held(const double *x) {
    double v[2];
    word a[4];
    holder *h = malloc(sizeof *h);
    first(a, v, x);
    fill(h, a);
    drain(h, a);
    double sum = last(a) * h->scale;
    free(h);
    return sum;
}

AD_FUNCTIONAL(vectors)
AD_FUNCTIONAL(maps)
AD_FUNCTIONAL(sorted)
AD_FUNCTIONAL(machine)
AD_FUNCTIONAL(turned)
AD_FUNCTIONAL(chosen)
AD_FUNCTIONAL(rotated)
AD_FUNCTIONAL(stored_as_reals)
AD_FUNCTIONAL(held)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(vectors, N), CHECK_FUNCTIONAL(maps, N), CHECK_FUNCTIONAL(sorted, N), CHECK_FUNCTIONAL(machine, N), CHECK_FUNCTIONAL(turned, N), CHECK_FUNCTIONAL(chosen, N), CHECK_FUNCTIONAL(rotated, N), CHECK_FUNCTIONAL(stored_as_reals, N), CHECK_FUNCTIONAL(held, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
