//! Tangents and adjoints of functions whose code has particular instructions: constants that round,
//! the x87 unit, general registers that carry reals, bit tricks, masks.

// It is made of code for x86-64.
#![cfg(target_arch = "x86_64")]

mod support;

use support::{Loaded, adjoint, alone, derivative, derivative_of_float};

/// Derivatives by central differences, of functions that are smooth at these points.
fn check(name: &str, source: &str, flags: &[&[&str]], functions: &[&str]) {
    let _alone = alone();
    let mut wrong = Vec::new();
    for flags in flags {
        let loaded = Loaded::new(name, source, flags);
        for function in functions {
            let address = loaded.function(function);
            // SAFETY: a function of the source.
            let plain: extern "C" fn(f64) -> f64 =
                unsafe { std::mem::transmute(address as *const ()) };
            for x in [0.31371, 0.91713, 1.41429, 2.30717] {
                let (y, dot) = derivative(address, x);
                let h = 1e-5;
                let difference = (8.0 * (plain(x + h) - plain(x - h))
                    - (plain(x + 2.0 * h) - plain(x - 2.0 * h)))
                    / (12.0 * h);
                assert_eq!(y.to_bits(), plain(x).to_bits(), "{flags:?} {function}({x})");
                let (recorded, bar) = adjoint(address, x);
                assert_eq!(recorded.to_bits(), y.to_bits(), "{flags:?} {function}({x})");
                let is_near = |derivative: f64| {
                    (derivative - difference).abs() <= 2e-8 * (1.0 + derivative.abs())
                };
                if is_near(dot) && is_near(bar) {
                    continue;
                }
                wrong.push(format!("{flags:?} {function}({x}): {dot}, {bar}, {difference}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const ROUNDING: &str = "
#include <string.h>
#define BIG 6755399441055744.0
#define BIGF 12582912.0f
double held(double x) { double s = 0; for (int i = 1; i < 20; i++) s += x * i - ((x * i + BIG) - BIG); return s; }
double lesser(double x) { double s = 0; for (int i = 1; i < 20; i++) { double y = x * i; s += y * ((y + 0x1.8p50) - 0x1.8p50); } return s; }
double up(double x) { double y = x * 3.3, s = x; for (int i = 0; i < 5; i++) s += (y * i + 0x1p52) - 0x1p52; return s; }
__attribute__((noinline)) static double by(const double *c, double x) { return (x + *c) - *c; }
double pointed(double x) { volatile double c = BIG; double d = c; return x * x + by(&d, x * 7.1); }
double fused(double x) { double c = BIG, s = x; for (int i = 1; i < 9; i++) { double k = x * 1.7 + c * i / i; s += (k - c) * x; } return s; }
double arrays(double x) {
    double a[16], b[16], s = 0;
    for (int i = 0; i < 16; i++) a[i] = x * (i + 1);
    for (int i = 0; i < 16; i++) b[i] = (a[i] + BIG) - BIG;
    for (int i = 0; i < 16; i++) s += a[i] * b[i];
    return s;
}
double floats(double x) {
    float a[16], b[16]; double s = 0;
    for (int i = 0; i < 16; i++) a[i] = (float)(0.25 * (i + 1));
    for (int i = 0; i < 16; i++) b[i] = (a[i] * (float)x + BIGF) - BIGF;
    for (int i = 0; i < 16; i++) s += (double)b[i] * x;
    return s;
}
double scalar(double x) { float y = (float)x, c = BIGF, s = 0; for (int i = 1; i < 9; i++) { s += (y * i + c) - c; } return s * x; }
double big(double x) { double s = 0x1.23456789p50, t = 0; for (int i = 0; i < 9; i++) { double u = s * x; t += u * 1e-15 + (u - s * i); } return t * 1e-15; }
double choose(double x, int n, double *p) { return x; }
";

const COMMON: [&[&str]; 6] =
    [&["-O0"], &["-O1"], &["-O2"], &["-O3"], &["-O3", "-mavx2", "-mfma"], &["-O2", "-mavx"]];

#[test]
fn sums_that_round_have_derivative_zero() {
    check(
        "rounding",
        ROUNDING,
        &COMMON,
        &["held", "lesser", "up", "pointed", "fused", "arrays", "floats", "scalar", "big"],
    );
    check(
        "rounding",
        ROUNDING,
        &[&["-O3", "-march=native", "-mprefer-vector-width=512"]],
        &["held", "lesser", "up", "pointed", "fused", "arrays", "floats", "scalar", "big"],
    );
}

const EXTENDED: &str = "
#include <math.h>
#include <string.h>
double polynomial(double x) { long double y = x; y = ((y * 3.0L - 1.0L) * y + x) / (1.0L + y * y); return (double)y; }
double arrays(double x) {
    long double a[9], s = 0;
    for (int i = 0; i < 9; i++) a[i] = (long double)x / (i + 1);
    for (int i = 1; i < 8; i++) a[i] += a[i - 1] * a[i + 1] - (float)i;
    for (int i = 0; i < 9; i++) s += a[i] * (long double)i;
    return (double)s;
}
__attribute__((noinline)) static long double taken(long double a, int n, long double b, float c, double d) { return a * b + n * a - b / (c + d * a); }
double arguments(double x) { long double y = x; return (double)taken(y, 3, y * y + 1.0L, 1.5f, x); }
struct both { long double a; double b; };
__attribute__((noinline)) static struct both made(double x) { struct both p = {(long double)x * x, x + 1}; return p; }
double structs(double x) { struct both p = made(x), q; memcpy(&q, &p, sizeof q); return (double)(q.a * q.b); }
double libm(double x) {
    long double y = x;
    return (double)(expl(-y) * sinl(y) + powl(y, 1.7L) * cosl(y) + atan2l(y, 2.0L) - log1pl(y) * sqrtl(y) + exp2l(y) / hypotl(y, 3.0L) + tanhl(y) + fabsl(-y) + logl(y + 2));
}
double choice(double x) { long double y = x > 1.0 ? (long double)x * x : 2.0L * x - 1.0L; return (double)(y < 4.0L ? y * x : -y); }
double roots(double x) { long double y = 0; for (int i = 1; i < 20; i++) y += sqrtl(fabsl(x * i + y)) - fabsl(y - x); return (double)y; }
double integers(double x) { long double y = x * 10; int n = (int)y; long m = (long)(y * 3); return (double)((y - n) * y + m * y); }
double rounded(double x) { long double y = x; return (double)(y * y + ((y * 8 + 0x1.8p63L) - 0x1.8p63L)); }
";

const UNIT: &str = "
double angle(double x) { double r; __asm__(\"fldl %1; fld1; fpatan; fstpl %0\" : \"=m\"(r) : \"m\"(x) : \"st\"); return r; }
double logarithm(double x) { double r; __asm__(\"fldl %1; fldl %1; fyl2x; fstpl %0\" : \"=m\"(r) : \"m\"(x) : \"st\"); return r; }
double next(double x) { double r, y = x * 0.1; __asm__(\"fldl %1; fldl %1; fyl2xp1; fstpl %0\" : \"=m\"(r) : \"m\"(y) : \"st\"); return r; }
double power(double x) { double r, y = x * 0.4 - 0.5; __asm__(\"fldl %1; f2xm1; fstpl %0\" : \"=m\"(r) : \"m\"(y) : \"st\"); return r; }
double circle(double x) { double r; __asm__(\"fldl %1; fsincos; fmulp; fldl %1; fptan; fstp %%st(0); faddp; fldl %1; fsin; fldl %1; fcos; fdivrp; fsubp; fstpl %0\" : \"=m\"(r) : \"m\"(x) : \"st\"); return r; }
double scaled(double x) { double r, n = 3.0; __asm__(\"fldl %2; fldl %1; fscale; fstp %%st(1); fchs; fabs; fstpl %0\" : \"=m\"(r) : \"m\"(x), \"m\"(n) : \"st\"); return r; }
double moved(double x) { double r; __asm__(\"fldl %1; fld %%st(0); fmul %%st(1), %%st; fxch; fcomi %%st(1), %%st; fcmovb %%st(1), %%st; fcmovnb %%st(1), %%st; fmulp; fincstp; fdecstp; fstpl %0\" : \"=m\"(r) : \"m\"(x) : \"st\"); return r; }
double saved(double x) { double r; char a[108]; __asm__(\"fldl %1; fld1; fldl %1; fmul %%st(2), %%st; fnsave %2; frstor %2; faddp; fmulp; fstpl %0\" : \"=m\"(r), \"+m\"(x), \"+m\"(a) : : \"st\"); return r; }
double environment(double x) { double r; char a[28]; __asm__(\"fldl %1; fnstenv %2; fldenv %2; fmull %1; fstpl %0\" : \"=m\"(r), \"+m\"(x), \"+m\"(a) : : \"st\"); return r; }
double integer(double x) { double r; int n = 3; __asm__(\"fldl %1; fimull %2; fildl %2; fsubrp; fldl %1; fisubrl %2; fmulp; ffree %%st(3); fstpl %0\" : \"=m\"(r) : \"m\"(x), \"m\"(n) : \"st\"); return r; }
double rest(double x) { double r, y = x * 5.1, z = x + 0.05; __asm__(\"fldl %2; fldl %1; fprem; fstp %%st(1); fstpl %0\" : \"=m\"(r) : \"m\"(y), \"m\"(z) : \"st\"); return r + y; }
double parts(double x) { double r; __asm__(\"fldl %1; fxtract; fstp %%st(1); fstpl %0\" : \"=m\"(r) : \"m\"(x) : \"st\"); return r; }
";

#[test]
fn the_x87_unit_carries_dots() {
    check(
        "extended",
        EXTENDED,
        &[
            &["-O0"],
            &["-O2"],
            &["-O2", "-mfpmath=387"],
            &["-O0", "-mfpmath=387"],
            &["-O3", "-mavx2"],
        ],
        &[
            "polynomial", "arrays", "arguments", "structs", "libm", "choice", "roots", "integers",
            "rounded",
        ],
    );
    check(
        "unit",
        UNIT,
        &[&["-O1"]],
        &[
            "angle", "logarithm", "next", "power", "circle", "scaled", "moved", "saved",
            "environment", "integer", "rest", "parts",
        ],
    );
}

const GENERAL: &str = "
#include <math.h>
#include <stdint.h>
#include <string.h>
static uint64_t bits(double x) { uint64_t n; memcpy(&n, &x, 8); return n; }
static double real(uint64_t n) { double x; memcpy(&x, &n, 8); return x; }
static uint32_t bitsf(float x) { uint32_t n; memcpy(&n, &x, 4); return n; }
static float realf(uint32_t n) { float x; memcpy(&x, &n, 4); return x; }
#define HIDE(n) __asm__(\"\" : \"+r\"(n))
double magnitude(double x) { uint64_t n = bits(1.0 - x * x); HIDE(n); n &= 0x7fffffffffffffff; HIDE(n); return real(n) * x; }
double sign(double x) { uint64_t n = bits(1.1 - x * x); HIDE(n); n ^= 1ull << 63; HIDE(n); return real(n) * x; }
double copied(double x) {
    uint64_t n = bits(x * x), m = bits(x - 1.2); HIDE(n); HIDE(m);
    n = (n & 0x7fffffffffffffff) | (m & 0x8000000000000000); HIDE(n);
    return real(n) * x;
}
double cleared(double x) { uint64_t n = bits(-x * x); HIDE(n); __asm__(\"btr $63, %0\" : \"+r\"(n)); double y = real(n); __asm__(\"btc $63, %0\" : \"+r\"(n)); return y * real(n) * x; }
double pairs(double x) {
    uint64_t low = bitsf((float)(0.5)), high = bitsf(2.0f); double y = x * 0x1p-3;
    uint32_t n = bitsf((float)0.25); HIDE(n);
    uint64_t both = low | high << 32; HIDE(both);
    return (realf((uint32_t)both) + realf(both >> 32) + realf(n)) * y;
}
double chosen(double x) { uint64_t n = bits(x * x), m = bits(2 * x); HIDE(n); HIDE(m); uint64_t k = x > 1.0 ? n : m; HIDE(k); return real(k); }
double inmemory(double x) { volatile uint64_t m = bits(3 * x); uint64_t n = bits(x * x); HIDE(n); __asm__(\"cmp $0, %1; cmovne %2, %0\" : \"+r\"(n) : \"r\"(1ull), \"m\"(m)); return real(n) * x; }
double exchanged(double x) {
    uint64_t n = bits(x * x), m = bits(2 * x); HIDE(n); HIDE(m);
    __asm__(\"xchg %0, %1\" : \"+r\"(n), \"+r\"(m)); uint64_t k = bits(x + 1);
    __asm__(\"xchg %0, %1\" : \"+r\"(n), \"+m\"(k));
    return real(n) * x + real(k) - real(m) * 3;
}
double swapped(double x) { double s = x; for (int k = 0; k < 3; k++) { uint64_t t = bits(s * x), expected = bits(s), found = expected; __asm__(\"lock cmpxchg %2, %1\" : \"+a\"(found), \"+m\"(s) : \"r\"(t)); __asm__(\"lock cmpxchg %2, %1\" : \"+a\"(found), \"+m\"(s) : \"r\"(expected)); s += real(found); } return s; }
double turned(double x) { uint64_t n = bits(x * x); __asm__(\"bswap %0\" : \"+r\"(n)); uint64_t m = n; HIDE(m); __asm__(\"bswap %0\" : \"+r\"(m)); double y; __asm__(\"movbe %1, %0\" : \"=m\"(y) : \"r\"(n)); return real(m) * x + y; }
double strings(double x) {
    double a[9], b[9]; for (int i = 0; i < 9; i++) a[i] = x * i, b[i] = x;
    void *from = a, *to = b; uint64_t n = 6; __asm__ volatile(\"rep movsq\" : \"+S\"(from), \"+D\"(to), \"+c\"(n) : : \"memory\");
    from = b; to = b + 1; n = 16; __asm__ volatile(\"rep movsb\" : \"+S\"(from), \"+D\"(to), \"+c\"(n) : : \"memory\");
    to = b + 7; n = 1; __asm__ volatile(\"rep stosq\" : \"+D\"(to), \"+c\"(n) : \"a\"(bits(2.5 * x)) : \"memory\");
    to = b + 8; n = 2; __asm__ volatile(\"rep stosl\" : \"+D\"(to), \"+c\"(n) : \"a\"(0) : \"memory\");
    uint64_t last; from = b + 3; __asm__ volatile(\"lodsq\" : \"=a\"(last), \"+S\"(from) : : \"memory\");
    from = a + 5; to = a + 7; n = 3; __asm__ volatile(\"std; rep movsq; cld\" : \"+S\"(from), \"+D\"(to), \"+c\"(n) : : \"memory\");
    double s = real(last) * x; for (int i = 0; i < 9; i++) s += b[i] * (i + x) + a[i] * a[i];
    return s;
}
double stack(double x) { static double y, z; y = x * x; z = 0; __asm__ volatile(\"lea -256(%%rsp), %%rsp; pushq %1; popq %0; lea 256(%%rsp), %%rsp\" : \"=m\"(z) : \"m\"(y) : \"memory\"); return z * x; }
double stored(double x) { double y; __asm__(\"movnti %1, %0; sfence\" : \"=m\"(y) : \"r\"(bits(x * x))); return y * x; }
double multimedia(double x) { double y = x * x, z; __asm__(\"movq %1, %%mm0; movq %%mm0, %%mm3; movq2dq %%mm3, %%xmm1; movdq2q %%xmm1, %%mm2; movq %%mm2, %0; emms\" : \"=m\"(z) : \"m\"(y) : \"xmm1\", \"mm0\", \"mm2\", \"mm3\"); return z * x; }
double bytes(double x) { double y = x * x, z = 0; unsigned char *p = (unsigned char *)&y, *q = (unsigned char *)&z; for (int i = 0; i < 8; i++) { unsigned char c = p[i]; __asm__(\"\" : \"+q\"(c)); q[i] = c; } return z * x; }
double conditions(double x) {
    double s = x; int k; char m;
    for (int n = 0; n < 4; n++) {
        __asm__(\"movq %2, %%rax; cmpl $2, %3; setl %%al; andb $1, %%al; movzbl %%al, %0\" : \"=r\"(k), \"=m\"(m) : \"x\"(s), \"r\"(n) : \"rax\"); s += k * x;
        __asm__(\"movq %2, %%rax; cmpl $2, %3; setge %%al; andb $1, %%al; movb %%al, %1; movzbl %1, %0\" : \"=r\"(k), \"=m\"(m) : \"x\"(s), \"r\"(n) : \"rax\"); s -= k * x * x;
        __asm__(\"movq %2, %%rax; movw $3, %%ax; movzwl %%ax, %0\" : \"=r\"(k), \"=m\"(m) : \"x\"(s) : \"rax\"); s += k * x;
    }
    return s;
}
double exponent(double x) { uint64_t n = bits(x); HIDE(n); long e = (long)(n >> 52) - 1023; return x * (double)e + x; }
";

#[test]
fn general_registers_carry_reals() {
    check(
        "general",
        GENERAL,
        &[&["-O1"], &["-O2"], &["-O0"], &["-O2", "-mbmi", "-mbmi2"]],
        &[
            "magnitude", "sign", "copied", "cleared", "pairs", "chosen", "inmemory", "exchanged",
            "swapped", "turned", "strings", "stack", "stored", "multimedia", "bytes", "conditions",
            "exponent",
        ],
    );
}

const TRICKS: &str = "
#include <complex.h>
#include <math.h>
#include <string.h>
#include <sys/syscall.h>
double tricks(double x) {
    double a[16], s = 0;
    for (int i = 0; i < 16; i++) a[i] = x * (i - 6.5);
    for (int i = 0; i < 16; i++) a[i] = fabs(a[i]) * copysign(2.0, x - i) - a[i];
    for (int i = 0; i < 16; i++) a[i] = a[i] > 1.0 ? a[i] * x : -a[i];
    for (int i = 0; i < 16; i++) s += fmax(a[i], x) * fmin(a[i], 3.0) + copysign(a[i], x - 1.1);
    return s;
}
double floats(double x) {
    float a[16]; double s = 0;
    for (int i = 0; i < 16; i++) a[i] = 0.5f * (i - 6.5f);
    for (int i = 0; i < 16; i++) a[i] = fabsf(a[i]) * copysignf(2.0f, i - 3.5f) - a[i];
    for (int i = 0; i < 16; i++) s += (a[i] > 1.0f ? a[i] : -a[i]) * x;
    return s;
}
double gather(double x) {
    double a[32], b[16], s = 0; int at[16];
    for (int i = 0; i < 32; i++) a[i] = x * i * 0.1;
    for (int i = 0; i < 16; i++) at[i] = (i * 7) % 32;
    for (int i = 0; i < 16; i++) b[i] = a[at[i]] * x;
    for (int i = 0; i < 16; i++) if (b[i] > 1.5) a[i] = b[i]; 
    for (int i = 0; i < 32; i++) s += a[i] * a[i];
    return s;
}
double scatter(double x) {
    double a[32], s = 0; int at[16];
    for (int i = 0; i < 32; i++) a[i] = x;
    for (int i = 0; i < 16; i++) at[i] = (i * 5) % 32;
    for (int i = 0; i < 16; i++) a[at[i]] = x * x * i;
    for (int i = 0; i < 32; i++) s += a[i] * i;
    return s;
}
double partial(double x) {
    double a[13], b[13], s = 0;
    for (int i = 0; i < 13; i++) a[i] = x * i, b[i] = x * x;
    for (int i = 0; i < 13; i++) if (i % 3) b[i] = 1.0; else b[i] = a[i] / (1 + b[i]);
    for (int i = 0; i < 13; i++) s += sqrt(a[i] + 1) * b[i];
    return s;
}
static double complex __attribute__((noinline)) product(double complex a, double complex b) { return a * b / (1 + a); }
double complexes(double x) { double complex z = product(x + I * x * x, 2 - I * x); return creal(z) * cimag(z); }
struct two { float a, b; };
static struct two __attribute__((noinline)) two(float a, float b) { struct two t = {a * b, a - b}; return t; }
double structs(double x) { struct two t = two(1.5f, 2.5f); return t.a * x + t.b; }
double kernel(double x) {
    double y[2] = {x, x * x}; long r;
    __asm__ volatile(\"syscall\" : \"=a\"(r) : \"a\"(SYS_clock_gettime), \"D\"(1), \"S\"(y) : \"rcx\", \"r11\", \"memory\");
    y[0] = y[0] > y[1] ? 1.0 : 2.0;
    return y[0] * 0 + x * x + (y[1] == 0.5 ? y[1] : 0);
}
double rounds(double x) { double s = 0; for (int i = 0; i < 8; i++) s += x * floor(x * i + 0.01) + trunc(x * 3) - rint(x * i); return s + x; }
";

#[test]
fn bit_tricks_and_masks_are_known() {
    let flags: [&[&str]; 7] = [
        &["-O0"],
        &["-O2"],
        &["-O3"],
        &["-O3", "-msse4.1"],
        &["-O3", "-mavx2", "-mfma"],
        &["-O3", "-march=native", "-mprefer-vector-width=512"],
        &["-O3", "-march=native", "-mprefer-vector-width=256", "-ffast-math"],
    ];
    check(
        "tricks",
        TRICKS,
        &flags,
        &[
            "tricks", "floats", "gather", "scatter", "partial", "complexes", "structs", "kernel",
            "rounds",
        ],
    );
}

const FLOATS: &str = "
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <string.h>
struct two { float a, b; };
static struct two __attribute__((noinline)) two(float a, float b) { struct two t = {a * b, a - b}; return t; }
float structs(float x) { struct two t = two(x, 2.5f); struct two u = two(t.a, t.b); return u.a * t.b + u.b * x; }
static float complex __attribute__((noinline)) product(float complex a, float complex b) { return a * b; }
float complexes(float x) { float complex z = product(x + I * x * x, 2 - I * x); return crealf(z) * cimagf(z); }
float pairs(float x) {
    float y = x * x; uint32_t n, m; memcpy(&n, &x, 4); memcpy(&m, &y, 4); __asm__(\"\" : \"+r\"(n)); __asm__(\"\" : \"+r\"(m));
    uint64_t both = (uint64_t)n << 32 | m; __asm__(\"\" : \"+r\"(both)); both = both << 32 | both >> 32; __asm__(\"\" : \"+r\"(both));
    struct two t; memcpy(&t, &both, 8); return t.a * t.a * t.b;
}
float tricks(float x) { float a[16], s = 0; for (int i = 0; i < 16; i++) a[i] = x * (i - 6.5f); for (int i = 0; i < 16; i++) s += fabsf(a[i]) * copysignf(x, a[i]) + (a[i] > 0.5f ? a[i] * a[i] : -x); return s; }
/* Beside a float lies half of the double that it was converted from. */
float beside(float x) {
    double d = (double)x * x, e = (double)x * 0.75; float r;
    __asm__(\"movapd %1, %%xmm0; movapd %2, %%xmm1; cvtsd2ss %%xmm0, %%xmm0; cvtsd2ss %%xmm1, %%xmm1; movaps %%xmm1, %%xmm2; cmpunordss %%xmm1, %%xmm2; movaps %%xmm2, %%xmm3; andps %%xmm0, %%xmm3;\"
            \"minss %%xmm1, %%xmm0; andnps %%xmm0, %%xmm2; orps %%xmm3, %%xmm2; movaps %%xmm2, %0\" : \"=x\"(r) : \"x\"(d), \"x\"(e) : \"xmm0\", \"xmm1\", \"xmm2\", \"xmm3\");
    float t; const float magnitude __attribute__((aligned(16))) = 0;
    __asm__(\"movapd %1, %%xmm0; cvtsd2ss %%xmm0, %%xmm0; movl $0x7fffffff, %%eax; movd %%eax, %%xmm1; cvttss2si %%xmm0, %%eax; pxor %%xmm2, %%xmm2; cvtsi2ss %%eax, %%xmm2; andnps %%xmm0, %%xmm1;\"
            \"orps %%xmm1, %%xmm2; movaps %%xmm2, %0\" : \"=x\"(t) : \"x\"(d) : \"eax\", \"xmm0\", \"xmm1\", \"xmm2\");
    return r * x + t * x + magnitude;
}
float rounded(float x) { float s = 0; for (int i = 1; i < 9; i++) s += x * x + ((x * i + 12582912.0f) - 12582912.0f); return s; }
";

#[test]
fn floats_in_pairs_keep_their_dots() {
    let _alone = alone();
    for flags in [
        &["-O0"][..],
        &["-O2"],
        &["-O3"],
        &["-O3", "-mavx2", "-mfma"],
        &["-O3", "-march=native", "-mprefer-vector-width=512"],
    ] {
        let loaded = Loaded::new("floats", FLOATS, flags);
        type Exact = fn(f64) -> f64;
        let exact: [(&str, Exact); 6] = [
            // The lesser of x² and 0.75 x, and x² without its digits behind the point, times x.
            ("beside", |x| if x < 0.75 { 3.0 * x * x } else { 1.5 * x } + (x * x).trunc()),
            // a = 2.5 x, b = x - 2.5; a b b + (a - b) x.
            ("structs", |x| {
                let (a, b) = (2.5 * x, x - 2.5);
                2.5 * b * b + 2.0 * a * b + 2.0 * (2.5 - 1.0) * x + 2.5
            }),
            // (2 x + x³) (2 x² - x²)
            ("complexes", |x| 6.0 * x * x + 5.0 * x * x * x * x),
            ("pairs", |x| 4.0 * x * x * x),
            ("tricks", |x| {
                (0..16)
                    .map(|i| {
                        let c = f64::from(i) - 6.5;
                        let a = c * x;
                        2.0 * c * x + if a > 0.5 { 2.0 * c * a } else { -1.0 }
                    })
                    .sum()
            }),
            ("rounded", |x| 16.0 * x),
        ];
        for (name, dot_of) in exact {
            for x in [0.3f32, 0.9, 2.3] {
                let (y, dot) = derivative_of_float(loaded.function(name), x);
                // SAFETY: a function of the source.
                let plain: extern "C" fn(f32) -> f32 =
                    unsafe { std::mem::transmute(loaded.function(name) as *const ()) };
                let exact = dot_of(x.into());
                assert_eq!(y.to_bits(), plain(x).to_bits(), "{flags:?} {name}({x})");
                // Float: 24 bits, in sums of a dozen terms of both signs.
                assert!(
                    (f64::from(dot) - exact).abs() <= 5e-5 * (1.0 + exact.abs()),
                    "{flags:?} {name}({x}): {dot}, {exact}"
                );
            }
        }
    }
}
