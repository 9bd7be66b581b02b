// Active numbers that C++'s streams write to files and read again in the same request: the program ends with AD223 and the place, in both
// modes. Files that are read and others that are written, streams in memory and streams that fail are as ever.
// ad-flags: -g
#include "ending.h"
#include "requests.h"

#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <stdexcept>

static char path[64], table[64], record[64], missing[64];

static double by_name(const double *x) {
    double back = 0;
    std::ofstream(path) << x[0] * x[1] << '\n';
    std::ifstream in(path);
    in >> back;
    return back * x[2];
}
AD_FUNCTIONAL(by_name)

static double closed_before(const double *x) {
    double back = 0;
    std::ofstream out;
    out.open(path);
    out << x[0] * x[1] << ' ';
    out.close();
    std::fstream in(path, std::ios::in | std::ios::out);
    in >> back;
    return back * x[2];
}
AD_FUNCTIONAL(closed_before)

static double as_bytes(const double *x) {
    double all = x[0] * x[1], back = 0;
    FILE *file = fopen(path, "w");
    if (!file || fwrite(&all, sizeof all, 1, file) != 1) exit(2);
    fclose(file);
    std::ifstream in(path, std::ios::binary);
    in.read(reinterpret_cast<char *>(&back), sizeof back);
    return back * x[2];
}
AD_FUNCTIONAL(as_bytes)

// Others, and memory; the stream that is not open has no file.
static std::ofstream numbers, nowhere;
static std::ifstream weights;
static double apart(const double *x) {
    double sum = 0;
    weights.clear();
    weights.seekg(0);
    for (int i = 0; i < 3; i++) {
        double weight = 1;
        weights >> weight;
        numbers << x[i] * weight << ' ' << weight << '\n';
        nowhere << x[i];
        sum += x[i] * x[i] * weight;
    }
    return sum;
}
AD_FUNCTIONAL(apart)

// An exception leaves the request: what it has written, the program may read afterwards.
static double thrown(const double *x) {
    std::ofstream out(path);
    out << x[0] * x[1] << '\n';
    if (x[0] > 1) throw std::runtime_error("large");
    return x[0] * x[1];
}
AD_FUNCTIONAL(thrown)

static void check_both(check_case c, const char *place) {
    const double x[3] = {1.5, 2.5, 3.5};
    for (int is_adjoint = 0; is_adjoint < 2; is_adjoint++) check_case_ends(c.name, &c, x, is_adjoint, "AD223", place);
}

int main() {
    snprintf(path, sizeof path, "/tmp/adcc_streams_%d", (int)getpid());
    snprintf(table, sizeof table, "%s_table", path);
    snprintf(record, sizeof record, "%s_record", path);
    snprintf(missing, sizeof missing, "%s_missing/record", path);
    std::ofstream(table) << "0.5 1.5 2.5\n";
    weights.open(table), numbers.open(record), nowhere.open(missing);
    check_both(CHECK_FUNCTIONAL(by_name, 3), "streams_read_again.cpp:19");
    check_both(CHECK_FUNCTIONAL(closed_before, 3), "streams_read_again.cpp:31");
    check_both(CHECK_FUNCTIONAL(as_bytes, 3), "streams_read_again.cpp:42");
    check_case others = CHECK_FUNCTIONAL(apart, 3);
    check_random_points(&others, 2, 0.3, 1.3);

    const double x[3] = {1.5, 2.5, 3.5}, xd[3] = {1, 0, 0};
    for (int is_adjoint = 0; is_adjoint < 2; is_adjoint++) {
        double y = 0, yd = 0, xb[3] = {0}, caught = 0;
        try {
            if (is_adjoint) thrown_adjoint(x, xb, &y, &yd);
            else thrown_tangent(x, xd, &y, &yd);
        } catch (const std::runtime_error &) {
            std::ifstream(path) >> caught;
        }
        check_close("after an exception", caught, 3.75, 1e-15);
    }
    for (const char *name : {path, table, record}) unlink(name);
    return check_done();
}
