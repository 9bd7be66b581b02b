// Alternatives of one word: variants of reals, integers, flags and texts, documents made of them, and std::any. What the source reads as
// an integer or a pointer lies where a real was stored last, as far as passes know.
// ad-flags: -std=c++20
// ad-i386: none, variants are moved as what may be pointers (AD034)
#include "requests.h"
#include <any>
#include <map>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

using cell = std::variant<double, std::string, int, bool>;
static double value(const cell &c) {
    if (auto *real = std::get_if<double>(&c)) return *real;
    if (auto *count = std::get_if<int>(&c)) return 0.1 * *count;
    if (auto *flag = std::get_if<bool>(&c)) return *flag ? 2 : -1;
    return 0.2 * double(std::get<std::string>(c).size());
}
// Elements move to new memory as the vector grows.
static double row(const double *x) {
    std::vector<cell> cells;
    for (int i = 0; i < 8; i++) {
        if (i % 4 == 0) cells.push_back(x[0] * i + x[1]);
        else if (i % 4 == 1) cells.push_back(cell(std::string("seven")));
        else if (i % 4 == 2) cells.push_back(cell(i));
        else cells.push_back(cell(i == 3));
    }
    double sum = x[2];
    for (const cell &c : cells) sum = sum * 0.7 + value(c) * sum;
    return sum;
}

struct node;
using nodes = std::vector<node>;
struct node {
    std::variant<std::nullptr_t, bool, double, std::string, nodes> v;
    node(double real) : v(real) {}
    node(bool flag) : v(flag) {}
    node(const char *text) : v(std::string(text)) {}
    node(nodes all) : v(std::move(all)) {}
};
static double total(const node &n) {
    if (auto *real = std::get_if<double>(&n.v)) return *real * *real;
    if (auto *flag = std::get_if<bool>(&n.v)) return *flag ? 1.5 : 0.5;
    if (auto *text = std::get_if<std::string>(&n.v)) return double(text->size());
    double sum = 1;
    if (auto *all = std::get_if<nodes>(&n.v))
        for (const node &one : *all) sum = sum * 0.9 + total(one);
    return sum;
}
static double document(const double *x) {
    nodes inner;
    for (int i = 0; i < 3; i++) inner.push_back(node(x[i] * x[0]));
    inner.push_back(node(true));
    nodes outer;
    outer.push_back(node("name"));
    outer.push_back(node(inner));
    outer.push_back(node(x[1] * x[2]));
    return total(node(outer)) * total(node(inner));
}

// The same copied whole, where texts have their address and vectors theirs.
struct branch;
using branches = std::vector<branch>;
struct branch {
    std::variant<double, std::string, branches> v;
    branch(double real) : v(real) {}
    branch(std::string text) : v(std::move(text)) {}
    branch(branches all) : v(std::move(all)) {}
};
static double sum_of(const branch &b) {
    if (auto *real = std::get_if<double>(&b.v)) return *real * *real;
    if (auto *text = std::get_if<std::string>(&b.v)) return double(text->size());
    double sum = 1;
    for (const branch &one : std::get<branches>(b.v)) sum = sum * 0.9 + sum_of(one);
    return sum;
}
static double copied(const double *x) {
    branches inner;
    for (int i = 0; i < 3; i++) inner.push_back(branch(x[i] * x[0]));
    branches outer(inner);
    outer.push_back(branch(std::string("a text that is too long for the string itself")));
    outer.push_back(branch(inner));
    branch copy(outer);
    return sum_of(copy) * sum_of(branch(x[1] * x[2]));
}

static double named(const double *x) {
    std::map<std::string, std::any> all;
    all["count"] = 3;
    all["rate"] = x[0] * x[1];
    all["path"] = std::vector<double>{x[1], x[2]};
    all["text"] = std::string("a text");
    double sum = 0;
    for (auto &[name, one] : all) {
        if (one.type() == typeid(double)) sum += std::any_cast<double>(one) * double(name.size());
        else if (one.type() == typeid(int)) sum += std::any_cast<int>(one) * x[2];
        else if (auto *path = std::any_cast<std::vector<double>>(&one)) sum *= (*path)[0] * (*path)[1];
    }
    return sum;
}
AD_FUNCTIONAL(row)
AD_FUNCTIONAL(document)
AD_FUNCTIONAL(copied)
AD_FUNCTIONAL(named)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(row, 3), CHECK_FUNCTIONAL(document, 3), CHECK_FUNCTIONAL(copied, 3), CHECK_FUNCTIONAL(named, 3)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
