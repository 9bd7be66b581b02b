double step(double state, double x, double rate);
double force_of(const double *x);

void model(const double *x, double *y, double rate) {
    double state = 0.5;
    for (int i = 0; i < 3; i++) state = step(state, x[i], rate);
    y[0] = state * x[0];
    y[1] = state * state + force_of(x);
}
