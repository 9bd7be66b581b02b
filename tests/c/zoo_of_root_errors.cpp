// ad-levels: O0 O1 O2
// ad-i386: none, dates and halves of reals have one size there (AD034, AD039)
// Root finding as libraries do it: an error keeps its message, with the numbers in it, behind a counted pointer; the caller goes on
// where it finds no root, and then counts days. The days lie in memory like the message, but they are not made of it.
#include "requests.h"

#include <cmath>
#include <exception>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#ifdef OWN_COUNTS
// A count with virtual functions, as reference-counted pointers have it.
class Counted {
  public:
    virtual ~Counted() = default;
    virtual void dispose() = 0;
    void add() { ++uses_; }
    void release() {
        if (--uses_ == 0) dispose();
    }

  private:
    int uses_ = 1;
};
template <class T> class CountedValue : public Counted {
  public:
    explicit CountedValue(const T &v) : value(v) {}
    void dispose() override { delete this; }
    T value;
};
template <class T> class Pointer {
  public:
    Pointer() = default;
    explicit Pointer(const T &v) : to_(new CountedValue<T>(v)) {}
    Pointer(const Pointer &o) : to_(o.to_) {
        if (to_) to_->add();
    }
    Pointer &operator=(Pointer o) {
        std::swap(to_, o.to_);
        return *this;
    }
    ~Pointer() {
        if (to_) to_->release();
    }
    const T &operator*() const { return to_->value; }

  private:
    CountedValue<T> *to_ = nullptr;
};
template <class T, class... Of> static Pointer<T> make(const Of &...of) { return Pointer<T>(T(of...)); }
#else
template <class T> using Pointer = std::shared_ptr<T>;
template <class T, class... Of> static Pointer<T> make(const Of &...of) { return std::make_shared<T>(of...); }
#endif

class Error : public std::exception {
  public:
    __attribute__((noinline)) Error(const std::string &file, long line, const std::string &message) {
        std::ostringstream s;
        s << file << ':' << line << ": " << message;
        message_ = make<std::string>(s.str());
    }
    const char *what() const noexcept override { return (*message_).c_str(); }
    [[noreturn]] virtual void rethrow() const { throw *this; }

  private:
    Pointer<std::string> message_;
};
#define FAIL(message)                         \
    do {                                      \
        std::ostringstream s;                 \
        s << message;                         \
        throw Error("root", __LINE__, s.str()); \
    } while (0)

// What is counted like messages are, and says when it goes.
class Quote;
static std::set<Quote *> &quotes() {
    static std::set<Quote *> all;
    return all;
}
class Quote {
  public:
    explicit Quote(double v) : value(v) { quotes().insert(this); }
    Quote(const Quote &o) : value(o.value) { quotes().insert(this); }
    ~Quote() { quotes().erase(this); }
    double value;
};

class Date {
  public:
    explicit Date(long day) : day_(day) {}
    long operator-(const Date &o) const { return day_ - o.day_; }

  private:
    long day_;
};
class DayCounter {
  public:
    virtual ~DayCounter() = default;
    virtual double years(const Date &a, const Date &b) const = 0;
};
class Actual365 : public DayCounter {
    double years(const Date &a, const Date &b) const override { return double(b - a) / 365.0; }
};
class Actual360 : public DayCounter {
    double years(const Date &a, const Date &b) const override { return double(b - a) / 360.0; }
};
struct Contract {
    std::shared_ptr<DayCounter> counter;
    std::vector<Pointer<Date>> dates;
};

template <class F> static double bisect(const F &f, double low, double high) {
    double a = f(low), b = f(high);
    if (a * b > 0) FAIL("no root in [" << low << ", " << high << "]: " << a << ", " << b);
    for (int i = 0; i < 60; ++i) {
        double middle = 0.5 * (low + high), y = f(middle);
        (y * a > 0 ? low : high) = middle;
    }
    double m = 0.5 * (low + high), h = 1e-4;
    return m - f(m) / ((f(m + h) - f(m - h)) / (2 * h));
}
__attribute__((noinline)) static double limit(double c, double guess) {
    double u = bisect([&](double x) { return std::exp(-c * x) - 0.1; }, 0.0, 10 / c);
    try {
        double v = bisect([&](double x) { return x * x - c; }, 0.0, guess);
        return std::max(u, v);
    } catch (const Error &) {
        return u;
    }
}
__attribute__((noinline)) static double span(const Contract &c, size_t i) { return c.counter->years(*c.dates[0], *c.dates[i]); }
static double of_contract(const double *p) {
    auto quote = make<Quote>(p[0]);
    auto contract = std::make_unique<Contract>();
    contract->counter = p[0] > 100 ? std::shared_ptr<DayCounter>(std::make_shared<Actual360>()) : std::make_shared<Actual365>();
    for (int d = 0; d < 5; ++d) contract->dates.push_back(make<Date>(100 + 91 * d));
    double r = 0;
    for (size_t i = 1; i < contract->dates.size(); ++i) {
        double t = span(*contract, i);
        r += limit((*quote).value * t, i % 2 ? 20.0 : 0.01) * std::exp(-p[1] * span(*contract, i));
    }
    return r;
}
AD_FUNCTIONAL(of_contract)

int main() {
    check_case c = CHECK_FUNCTIONAL(of_contract, 2);
    c.step = 1e-4;
    check_random_points(&c, 4, 0.8, 1.6);
    return check_done();
}
