/* Reals that are taken apart into integers exactly, and put together again: no rounding is left whose derivative could be zero, so the program
 * ends with AD219 and the place. In both modes: digits by frexp in one integer and in several, in loops, across calls and memory, in all formats.
 * ad-flags: -g */
#include "ending.h"
#include "requests.h"

#include <math.h>
#include <stdint.h>

#define APART __attribute__((noinline))

static double one(double x) {
    int e;
    double m = frexp(x, &e);
    int64_t n = (int64_t)ldexp(m, 53);
    return ldexp((double)(n * 2), e - 53);
}
static double unsigned_one(double x) {
    int e;
    uint64_t n = (uint64_t)ldexp(frexp(x, &e), 63);
    return ldexp((double)n, e - 63) * 3.0;
}
/* 0.7 has 52 digits behind the point: below 2^52, and exact. */
static double shorter(double x) {
    int e;
    int64_t n = (int64_t)(frexp(x, &e) * 4503599627370496.0);
    return ldexp((double)n, e - 52);
}
static double rounded_to_nearest(double x) {
    int e;
    return ldexp((double)llrint(ldexp(frexp(x, &e), 53)), e - 53);
}
static double away_from_zero(double x) {
    int e;
    return ldexp((double)llround(ldexp(frexp(x, &e), 53)), e - 53);
}

static APART int64_t digits(double x, int *e) { return (int64_t)ldexp(frexp(x, e), 53); }
static APART double put(int64_t n, int e) { return ldexp((double)n, e - 53); }
static double across_calls(double x) {
    int e;
    int64_t n = digits(x, &e);
    return put(n, e);
}
static APART int64_t deeper(double x) { return (int64_t)x; }
static APART int64_t deep(double x) { return deeper(x * 9007199254740992.0) + 1; }
static double across_two_calls(double x) { return (double)deep(x) * 0x1p-53; }

static APART void split(double x, int64_t *to) { to[1] = (int64_t)ldexp(x, 53); }
static double across_memory(double x) {
    int64_t held[3] = {0};
    split(x, held);
    return ldexp((double)held[1], -53);
}
static double in_arrays(double x) {
    int64_t held[8];
    double sum = 0.0;
    for (int i = 0; i < 8; i++) held[i] = (int64_t)ldexp(x, 53 + i % 3);
    for (int i = 0; i < 8; i++) sum += ldexp((double)held[(i * 5) % 8], -53 - ((i * 5) % 8) % 3);
    return sum;
}

/* In two integers, of 26 and 27 digits. */
static double two_pieces(double x) {
    double m = ldexp(x, 26);
    int high = (int)m;
    int low = (int)ldexp(m - high, 27);
    return ldexp((double)high, -26) + ldexp((double)low, -53);
}
static double two_of_whole(double x) {
    double m = ldexp(x, 50);
    int high = (int)(m / 67108864.0);
    int low = (int)((m - high * 67108864.0) * 8.0);
    return ldexp(high * 536870912.0 + low, -53);
}
static double hexadecimal(double x) {
    int held[14];
    double m = x, sum = 0.0;
    for (int i = 0; i < 14; i++) {
        m *= 16.0;
        held[i] = (int)m;
        m -= held[i];
    }
    for (int i = 13; i >= 0; i--) sum = (sum + held[i]) / 16.0;
    return sum;
}
static double binary(double x) {
    uint64_t n = 0;
    double m = x;
    for (int i = 0; i < 53; i++) {
        m *= 2.0;
        int bit = (int)m;
        m -= bit;
        n = 2 * n + (uint64_t)bit;
    }
    return ldexp((double)n, -53);
}

static double of_float(double x) {
    int e;
    float m = frexpf((float)x, &e);
    int n = (int)ldexpf(m, 24);
    return ldexpf((float)n, e - 24);
}
static double of_long_double(double x) {
    int e;
    long double m = frexpl((long double)x * 1.1L, &e);
    uint64_t n = (uint64_t)ldexpl(m, 64);
    return (double)ldexpl((long double)n, e - 64);
}
#ifdef __x86_64__
static double of_quad(double x) {
    __float128 m = (__float128)x * x;
    __int128 n = (__int128)(m * 0x1p60 * 0x1p53);
    return (double)((__float128)n * 0x1p-60 * 0x1p-53);
}
#else
#define of_quad of_long_double
#endif
/* All of it goes through, choices or not. */
static double chosen(double x) {
    double m = x * 0x1p54;
    double r = m > 0.0 ? (double)(int64_t)m : 0.0;
    return r * 0x1p-54;
}

/* Schraudolph's exponential: the upper half of a double, with most of its fraction. */
static double exponential(double x) {
    union {
        double real;
        int halves[2];
    } u;
    u.halves[0] = 0;
    u.halves[1] = (int)(1512775 * x + 1072632447);
    return u.real;
}
static double exponential_of_word(double x) {
    int64_t word = (int64_t)(int)(1512775 * x + 1072632447) << 32;
    double real;
    memcpy(&real, &word, sizeof real);
    return real;
}

typedef double function(double);
static APART double tangent_of(function *f, double x) {
#define CASE(g)                                                                                                                                                     \
    if (f == g) return __ad_tangent_double((void *)g, x, 1.0)
#define ALL(CASE)                                                                                                                                                   \
    CASE(one); CASE(unsigned_one); CASE(shorter); CASE(rounded_to_nearest); CASE(away_from_zero); CASE(across_calls); CASE(across_two_calls); CASE(across_memory); \
    CASE(in_arrays); CASE(two_pieces); CASE(two_of_whole); CASE(hexadecimal); CASE(binary); CASE(of_float); CASE(of_long_double); CASE(of_quad); CASE(chosen); \
    CASE(exponential); CASE(exponential_of_word)
    ALL(CASE);
    return 0.0;
}
static APART double adjoint_of(function *f, double x) {
#undef CASE
#define CASE(g)                                                                                                                                                     \
    if (f == g) return __ad_adjoint_double((void *)g, x)
    ALL(CASE);
    return 0.0;
}

struct derivative {
    function *f;
    int is_adjoint;
};
static void derive(void *use) {
    const struct derivative *d = (const struct derivative *)use;
    volatile double value = d->is_adjoint ? adjoint_of(d->f, 0.7) : tangent_of(d->f, 0.7);
    (void)value;
}
static void ends(const char *name, function *f, int is_adjoint) {
    struct derivative d = {f, is_adjoint};
    check_ends(name, derive, &d, "AD219", "digits_refused.c:");
}

int main(void) {
    static const struct {
        const char *name;
        function *f;
    } cases[] = {
        {"one", one}, {"unsigned_one", unsigned_one}, {"shorter", shorter}, {"rounded_to_nearest", rounded_to_nearest}, {"away_from_zero", away_from_zero},
        {"across_calls", across_calls}, {"across_two_calls", across_two_calls}, {"across_memory", across_memory}, {"in_arrays", in_arrays},
        {"two_pieces", two_pieces}, {"two_of_whole", two_of_whole}, {"hexadecimal", hexadecimal}, {"binary", binary}, {"of_float", of_float},
        {"of_long_double", of_long_double}, {"of_quad", of_quad}, {"chosen", chosen},
        {"exponential", exponential}, {"exponential_of_word", exponential_of_word},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ends(cases[i].name, cases[i].f, 0);
        ends(cases[i].name, cases[i].f, 1);
    }
    return check_done();
}
