static double *known;
void keep(double *variable) { known = variable; }
void store(double x) { *known = x * x; }
double prebuilt(double x) { return x / (1.0 + x * x); }
