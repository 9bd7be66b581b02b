/* Text of active numbers that is made before a throw, and lasts where the program keeps it: in a string, in a list, behind a counted pointer, in a message that the handler takes out of the exception.
 * ad-flags: -g -O1
 * ad-error: AD024 35:16 a number is computed from the digits of text that holds active data
 * ad-error: AD024 45:16 a number is computed from the digits of text that holds active data
 * ad-error: AD024 55:16 a number is computed from the digits of text that holds active data
 * ad-error: AD024 62:16 a number is computed from the digits of text that holds active data */
#include "ad.h"

double __ad_tangent_double(void *, ...);

#include <memory>
#include <sstream>
#include <string>
#include <vector>

class Error : public std::exception {
  public:
    explicit Error(const std::string &m) : message(std::make_shared<std::string>("error: " + m)) {}
    const char *what() const noexcept override { return message->c_str(); }
    std::shared_ptr<std::string> message;
};
static std::string text(double x) {
    std::ostringstream s;
    s << x;
    return s.str();
}
static double in_string(double x) {
    std::string last = "0";
    try {
        if (x > 1) {
            last = text(x);
            throw Error(last);
        }
    } catch (const Error &) {}
    return x * (last[0] - '0');
}
static double in_list(double x) {
    std::vector<std::string> log(1, "0");
    try {
        if (x > 1) {
            log.push_back(text(x));
            throw Error(log.back());
        }
    } catch (const Error &) {}
    return x * (log.back()[0] - '0');
}
static double behind_pointer(double x) {
    auto kept = std::make_shared<std::string>("0");
    try {
        if (x > 1) {
            kept = std::make_shared<std::string>(text(x));
            throw Error(*kept);
        }
    } catch (const Error &) {}
    return x * ((*kept)[0] - '0');
}
static double of_exception(double x) {
    auto kept = std::make_shared<std::string>("0");
    try {
        if (x > 1) throw Error(text(x));
    } catch (const Error &e) { kept = e.message; }
    return x * ((*kept)[0] - '0');
}
double derivatives(double x) {
    return __ad_tangent_double((void *)in_string, x, 1.0) + __ad_tangent_double((void *)in_list, x, 1.0) +
           __ad_tangent_double((void *)behind_pointer, x, 1.0) + __ad_tangent_double((void *)of_exception, x, 1.0);
}
