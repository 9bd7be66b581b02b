// Paths that only lead to an exception, through functions and classes of the program: what they compute has no
// derivative, and runs as it is. Where differentiated code catches the exception, it has one.
#include "requests.h"
#include <cmath>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

enum { N = 4 };

// An error with its text on the heap, shared by its copies.
class Failure : public std::exception {
  public:
    Failure(const char *file, long line, const std::string &message) {
        std::ostringstream text;
        text << file << ":" << line << ": " << message;
        text_ = std::make_shared<std::string>(text.str());
    }
    const char *what() const noexcept override { return text_->c_str(); }

  private:
    std::shared_ptr<std::string> text_;
};

// Who has read how much: found again after an exception.
static std::vector<double> read;

struct Journal {
    virtual ~Journal() {}
    virtual void write(double v) { read.push_back(v); }
};
struct Louder : Journal {
    void write(double v) override { read.push_back(2 * v); }
};
static Journal plain;
static Louder louder;
static Journal *journals[] = {&plain, &louder};

static const double *last;

__attribute__((noinline)) static void fail(const double *values, int n, double v) {
    std::ostringstream text;
    text << "value " << v << " after";
    for (int i = 0; i < n; i++) {
        text << " " << values[i];
        journals[i % 2]->write(values[i]);
    }
    last = values;
    throw Failure("source", 7, text.str());
}

#define REQUIRE(condition, values, n, v)                                                                               \
    do {                                                                                                               \
        if (!(condition)) fail(values, n, v);                                                                          \
    } while (false)

struct Term {
    virtual ~Term() {}
    virtual double at(double x) const = 0;
};
struct Root : Term {
    double scale;
    explicit Root(double s) : scale(s) {}
    double at(double x) const override {
        REQUIRE(x * scale >= 0, &scale, 1, x);
        return std::sqrt(x * scale);
    }
};
struct Power : Term {
    double exponent;
    explicit Power(double e) : exponent(e) {}
    double at(double x) const override {
        if (x <= 0) {
            std::ostringstream text;
            text << "power " << exponent << " of " << x;
            throw Failure("source", 9, text.str());
        }
        return std::pow(x, exponent);
    }
};

static double terms(const double *x) {
    std::vector<std::shared_ptr<Term>> all;
    for (int i = 0; i < N; i++) {
        REQUIRE(x[i] < 1e6, x, i, x[i]);
        if (i % 2) all.push_back(std::make_shared<Power>(x[i]));
        else all.push_back(std::make_shared<Root>(x[i]));
    }
    double sum = 0;
    for (int i = 0; i < N; i++) {
        std::vector<double> parts(3, x[i]);
        for (double &p : parts) {
            p = all[i]->at(p + x[0]);
            REQUIRE(p < 1e12, parts.data(), 3, p);
            sum += p * p;
        }
    }
    return sum;
}

// What the path reads is there: values that nothing else asks for.
static double negative(const double *x) {
    double values[3];
    for (int i = 0; i < 3; i++) values[i] = x[i] * x[3];
    REQUIRE(values[2] > 0, values, 3, x[0]);
    return x[0] * x[1];
}

// The exception is caught where the value is used that was stored on its way.
struct Low {
    double by;
};
static int lows = 0;
__attribute__((noinline)) static void note(double *out, double v) {
    lows++;
    out[0] = v * v;
}
__attribute__((noinline)) static void lower(double *out, double v) {
    note(out, v);
    out[1] = std::sin(v);
    throw Low{v};
}
__attribute__((noinline)) static double checked(double *out, double v) {
    if (v < 1) lower(out, v);
    return v * v * v;
}
static double caught(const double *x) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double out[2] = {1, 2};
        try {
            sum += checked(out, x[i]);
        } catch (const Low &low) {
            sum += 2 * out[0] + out[1] * x[0] + low.by;
        }
    }
    return sum;
}

// Reals that are stored in the caller's memory before the exception have tangents after it.
static void stored(const double *x, double *y) {
    y[0] = 3 * x[0];
    if (x[1] < 0) {
        std::ostringstream text;
        text << "second: " << x[1];
        y[1] = x[0] * x[1];
        throw Failure("source", 11, text.str());
    }
    y[1] = x[1];
}

AD_FUNCTIONAL(terms)
AD_FUNCTIONAL(caught)

template <class Request> static std::string message(Request request) {
    try {
        request();
    } catch (const Failure &e) {
        return e.what();
    }
    return "nothing";
}

int main() {
    check_case a = CHECK_FUNCTIONAL(terms, N);
    check_random_points(&a, 3, 0.3, 1.2);
    check_case b = CHECK_FUNCTIONAL(caught, N);
    check_random_points(&b, 4, 0.3, 1.7);

    const double x[N] = {2.0, 1.0, -3.0, 0.5}, xd[N] = {1.0, 0.0, 0.0, 0.0};
    double xb[N] = {};
    const std::string expected = "source:7: value 2 after 1 0.5 -1.5";
    check_true("the tangent's message",
               message([&] { __ad_tangent_double((void *)negative, x, xd); }) == expected);
    check_true("the adjoint's message", message([&] { __ad_adjoint_void((void *)negative, x, xb); }) == expected);
    check_true("what the path did is done",
               read.size() == 6 && read[0] == 1.0 && read[4] == 1.0 && read[5] == -1.5 && last != nullptr);

    double y[2] = {}, yd[2] = {};
    const double low[2] = {2.0, -1.0}, low_d[2] = {1.0, 0.5};
    check_true("it stores reals", message([&] { __ad_tangent_void((void *)stored, low, low_d, y, yd); }) ==
                                      "source:11: second: -1");
    check_true("with their tangents", yd[0] == 3.0 && yd[1] == 0.0 && y[1] == -2.0);
    return check_done();
}
