void force_of_x(const double *x, double *f);

double force_of(const double *x) {
    double f;
    force_of_x(x, &f);
    return f;
}
