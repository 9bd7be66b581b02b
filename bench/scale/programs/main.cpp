
int main() {
    double x[12], dx[12], xb[12] = {};
    for (int i = 0; i < 12; i++) x[i] = 0.3 + 0.05 * i, dx[i] = 0.1 + 0.02 * i;
    double sum = f(x, 12);
#ifdef REQUEST
    sum += __ad_tangent<double>(f, (const double *)x, dx, 12);
    __ad_adjoint<void>(f, (const double *)x, xb, 12);
    for (double b : xb) sum += b;
#endif
    std::printf("%.12g\n", sum);
}
