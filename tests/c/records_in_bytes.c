/* Records that are written one behind the other to an array of bytes, which grows: reals lie where they are not aligned, and pieces of two of them
 * make a word. Some have adjoint zero, so that the pieces of their neighbours look like addresses.
 * ad-i386: none, a copy of unknown type is refused there */
#include <stdint.h>
#include <string.h>

#include "requests.h"

typedef struct { unsigned char *bytes; size_t length, room, at; } stream;

static void put(stream *s, const void *from, size_t n) {
    if (s->length + n > s->room) {
        s->room = 2 * (s->length + n);
        s->bytes = realloc(s->bytes, s->room);
    }
    memcpy(s->bytes + s->length, from, n);
    s->length += n;
}

static int get(stream *s, void *to, size_t n) {
    if (s->at + n > s->length) return 0;
    memcpy(to, s->bytes + s->at, n);
    s->at += n;
    return 1;
}

typedef struct { uint32_t tag; uint16_t kind; double t, q[3]; } record;

static void put_record(stream *s, const record *r) {
    put(s, &r->tag, sizeof r->tag);
    put(s, &r->kind, sizeof r->kind);
    put(s, &r->t, sizeof r->t);
    put(s, r->q, sizeof r->q);
}

static int get_record(stream *s, record *r) {
    memset(r, 0, sizeof *r);
    return get(s, &r->tag, sizeof r->tag) && get(s, &r->kind, sizeof r->kind) && get(s, &r->t, sizeof r->t) && get(s, r->q, sizeof r->q);
}

static void written_and_read(const double *x, double *y) {
    stream s = {0};
    record r = {.tag = 17, .kind = 3, .t = x[0], .q = {x[1], x[2], x[0] * x[1]}};
    for (int k = 0; k < 4; k++) {
        put_record(&s, &r);
        r.q[0] += 0.5 * r.q[1] * sin(r.t);
        r.q[2] *= r.q[0];
        r.t += 0.25;
    }
    y[0] = y[1] = 0;
    record b;
    while (get_record(&s, &b)) {
        y[0] += b.q[0] * b.q[2] * b.kind;
        y[1] += b.t * b.q[2];
    }
    free(s.bytes);
}
AD_MAP(written_and_read)

/* One tag, so that reals lie at multiples of four. */
static void halves_of_words(const double *x, double *y) {
    stream s = {0};
    uint32_t tag = 5;
    put(&s, &tag, sizeof tag);
    double sum = 0;
    for (int k = 0; k < 9; k++) {
        double v = x[k % 3] * (k + 1);
        put(&s, &v, sizeof v);
        sum += v * v;
    }
    get(&s, &tag, sizeof tag);
    y[0] = sum, y[1] = 0;
    double v;
    for (int k = 0; get(&s, &v, sizeof v); k++) if (k % 2) y[1] += v * x[k % 2];
    free(s.bytes);
}
AD_MAP(halves_of_words)

/* The same functions out of line: no copy knows what it moves, between variables that are aligned and bytes that are not. */
__attribute__((noinline)) static void put_any(stream *s, const void *from, size_t n) { put(s, from, n); }
__attribute__((noinline)) static void get_any(stream *s, void *to, size_t n) { get(s, to, n); }
static void out_of_line(const double *x, double *y) {
    stream s = {0};
    uint32_t tag = 17;
    uint16_t kind = 3;
    for (int k = 0; k < 3; k++) {
        double t = x[k] * x[k], u = x[k] * 3;
        put_any(&s, &tag, sizeof tag), put_any(&s, &kind, sizeof kind), put_any(&s, &t, sizeof t), put_any(&s, &u, sizeof u);
    }
    y[0] = 0;
    for (int k = 0; k < 3; k++) {
        double t, u;
        get_any(&s, &tag, sizeof tag), get_any(&s, &kind, sizeof kind), get_any(&s, &t, sizeof t), get_any(&s, &u, sizeof u);
        y[0] += t * kind;
    }
    free(s.bytes);
}
AD_MAP(out_of_line)

/* Packed structs of which the first real is aligned, and no other. */
#pragma pack(push, 1)
typedef struct { double a; char c; double b, z; } packed;
#pragma pack(pop)
static void packed_structs(const double *x, double *y) {
    stream s = {0};
    for (int i = 0; i < 4; i++) {
        packed r = {x[0] * i, 'c', x[1] + i, x[2]};
        put(&s, &r, sizeof r);
    }
    packed all[4];
    get(&s, all, sizeof all);
    y[0] = 0;
    for (int i = 0; i < 4; i++) y[0] += all[i].b * all[i].b;
    free(s.bytes);
}
AD_MAP(packed_structs)

int main(void) {
    check_case cases[] = {CHECK_MAP(written_and_read, 3, 2), CHECK_MAP(halves_of_words, 3, 2), CHECK_MAP(out_of_line, 3, 1), CHECK_MAP(packed_structs, 3, 1)};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) check_random_points(&cases[k], 2, 0.3, 1.2);
    return check_done();
}
