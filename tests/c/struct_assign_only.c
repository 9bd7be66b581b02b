/* ad-levels: O1 O2 O3 */
/* Structs assigned by functions that look at none of their members: above -O0 the front end says what the copy moves. */
// ad-i386: none, refused for now, nothing shows what copies of eight bytes move (AD034)
#include "requests.h"

enum { N = 4 };
typedef struct { double a; float b, c; int n; } mixed;
typedef struct { double a; } one;

static void assign_mixed(const mixed *x, mixed *y) { *y = *x; }
static void assign_one(const one *x, one *y) { *y = *x; }

int main(void) {
    mixed x = {1.0, 2.0f, 3.0f, 4}, xb = {0.5, 0.25f, 0.125f, 0}, y = {0}, yb = {1.0, 2.0f, 4.0f, 0};
    __ad_adjoint_void((void *)assign_mixed, &x, &xb, &y, &yb);
    check_equal_bits("a", xb.a, 1.5), check_equal_bits("b", xb.b, 2.25), check_equal_bits("c", xb.c, 4.125);
    check_equal_bits("consumed", yb.a + yb.b + yb.c, 0.0);
    check_equal_bits("copied", y.a + y.b + y.c + y.n, 10.0);
    mixed xd = {1.0, 2.0f, 3.0f, 0}, yd = {0};
    __ad_tangent_void((void *)assign_mixed, &x, &xd, &y, &yd);
    check_equal_bits("tangent", yd.a + 10.0 * yd.b + 100.0 * yd.c, 321.0);
    one p = {2.0}, pb = {1.0}, q = {0}, qb = {3.0};
    __ad_adjoint_void((void *)assign_one, &p, &pb, &q, &qb);
    check_equal_bits("one", pb.a, 4.0), check_equal_bits("one consumed", qb.a, 0.0);
    return check_done();
}
