/* Prototypes that return integers, or reals of another size, where a request returns reals: their bits would be no numbers.
 * ad-flags: -g
 * ad-error: AD013 34:37 '__ad_adjoint_long' returns 1 value(s) of type double, but its prototype returns i64
 * ad-error: AD013 35:35 '__ad_adjoint_int' returns 1 value(s)
 * ad-error: AD013 36:37 '__ad_adjoint_bool' returns 1 value(s)
 * ad-error: AD013 37:37 '__ad_adjoint_char' returns 1 value(s)
 * ad-error: AD013 38:41 '__ad_adjoint_choice' returns 1 value(s)
 * ad-error: AD013 39:41 '__ad_adjoint_pointer' returns double, but its prototype returns ptr
 * ad-error: AD013 40:37 '__ad_tangent_long' returns 1 value(s)
 * ad-error: AD013 41:44 '__ad_adjoint_typed' returns 1 value(s)
 * ad-error: AD013 42:50 '__ad_adjoint_integers' returns 2 value(s)
 * ad-error: AD013 43:46 '__ad_adjoint_half' returns 2 value(s)
 * ad-error: AD013 44:46 '__ad_adjoint_floats' returns 1 value(s)
 * ad-error: AD013 45:46 '__ad_adjoint_memory' returns 4 value(s)
 * ad-error: AD013 46:35 '__ad_tangent_long' returns 1 value(s) of type i32, but its prototype returns i64
 */
#include "ad.h"

enum choice { NO, YES };
struct integers { long a, b; };
struct half { double a; long b; };
struct floats { float a, b; };
struct memory { long v[4]; };
extern long __ad_adjoint_long(void *, ...), __ad_tangent_long(void *, ...), __ad_adjoint_typed(double (*)(double), double);
extern int __ad_adjoint_int(void *, ...);
extern _Bool __ad_adjoint_bool(void *, ...);
extern char __ad_adjoint_char(void *, ...);
extern enum choice __ad_adjoint_choice(void *, ...);
extern void *__ad_adjoint_pointer(void *, ...);
extern struct integers __ad_adjoint_integers(void *, ...);
extern struct half __ad_adjoint_half(void *, ...);
extern struct floats __ad_adjoint_floats(void *, ...); extern struct memory __ad_adjoint_memory(void *, ...);
static double square(double x) { return x * x; } static double product(double x, double y) { return x * y; } static double product_of_four(double a, double b, double c, double d) { return a * b * c * d; } static int whole(double x) { return (int)x; }
long a_long(double x) { return 1L + __ad_adjoint_long((void *)square, x); }
int an_int(double x) { return 1 + __ad_adjoint_int((void *)square, x); }
_Bool a_bool(double x) { return 0 < __ad_adjoint_bool((void *)square, x); }
char a_char(double x) { return 'a' +__ad_adjoint_char((void *)square, x); }
enum choice a_choice(double x) { return __ad_adjoint_choice((void *)square, x); }
void *a_pointer(double x) { return      __ad_adjoint_pointer((void *)square, x); }
long a_tangent(double x) { return 1+__ad_tangent_long((void *)square, x, 1.0); }
long a_typed_prototype(double x) { return  __ad_adjoint_typed(square, x); }
struct integers two(double x, double y) { return __ad_adjoint_integers((void *)product, x, y); }
struct half one(double x, double y) { return __ad_adjoint_half((void *)product, x, y); }
struct floats of_floats(double x) { return   __ad_adjoint_floats((void *)square, x); }
struct memory four(double x) { return        __ad_adjoint_memory((void *)product_of_four, x, x, x, x); }
long wider(double x) { return 1 + __ad_tangent_long((void *)whole, ad_primal_return, x, 1.0); }
