/* ad-i386: none, strings beside active data are refused where an address has four bytes
 *
 * Text that code reads character by character, and changes by the library's functions, beside reals: expressions, settings, labels. */
#include "requests.h"
#include <cctype>
#include <map>
#include <sstream>
#include <string>
#include <vector>

enum { N = 3 };

/* Names of variables, in maps of reals. */
struct parser {
    const char *at;
    std::map<std::string, double> values;
    double expression() {
        double v = term();
        while (*at == '+' || *at == '-') {
            char op = *at++;
            double w = term();
            v = op == '+' ? v + w : v - w;
        }
        return v;
    }
    double term() {
        double v = factor();
        while (*at == '*' || *at == '/') {
            char op = *at++;
            double w = factor();
            v = op == '*' ? v * w : v / w;
        }
        return v;
    }
    double factor() {
        if (*at == '(') {
            at++;
            double v = expression();
            at++;
            return v;
        }
        if (std::isdigit((unsigned char)*at)) {
            double v = 0;
            while (std::isdigit((unsigned char)*at)) v = v * 10 + (*at++ - '0');
            return v;
        }
        std::string name;
        while (std::isalnum((unsigned char)*at) || *at == '_') name += std::tolower((unsigned char)*at++);
        return values[name];
    }
};
static double expressions(const double *x) {
    parser p;
    p.values["alpha"] = x[0];
    p.values["beta"] = x[1] * x[2];
    p.values["a_rather_long_name_of_a_variable"] = x[2];
    p.at = "Alpha*beta+3*(beta-ALPHA)/(1+alpha*alpha)-a_rather_long_name_of_a_variable";
    return p.expression();
}

/* Settings of which the numbers become factors of reals that lie beside the names. */
struct setting {
    std::string name;
    double value;
};
static double settings(const double *x) {
    std::istringstream in("mass 2.5\nlength 1.25\nspeed 3\n");
    std::vector<setting> all;
    std::string name, token;
    while (in >> name >> token) {
        setting s;
        s.name = name;
        s.value = std::stod(token) * x[all.size() % N];
        all.push_back(s);
    }
    double sum = 0;
    for (const setting &s : all) {
        if (s.name == "mass") sum += s.value * s.value;
        else if (s.name == "length") sum += 3 * s.value;
        else sum += s.value * x[0];
    }
    return sum;
}

/* Words of a line, taken apart in place. */
static double counted(const double *x) {
    char line[] = "x1 x0;x2,x1 x1";
    double weight[N] = {x[0], x[1] * x[1], x[2]}, sum = 0;
    int k = 1;
    for (char *at = line; *at; at++) {
        if (std::isspace((unsigned char)*at) || std::ispunct((unsigned char)*at)) k++;
        else if (std::isdigit((unsigned char)*at)) sum += k * weight[std::strtol(at, nullptr, 10)] * weight[0];
        else *at = std::toupper((unsigned char)*at);
    }
    return sum * (line[0] == 'X');
}

AD_FUNCTIONAL(expressions)
AD_FUNCTIONAL(settings)
AD_FUNCTIONAL(counted)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(expressions, N), CHECK_FUNCTIONAL(settings, N), CHECK_FUNCTIONAL(counted, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
