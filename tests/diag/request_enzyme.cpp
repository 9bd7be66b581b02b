// Markers and spellings of Enzyme that have no meaning here are refused by name, and so are requests that take references to what must
// be given by value.
// ad-flags: -g
// ad-error: AD014 24:5 marker 'enzyme_vector' is not supported
// ad-error: AD014 25:5 marker 'enzyme_noret' is not supported
// ad-error: AD014 26:5 marker 'enzyme_strong_zero' is not supported
// ad-error: AD014 27:5 '__enzyme_fwdsplit_void' is not supported
// ad-error: AD011 28:5 the value of argument 1 of 'g(double)' has type ptr, but double is expected
// ad-error: AD011 29:5 takes a pointer by reference
// ad-error: AD012 30:5 marker 'enzyme_const' follows another marker
// ad-error: AD012 31:5 'enzyme_allocated' applies to split mode only
extern int enzyme_dup, enzyme_const, enzyme_out, enzyme_vector, enzyme_noret, enzyme_strong_zero, enzyme_allocated;
extern "C" void __enzyme_fwdsplit_void(void *, ...);
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args...);
namespace by_reference {
template <typename Return, typename... Args> Return __enzyme_autodiff(void *, Args &&...);
}

static double f(double *x, int n) { return x[n] * x[0]; }
static double g(double x) { return x * x; }

void all(double *x, double *xb) {
    void *const function = (void *)f;
    __enzyme_autodiff<void>(function, enzyme_dup, enzyme_vector, x, xb, enzyme_const, 1);
    __enzyme_autodiff<void>(function, enzyme_noret, enzyme_dup, x, xb, enzyme_const, 1);
    __enzyme_autodiff<void>(function, enzyme_dup, x, xb, enzyme_strong_zero, 1);
    __enzyme_fwdsplit_void(function, enzyme_dup, x, xb, 1, x);
    by_reference::__enzyme_autodiff<void>((void *)g, enzyme_out, *x);
    by_reference::__enzyme_autodiff<void>(function, x, xb, 1);
    __enzyme_autodiff<void>(function, enzyme_dup, enzyme_const, x, xb, 1);
    __enzyme_autodiff<void>(function, enzyme_allocated, 8, x, xb, 1);
}
