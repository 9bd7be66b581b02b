// The Hessian of the Gaussian mixture, by ADOL-C's driver `hessian`. It is recorded anew for each Hessian, as the gradient is; the driver gives the
// lower triangle.
#include "gmm.h"

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    const long *s = it.sizes;
    gmm code{s[0], s[1], s[2], s[3], it.data.data(), it.data.back()};
    if (double(s[1] * s[2] * s[0] * (s[0] + 4)) > PEER_MOST_OPERATIONS) return 0;
    int n = int(it.x.size());
    double y;
    std::vector<double> result(size_t(n) * n);
    std::vector<std::vector<double>> rows(n);
    std::vector<double *> row(n);
    for (int i = 0; i < n; i++) rows[i].resize(n), row[i] = rows[i].data();
    std::vector<adouble> ax(n);
    adouble ay;
    auto whole = [&] {
        trace_on(1);
        for (int i = 0; i < n; i++) ax[i] <<= it.x[i];
        code(ax.data(), &ay);
        ay >>= y;
        trace_off();
        hessian(1, n, it.x.data(), row.data());
        for (int i = 0; i < n; i++)
            for (int j = 0; j <= i; j++) result[size_t(i) * n + j] = result[size_t(j) * n + i] = rows[i][j];
    };
    return peer_measure([&] { code(it.x.data(), &y); }, "hessian", whole, result, arguments);
}
