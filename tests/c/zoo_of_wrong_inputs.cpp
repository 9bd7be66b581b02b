/* ad-levels: O1 O2
 * ad-i386: none, strings beside active data are refused where an address has four bytes
 *
 * An error class as libraries have them: its message is a string behind a shared pointer, made by streams of names and active numbers.
 * Virtual, recursive functions throw it where their input is wrong, and differentiated code has handlers for it. No input is wrong here. */
#include "requests.h"
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace {
class Error : public std::exception {
  public:
    Error(const std::string &file, long line, const std::string &function, const std::string &message);
    const char *what() const noexcept override;

  private:
    std::shared_ptr<std::string> text;
};
__attribute__((noinline)) std::string format(const std::string &file, long line, const std::string &function,
                                             const std::string &message) {
    std::ostringstream out;
    out << function << ": ";
    out << "\n  " << file << "(" << line << "): \n" << message;
    return out.str();
}
Error::Error(const std::string &file, long line, const std::string &function, const std::string &message) {
    text = std::make_shared<std::string>(format(file, line, function, message));
}
const char *Error::what() const noexcept { return text->c_str(); }

#define FAIL(message)                                                                          \
    do {                                                                                       \
        std::ostringstream out;                                                                \
        out << message;                                                                        \
        throw Error(__FILE__, __LINE__, __func__, out.str());                                  \
    } while (0)

struct Node {
    virtual ~Node() = default;
    virtual double value(double x) const {
        if (weight > 10) FAIL("node " << name << " has " << weight << " at " << x);
        double sum = weight * x;
        for (const auto &next : children) sum += next->value(x * 0.5);
        return sum;
    }
    double weight = 0;
    std::vector<std::shared_ptr<Node>> children;
    std::string name;
};
struct Square : Node {
    double value(double x) const override {
        if (x < 0) FAIL("negative argument " << x);
        return weight * x * x;
    }
};

double tree(const double *x) {
    auto root = std::make_shared<Node>();
    root->weight = x[0];
    root->name = "the root of the tree, a long name";
    for (int i = 0; i < 3; i++) {
        std::shared_ptr<Node> child = i == 1 ? std::make_shared<Square>() : std::make_shared<Node>();
        child->weight = i == 2 ? 2 * x[1] : x[1] + i;
        child->name = "child " + std::to_string(i);
        root->children.push_back(child);
    }
    double sum = 0;
    std::string log;
    for (const auto &child : root->children) {
        try {
            sum += child->value(x[0]);
        } catch (const std::exception &e) {
            log += e.what();
            sum += 0.5 * x[1];
        }
    }
    try {
        sum += root->value(x[1]);
    } catch (const Error &e) {
        log = e.what();
        sum *= 2;
    }
    return sum + log.empty();
}
AD_FUNCTIONAL(tree)
} // namespace

int main() {
    check_case c = CHECK_FUNCTIONAL(tree, 2);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
