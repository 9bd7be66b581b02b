/* ad-i386: none, copies of records of unknown size are refused where an address has four bytes
 * Functions that copy as many bytes as their callers say, and records whose words hold several integers: where the
 * copies bring reals is known. */
#include "requests.h"

static void swap(void *p, void *q, size_t size) {
    char t[256];
    memcpy(t, p, size);
    memcpy(p, q, size);
    memcpy(q, t, size);
}
struct flags {
    unsigned long one : 7, two : 3;
    unsigned long four : 6, five : 3;
    size_t key;
    double x;
    unsigned long three : 2;
};
static __attribute__((noinline)) void set(struct flags *r, const double *x, int k) {
    r->x = x[k] * x[0];
    r->key = k + 2;
    r->one = k;
    r->two = k + 1;
    r->four = k + 3;
    r->five = k;
    r->three = k;
}
static __attribute__((noinline)) double weigh(const struct flags *r) {
    return r->x * r->x * (1.0 + r->four + r->five + r->one + 2.0 * r->two + 3.0 * r->three + 0.5 * r->key);
}
static void turn(struct flags *a, int n) {
    for (int k = 0; k + 1 < n; k++) swap(&a[k], &a[k + 1], sizeof *a);
    a[0].x = a[0].x * a[1].x;
}
static double swapped(const double *x) {
    struct flags a[3];
    for (int k = 0; k < 3; k++) set(&a[k], x, k);
    turn(a, 3);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += weigh(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(swapped)

/* The last member of a word of integers is replaced, in a record that is passed by value. */
struct item {
    double x;
    unsigned key;
    short count[2];
};
static __attribute__((noinline)) void give(struct item *r, const double *x, int k) {
    memset(r, 0, sizeof *r);
    r->x = x[k] * x[0];
    r->key = k;
    r->count[0] = k + 1;
    r->count[1] = k + 2;
}
static __attribute__((noinline)) double take(const struct item *r) {
    return r->x * r->x * (1.0 + r->key + r->count[0] + 2.0 * r->count[1]);
}
struct node {
    struct node *next;
    struct item item;
};
static __attribute__((noinline)) struct node *add(struct node *first, const struct item *item) {
    struct node *p = calloc(1, sizeof *p);
    p->item = *item;
    p->next = first;
    return p;
}
static struct item next(struct item r, double by) {
    r.x = r.x * r.x + by;
    r.count[1] = 0;
    return r;
}
static __attribute__((noinline)) void advance(struct item *a, int n) {
    for (int k = 0; k < n; k++) a[k] = next(a[k], 0.5);
}
static double replaced(const double *x) {
    struct item a[3];
    struct node *first = 0;
    for (int k = 0; k < 3; k++) give(&a[k], x, k);
    for (int k = 0; k < 3; k++) first = add(first, &a[k]);
    for (int k = 0; first; k++) {
        struct node *p = first;
        first = p->next;
        a[k] = p->item;
        free(p);
    }
    advance(a, 2);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += take(&a[k]) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(replaced)

/* An integer and the padding behind it are set apart, in a block where either may be part of a real. */
struct entry {
    unsigned short key;
    double x;
};
static void begin(struct entry *r, const double *x, int k) {
    memset(r, 0, sizeof *r);
    r->x = x[k] * x[0];
    r->key = (k + 3) % 4;
}
struct bytes {
    void *data;
    size_t size, count, room;
};
static void push(struct bytes *v, const void *item) {
    v->room = 2 * v->room + 1;
    v->data = realloc(v->data, v->room * v->size);
    memcpy((char *)v->data + v->count++ * v->size, item, v->size);
}
static __attribute__((noinline)) void *at(struct bytes *v, size_t k) { return (char *)v->data + k * v->size; }
static void list(struct entry *a, int n) {
    struct bytes v = {0, sizeof(struct entry), 0, 0};
    for (int k = 0; k < n; k++) push(&v, &a[k]);
    for (int k = 0; k < n; k++) {
        struct entry *p = at(&v, n - 1 - k);
        a[k] = *p;
    }
    free(v.data);
}
struct queue {
    struct entry *at;
    int head, count, room;
};
static void put(struct queue *q, struct entry v) {
    q->at[(q->head + q->count) % q->room] = v;
    q->count++;
}
static __attribute__((noinline)) struct entry pop(struct queue *q) {
    struct entry v = q->at[q->head];
    q->head = (q->head + 1) % q->room;
    return v;
}
static double queued(const double *x) {
    struct entry a[3];
    for (int k = 0; k < 3; k++) begin(&a[k], x, k);
    list(a, 3);
    struct queue q = {malloc(4 * sizeof(struct entry)), 0, 0, 4};
    for (int k = 0; k < 3; k++) put(&q, a[k]);
    for (int k = 0; k < 3; k++) a[k] = pop(&q);
    free(q.at);
    double sum = 0;
    for (int k = 0; k < 3; k++) sum += a[k].x * a[k].x * (a[k].key + 1) * (k + 1);
    return sum;
}
AD_FUNCTIONAL(queued)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(swapped, 3), CHECK_FUNCTIONAL(replaced, 3), CHECK_FUNCTIONAL(queued, 3)};
    for (int k = 0; k < 3; k++) check_random_points(&cases[k], 3, 0.4, 1.6);
    return check_done();
}
