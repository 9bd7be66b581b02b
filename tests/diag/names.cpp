// Messages have the names of the source, not those that the linker sees; also those of a function that is differentiated in
// place of one that takes a struct by value.
// ad-flags: -g
// ad-error: AD021 17:20 function 'lib::elsewhere(lib::point const&)' has no body in this file and no derivative rule
// ad-error: AD021 19:24 function 'double lib::generic<double>(double)' has no body in this file and no derivative rule
// ad-error: AD020 18:20 function 'weak(lib::point)' is weak
#include "ad.h"
namespace lib {
struct point { double x, y; };
double elsewhere(const point &);
template <typename T> T generic(T);
} // namespace lib
__attribute__((weak)) double weak(lib::point p) { return p.x; }
static double far(lib::point p) { p.x *= p.y; return lib::elsewhere(p); }
static double templated(double x) { return x * lib::generic<double>(x); }
lib::point all(lib::point p) {
    lib::point a = __ad_adjoint<lib::point>(far, p);
    lib::point b = __ad_adjoint<lib::point>(weak, p);
    return {a.x + b.x, __ad_adjoint<double>(templated, p.x)};
}
