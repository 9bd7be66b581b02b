// Reals that are taken apart into integers exactly, in C++: across globals, structs, virtual functions, containers, callables, exceptions, memory copies and vectors of
// integers. The program ends with AD219, in both modes.
// ad-flags: -g
#include "ending.h"
#include "requests.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <stdexcept>
#include <vector>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#define APART __attribute__((noinline))

static int64_t held;
static int held_exponent;
static APART void take(double x) { held = (int64_t)std::ldexp(std::frexp(x, &held_exponent), 53); }
static APART double give() { return std::ldexp((double)held, held_exponent - 53); }
static double globals(double x) {
    take(x);
    return give();
}

struct Parts {
    int64_t n;
    int e;
};
static APART Parts parts(double x) {
    Parts p;
    p.n = (int64_t)std::ldexp(std::frexp(x, &p.e), 53);
    return p;
}
static double structs(double x) {
    Parts p = parts(x);
    return std::ldexp((double)p.n, p.e - 53);
}

struct Coder {
    virtual ~Coder() = default;
    virtual int64_t code(double x) const = 0;
};
struct Long : Coder {
    int64_t code(double x) const override { return (int64_t)std::ldexp(x, 60); }
};
struct Short : Coder {
    int64_t code(double x) const override { return (int64_t)std::ldexp(x, 57); }
};
static double virtuals(double x) {
    Coder *c = x > 0.5 ? static_cast<Coder *>(new Long) : new Short;
    double r = std::ldexp((double)c->code(x), -60);
    delete c;
    return r;
}
static double vectors(double x) {
    std::vector<int64_t> v;
    for (int i = 0; i < 4; i++) v.push_back((int64_t)std::ldexp(x, 55 + i));
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += std::ldexp((double)v[i], -55 - i);
    return sum;
}
static double callables(double x) {
    std::function<int64_t(double)> code = [](double m) -> int64_t { return (int64_t)(m * 0x1p53); };
    return (double)code(x) * 0x1p-53;
}
static APART int64_t thrower(double x) {
    if (x < 0.0) throw std::runtime_error("negative");
    return (int64_t)(x * 0x1p53);
}
static double throwing(double x) {
    std::vector<double> kept(3, x);
    return (double)thrower(x) * 0x1p-53 + 0.0 * kept[1];
}
// An integer becomes the fraction of a real by its bits.
static double bits(double x) {
    uint64_t b = ((uint64_t)(x * 0x1p52 + 0x1p52) & 0xfffffffffffffu) | 0x3ff0000000000000u;
    double r;
    std::memcpy(&r, &b, sizeof r);
    return r - 1.0;
}
static double copied(double x) {
    int64_t from[4], to[4];
    for (int i = 0; i < 4; i++) from[i] = (int64_t)std::ldexp(x, 53 + i);
    std::memcpy(to, from, sizeof to);
    double sum = 0.0;
    for (int i = 0; i < 4; i++) sum += std::ldexp((double)to[i], -53 - i);
    return sum;
}
static double halves(double x) {
    uint64_t n = (uint64_t)(x * 0x1p64);
    return (double)(uint32_t)(n >> 32) * 0x1p-32 + (double)(uint32_t)n * 0x1p-64;
}
#ifdef __x86_64__
static double wide(double x) { return (double)(__int128)(x * 0x1p100) * 0x1p-100; }
#endif

typedef double reals __attribute__((vector_size(32)));
typedef int64_t integers __attribute__((vector_size(32)));
static double vector_types(double x) {
    reals m = {x, x * 2.0, x * 3.0, x * 0x1p53};
    integers n = __builtin_convertvector(m, integers);
    reals r = __builtin_convertvector(n, reals);
    return r[0] + r[3] * 0x1p-53;
}
#ifdef __x86_64__
static double intrinsic(double x) { return (double)_mm_cvttsd_si64(_mm_set_sd(x * 0x1p53)) * 0x1p-53; }
static double intrinsic_float(double x) {
    __m128i n = _mm_cvttps_epi32(_mm_set1_ps((float)x * 0x1p24f));
    return (double)_mm_cvtss_f32(_mm_cvtepi32_ps(n)) * 0x1p-24;
}
static double intrinsic_pieces(double x) {
    double m = x * 0x1p26;
    int high = _mm_cvtsd_si32(_mm_set_sd(m));
    int low = _mm_cvtsd_si32(_mm_set_sd((m - high) * 0x1p27));
    return (high + low * 0x1p-27) * 0x1p-26;
}
#define ONLY_64(CASE) CASE(wide) CASE(intrinsic_pieces) CASE(intrinsic) CASE(intrinsic_float)
#else
#define ONLY_64(CASE)
#endif
// Vectorised, with the test.
static double loops(double x) {
    double sum = 0.0;
    for (int i = 0; i < 100; i++) sum += (double)(int64_t)((x + i) * 0x1p53) * 0x1p-53;
    return sum;
}
static APART void each(const double *x, int64_t *n, int count) {
    for (int i = 0; i < count; i++) n[i] = (int64_t)(x[i] * 0x1p53);
}
static double arrays(double x) {
    double a[3] = {x, 2.0 * x, 3.0 * x};
    int64_t n[3];
    each(a, n, 3);
    return (double)n[0] * 0x1p-53 + (double)n[2] * 0x1p-53;
}
static double three_pieces(double x) {
    double m = x * 0x1p18;
    int a = (int)m;
    m = (m - a) * 0x1p18;
    int b = (int)m;
    m = (m - b) * 0x1p17;
    int c = (int)m;
    return ((c * 0x1p-17 + b) * 0x1p-18 + a) * 0x1p-18;
}

#define ALL(CASE)                                                                                                                           \
    CASE(globals) CASE(structs) CASE(virtuals) CASE(vectors) CASE(callables) CASE(throwing) CASE(bits) CASE(copied) CASE(halves) ONLY_64(CASE) \
    CASE(vector_types) CASE(loops) CASE(arrays) CASE(three_pieces)

template <class Derivative> static void ends(const char *name, Derivative derivative) {
    auto use = [](void *of) {
        volatile double d = (*(Derivative *)of)();
        (void)d;
    };
    check_ends(name, use, &derivative, "AD219", "digits_refused.cpp:");
}

int main() {
#define CASE(f)                                                                              \
    ends(#f ", tangent", [] { return __ad_tangent_double((void *)f, 0.7, 1.0); }); \
    ends(#f ", adjoint", [] { return __ad_adjoint_double((void *)f, 0.7); });
    ALL(CASE)
    return check_done();
}
