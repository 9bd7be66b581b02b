// Errors that hold their message by a counted reference, made by a constructor that is not inlined: what it
// stores in the exception has a shadow, as all that is counted may be active, and nobody needs it there. An
// observer that fails is caught, and its message collected. Beside the messages, elements are moved within
// an array of doubles: that packs no real into a string.
// ad-i386: none, at -O0 the characters of strings are refused where an address has four bytes (AD030)
#include "requests.h"
#include <cmath>
#include <exception>
#include <sstream>
#include <string>
#include <vector>

namespace {
// Counted references with a deleter that is chosen when the block is made.
class Count {
  public:
    virtual ~Count() = default;
    virtual void dispose() = 0;
    void add() { uses_++; }
    void release() {
        if (--uses_ == 0) {
            dispose();
            delete this;
        }
    }

  private:
    int uses_ = 1;
};
template <class T> class InPlace : public Count {
  public:
    void dispose() override {
        if (made_) reinterpret_cast<T *>(bytes_)->~T();
        made_ = false;
    }
    void *bytes() { return bytes_; }
    void made() { made_ = true; }

  private:
    bool made_ = false;
    alignas(T) unsigned char bytes_[sizeof(T)];
};
template <class T> class Counted {
  public:
    Counted() = default;
    Counted(T *at, Count *count) : at_(at), count_(count) {}
    Counted(const Counted &c) : at_(c.at_), count_(c.count_) {
        if (count_) count_->add();
    }
    Counted(Counted &&c) noexcept : at_(c.at_), count_(c.count_) { c.at_ = nullptr, c.count_ = nullptr; }
    template <class U> Counted(const Counted<U> &c) : at_(c.at()), count_(c.count()) {
        if (count_) count_->add();
    }
    ~Counted() {
        if (count_) count_->release();
    }
    Counted &operator=(Counted c) noexcept {
        std::swap(at_, c.at_), std::swap(count_, c.count_);
        return *this;
    }
    T *operator->() const { return at_; }
    T &operator*() const { return *at_; }
    T *at() const { return at_; }
    Count *count() const { return count_; }
    explicit operator bool() const { return at_; }

  private:
    T *at_ = nullptr;
    Count *count_ = nullptr;
};
template <class T, class... A> Counted<T> make(A &&...a) {
    auto *block = new InPlace<T>;
    T *at = new (block->bytes()) T(std::forward<A>(a)...);
    block->made();
    return Counted<T>(at, block);
}

class Error : public std::exception {
  public:
    __attribute__((noinline)) Error(const std::string &where, long line, const std::string &what) {
        std::ostringstream text;
        text << where << ":" << line << ": " << what;
        message_ = make<std::string>(text.str());
    }
    Error(const Error &) = default;
    ~Error() override = default;
    const char *what() const noexcept override { return message_->c_str(); }

  private:
    Counted<std::string> message_;
};

struct Part {
    virtual ~Part() = default;
    virtual double value(const std::vector<double> &state) const = 0;
};
struct Scaled : Part {
    explicit Scaled(double f) : factor(f) {}
    double value(const std::vector<double> &state) const override {
        double sum = 0;
        for (double s : state) sum += factor * std::sin(s);
        return sum;
    }
    double factor;
};
struct Bounded : Part {
    explicit Bounded(double b) : bound(b) {}
    double value(const std::vector<double> &state) const override {
        if (!(state[0] < bound)) throw Error("bounded", 12, "the first state is beyond its bound");
        return state[0] * state[1] / bound;
    }
    double bound;
};

struct Model {
    std::vector<Counted<Part>> parts;
    std::vector<double> state;
    double total = 0;
    void add(const Counted<Part> &part) {
        if (!part) throw Error("model", 34, "no part");
        parts.push_back(part);
    }
    void calculate() {
        bool successful = true;
        std::string message;
        for (auto &part : parts) {
            try {
                total += part->value(state);
            } catch (std::exception &e) {
                successful = false;
                message = e.what();
            } catch (...) {
                successful = false;
                message = "unknown reason";
            }
        }
        if (!successful) throw Error("model", 56, "could not calculate: " + message);
    }
};

double calculated(const double *x) {
    Model model;
    model.state.assign(x, x + 2);
    // libstdc++ moves the elements behind the new one.
    model.state.insert(model.state.begin(), x[2] * x[0]);
    model.add(make<Scaled>(x[1]));
    model.add(make<Bounded>(100 + x[2]));
    Counted<Part> last = make<Scaled>(x[0] * x[2]);
    model.add(last);
    last = model.parts[0];
    for (int i = 0; i < 2; i++) model.calculate();
    return model.total * last->value({x[0], 2.0});
}
// One part fails: those before and behind it count.
double calculated_partly(const double *x) {
    Model model;
    model.state = {x[0], x[1]};
    model.add(make<Scaled>(x[1]));
    model.add(make<Bounded>(0.01 * x[1]));
    model.add(make<Scaled>(x[0]));
    double sum = 0;
    try {
        model.calculate();
    } catch (const std::exception &e) {
        sum = x[1] * double(std::string(e.what()).size());
    }
    return sum + model.total;
}
AD_FUNCTIONAL(calculated)
AD_FUNCTIONAL(calculated_partly)
} // namespace

int main() {
    check_case all[] = {CHECK_FUNCTIONAL(calculated, 3), CHECK_FUNCTIONAL(calculated_partly, 2)};
    for (auto &c : all) check_random_points(&c, 2, 0.2, 0.6);
    return check_done();
}
