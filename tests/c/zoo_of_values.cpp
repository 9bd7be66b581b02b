/* ad-levels: O0 O1 O2
 * ad-i386: none, words of eight bytes in unions are two integers where an address has four bytes (AD031)
 *
 * Words of tagged unions, reals or integers, in place of which a small number is stored on some ways: such a number says
 * nothing of the others. */
#include "requests.h"
#include <cstring>
#include <vector>

struct Value {
    long long tag;
    union {
        double d;
        long long l;
    };
};

static Value pick(long long c, const Value &o) {
    Value v;
    if (c) v.tag = 0, v.l = 1;
    else v = o;
    return v;
}
static double picked(const double *x) {
    std::vector<Value> all, out;
    for (int i = 0; i < 3; i++) {
        Value v;
        v.tag = 1, v.d = x[i] * x[(i + 1) % 3];
        all.push_back(v);
    }
    Value last;
    last.tag = 0, last.l = 7;
    all.push_back(last);
    for (size_t k = 0; k < all.size(); k++) out.push_back(pick(k % 2, all[k]));
    double sum = 0;
    for (const Value &v : out) sum += v.tag ? v.d * v.d : v.l * 2.0;
    return sum;
}

static void copy(long long c, const Value *from, Value *to) {
    unsigned long long word;
    std::memcpy(&word, &from->d, 8);
    if (c) word = 3;
    to->tag = !c;
    std::memcpy(&to->d, &word, 8);
}
static double copied(const double *x) {
    Value a[3], b[3];
    for (int i = 0; i < 3; i++) a[i].tag = 1, a[i].d = x[i] * x[(i + 1) % 3];
    for (int i = 0; i < 3; i++) copy(i == 1, &a[i], &b[i]);
    double sum = 0;
    for (const Value &v : b) sum += v.tag ? v.d * v.d : v.l * 2.0;
    return sum;
}

AD_FUNCTIONAL(picked)
AD_FUNCTIONAL(copied)

int main() {
    const check_case cases[] = {CHECK_FUNCTIONAL(picked, 3), CHECK_FUNCTIONAL(copied, 3)};
    for (const check_case &c : cases) check_random_points(&c, 3, 0.5, 1.5);
    return check_done();
}
