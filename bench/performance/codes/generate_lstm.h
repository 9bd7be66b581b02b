/* Generated inputs of the LSTM, in the place of a file: layers, characters, width are WORDs of the program. */
#ifndef GENERATE_LSTM_H
#define GENERATE_LSTM_H

#include "bench.h"

#include "load_lstm.h"

static inline lstm_instance lstm_generate(int count, char **arguments) {
    lstm_instance made = {(int)bench_size(count, arguments, 0), (int)bench_size(count, arguments, 1), (int)bench_size(count, arguments, 2),
                          NULL, NULL, NULL, NULL};
    made.main_params = bench_numbers(8L * made.l * made.b, -0.8, 0.8);
    made.extra_params = bench_numbers(3L * made.b, -0.8, 0.8);
    made.state = bench_numbers(2L * made.l * made.b, -0.5, 0.5);
    made.sequence = bench_alloc((long)made.c * made.b, sizeof *made.sequence);
    for (int t = 0; t < made.c; t++) made.sequence[(long)t * made.b + (int)bench_uniform(0.0, made.b)] = 1.0;
    return made;
}

#endif
