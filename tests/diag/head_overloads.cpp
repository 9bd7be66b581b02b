// A head whose name two overloads share.
// ad-option: -ad-adjoint=square
// ad-error: AD015 - 'square' may be square(double) or square(double, double)
double square(double x) { return x * x; }
double square(double x, double y) { return x * y; }
