double law(double x) { return x * x; }
/* The linker leaves this call alone: the function is defined here. */
double twice(double x) { return 2.0 * law(x); }
