/* Sine and cosine that count their calls, in place of the library's. */
#include <math.h>

int sines, cosines;
double sin(double x) { return sines++, (double)sinl(x); }
double cos(double x) { return cosines++, (double)cosl(x); }
