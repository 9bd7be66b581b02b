/* A table of results that is keyed by the bits of reals: functions that are not inlined calculate hashes from words, or halves of them, and
 * what they return only says where in the table to look. */
#include "requests.h"
#include <stdint.h>

typedef struct { double key[2], value; int is_used; } slot;
typedef struct { slot *slots; size_t size, count; } table;
typedef uint64_t hash(const double *key);

static __attribute__((noinline)) uint64_t of_words(const double *key) {
    uint64_t h = 88172645463325252u;
    for (const uint64_t *word = (const void *)key; word != (const void *)(key + 2); word++) {
        h ^= *word * 0x9E3779B97F4A7C15u, h ^= h >> 29, h *= 0xBF58476D1CE4E5B9u;
    }
    return h;
}
static __attribute__((noinline)) uint64_t of_halves(const double *key) {
    uint32_t h = 2166136261u;
    for (int i = 0; i < 4; i++) h = (h ^ ((const uint32_t *)(const void *)key)[i]) * 16777619u;
    return h;
}
static slot *find(table *t, const double *key, hash *of) {
    size_t i = of(key) % t->size;
    while (t->slots[i].is_used && memcmp(t->slots[i].key, key, sizeof t->slots[i].key)) i = (i + 1) % t->size;
    return &t->slots[i];
}
static double product(table *t, double a, double b, hash *of) {
    double key[2] = {a, b};
    slot *s = find(t, key, of);
    if (!s->is_used) {
        s->is_used = 1, memcpy(s->key, key, sizeof key), t->count++;
        s->value = a * b + a / (1 + b * b);
    }
    return s->value;
}
static double kept(const double *x, hash *of) {
    table t = {calloc(16, sizeof(slot)), 16, 0};
    double sum = 0;
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++) sum += product(&t, x[i], x[(i + 1) % 4], of) * (round + 1);
    sum *= (double)t.count;
    free(t.slots);
    return sum;
}
static double by_words(const double *x) { return kept(x, of_words); }
static double by_halves(const double *x) { return kept(x, of_halves); }
AD_FUNCTIONAL(by_words)
AD_FUNCTIONAL(by_halves)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(by_words, 4), CHECK_FUNCTIONAL(by_halves, 4)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 2, 0.2, 0.6);
    return check_done();
}
