/* Variables and functions with two names, of which another file uses either. */
double store[4] = {1, 2, 3, 4};
extern double other_name[4] __attribute__((alias("store")));
extern double weak_name[4] __attribute__((weak, alias("store")));
double cube(double x) { return x * x * x; }
extern double also_cube(double x) __attribute__((alias("cube")));
double touch(double x) { return store[1] = x * x, other_name[1] + weak_name[1]; }
