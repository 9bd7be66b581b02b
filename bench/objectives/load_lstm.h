/* Instances of the LSTM objective, read from a file. */
#ifndef LOAD_LSTM_H
#define LOAD_LSTM_H

typedef struct lstm_instance {
    int l, c, b; /* layers, characters, width */
    double *main_params, *extra_params, *state, *sequence;
} lstm_instance;

/* Reads `l c b`, 8 l b main parameters, 3 b extra parameters, 2 l b of state, and c rows of b. */
lstm_instance lstm_load(const char *file);

void lstm_free(lstm_instance *instance);

#endif
