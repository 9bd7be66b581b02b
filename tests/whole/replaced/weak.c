__attribute__((weak)) double law(double x) { return x; }
double (*pick(int which))(double);
double outer(double x) { return law(x) * pick(1)(x); }
