/* An approximate reciprocal has no derivative that its value agrees with: it is refused by name.
 * ad-flags: -g -mavx
 * ad-error: AD021 9:27 'llvm.x86.avx.rcp.ps.256' has no body in this file and no derivative rule
 * ad-error: AD021 9:27 intrinsic_approximate.c:7:71 */
#include <immintrin.h>
#include "ad.h"
static float f(float x) { return _mm_cvtss_f32(_mm256_castps256_ps128(_mm256_rcp_ps(_mm256_set1_ps(x)))); }
extern float __ad_adjoint_float(void *f, ...);
float g(float x) { return __ad_adjoint_float((void *)f, x); }
