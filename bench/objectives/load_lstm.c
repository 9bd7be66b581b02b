/* Reads instances of the LSTM objective; see load_lstm.h. */
#include "load_lstm.h"

#include "read_numbers.h"

lstm_instance lstm_load(const char *file) {
    lstm_instance it;
    FILE *stream = read_open(file);
    it.l = read_count(stream, file);
    it.c = read_count(stream, file);
    it.b = read_count(stream, file);
    it.main_params = read_doubles(stream, file, (size_t)8 * it.l * it.b);
    it.extra_params = read_doubles(stream, file, (size_t)3 * it.b);
    it.state = read_doubles(stream, file, (size_t)2 * it.l * it.b);
    it.sequence = read_doubles(stream, file, (size_t)it.c * it.b);
    fclose(stream);
    return it;
}

void lstm_free(lstm_instance *it) {
    free(it->main_params);
    free(it->extra_params);
    free(it->state);
    free(it->sequence);
}
