// LSTM, as bench/objectives/lstm.c.
#include "peer.h"

struct lstm {
    long l, c, b;
    const double *state, *sequence;
    template <class T> static T sigmoid(const T &x) { return 1.0 / (1.0 + exp(-x)); }
    template <class T> void operator()(const T *main_params, T *loss) const {
        const T *extra = main_params + 8 * l * b;
        std::vector<T> now(2 * l * b), y(b);
        for (long i = 0; i < 2 * l * b; i++) now[i] = state[i];
        T total = 0.0;
        for (long t = 0; t < c - 1; t++) {
            const double *target = sequence + (t + 1) * b;
            for (long j = 0; j < b; j++) y[j] = sequence[t * b + j] * extra[j];
            const T *x = y.data();
            for (long i = 0; i < l; i++) {
                const T *weight = main_params + i * 8 * b, *bias = weight + 4 * b;
                T *hidden = now.data() + i * 2 * b, *cell = hidden + b;
                for (long j = 0; j < b; j++) {
                    T forget = sigmoid<T>(x[j] * weight[j] + bias[j]), in = sigmoid<T>(hidden[j] * weight[b + j] + bias[b + j]);
                    T out = sigmoid<T>(x[j] * weight[2 * b + j] + bias[2 * b + j]);
                    T change = tanh(hidden[j] * weight[3 * b + j] + bias[3 * b + j]);
                    cell[j] = cell[j] * forget + in * change;
                    hidden[j] = out * tanh(cell[j]);
                }
                x = hidden;
            }
            T sum = 2.0;
            for (long j = 0; j < b; j++) {
                y[j] = x[j] * extra[b + j] + extra[2 * b + j];
                sum += exp(y[j]);
            }
            T norm = log(sum);
            for (long j = 0; j < b; j++) total += target[j] * (y[j] - norm);
        }
        *loss = -total / (double(c - 1) * double(b));
    }
};

int main(int, char **arguments) {
    peer_case it = peer_load(arguments[1]);
    const long *s = it.sizes;
    lstm code{s[0], s[1], s[2], it.data.data(), it.data.data() + 2 * s[0] * s[2]};
    return peer_run(code, it, 30.0 * double(s[0] * s[1] * s[2]), arguments);
}
