// Bundle adjustment, all rows of the sparse Jacobian: one residual is recorded once, and its Jacobian taken at each observation.
#include "peer.h"

struct residual {
    // in: camera 11, point 3, weight; feature apart, as a parameter of the recording would be.
    template <class T, class P> static void of(const T *in, const P *feature, T *out) {
        const T *rotation = in, *centre = in + 3, *principal = in + 7, *radial = in + 9, *point = in + 11;
        T v[3], turned[3], seen[2];
        for (int i = 0; i < 3; i++) v[i] = point[i] - centre[i];
        T square = rotation[0] * rotation[0] + rotation[1] * rotation[1] + rotation[2] * rotation[2];
        T angle = sqrt(square), c = cos(angle), scale = 1.0 / angle, s = sin(angle) * scale;
        T along = scale * scale * (1.0 - c) * (rotation[0] * v[0] + rotation[1] * v[1] + rotation[2] * v[2]);
        turned[0] = c * v[0] + s * (rotation[1] * v[2] - rotation[2] * v[1]) + along * rotation[0];
        turned[1] = c * v[1] + s * (rotation[2] * v[0] - rotation[0] * v[2]) + along * rotation[1];
        turned[2] = c * v[2] + s * (rotation[0] * v[1] - rotation[1] * v[0]) + along * rotation[2];
        seen[0] = turned[0] / turned[2];
        seen[1] = turned[1] / turned[2];
        T distance = seen[0] * seen[0] + seen[1] * seen[1];
        T factor = 1.0 + radial[0] * distance + radial[1] * distance * distance;
        for (int r = 0; r < 2; r++) out[r] = in[14] * (in[6] * factor * seen[r] + principal[r] - feature[r]);
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    enum { ROW = 15, IN = ROW + 2 };
    long n = it.sizes[0], m = it.sizes[1], p = it.sizes[2];
    const double *points = it.x.data() + 11 * n, *weights = points + 3 * m;
    std::vector<double> result(size_t(p) * (2 * ROW + 1)), y(3 * p);
    // Features are inputs of the recording, so that it serves all observations.
    auto gather = [&](long i, double *in) {
        std::copy_n(it.x.data() + 11 * (i % n), 11, in);
        std::copy_n(points + 3 * (i % m), 3, in + 11);
        in[14] = weights[i];
        in[15] = it.data[2 * i];
        in[16] = it.data[2 * i + 1];
    };
    auto primal = [&] {
        for (long i = 0; i < p; i++) {
            double in[IN];
            gather(i, in);
            residual::of(in, in + ROW, &y[2 * i]);
            y[2 * p + i] = 1.0 - in[14] * in[14];
        }
    };
    auto jacobians = [&] {
        double in[IN], rows[2][IN], *row[2] = {rows[0], rows[1]};
        adouble ain[IN], out[2];
        gather(0, in);
        trace_on(1);
        for (int j = 0; j < IN; j++) ain[j] <<= in[j];
        residual::of(ain, ain + ROW, out);
        for (int r = 0; r < 2; r++) out[r] >>= y[r];
        trace_off();
        for (long i = 0; i < p; i++) {
            gather(i, in);
            jacobian(1, 2, IN, in, row);
            for (int r = 0; r < 2; r++) std::copy_n(rows[r], int(ROW), &result[(2 * i + r) * ROW]);
            result[2 * p * ROW + i] = -2.0 * in[14];
        }
    };
    return peer_measure(primal, "gradient", jacobians, result, arguments);
}
