/* Numbers that are read from files and text, to where active values lie before or after: what is read is constant, and what is not
 * read keeps its derivative.
 * ad-sanitizers: address */
#include "requests.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { N = 4 };

static FILE *file_of(const void *bytes, size_t count) {
    FILE *file = tmpfile();
    if (!file || fwrite(bytes, 1, count, file) != count) exit(2);
    rewind(file);
    return file;
}

/* Over active values, which are then computed with. */
static double overwritten(const double *x) {
    const char text[] = "0.5 1.5\n2.5";
    double a[N];
    for (int i = 0; i < N; i++) a[i] = x[i] * x[i];
    FILE *file = file_of(text, sizeof text - 1);
    for (int i = 0; i + 1 < N; i++)
        if (fscanf(file, "%lf", &a[i]) != 1) exit(2);
    fclose(file);
    double sum = 0.0;
    for (int i = 0; i < N; i++) sum += a[i] * x[i];
    return sum;
}

/* The second number is none: it is not read, nor is what comes behind. */
static double ended_early(const double *x) {
    double a = x[0] * x[1], b = x[1] * x[2], c = x[2] * x[3];
    int n = sscanf("1.25 none 7", "%lf %lf %lf", &a, &b, &c);
    return a * b * c * n;
}

/* One place for two numbers: the last that was read stays. */
static double same_place(const double *x) {
    double a = x[0], b = x[1] * x[1];
    sscanf("3 4", "%lf %lf", &a, &a);
    sscanf("3 four", "%lf %lf", &b, &b);
    return a * b * x[2];
}

/* The number that is read is the one that lies there. */
static double same_value(const double *x) {
    double a = x[0] - x[0] + 2.0, b = x[1];
    sscanf("2", "%lf", &a);
    return a * b * x[2];
}

struct record {
    char name[16];
    short kind;
    int count;
    float weight;
    double value;
    long double sum;
};
/* Members of all kinds, dropped conversions, sets, and text in between. */
static double records(const double *x) {
    struct record r[2];
    for (int i = 0; i < 2; i++) r[i] = (struct record){"", 0, 0, i ? 2.0f : (float)x[i], x[i + 1] * x[i], x[i]};
    const char text[] = "first, 3 9 1.5 2.5 3.5 0.25\nsecond, 4 8 2.5 1.5 0.5 0.75\n";
    FILE *file = file_of(text, sizeof text - 1);
    int n = fscanf(file, "%15[^,], %hd %d %f %*f %lf %Lf", r[0].name, &r[0].kind, &r[0].count, &r[0].weight, &r[0].value, &r[0].sum);
    fclose(file);
    double sum = n;
    for (int i = 0; i < 2; i++) {
        r[i].value *= x[2];
        sum += r[i].value * r[i].weight + (double)r[i].sum * x[3] + r[i].count * r[i].kind + (double)strlen(r[i].name);
    }
    return sum;
}

/* Whole arrays; the file ends before the array does. */
static double binary(const double *x) {
    const double some[3] = {0.5, 1.5, 2.5};
    double a[N];
    for (int i = 0; i < N; i++) a[i] = x[i] * x[0];
    FILE *file = file_of(some, sizeof some);
    size_t n = fread(a, sizeof *a, N, file);
    double b[2] = {x[0], x[1]};
    rewind(file);
    fflush(file);
    if (pread(fileno(file), b, sizeof *b, 8) != (ssize_t)sizeof *b) exit(2);
    fclose(file);
    double sum = (double)n;
    for (int i = 0; i < N; i++) {
        a[i] *= x[i];
        sum += a[i] * a[i];
    }
    return sum + b[0] * b[1] * x[2];
}

/* Lines, and numbers of them. */
static double lines(const double *x) {
    const char text[] = "a line without numbers\n3 0.5 0.25\n1.5 2.5\n";
    FILE *file = file_of(text, sizeof text - 1);
    char line[100];
    int n = 0;
    double from = x[0], by = x[1], values[3] = {x[0], x[1], x[2]};
    if (!fgets(line, sizeof line, file) || !fgets(line, sizeof line, file)) exit(2);
    sscanf(line, "%d %lf %lf", &n, &from, &by);
    char *rest = fgets(line, sizeof line, file);
    for (int i = 0; i < n && *rest; i++) {
        char *end;
        values[i] = strtod(rest, &end);
        if (end == rest) values[i] = x[i] * x[i];
        rest = end;
    }
    fclose(file);
    printf("%d values from %g\n", n, from);
    double sum = 0.0;
    for (int i = 0; i < 3; i++) {
        values[i] *= x[3];
        sum += values[i] * (from + i * by) * x[i];
    }
    return sum;
}

AD_FUNCTIONAL(overwritten)
AD_FUNCTIONAL(ended_early)
AD_FUNCTIONAL(same_place)
AD_FUNCTIONAL(same_value)
AD_FUNCTIONAL(records)
AD_FUNCTIONAL(binary)
AD_FUNCTIONAL(lines)

int main(void) {
    check_case cases[] = {CHECK_FUNCTIONAL(overwritten, N), CHECK_FUNCTIONAL(ended_early, N), CHECK_FUNCTIONAL(same_place, N),
                          CHECK_FUNCTIONAL(same_value, N),  CHECK_FUNCTIONAL(records, N),     CHECK_FUNCTIONAL(binary, N),
                          CHECK_FUNCTIONAL(lines, N)};
    for (int i = 0; i < 7; i++) check_random_points(&cases[i], 2, 0.3, 1.3);
    return check_done();
}
