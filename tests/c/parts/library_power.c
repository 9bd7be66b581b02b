/* A function that function_like.c knows by its declaration only. */
#include <math.h>
double library_power(double x, double y) { return pow(x, y); }
