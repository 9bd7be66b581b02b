double step(double state, double x);

void model(const double *x, double *y, int n) {
    double state = 0.5;
    for (int i = 0; i < n; i++) state = step(state, x[i]);
    y[0] = state * x[0];
    y[1] = state * state;
}
