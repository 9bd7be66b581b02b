// Numbers that C++'s streams read to where active values lie: from files, text and lines, one by one and as bytes. What is read is
// constant, and what is not read keeps its derivative.
#include "requests.h"
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <vector>

enum { N = 4 };

static std::string path() { return "/tmp/adcc_numbers_" + std::to_string(getpid()); }

static double from_text(const double *x) {
    std::istringstream in("0.5 1.5 2.5");
    double a[N] = {x[0], x[1] * x[0], x[2], x[3] * x[3]};
    for (int i = 0; i < N && in >> a[i]; i++) {}
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * x[i];
    return sum;
}

// Where text is no number, the library stores zero; a stream that has ended leaves all as it is.
static double not_read(const double *x) {
    std::istringstream in("1.5 none");
    double a = x[0] * x[1], b = x[1], c = x[2] * x[3];
    in >> a >> b >> c;
    return (a + b) * c * x[0];
}

// The number that lies there already.
static double same_value(const double *x) {
    std::istringstream in("2");
    double a = x[0] - x[0] + 2;
    in >> a;
    return a * x[1] * x[2];
}

struct record {
    int kind;
    float weight;
    double value;
    long count;
    long double sum;
};
static double members(const double *x) {
    std::ifstream in(path());
    std::vector<record> all(2);
    for (int i = 0; i < 2; i++) all[i] = {0, i ? 2.0f : (float)x[i], x[i] * x[i], 0, x[i + 1]};
    in >> all[0].kind >> all[0].weight >> all[0].value >> all[0].count >> all[0].sum;
    double sum = 0;
    for (record &r : all) {
        r.value *= x[3];
        sum += r.value * r.weight + (double)r.sum * x[2] + (double)(r.kind * r.count);
    }
    return sum;
}

static double by_lines(const double *x) {
    std::ifstream in(path());
    std::string line;
    std::vector<double> all;
    while (std::getline(in, line)) {
        if (line.empty() || line[0] == '#') continue;
        std::istringstream words(line);
        double first;
        words >> first;
        all.push_back(first);
    }
    double sum = 0;
    for (double &v : all) {
        v *= x[0];
        sum += v * v;
    }
    return sum + std::stod("1.5") * x[1];
}

static double by_words(const double *x) {
    std::ifstream in(path());
    std::string word, line;
    double sum = x[0];
    std::getline(in, line);
    while (in >> word && word != "#") sum = sum * x[1] + std::stod(word);
    return sum;
}

static double as_bytes(const double *x) {
    const double some[2] = {0.5, 1.5};
    std::istringstream in(std::string((const char *)some, sizeof some));
    double a[N] = {x[0], x[1] * x[2], x[2], x[3] * x[0]};
    in.read((char *)a, sizeof a);
    double sum = 0;
    for (int i = 0; i < N; i++) sum += a[i] * a[i] * x[i];
    return sum;
}

static double from_characters(const double *x) {
    const char text[] = "2.5 none";
    double a = x[0] * x[1], b = x[2] * x[3];
    std::from_chars(text, text + 3, a);
    std::from_chars(text + 4, text + 8, b);
    return a * b * x[0];
}

AD_FUNCTIONAL(from_text)
AD_FUNCTIONAL(not_read)
AD_FUNCTIONAL(same_value)
AD_FUNCTIONAL(members)
AD_FUNCTIONAL(by_lines)
AD_FUNCTIONAL(by_words)
AD_FUNCTIONAL(as_bytes)
AD_FUNCTIONAL(from_characters)

int main() {
    std::ofstream(path()) << "3 1.25 2.5 7 0.75\n# a comment\n4.5 1 1 1 1\n";
    check_case cases[] = {CHECK_FUNCTIONAL(from_text, N), CHECK_FUNCTIONAL(not_read, N), CHECK_FUNCTIONAL(same_value, N),
                          CHECK_FUNCTIONAL(members, N),   CHECK_FUNCTIONAL(by_lines, N), CHECK_FUNCTIONAL(by_words, N),
                          CHECK_FUNCTIONAL(as_bytes, N),  CHECK_FUNCTIONAL(from_characters, N)};
    for (check_case &c : cases) check_random_points(&c, 2, 0.3, 1.3);
    unlink(path().c_str());
    return check_done();
}
