// Values with members by value in C++: std::complex, std::array, classes of one's own, in templates' requests and lambdas.
#include "ad.h"
#include "check.h"
#include <array>
#include <complex>
#include <cstddef>

using complex = std::complex<double>;

namespace geometry {
template <typename T> struct vec3 {
    T x, y, z;
    T dot(const vec3 &o) const { return x * o.x + y * o.y + z * o.z; }
    vec3 cross(vec3 o) const { return {y * o.z - z * o.y, z * o.x - x * o.z, x * o.y - y * o.x}; }
};
struct view {
    const double *data;
    std::size_t size;
    double operator[](std::size_t i) const { return data[i]; }
};
struct tagged : vec3<float> {
    bool flip;
    char name[12];
};
} // namespace geometry
using vec = geometry::vec3<double>;

static double volume(vec a, vec b, vec c) { return a.dot(b.cross(c)); }
static vec turned(vec a, double angle) {
    return {a.x * std::cos(angle) - a.y * std::sin(angle), a.x * std::sin(angle) + a.y * std::cos(angle), a.z};
}
static complex newton(complex z) {
    for (int i = 0; i < 3; i++) z -= (z * z * z - 1.0) / (3.0 * z * z);
    return z;
}
static double sum(geometry::view v, std::array<double, 2> w) {
    double s = 0;
    for (std::size_t i = 0; i < v.size; i++) s += v[i] * w[i % 2];
    return s;
}
static float flipped(geometry::tagged t) { return (t.flip ? -1.0f : 1.0f) * t.x * t.y * t.z * float(t.name[3]); }
template <typename T> static T squared(geometry::vec3<T> v) { return v.dot(v); }
template <typename T> static geometry::vec3<T> gradient(geometry::vec3<T> v) {
    return __ad_adjoint<geometry::vec3<T>>(squared<T>, v);
}

struct triple { vec a, b, c; };
struct vec_and_angle { vec a; double angle; };
struct view_and_weights { std::array<double, 2> w; };

int main() {
    vec a{1, 2, 3}, b{-1, 0.5, 2}, c{0.25, 4, 1};
    triple t = __ad_adjoint<triple>(volume, a, b, c);
    vec ab = b.cross(c), bb = c.cross(a), cb = a.cross(b);
    double got[] = {t.a.x, t.a.y, t.a.z, t.b.x, t.b.y, t.b.z, t.c.x, t.c.y, t.c.z};
    double want[] = {ab.x, ab.y, ab.z, bb.x, bb.y, bb.z, cb.x, cb.y, cb.z};
    for (int i = 0; i < 9; i++) check_close("volume", got[i], want[i], 1e-14);
    double yd = __ad_tangent<double>(volume, a, vec{1, 0, 0}, ad_const, b, c, vec{0, 0, 1});
    check_close("volume, tangent", yd, ab.x + cb.z, 1e-14);

    vec_and_angle r = __ad_adjoint<vec_and_angle>(turned, a, 0.5, vec{1, 0, 2});
    check_close("turned", r.a.y, -std::sin(0.5), 1e-15);
    check_close("turned", r.a.z, 2, 0);
    check_close("turned", r.angle, -a.x * std::sin(0.5) - a.y * std::cos(0.5), 1e-14);
    vec d = __ad_tangent<vec>(turned, a, vec{0, 0, 0}, 0.0, 1.0);
    check_close("turned, tangent", d.x, -2, 0);
    check_close("turned, tangent", d.y, 1, 0);

    complex z{0.8, 0.6}, zd = __ad_tangent<complex>(newton, z, complex{1, 0}), zi = __ad_tangent<complex>(newton, z, complex{0, 1});
    check_close("holomorphic", zi.real(), -zd.imag(), 1e-13);
    check_close("holomorphic", zi.imag(), zd.real(), 1e-13);
    complex zb = __ad_adjoint<complex>(newton, z, complex{0.3, -2});
    check_close("complex", zb.real(), 0.3 * zd.real() - 2 * zd.imag(), 1e-13);
    check_close("complex", zb.imag(), 0.3 * zi.real() - 2 * zi.imag(), 1e-13);
    std::complex<float> q = __ad_adjoint<std::complex<float>>(
        (std::complex<float>(*)(std::complex<float>)) + [](std::complex<float> w) { return w * w; }, std::complex<float>{1, 2}, std::complex<float>{1, 0});
    check_close("lambda", q.real(), 2, 0);
    check_close("lambda", q.imag(), -4, 0);

    double x[3] = {1, 2, 3}, xb[3] = {};
    view_and_weights w = __ad_adjoint<view_and_weights>(sum, geometry::view{x, 3}, geometry::view{xb, 3}, std::array<double, 2>{5, 7});
    check_close("view", xb[0] + 10 * xb[1] + 100 * xb[2], 575, 0);
    check_close("weights", w.w[0] + 10 * w.w[1], 24, 0);

    geometry::tagged tag{};
    tag.x = 2, tag.y = 3, tag.z = 4, tag.flip = true, tag.name[3] = 2;
    geometry::tagged tb = __ad_adjoint<geometry::tagged>(flipped, tag);
    check_close("tagged", tb.x, -24, 0);
    check_close("tagged", tb.z, -12, 0);
    check_true("tagged, others", !tb.flip && tb.name[3] == 0);

    vec g = gradient(a);
    check_close("request in a template", g.x + g.y + g.z, 12, 0);
    geometry::vec3<float> gf = gradient(geometry::vec3<float>{1, 2, 3});
    check_close("request in a template, float", gf.x + gf.y + gf.z, 12, 0);
    return check_done();
}
