/* Vectors of integers that copy reals: through one array and on to another, shuffled, taken apart, put together, chosen, carried
 * around a loop; halves and bytes of reals that stay together; signs cleared and flipped. */
// ad-i386: none, its vectors of long have other lengths
// ad-sanitizers: address
#include "requests.h"
#include <string.h>
typedef long pair __attribute__((vector_size(16), may_alias, aligned(8)));
typedef long four __attribute__((vector_size(32), may_alias, aligned(8)));
typedef int parts __attribute__((vector_size(16), may_alias, aligned(4)));
typedef unsigned char single __attribute__((vector_size(16), may_alias, aligned(1)));
typedef double real_pair __attribute__((vector_size(16), aligned(8), may_alias));
typedef long whole __attribute__((may_alias));

static double copied(const double *x) {
    double a[4], b[4];
    for (int i = 0; i < 4; i += 2) *(pair *)(a + i) = *(const pair *)(x + i);
    for (int i = 0; i < 4; i += 2) *(pair *)(b + i) = *(const pair *)(a + i);
    return b[0] * b[1] + a[2] * b[3];
}

static double swapped(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    *(pair *)b = __builtin_shufflevector(v, v, 1, 0);
    return b[0] * b[0] + 3 * b[1];
}

static double mixed(const double *x) {
    double b[4];
    pair v = *(const pair *)x, w = *(const pair *)(x + 2);
    *(four *)b = __builtin_shufflevector(v, w, 3, 0, 2, 1);
    return b[0] * b[1] + b[2] * b[3] * b[3];
}

static double lane(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    *(whole *)&b[0] = v[1];
    *(whole *)&b[1] = v[0];
    return b[0] * b[0] + 3 * b[1];
}

static double any_lane(const double *x) {
    double s = 0;
    pair v = *(const pair *)x;
    for (int i = 0; i < 2; i++) {
        double b;
        long l = v[i];
        memcpy(&b, &l, 8);
        s += (i + 1) * b * b;
    }
    return s;
}

static double put(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    v[0] = *(const whole *)(x + 2);
    *(pair *)b = v;
    return b[0] * b[0] + 3 * b[1] * b[1];
}

static double gathered(const double *x) {
    double b[2];
    pair v = {*(const whole *)(x + 3), *(const whole *)(x + 1)};
    *(pair *)b = v;
    return b[0] * b[0] + 3 * b[1] * b[1];
}

static double blended(const double *x) {
    double b[2];
    pair v = *(const pair *)x, w = *(const pair *)(x + 2);
    real_pair xv = *(const real_pair *)x;
    pair m = xv > 0.7;
    *(pair *)b = (v & m) | (w & ~m);
    return b[0] * b[0] + 3 * b[1] * b[1];
}

static double one_or_other(const double *x) {
    double b[2];
    pair v = *(const pair *)x, w = *(const pair *)(x + 2);
    *(pair *)b = x[0] > 0.7 ? v : w;
    return b[0] * b[0] + 3 * b[1] * b[1];
}

static double carried(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    for (int i = 0; i < 3; i++) if (x[3] * i < 1) v = __builtin_shufflevector(v, v, 1, 0);
    *(pair *)b = v;
    return b[0] * b[0] + 3 * b[1];
}

static double halves(const double *x) {
    double b[2];
    parts v = *(const parts *)x;
    *(parts *)b = __builtin_shufflevector(v, v, 2, 3, 0, 1);
    return b[0] * b[0] + 3 * b[1];
}

static double bytes(const double *x) {
    double b[2];
    single v = *(const single *)x;
    *(single *)b = __builtin_shufflevector(v, v, 8,9,10,11,12,13,14,15,0,1,2,3,4,5,6,7);
    return b[0] * b[0] + 3 * b[1];
}

static double casted(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    parts w = (parts)v;
    w = __builtin_shufflevector(w, w, 2, 3, 0, 1);
    *(pair *)b = (pair)w;
    return b[0] * b[0] + 3 * b[1];
}

static double abs_of(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    v &= 0x7fffffffffffffffl;
    *(pair *)b = v;
    return b[0] * b[0] + 3 * b[1] * b[1];
}

static double neg_of(const double *x) {
    double b[2];
    pair v = *(const pair *)x;
    v ^= (long)0x8000000000000000l;
    *(pair *)b = v;
    return b[0] * b[0] + 3 * b[1];
}

/* One real, as an integer. */
static double magnitude(const double *x) {
    double b;
    long v;
    memcpy(&v, x, sizeof v);
    v &= 0x7fffffffffffffffl;
    memcpy(&b, &v, sizeof b);
    return b * b * x[1];
}
static double flipped(const double *x) {
    double b[2];
    *(whole *)(b + 1) = *(const whole *)x ^ (long)0x8000000000000000l;
    b[0] = x[1];
    return b[0] * b[1] * b[1] + b[1];
}

AD_FUNCTIONAL(copied)
AD_FUNCTIONAL(swapped)
AD_FUNCTIONAL(mixed)
AD_FUNCTIONAL(lane)
AD_FUNCTIONAL(any_lane)
AD_FUNCTIONAL(put)
AD_FUNCTIONAL(gathered)
AD_FUNCTIONAL(blended)
AD_FUNCTIONAL(one_or_other)
AD_FUNCTIONAL(carried)
AD_FUNCTIONAL(halves)
AD_FUNCTIONAL(bytes)
AD_FUNCTIONAL(casted)
AD_FUNCTIONAL(abs_of)
AD_FUNCTIONAL(neg_of)
AD_FUNCTIONAL(magnitude)
AD_FUNCTIONAL(flipped)

int main(void) {
    check_case all[] = {
        CHECK_FUNCTIONAL(copied, 4),
        CHECK_FUNCTIONAL(swapped, 4),
        CHECK_FUNCTIONAL(mixed, 4),
        CHECK_FUNCTIONAL(lane, 4),
        CHECK_FUNCTIONAL(any_lane, 4),
        CHECK_FUNCTIONAL(put, 4),
        CHECK_FUNCTIONAL(gathered, 4),
        CHECK_FUNCTIONAL(blended, 4),
        CHECK_FUNCTIONAL(one_or_other, 4),
        CHECK_FUNCTIONAL(carried, 4),
        CHECK_FUNCTIONAL(halves, 4),
        CHECK_FUNCTIONAL(bytes, 4),
        CHECK_FUNCTIONAL(casted, 4),
        CHECK_FUNCTIONAL(abs_of, 4),
        CHECK_FUNCTIONAL(neg_of, 4),
        CHECK_FUNCTIONAL(magnitude, 4),
        CHECK_FUNCTIONAL(flipped, 4),
    };
    for (unsigned i = 0; i < sizeof all / sizeof *all; i++) check_random_points(&all[i], 2, 0.3, 1.1);
    return check_done();
}
