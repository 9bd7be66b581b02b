/* A variable and a function with two names each: a file that the link takes in before another one uses the first names, that one the
 * second. */
double held[3] = {1, 2, 3};
extern double held_again[3] __attribute__((alias("held")));
extern double held_weakly[3] __attribute__((weak, alias("held")));
double keep(double x) { return held[0] = x * x, held[1] * x; }
extern double keep_again(double x) __attribute__((alias("keep")));
