#include <math.h>
#include "state.h"

static double offset = 0.5;
static const double table[3] = {1.0, -2.0, 0.5};

static double first(double x) { return exp(table[0] * x); }
static double second(double x) { return cos(table[1] * x) + offset; }
static double third(double x) { return x / (1.0 + x * x); }
static function *const functions[3] = {first, second, third};

double replaced(double x) { return 3.0 * x * x; }

double inner(double x, int k) { return functions[k](x) * table[k]; }
