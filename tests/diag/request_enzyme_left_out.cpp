// Names of Enzyme that adcc leaves out, and markers that contradict each other, each with its own message.
// ad-flags: -g
// ad-error: AD014 - '__enzyme_todense_matrix' is not supported
// ad-error: AD014 - use __enzyme_fwddiff: it runs the function, and takes no tape
// ad-error: AD014 - '__enzyme_register_splitderivative_f': this declaration is not supported
// ad-error: AD014 - attribute 'enzyme_unheard_of' of 'annotated(double)' is not supported
// ad-error: AD014 35:5 '__enzyme_batch' is not supported
// ad-error: AD014 36:5 marker 'enzyme_noret' is not supported where a real result has an adjoint
// ad-error: AD014 37:5 marker 'enzyme_dup_return' is not supported in adjoint mode
// ad-error: AD014 38:5 'ad_interleave' (enzyme_interleave) is not supported with several directions
// ad-error: AD014 39:5 marker 'enzyme_strong_zero' is not supported
// ad-error: AD012 40:5 'enzyme_active_return' applies to adjoint mode only
// ad-error: AD012 41:5 'enzyme_noret' contradicts another marker of the request
// ad-error: AD012 42:5 'enzyme_dup_return' contradicts another marker of the request
// ad-error: AD012 43:5 ad_dupv and ad_dupnoneedv are for pointers
// ad-error: AD012 44:5 'enzyme_dupv' must be followed by the distance of two shadows in bytes
// ad-error: AD011 45:5 2 argument(s) too many for 'f(double*, int)' with 2 parameter(s)
// ad-error: AD013 46:22 returns a std::tuple, whose members lie in another order in memory than they are named
// ad-error: AD012 47:5 'f(double*, int)' returns no real that could be active
#include <tuple>
extern int enzyme_dup, enzyme_const, enzyme_out, enzyme_noret, enzyme_primal_return, enzyme_dup_return, enzyme_active_return;
extern int enzyme_const_return, enzyme_interleave, enzyme_width, enzyme_dupv, enzyme_strong_zero;
extern "C" void __enzyme_fwdsplit_void(void *, ...), __enzyme_todense_matrix(void *, ...);
template <typename Return, typename... Args> Return __enzyme_batch(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args...);
template <typename Return, typename... Args> Return __enzyme_fwddiff(void *, Args...);
static void f(double *x, int n) { x[0] *= x[n]; }
static double g(double a, double b) { return a * a * b; }
__attribute__((annotate("enzyme_unheard_of"))) static double annotated(double x) { return x; }
void *__enzyme_register_splitderivative_f[] = {(void *)f, (void *)f, (void *)f};

void all(double *x, double *xb) {
    void *const of_f = (void *)f, *const of_g = (void *)g;
    __enzyme_todense_matrix(of_f, x), __enzyme_fwdsplit_void(of_f, enzyme_dup, x, xb, 1, x);
    __enzyme_batch<void>(of_f, enzyme_width, 2, x, xb, 1);
    __enzyme_autodiff<void>(of_g, enzyme_noret, 1.0, 2.0);
    __enzyme_autodiff<void>(of_g, enzyme_dup_return, 1.0, 2.0);
    __enzyme_fwddiff<void>(of_f, enzyme_width, 2, enzyme_dup, x, 1, enzyme_interleave, xb, xb + 2);
    __enzyme_autodiff<void>(of_f, enzyme_strong_zero, x, xb, 1);
    __enzyme_fwddiff<void>(of_g, enzyme_active_return, 1.0, 1.0, 2.0, 1.0);
    __enzyme_fwddiff<void>(of_g, enzyme_primal_return, enzyme_noret, 1.0, 1.0, 2.0, 1.0);
    __enzyme_fwddiff<void>(of_g, enzyme_const_return, enzyme_dup_return, 1.0, 1.0, 2.0, 1.0);
    __enzyme_fwddiff<void>(of_g, enzyme_dupv, 8, 1.0, 1.0, 2.0, 1.0);
    __enzyme_autodiff<void>(of_f, enzyme_dupv, x, xb, 1);
    __enzyme_autodiff<void>(of_f, x, 1, 2, 3, enzyme_interleave, xb);
    *x = std::get<0>(__enzyme_autodiff<std::tuple<double, double>>(of_g, *x, 2.0)) + annotated(*x);
    __enzyme_fwddiff<void>(of_f, enzyme_dup_return, x, xb, 1);
}
