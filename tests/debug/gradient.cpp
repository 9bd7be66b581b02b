// A gradient and a tangent of C++: structs, references, inlined functions, their shadows.
// ad-build: -O0 -g
// ad-gdb: break gradient.cpp:43
// ad-gdb: run
// ad-shows: [clone .adjoint]
// ad-gdb: print points[1]
// ad-shows: {x = 3, y = 4}
// ad-gdb: continue
// ad-gdb: continue
// ad-shows: [clone .tangent]
// ad-gdb: print one
// ad-shows: = 5
// ad-gdb: print one_d
// ad-shows: = 2
// ad-gdb: print point_d.x
// ad-shows: = 1
// ad-gdb: continue
// ad-gdb: print sum_d
// ad-shows: = 20
// ad-gdb: print points_d[1]
// ad-shows: {x = 0, y = 1}
// ad-gdb: bt
// ad-shows: tests/debug/gradient.cpp:55
#include <ad.h>
#include <cstdio>

namespace shapes {
struct Point {
    double x, y;
};
double norm2(const Point &p) {
    double xx = p.x * p.x;
    double yy = p.y * p.y;
    return xx + yy;
}
} // namespace shapes

double energy(const shapes::Point *points, int n) {
    double sum = 0;
    for (int i = 0; i < n; ++i) {
        const shapes::Point &point = points[i];
        double one = norm2(point);
        sum += one * one;
    }
    return sum;
}
extern void __ad_adjoint_energy(void *, ...);
extern double __ad_tangent_energy(void *, ...);

int main() {
    shapes::Point p[2] = {{1, 2}, {3, 4}}, pb[2] = {};
    __ad_adjoint_energy((void *)energy, p, pb, 2);
    std::printf("%g %g\n", pb[0].x, pb[1].y);
    shapes::Point pd[2] = {{1, 0}, {0, 1}};
    double d = __ad_tangent_energy((void *)energy, p, pd, 2);
    std::printf("%g\n", d);
}
