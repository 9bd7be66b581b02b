/* An active number that is written to a file and read again in the same request: its derivative would be lost, so the program ends with
 * AD223 and both places, in both modes.
 * ad-flags: -g */
#include "ending.h"
#include "requests.h"

#include <stdio.h>
#include <stdlib.h>

static const char *path(void) {
    static char name[64];
    snprintf(name, sizeof name, "/tmp/adcc_read_again_%d", (int)getpid());
    return name;
}

static double as_text(const double *x) {
    double back = 0;
    FILE *file = tmpfile();
    if (!file) exit(2);
    fprintf(file, "%.17g\n", x[0] * x[1]);
    rewind(file);
    if (fscanf(file, "%lf", &back) != 1) exit(2);
    fclose(file);
    return back * x[2];
}
AD_FUNCTIONAL(as_text)

static double by_name(const double *x) {
    double back = 0;
    FILE *file = fopen(path(), "w");
    if (!file) exit(2);
    fprintf(file, "%d %.17g\n", 1, x[0] * x[1]);
    fclose(file);
    file = fopen(path(), "r");
    if (!file || fscanf(file, "%*d %lf", &back) != 1) exit(2);
    fclose(file);
    unlink(path());
    return back * x[2];
}
AD_FUNCTIONAL(by_name)

static double as_bytes(const double *x) {
    double all[2] = {x[0] * x[1], x[2]}, back[2] = {0, 0};
    FILE *file = tmpfile();
    if (!file || fwrite(all, sizeof *all, 2, file) != 2) exit(2);
    rewind(file);
    if (fread(back, sizeof *back, 2, file) != 2) exit(2);
    fclose(file);
    return back[0] * back[1];
}
AD_FUNCTIONAL(as_bytes)

/* The same file by its descriptor. */
static double by_descriptor(const double *x) {
    double all = x[0] * x[1], back = 0;
    FILE *file = tmpfile();
    if (!file || fwrite(&all, sizeof all, 1, file) != 1) exit(2);
    fflush(file);
    if (pread(fileno(file), &back, sizeof back, 0) != (ssize_t)sizeof back) exit(2);
    fclose(file);
    return back * x[2];
}
AD_FUNCTIONAL(by_descriptor)

static double through_pipe(const double *x) {
    double all = x[0] * x[1], back = 0;
    int ends[2];
    if (pipe(ends) != 0) exit(2);
    FILE *file = fdopen(ends[1], "w");
    if (!file || fwrite(&all, sizeof all, 1, file) != 1) exit(2);
    fclose(file);
    if (read(ends[0], &back, sizeof back) != (ssize_t)sizeof back) exit(2);
    close(ends[0]);
    return back * x[2];
}
AD_FUNCTIONAL(through_pipe)

/* Functions without derivative. */
__attribute__((noinline)) static void log_number(FILE *file, double x) { fprintf(file, "%.17g\n", x); }
__attribute__((noinline)) static double get_number(FILE *file) {
    double x = 0;
    return fscanf(file, "%lf", &x) == 1 ? x : 0;
}
static double in_callees(const double *x) {
    FILE *file = tmpfile();
    if (!file) exit(2);
    for (int i = 0; i < 3; i++) log_number(file, x[i] * x[i]);
    rewind(file);
    double sum = 0;
    for (int i = 0; i < 3; i++) sum += get_number(file) * x[i];
    fclose(file);
    return sum;
}
AD_FUNCTIONAL(in_callees)

/* By functions that only pointers lead to. */
static void (*volatile put)(FILE *, double) = log_number;
static double (*volatile get)(FILE *) = get_number;
static double by_pointers(const double *x) {
    FILE *file = tmpfile();
    if (!file) exit(2);
    put(file, x[0] * x[1]);
    rewind(file);
    double back = get(file);
    fclose(file);
    return back * x[2];
}
AD_FUNCTIONAL(by_pointers)

/* The numbers of the second request are the first that come back. */
static int reads_back = 0;
static double sometimes(const double *x) {
    double back = 1;
    FILE *file = tmpfile();
    if (!file) exit(2);
    fprintf(file, "%.17g\n", x[0] * x[1]);
    rewind(file);
    if (reads_back && fscanf(file, "%lf", &back) != 1) exit(2);
    fclose(file);
    return back * x[2];
}
AD_FUNCTIONAL(sometimes)
static void second_request(void *of) {
    struct check_derivative *use = (struct check_derivative *)of;
    reads_back = 0;
    check_derive(use);
    reads_back = 1;
    check_derive(use);
}

static void check_both(check_case c, const char *place) {
    const double x[3] = {1.5, 2.5, 3.5};
    for (int is_adjoint = 0; is_adjoint < 2; is_adjoint++) {
        check_case_ends(c.name, &c, x, is_adjoint, "AD223", place);
    }
}

int main(void) {
    check_both((check_case)CHECK_FUNCTIONAL(as_text, 3), "files_read_again.c:22");
    check_both((check_case)CHECK_FUNCTIONAL(by_name, 3), "files_read_again.c:35");
    check_both((check_case)CHECK_FUNCTIONAL(as_bytes, 3), "files_read_again.c:47");
    check_both((check_case)CHECK_FUNCTIONAL(by_descriptor, 3), "files_read_again.c:59");
    check_both((check_case)CHECK_FUNCTIONAL(through_pipe, 3), "files_read_again.c:72");
    check_both((check_case)CHECK_FUNCTIONAL(in_callees, 3), "files_read_again.c:82");
    check_both((check_case)CHECK_FUNCTIONAL(by_pointers, 3), "files_read_again.c:82");
    check_case two = CHECK_FUNCTIONAL(sometimes, 3);
    const double x[3] = {1.5, 2.5, 3.5};
    for (int is_adjoint = 0; is_adjoint < 2; is_adjoint++) {
        struct check_derivative use = {&two, x, is_adjoint};
        check_ends("second request", second_request, &use, "AD223", "files_read_again.c:118");
    }
    return check_done();
}
