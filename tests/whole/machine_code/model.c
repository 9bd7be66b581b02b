double prebuilt(double x);
void keep(double *variable);
void store(double x);

static double kept;
void give(void) { keep(&kept); }

/* The other file has had the address of the variable since before the request. */
void model(const double *x, double *y) {
    store(x[0]);
    y[0] = prebuilt(x[0]) * x[1] + prebuilt(x[1]) + kept * x[1];
}
