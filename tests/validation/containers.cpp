/* Containers of structs, and a derivative of the user's own in a template's instance.
   check-right: -DFACTOR=3
   check-compares: cells (12), the result (1)
   check-blames: -DFACTOR=2 | 'cube', defined at | containers.cpp:13, is wrong */
#include <ad.h>
#include <cstdio>
#include <vector>
struct Cell {
    int id;
    std::vector<double> data;
    double scale;
};
static double cube(double x) { return x * x * x; }
static double cube_tangent(double x, double xd) { return FACTOR * x * x * xd; }
static double cube_augmented(double x) { return cube(x); }
static double cube_reverse(double x, double yb) { return 3 * x * x * yb; }
void *__ad_register_tangent_cube[] = {(void *)cube, (void *)cube_tangent};
void *__ad_register_adjoint_cube[] = {(void *)cube, (void *)cube_augmented, (void *)cube_reverse};

template <class T> __attribute__((noinline)) T total(const std::vector<T> &v) {
    T s = 0;
    for (auto &x : v) s += cube(x);
    return s;
}
double model(const std::vector<Cell> &cells) {
    double s = 0;
    for (auto &c : cells) s += c.scale * total(c.data);
    return s;
}
int main() {
    std::vector<Cell> c(3), d(3);
    for (int i = 0; i < 3; i++) {
        c[i].id = i, c[i].data = {1.0 + i, 2.0, 3.5}, c[i].scale = 0.5 * (i + 1);
        d[i].data = {1.0, 1.0, 1.0}, d[i].scale = 1;
    }
    printf("%g\n", __ad_tangent<double>((void *)model, &c, &d));
    for (int i = 0; i < 3; i++) d[i].data = {0.0, 0.0, 0.0}, d[i].scale = 0;
    __ad_adjoint<void>((void *)model, &c, &d);
    printf("%g %g\n", d[1].data[2], d[2].scale);
}
