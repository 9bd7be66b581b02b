/* Back propagation through time: per character, layer and unit the gates, the cell and its tanh are kept. */
#include "lstm_by_hand.h"

#include "kept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORGET, IN, OUT, CHANGE, CELL, TANH, HIDDEN, KEPT };

static double sigmoid(double x) { return 1.0 / (1.0 + exp(-x)); }

/* Fills what is kept of one layer at one character, from what is kept of it before. */
static void layer(int b, const double *restrict params, const double *restrict input, const double *restrict before,
                  double *restrict now) {
    const double *weight = params, *bias = params + 4 * b;
    for (int j = 0; j < b; j++) {
        double hidden = before[HIDDEN * b + j];
        double forget = sigmoid(input[j] * weight[j] + bias[j]);
        double in = sigmoid(hidden * weight[b + j] + bias[b + j]);
        double out = sigmoid(input[j] * weight[2 * b + j] + bias[2 * b + j]);
        double change = tanh(hidden * weight[3 * b + j] + bias[3 * b + j]);
        double cell = before[CELL * b + j] * forget + in * change, bent = tanh(cell);
        now[FORGET * b + j] = forget, now[IN * b + j] = in, now[OUT * b + j] = out, now[CHANGE * b + j] = change;
        now[CELL * b + j] = cell, now[TANH * b + j] = bent, now[HIDDEN * b + j] = out * bent;
    }
}

/* hiddenb, cellb: adjoints after the character before, of what was there before it after; inputb is what the input gets. */
static void layer_adjoint(int b, const double *restrict params, double *restrict paramsb, const double *restrict input,
                          const double *restrict before, const double *restrict now, double *restrict inputb,
                          double *restrict hiddenb, double *restrict cellb) {
    const double *weight = params;
    double *weightb = paramsb, *biasb = paramsb + 4 * b;
    for (int j = 0; j < b; j++) {
        double forget = now[FORGET * b + j], in = now[IN * b + j], out = now[OUT * b + j], change = now[CHANGE * b + j];
        double bent = now[TANH * b + j], hidden = before[HIDDEN * b + j];
        double cb = cellb[j] + hiddenb[j] * out * (1.0 - bent * bent);
        double outb = hiddenb[j] * bent * out * (1.0 - out), forgetb = cb * before[CELL * b + j] * forget * (1.0 - forget);
        double inb = cb * change * in * (1.0 - in), changeb = cb * in * (1.0 - change * change);
        cellb[j] = cb * forget;
        inputb[j] = forgetb * weight[j] + outb * weight[2 * b + j];
        hiddenb[j] = inb * weight[b + j] + changeb * weight[3 * b + j];
        weightb[j] += forgetb * input[j], biasb[j] += forgetb;
        weightb[b + j] += inb * hidden, biasb[b + j] += inb;
        weightb[2 * b + j] += outb * input[j], biasb[2 * b + j] += outb;
        weightb[3 * b + j] += changeb * hidden, biasb[3 * b + j] += changeb;
    }
}

void lstm_by_hand(int l, int c, int b, const double *restrict main_params, double *restrict main_paramsb,
                  const double *restrict extra_params, double *restrict extra_paramsb, const double *restrict state,
                  const double *restrict sequence, double *restrict loss, const double *restrict lossb) {
    long size = (long)KEPT * b, per = (long)l * size;
    /* kept[0]: the state before the first character. */
    double *kept = kept_memory((size_t)(c * per) + (size_t)c * b * 2), *input = kept + c * per, *y = input + (long)c * b;
    double *bars = calloc((size_t)b * (2 * l + 1), sizeof *bars);
    double *hiddenb = bars, *cellb = bars + (long)l * b, *xb = cellb + (long)l * b;
    double total = 0.0, scale = -1.0 / ((double)(c - 1) * b), seed = *lossb * scale;
    for (int i = 0; i < l; i++) {
        memcpy(kept + i * size + HIDDEN * b, state + (long)i * 2 * b, (size_t)b * sizeof *kept);
        memcpy(kept + i * size + CELL * b, state + (long)i * 2 * b + b, (size_t)b * sizeof *kept);
    }
    for (int t = 0; t < c - 1; t++) {
        double *in = input + (long)t * b, *out = y + (long)t * b, *before = kept + t * per, *now = before + per, sum = 2.0, targets = 0.0;
        const double *target = sequence + (long)(t + 1) * b;
        for (int j = 0; j < b; j++) in[j] = sequence[(long)t * b + j] * extra_params[j];
        const double *x = in;
        for (int i = 0; i < l; i++) {
            layer(b, main_params + (long)i * 8 * b, x, before + i * size, now + i * size);
            x = now + i * size + HIDDEN * b;
        }
        for (int j = 0; j < b; j++) {
            double value = x[j] * extra_params[b + j] + extra_params[2 * b + j];
            total += target[j] * value;
            targets += target[j];
            sum += out[j] = exp(value);
        }
        total -= targets * log(sum);
        /* y becomes the adjoint of the prediction. */
        for (int j = 0; j < b; j++) out[j] = seed * (target[j] - targets / sum * out[j]);
    }
    *loss = scale * total;
    for (int t = c - 2; t >= 0; t--) {
        const double *before = kept + t * per, *now = before + per, *last = now + (l - 1) * size + HIDDEN * b, *out = y + (long)t * b;
        for (int j = 0; j < b; j++) {
            extra_paramsb[b + j] += out[j] * last[j];
            extra_paramsb[2 * b + j] += out[j];
            xb[j] = out[j] * extra_params[b + j];
        }
        for (int i = l - 1; i >= 0; i--) {
            const double *in = i ? now + (i - 1) * size + HIDDEN * b : input + (long)t * b;
            for (int j = 0; j < b; j++) hiddenb[(long)i * b + j] += xb[j];
            layer_adjoint(b, main_params + (long)i * 8 * b, main_paramsb + (long)i * 8 * b, in, before + i * size, now + i * size, xb,
                          hiddenb + (long)i * b, cellb + (long)i * b);
        }
        for (int j = 0; j < b; j++) extra_paramsb[j] += xb[j] * sequence[(long)t * b + j];
    }
    free(bars);
}
