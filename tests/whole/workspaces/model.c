#include "workspace.h"
#include <math.h>

double model(const double *x, int count) {
    double sum = 0.0;
    for (int i = 0; i < count; i++) scratch[i] = sin(x[i]) * x[0];
    for (int i = 0; i < count; i++) row(i % 2)[i] = scratch[i] * scratch[i];
    for (int i = 0; i < 2; i++) row(2)[i] = grid->cells[i * count + i] * x[1];
    for (int i = 0; i < count; i++) sum += grid->rows[i % 2][i] * scratch[(i + 1) % count];
    return sum + row(2)[0] * row(2)[1];
}
