/* Pointers to pointers: a matrix as rows on the heap, rows swapped, made longer, shared; arrays of structs and structs of
 * arrays, copied from one to the other. */
// ad-sanitizers: address
#include "requests.h"

enum { N = 3 };
#define APART __attribute__((noinline)) static

APART double **new_matrix(int rows, int columns) {
    double **m = malloc(rows * sizeof *m);
    for (int i = 0; i < rows; i++) m[i] = calloc(columns, sizeof **m);
    return m;
}
APART void free_matrix(double **m, int rows) {
    for (int i = 0; i < rows; i++) free(m[i]);
    free(m);
}
APART void swap_rows(double **m, int i, int j) {
    double *row = m[i];
    m[i] = m[j];
    m[j] = row;
}

/* A determinant by elimination with pivoting. */
static double determinant(const double *x) {
    double **m = new_matrix(N, N), d = 1.0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) m[i][j] = x[i * N + j] * (i == j ? 0.5 : 1.0);
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++)
            if (fabs(m[i][k]) > fabs(m[pivot][k])) pivot = i;
        if (pivot != k) {
            swap_rows(m, k, pivot);
            d = -d;
        }
        d *= m[k][k];
        for (int i = k + 1; i < N; i++) {
            double factor = m[i][k] / m[k][k];
            for (int j = k; j < N; j++) m[i][j] -= factor * m[k][j];
        }
    }
    free_matrix(m, N);
    return d;
}

typedef struct {
    double x, y;
    int tag;
} point;
typedef struct {
    double *x, *y;
    int *tag;
} points;

static double layouts(const double *v) {
    point *all = malloc(4 * sizeof *all);
    points apart = {malloc(4 * sizeof(double)), malloc(4 * sizeof(double)), malloc(4 * sizeof(int))};
    for (int i = 0; i < 4; i++) all[i] = (point){v[i] * v[i], sin(v[i + 4]), i % 3};
    for (int i = 0; i < 4; i++) {
        apart.x[i] = all[i].x * all[(i + 1) % 4].y;
        apart.y[i] = all[i].y;
        apart.tag[i] = all[i].tag;
    }
    memcpy(&all[0], &all[2], sizeof *all);
    double *x = apart.x;
    apart.x = apart.y;
    apart.y = x;
    double sum = all[0].x + all[0].tag;
    for (int i = 0; i < 4; i++) sum += (apart.tag[i] + 1) * apart.x[i] * apart.y[i] * v[8];
    free(all);
    free(apart.x);
    free(apart.y);
    free(apart.tag);
    return sum;
}

AD_FUNCTIONAL(determinant)
AD_FUNCTIONAL(layouts)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(determinant, 9), CHECK_FUNCTIONAL(layouts, 9)};
    for (int i = 0; i < 2; i++) check_random_points(&cases[i], 4, 0.3, 0.9);
    return check_done();
}
