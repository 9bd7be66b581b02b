/* Text that code reads, moves and changes character by character, beside reals. */
#include "requests.h"
#include <cctype>
#include <map>
#include <string>

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
AD_FUNCTIONAL(counted)

int main() {
    check_case cases[] = {CHECK_FUNCTIONAL(expressions, N), CHECK_FUNCTIONAL(counted, N)};
    for (check_case &c : cases) check_random_points(&c, 3, 0.3, 1.1);
    return check_done();
}
