/* Two heads whose derivatives would have one name. */
/* ad-option: -ad-adjoint=_ZN1a4stepEd */
/* ad-option: -ad-adjoint=_Z4stepd */
/* ad-option: -ad-adjoint=_Z4stepf */
/* ad-error: AD015 - another head already generates */
double step(double x) { return x * x; }
float step(float x) { return x * x * x; }
namespace a {
double step(double x) { return 2.0 * x; }
}
