// A cause in templates and a lambda: the line of the template, and those of the calls through which it was inlined.
// ad-flags: -g
// ad-error: AD021 24:9 inlined_template.cpp:9:9, inlined at
// ad-error: AD021 24:9 inlined_template.cpp:14:48, inlined at
// ad-error: AD021 24:9 inlined_template.cpp:18:16] [requested at
#include "ad.h"
double elsewhere(double x);
template <typename T> struct Number { T value; T twice() const { return
        elsewhere(value) + value; } };
template <typename T, typename F> static T apply(F f, T x) {
    return f(x) * x;
}
template <typename T> static T model(T x) {
    auto inner = [](T y) { return Number<T>{y}.twice(); };
    T sum = T(0);
    for (int i = 0; i < 3; i++)
        sum = sum * x +
               apply(inner, x);
    return sum;
}

double derivative(double x) {
    return
        __ad_adjoint<double>(model<double>, x);
}
