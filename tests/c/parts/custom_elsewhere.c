/* Functions that custom_memory.c knows by their declarations only. */
void square_elsewhere(const double *src, double *dst) { *dst = *src * *src; }

double update_elsewhere(double a, const double *x, const int *pattern, double *y, int n) {
    double sum = 0.0;
    for (int i = 0; i < n; i++) sum += y[i] += a * x[pattern[i]];
    return sum;
}
