/* Methods that a library offers by pointers in its variables, to be stored in options. */
#include <math.h>

typedef struct { double (*apply)(double); } method;
typedef struct { const method *how; double factor; } options;

static double by_sine(double x) { return sin(x); }
static double by_square(double x) { return x * x; }
static const method sine = {by_sine}, square = {by_square};
const method *lib_sine = &sine, *lib_square = &square;

double lib_apply_method(const options *o, double x) { return o->how->apply(x) * o->factor; }
