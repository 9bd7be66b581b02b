/* The gradient of lstm.h's objective, by hand. */
#ifndef LSTM_BY_HAND_H
#define LSTM_BY_HAND_H

/* The shadows are added to: lossb times the gradient. */
void lstm_by_hand(int l, int c, int b, const double *restrict main_params, double *restrict main_paramsb,
                  const double *restrict extra_params, double *restrict extra_paramsb, const double *restrict state,
                  const double *restrict sequence, double *restrict loss, const double *restrict lossb);

#endif
