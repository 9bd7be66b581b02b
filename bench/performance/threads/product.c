/* Products of a sparse matrix, in compressed rows, with a vector. */
#include "threads.h"

enum { ENTRIES = 9 };
static long rows, turns;
static int *begin, *column;
/* The vector, then the matrix. */
static double *x, *xb, *y, *yb;

#define CODE "product.h"
#include "both.h"

int main(int count, char **arguments) {
    rows = bench_size(count, arguments, 0), turns = bench_size(count, arguments, 1);
    begin = bench_alloc(rows + 1, sizeof *begin), column = bench_alloc(rows * ENTRIES, sizeof *column);
    x = bench_numbers(rows * (1 + ENTRIES), -1.0, 1.0), xb = bench_alloc(rows * (1 + ENTRIES), sizeof *xb);
    y = bench_alloc(rows, sizeof *y), yb = bench_alloc(rows, sizeof *yb);
    for (long i = 0; i <= rows; i++) begin[i] = (int)(i * ENTRIES);
    for (long k = 0; k < rows * ENTRIES; k++) {
        long near = k / ENTRIES + (long)bench_uniform(-1000, 1000);
        column[k] = (int)(near < 0 ? 0 : near < rows ? near : rows - 1);
    }
    const threads code = {rows * (1 + ENTRIES), x, xb, serial_value, team_value, serial_gradient, team_gradient};
    return threads_run(&code, count, arguments);
}
