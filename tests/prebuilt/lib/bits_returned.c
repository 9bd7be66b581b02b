#include <string.h>

static double cell;

void *bits_kept(double x) {
    cell = x;
    return &cell;
}
double bits_read(const void *from) {
    double x;
    memcpy(&x, from, sizeof x);
    return x;
}
