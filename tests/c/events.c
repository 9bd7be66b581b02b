/* Events in a queue: unions of structs that have a pointer where others have a real, and a float where others have characters. */
// ad-i386: none, a word of four bytes may be a pointer or a float (AD034)
#include "requests.h"

enum { N = 5 };

typedef struct {
    enum { HIT, MOVE, SPIN, NOTE } kind;
    double at;
    union {
        struct {
            int who;
            double impulse;
        } hit;
        struct {
            double by[3];
            float speed;
        } move;
        struct {
            double *about;
            double angle;
            short turns;
        };
        char note[24];
    };
} event;

typedef struct {
    double p, v, mass;
    int hits;
} body;

static body react(body b, event e) {
    switch (e.kind) {
        case HIT: b.v += b.p * e.hit.impulse / b.mass, b.hits += e.hit.who; break;
        case MOVE: b.p += (e.move.by[0] + e.move.by[1] * e.move.by[2]) * e.move.speed; break;
        case SPIN:
            for (int i = 0; i < e.turns; i++) b.p *= cos(e.angle) + *e.about, *e.about *= 1.1;
            break;
        case NOTE: b.mass *= 1 + 0.01 * (e.note[0] == 'm'); break;
    }
    return b;
}
static void swap(event *a, event *b) {
    event t = *a;
    *a = *b, *b = t;
}
static double play(const double *x) {
    double frame = x[0] * x[1];
    event q[7];
    int n = 0;
    q[n++] = (event){HIT, 0.3, .hit = {2, x[2]}};
    q[n++] = (event){MOVE, 0.1, .move = {{x[3], x[0] * x[1], 0.2}, 1.25f}};
    q[n].kind = SPIN, q[n].at = 0.7 + 0.01 * x[2], q[n].about = &frame, q[n].angle = x[3] / 2, q[n].turns = 3, n++;
    q[n].kind = NOTE, q[n].at = 0.25, strcpy(q[n].note, "mark"), n++;
    q[n++] = (event){.kind = HIT, .at = 0.9, .hit.impulse = x[4] * x[2], .hit.who = 1};
    q[n] = q[1], q[n].at = 1.1, q[n].move.by[1] = x[3], n++;
    q[n] = q[1], q[n].at = 1.2, n++;
    for (int i = 1; i < n; i++)
        for (int j = i; j > 0 && q[j].at < q[j - 1].at; j--) swap(&q[j], &q[j - 1]);
    body b = {x[1], x[0], 1 + x[4], 0};
    double t = 0;
    for (int i = 0; i < n; i++) {
        b.p += b.v * (q[i].at - t);
        t = q[i].at;
        b = react(b, q[i]);
    }
    return b.p * b.v * b.mass + frame + b.hits * b.v;
}

AD_FUNCTIONAL(play)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(play, N)};
    for (unsigned i = 0; i < sizeof cases / sizeof cases[0]; i++) check_random_points(&cases[i], 6, 0.3, 1.1);
    return check_done();
}
