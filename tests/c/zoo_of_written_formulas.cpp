/* ad-flags: -std=c++17
 * ad-i386: none, strings beside active data are refused where an address has four bytes
 *
 * Formulas that are parsed, to trees of variants behind shared pointers, and evaluated by visitors: names that are collected character by
 * character, numbers by from_chars. */
#include "requests.h"
#include <cctype>
#include <charconv>
#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

namespace {
struct Node;
using Tree = std::shared_ptr<const Node>;
struct Number {
    double value;
};
struct Variable {
    std::string name;
};
struct Binary {
    char operation;
    Tree left, right;
};
struct Function {
    std::string name;
    Tree argument;
};
struct Node {
    std::variant<Number, Variable, Binary, Function> content;
};

class Parser {
  public:
    explicit Parser(std::string_view text) : s(text) {}
    Tree sum() {
        Tree left = product();
        for (;;) {
            if (eat('+')) left = std::make_shared<Node>(Node{Binary{'+', left, product()}});
            else if (eat('-')) left = std::make_shared<Node>(Node{Binary{'-', left, product()}});
            else return left;
        }
    }

  private:
    bool eat(char c) {
        while (i < s.size() && s[i] == ' ') i++;
        if (i == s.size() || s[i] != c) return false;
        i++;
        return true;
    }
    Tree product() {
        Tree left = atom();
        for (;;) {
            if (eat('*')) left = std::make_shared<Node>(Node{Binary{'*', left, atom()}});
            else if (eat('/')) left = std::make_shared<Node>(Node{Binary{'/', left, atom()}});
            else return left;
        }
    }
    Tree atom() {
        if (eat('(')) {
            Tree inner = sum();
            if (!eat(')')) throw std::runtime_error("expected ) at " + std::to_string(i));
            return inner;
        }
        while (i < s.size() && s[i] == ' ') i++;
        if (i < s.size() && std::isdigit((unsigned char)s[i])) {
            double value = 0;
            auto read = std::from_chars(s.data() + i, s.data() + s.size(), value);
            i = read.ptr - s.data();
            return std::make_shared<Node>(Node{Number{value}});
        }
        std::string name;
        while (i < s.size() && std::isalpha((unsigned char)s[i])) name += s[i++];
        if (name.empty()) throw std::runtime_error("unexpected character");
        if (!eat('(')) return std::make_shared<Node>(Node{Variable{name}});
        Tree argument = sum();
        eat(')');
        return std::make_shared<Node>(Node{Function{name, argument}});
    }
    std::string_view s;
    size_t i = 0;
};

struct Evaluate {
    const std::map<std::string, double> &variables;
    std::optional<double> least;
    double of(const Tree &tree) const { return std::visit(*this, tree->content); }
    double operator()(const Number &number) const { return number.value; }
    double operator()(const Variable &variable) const { return variables.at(variable.name); }
    double operator()(const Binary &binary) const {
        double left = of(binary.left), right = of(binary.right);
        switch (binary.operation) {
        case '+': return left + right;
        case '-': return left - right;
        case '*': return left * right;
        default: return least && std::fabs(right) < *least ? 0 : left / right;
        }
    }
    double operator()(const Function &function) const {
        double x = of(function.argument);
        if (function.name == "sin") return std::sin(x);
        if (function.name == "exp") return std::exp(x);
        throw std::runtime_error("no function " + function.name);
    }
};

double formula(const double *x) {
    std::map<std::string, double> variables{{"alpha", x[0]}, {"beta", x[1]}, {"gammaWithALongName", x[2]}};
    Tree tree = Parser("alpha*beta + sin(alpha - 2.5*gammaWithALongName)/(1 + beta*beta) - exp(alpha/gammaWithALongName)").sum();
    double first = Evaluate{variables, 1e-9}.of(tree);
    variables["alpha"] *= 2;
    return first + Evaluate{variables, {}}.of(tree);
}
AD_FUNCTIONAL(formula)
} // namespace

int main() {
    check_case c = CHECK_FUNCTIONAL(formula, 3);
    check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
