#include <stdio.h>

double slope(double);
int main(void) { return slope(3.0) == 6.0 ? puts("slope"), 0 : 1; }
