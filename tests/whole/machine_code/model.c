double prebuilt(double x);
void model(const double *x, double *y) { y[0] = prebuilt(x[0]) * x[1] + prebuilt(x[1]); }
