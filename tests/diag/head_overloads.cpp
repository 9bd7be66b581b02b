// A head whose name two overloads share.
// ad-option: -ad-adjoint=square
// ad-error: AD015 - function 'square'
double square(double x) { return x * x; }
double square(double x, double y) { return x * y; }
