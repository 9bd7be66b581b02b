/* The LSTM objective of lstm.h. */
#include "lstm.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

/* One layer, one character: updates hidden and cell. */
static void layer(int b, const double *restrict params, const double *restrict input, double *restrict hidden,
                  double *restrict cell) {
    const double *weight = params, *bias = params + 4 * b;
    for (int j = 0; j < b; j++) {
        double forget = sigmoid(input[j] * weight[j] + bias[j]);
        double in = sigmoid(hidden[j] * weight[b + j] + bias[b + j]);
        double out = sigmoid(input[j] * weight[2 * b + j] + bias[2 * b + j]);
        double change = tanh(hidden[j] * weight[3 * b + j] + bias[3 * b + j]);
        cell[j] = cell[j] * forget + in * change;
        hidden[j] = out * tanh(cell[j]);
    }
}

/* All layers, one character: y predicts the next. */
static void predict(int l, int b, const double *restrict main_params, const double *restrict extra_params,
                    double *restrict state, const double *restrict input, double *restrict y) {
    for (int j = 0; j < b; j++) y[j] = input[j] * extra_params[j];
    const double *x = y;
    for (int i = 0; i < l; i++) {
        double *hidden = state + (long)i * 2 * b;
        layer(b, main_params + (long)i * 8 * b, x, hidden, hidden + b);
        x = hidden;
    }
    for (int j = 0; j < b; j++) y[j] = x[j] * extra_params[b + j] + extra_params[2 * b + j];
}

static double log_sum_exp(int b, const double *restrict y) {
    double sum = 2.0;
    for (int j = 0; j < b; j++) sum += exp(y[j]);
    return log(sum);
}

void lstm_objective(int l, int c, int b, const double *restrict main_params, const double *restrict extra_params,
                    const double *restrict state, const double *restrict sequence, double *restrict loss) {
    size_t size = (size_t)l * 2 * b * sizeof(double);
    double *now = malloc(size);
    double *y = malloc((size_t)b * sizeof *y);
    memcpy(now, state, size);
    double total = 0.0;
    for (int t = 0; t < c - 1; t++) {
        const double *target = sequence + (long)(t + 1) * b;
        predict(l, b, main_params, extra_params, now, sequence + (long)t * b, y);
        double norm = log_sum_exp(b, y);
        for (int j = 0; j < b; j++) total += target[j] * (y[j] - norm);
    }
    *loss = -total / ((double)(c - 1) * b);
    free(now);
    free(y);
}
