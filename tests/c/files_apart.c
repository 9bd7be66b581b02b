/* Files that are written and files that are read, which are others; and files that are read again, but not in the request that writes
 * them. Nothing of this is refused, and what is read is constant.
 * ad-sanitizers: address */
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static FILE *record = NULL, *table = NULL;

__attribute__((noinline)) static void log_number(FILE *file, double x) { fprintf(file, "%.17g\n", x); }
__attribute__((noinline)) static double get_number(FILE *file) {
    double x = 0;
    return fscanf(file, "%lf", &x) == 1 ? x : 0;
}

/* As models do: each step reads what drives it and writes what it has computed. */
static double steps(const double *x) {
    double state = x[0], sum = 0;
    rewind(table);
    for (int i = 0; i < 4; i++) {
        double weight = 1;
        if (fscanf(table, "%lf", &weight) != 1) exit(2);
        state = state * x[1] + weight * x[2];
        fprintf(record, "%d %.17g\n", i, state);
        sum += state * state;
    }
    fflush(record);
    return sum;
}
AD_FUNCTIONAL(steps)

static double steps_in_callees(const double *x) {
    double state = x[0], sum = 0;
    rewind(table);
    for (int i = 0; i < 4; i++) {
        state = state * x[1] + get_number(table) * x[2];
        log_number(record, state);
        fwrite(&state, sizeof state, 1, record);
        sum += state * state;
    }
    return sum;
}
AD_FUNCTIONAL(steps_in_callees)

/* A file of its own, of constants: bytes, numbers and text that were no active number. */
static double of_constants(const double *x) {
    const double some[3] = {0.5, 1.5, 2.5};
    double back[3] = {0, 0, 0}, last = 0;
    FILE *file = tmpfile();
    if (!file || fwrite(some, sizeof *some, 3, file) != 3) exit(2);
    fprintf(file, "%d %s %g\n", 3, "numbers", some[1]);
    rewind(file);
    if (fread(back, sizeof *back, 3, file) != 3 || fscanf(file, "%*d %*s %lf", &last) != 1) exit(2);
    fclose(file);
    log_number(record, x[0]);
    return back[0] * x[0] + back[1] * x[1] * x[1] + back[2] * x[2] * x[0] + last * x[1];
}
AD_FUNCTIONAL(of_constants)

/* The first number is constant, which only its reader knows. */
__attribute__((noinline, annotate("ad_inactive"))) static double first_number(FILE *file) {
    double x = 0;
    rewind(file);
    return fscanf(file, "%lf", &x) == 1 ? x : 0;
}
static double of_two_parts(const double *x) {
    FILE *file = tmpfile();
    if (!file) exit(2);
    fprintf(file, "%.17g %.17g\n", 1.25, x[0] * x[1]);
    double first = first_number(file);
    fclose(file);
    return first * x[0] * x[2];
}
AD_FUNCTIONAL(of_two_parts)

/* Written, but read by the program outside of requests only. */
static int reads_back = 0;
static double written(const double *x) {
    double y = x[0] * x[1] * x[2], back = 1;
    rewind(record);
    fprintf(record, "%.17g\n", y);
    if (reads_back) {
        rewind(record);
        if (fscanf(record, "%lf", &back) != 1) exit(2);
    }
    return y * back;
}
AD_FUNCTIONAL(written)

/* Read first, written afterwards: the next request reads what the one before has written. */
static double state_of_last_request(const double *x) {
    double before = 1;
    rewind(record);
    if (fscanf(record, "%lf", &before) != 1) exit(2);
    rewind(record);
    fprintf(record, "%.17g\n", before);
    log_number(record, x[2]);
    return before * x[0] * x[1];
}
AD_FUNCTIONAL(state_of_last_request)

int main(void) {
    record = tmpfile(), table = tmpfile();
    if (!record || !table) return 2;
    fputs("0.5\n1.5\n2.5\n3.5\n", table);
    check_case cases[] = {CHECK_FUNCTIONAL(steps, 3), CHECK_FUNCTIONAL(steps_in_callees, 3), CHECK_FUNCTIONAL(of_constants, 3),
                          CHECK_FUNCTIONAL(of_two_parts, 3), CHECK_FUNCTIONAL(written, 3)};
    for (int i = 0; i < 5; i++) check_random_points(&cases[i], 2, 0.3, 1.3);

    double x[3] = {1.5, 0.5, 3.0}, xb[3] = {0}, y = 0, one = 1;
    written_adjoint(x, xb, &y, &one);
    check_close("after a request", xb[0], 1.5, 1e-15);
    reads_back = 1;
    check_close("the program reads what it writes", written(x), 2.25 * 2.25, 1e-15);
    reads_back = 0;

    check_case again = CHECK_FUNCTIONAL(state_of_last_request, 3);
    check_random_points(&again, 2, 0.3, 1.3);
    return check_done();
}
