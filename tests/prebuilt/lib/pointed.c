/* Memory behind a pointer in a variable: the heap's, or a variable of the library. */
#include <stdlib.h>

static double own[3];
double *pointed;
void point(int at_heap) { pointed = at_heap ? calloc(3, sizeof *pointed) : own; }
double put(double x) {
    pointed[1] = x * x;
    return x;
}
