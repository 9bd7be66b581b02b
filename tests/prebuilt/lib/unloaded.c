/* A function that a program takes from a copy of this library, where the marked number may be another. */
double lib_marked(double x) {
    volatile int k = 0x2a55aa02;
    return x * (k & 7);
}
double lib_call(double (*f)(double), double x) { return f(x) * x; }
