/* Memory of the hand-written derivatives: kept between calls, as adcc keeps its tape's. */
#ifndef KEPT_H
#define KEPT_H

#include <stdio.h>
#include <stdlib.h>

/* `count` numbers, whose values are left from the call before. One block per source file. */
static inline double *kept_memory(size_t count) {
    static double *memory;
    static size_t size;
    if (count <= size && memory) return memory;
    free(memory);
    memory = malloc((count ? count : 1) * sizeof *memory);
    if (memory) return size = count, memory;
    fprintf(stderr, "no memory for %zu numbers\n", count);
    exit(2);
}

#endif
