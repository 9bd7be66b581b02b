/* What the loaders share: numbers parted by white space, and the end of the program when one is missing. */
#ifndef READ_NUMBERS_H
#define READ_NUMBERS_H

#include <stdio.h>
#include <stdlib.h>

static inline void read_fail(const char *file, const char *why) {
    fprintf(stderr, "%s: %s\n", file, why);
    exit(2);
}

static inline FILE *read_open(const char *file) {
    FILE *stream = fopen(file, "r");
    if (!stream) read_fail(file, "cannot be read");
    return stream;
}

static inline void *read_alloc(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) read_fail("memory", "exhausted");
    return memory;
}

static inline int read_int(FILE *stream, const char *file) {
    int value = 0;
    if (fscanf(stream, "%d", &value) != 1) read_fail(file, "an integer is missing");
    return value;
}

static inline double read_double(FILE *stream, const char *file) {
    double value = 0.0;
    if (fscanf(stream, "%lf", &value) != 1) read_fail(file, "a number is missing");
    return value;
}

static inline double *read_doubles(FILE *stream, const char *file, size_t count) {
    double *values = read_alloc(count, sizeof *values);
    for (size_t i = 0; i < count; i++) values[i] = read_double(stream, file);
    return values;
}

/* A dimension decides how much is allocated: it must be positive and not absurd. */
static inline int read_count(FILE *stream, const char *file) {
    int count = read_int(stream, file);
    if (count <= 0 || count > 10000000) read_fail(file, "a dimension is out of range");
    return count;
}

#endif
