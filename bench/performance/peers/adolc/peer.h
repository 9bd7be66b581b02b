// What the programs for ADOL-C share. Each defines a function object `code` whose call computes y from x, both double or both adouble, and
// calls `peer_run`. Arguments: PREFIX SECONDS RUNS; PREFIX.in was left by the case's own program (bench.h), PREFIX.peer receives
// the derivative. A gradient is recorded anew each time: another x may take other branches.
#ifndef PEER_H
#define PEER_H

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <adolc/adolc.h>

struct peer_case {
    std::vector<double> data, x, seed;
    long sizes[8];
};

inline double peer_now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

inline void peer_read(FILE *file, double *to, size_t count) {
    if (std::fread(to, sizeof *to, count, file) == count) return;
    std::fprintf(stderr, "the case's file is too short\n");
    std::exit(2);
}

inline peer_case peer_load(const std::string &prefix) {
    FILE *file = std::fopen((prefix + ".in").c_str(), "rb");
    if (!file) {
        std::perror(prefix.c_str());
        std::exit(2);
    }
    double header[11];
    peer_read(file, header, 11);
    peer_case it{std::vector<double>(size_t(header[0])), std::vector<double>(size_t(header[1])), std::vector<double>(size_t(header[2])), {}};
    for (int i = 0; i < 8; i++) it.sizes[i] = long(header[3 + i]);
    peer_read(file, it.data.data(), it.data.size());
    peer_read(file, it.x.data(), it.x.size());
    peer_read(file, it.seed.data(), it.seed.size());
    std::fclose(file);
    return it;
}

template <class F> double peer_median(F f, double seconds, int runs) {
    std::vector<double> times;
    double start = peer_now();
    f();
    double one = peer_now() - start;
    long repeats = one < seconds ? long(seconds / std::max(one, 1e-7)) + 1 : 1;
    for (int run = 0; run < runs; run++) {
        start = peer_now();
        for (long i = 0; i < repeats; i++) f();
        times.push_back((peer_now() - start) / double(repeats));
    }
    std::sort(times.begin(), times.end());
    return runs % 2 ? times[runs / 2] : 0.5 * (times[runs / 2 - 1] + times[runs / 2]);
}

// Where a recording would be larger than what one writes to a disk for a comparison: nothing is measured.
enum { PEER_MOST_OPERATIONS = 100000000 };

// Times both, and leaves the derivative; `kind`: which it is.
template <class Primal, class Derivative>
int peer_measure(const Primal &primal, const char *kind, const Derivative &derivative, const std::vector<double> &result, char **arguments) {
    double seconds = std::atof(arguments[2]);
    int runs = std::max(1, std::atoi(arguments[3]));
    std::printf("time primal %.9e\n", peer_median(primal, seconds, runs));
    std::printf("time %s %.9e\n", kind, peer_median(derivative, seconds, runs));
    FILE *file = std::fopen((std::string(arguments[1]) + ".peer").c_str(), "wb");
    if (file && std::fwrite(result.data(), sizeof(double), result.size(), file) == result.size() && !std::fclose(file)) return 0;
    std::perror(arguments[1]);
    return 2;
}

// `operations`: roughly how many the primal makes.
template <class Code> int peer_run(const Code &code, const peer_case &it, double operations, char **arguments) {
    if (operations > PEER_MOST_OPERATIONS) return 0;
    int n = int(it.x.size()), m = int(it.seed.size());
    std::vector<double> y(m), xb(n), seed = it.seed;
    std::vector<adouble> ax(n), ay(m);
    auto gradient = [&] {
        trace_on(1, 1);
        for (int i = 0; i < n; i++) ax[i] <<= it.x[i];
        code(ax.data(), ay.data());
        for (int i = 0; i < m; i++) ay[i] >>= y[i];
        trace_off();
        fos_reverse(1, m, n, seed.data(), xb.data());
    };
    return peer_measure([&] { code(it.x.data(), y.data()); }, "gradient", gradient, xb, arguments);
}

#endif
