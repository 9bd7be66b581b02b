/* Loss of an element-wise LSTM that predicts the next character of a sequence.
 *
 * l layers of width b, c characters of b numbers. main_params, per layer: weights and then biases of the gates forget, in,
 * out, change (b each); extra_params: input scale, output scale, output bias; state, per layer: hidden, cell.
 * In a layer with input x:  forget = s(x w + b), in = s(h w + b), out = s(x w + b), change = tanh(h w + b);
 *   cell = cell forget + in change;  h = out tanh(cell);  the next layer's input is h.
 *   loss = -1/((c-1) b) sum_t sum_j target_j (y_j - log(2 + sum exp y)),   y = h scale + bias of the last layer.
 */
#ifndef LSTM_H
#define LSTM_H

/* The state at the start is read from `state`; its evolution is the function's own. */
void lstm_objective(int l, int c, int b, const double *restrict main_params, const double *restrict extra_params,
                    const double *restrict state, const double *restrict sequence, double *restrict loss);

#endif
