/* ad-levels: O1 O2
 * ad-long: many templates
 * ad-i386: none, sets of addresses are refused where an address has four bytes
 *
 * Exceptions of the program's own with a message that a shared_ptr keeps, thrown by a macro and caught in the differentiated
 * code, beside a global set of active objects. At -O0 the exception's memory is refused (AD032, when the program runs). */
#include "requests.h"
#include <cmath>
#include <exception>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

class Error : public std::exception {
    std::shared_ptr<std::string> message_;

public:
    Error(const std::string &file, long line, const std::string &function, const std::string &message = "");
    const char *what() const noexcept override { return message_->c_str(); }
};
static std::string format(const std::string &file, long line, const std::string &function, const std::string &message) {
    std::ostringstream msg;
    if (function != "(unknown)") msg << function << ": ";
    msg << "\n" << file << ":" << line << ": " << message;
    return msg.str();
}
Error::Error(const std::string &file, long line, const std::string &function, const std::string &message) {
    message_ = std::make_shared<std::string>(format(file, line, function, message));
}
#define REQUIRE(c, m) \
    if (!(c)) {                                                  \
        std::ostringstream text;                                 \
        text << m;                                               \
        throw Error(__FILE__, __LINE__, __func__, text.str());   \
    } else
struct Observer { virtual ~Observer() = default; virtual void update() = 0; };
struct Observable {
    std::set<Observer *> observers;
    void notify() {
        std::string errors;
        bool ok = true;
        for (Observer *o : observers) try { o->update(); } catch (std::exception &e) { ok = false; errors = e.what(); } catch (...) { ok = false; }
        REQUIRE(ok, "could not notify: " << errors);
    }
};
static Observable all;
struct Quote : Observer {
    double value;
    int n = 0;
    explicit Quote(double v) : value(v) { all.observers.insert(this); }
    ~Quote() override { all.observers.erase(this); }
    void update() override { REQUIRE(n < 10, "too often " << value); n++; }
    double get() const { REQUIRE(value > 0, "negative " << value); return value; }
};
static double price(const double *x) {
    auto a = std::make_shared<Quote>(x[0]);
    std::vector<std::shared_ptr<Quote>> more;
    for (int i = 0; i < 2; i++) more.push_back(std::make_shared<Quote>(x[i] * x[0]));
    all.notify();
    double sum = a->get();
    for (auto &q : more) { REQUIRE(q->get() < 1e10, "large " << q->value); sum += std::sin(q->get()) * q->n; }
    double extra;
    try { extra = Quote(x[1] - 1).get() * x[0]; } catch (const Error &e) { extra = x[1] * x[1] * (e.what()[0] == 'g'); }
    return sum + extra;
}
AD_FUNCTIONAL(price)
int main() {
    check_case c = CHECK_FUNCTIONAL(price, 2);
    check_random_points(&c, 3, 0.2, 0.9);
    check_random_points(&c, 3, 1.1, 1.9);
    return check_done();
}
