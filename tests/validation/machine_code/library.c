void sums(const double *x, double *y, int n) {
    float v[16], s = 0;
    for (int i = 0; i < n; i++) v[i] = (float)x[i];
    for (int i = 0; i < n; i++) {
        s += v[i] * v[i];
        y[i] = s;
    }
}
