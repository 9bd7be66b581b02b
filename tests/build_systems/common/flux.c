#include <math.h>

double flux(double a, double b) { return a > b ? a * sin(b) : b * b * a; }
