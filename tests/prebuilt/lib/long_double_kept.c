/* Keeps a copy of numbers of which only it knows the type. */
#include <string.h>

static union {
    long double wide;
    double halves[2];
} kept[2];
void keep_numbers(const void *from) { memcpy(kept, from, sizeof kept); }
double kept_product(double by) { return (double)(kept[0].wide * kept[1].wide * by); }
