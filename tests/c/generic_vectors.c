/* Blocks of elements whose size is a member: where an element lies in its block, nothing says but its alignment. The elements are
 * structs of reals, pointers and floats, which realloc moves. */
// ad-sanitizers: address
// ad-i386: none, refused for now (AD033, AD034)
#include "requests.h"

#define APART __attribute__((noinline)) static

enum { N = 5 };

typedef struct {
    void *data;
    size_t size, count, room;
} vector;

static inline void *push(vector *v, const void *item) {
    if (v->count == v->room) v->data = realloc(v->data, (v->room = 2 * v->room + 1) * v->size);
    void *to = (char *)v->data + v->count++ * v->size;
    memcpy(to, item, v->size);
    return to;
}
APART void *at(vector *v, size_t k) { return (char *)v->data + k * v->size; }

typedef struct {
    double x;
    struct {
        double a;
        unsigned char k;
        double b;
    } in;
    const double *ref;
    int k;
} part;

APART double part_value(const part *p) { return p->x * *p->ref + p->in.a * p->in.a + p->in.k * p->in.b + p->k; }
static double parts(const double *x) {
    part a[N] = {{0}};
    for (int i = 0; i < N; i++) a[i].ref = x + (i + 1) % N, a[i].x = x[i], a[i].in.b = x[i] * x[i];
    vector v = {0, sizeof(part), 0, 0};
    for (int i = 0; i < N; i++) push(&v, &a[i]);
    for (int i = 0; i < N; i++) {
        part *p = at(&v, N - 1 - i);
        p->in.a = 0.9 * p->in.b;
        a[i] = *p;
    }
    free(v.data);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * part_value(&a[i]);
    return sum;
}

typedef struct {
    double x, y;
    float u, v;
} point;

APART double point_value(const point *p) { return p->x * p->y * p->u * p->v; }
static double points(const double *x) {
    point a[N];
    for (int i = 0; i < N; i++) a[i] = (point){x[i], x[i] * x[0], 0.5f * i, 0.25f};
    vector v = {0, sizeof(point), 0, 0};
    for (int i = 0; i < N; i++) push(&v, &a[i]);
    for (int i = 0; i < N; i++) {
        point *p = at(&v, N - 1 - i);
        p->y = sin(p->x);
        a[i] = *p;
    }
    free(v.data);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * point_value(&a[i]);
    return sum;
}

/* A real member that is written in the block, and pointers beside it that nothing but copies bring there. The function is
 * not static, so that at -O1 the size of an element is not known. */
typedef struct {
    unsigned n;
    double x;
    const double *ref;
    unsigned char k;
} node;

void there_and_back(node *a, int n) {
    vector v = {0, sizeof(node), 0, 0};
    for (int i = 0; i < n; i++) push(&v, &a[i]);
    for (int i = 0; i < n; i++) {
        node *p = at(&v, n - 1 - i);
        p->x += 0.1;
        a[i] = *p;
    }
    free(v.data);
}
static double nodes(const double *x) {
    double squares[N];
    for (int i = 0; i < N; i++) squares[i] = x[i] * x[i];
    node a[N];
    for (int i = 0; i < N; i++) memset(&a[i], 0, sizeof a[i]), a[i].ref = &squares[(i + 1) % N];
    there_and_back(a, N);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += (i + 1) * ((a[i].x + a[i].k) * *a[i].ref + a[i].n);
    return sum;
}

AD_FUNCTIONAL(parts)
AD_FUNCTIONAL(nodes)
AD_FUNCTIONAL(points)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(parts, N), CHECK_FUNCTIONAL(points, N), CHECK_FUNCTIONAL(nodes, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 3, 0.3, 1.1);
    return check_done();
}
